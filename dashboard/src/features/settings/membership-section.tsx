import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { homeAddress, read, useWrite } from '../../api/queries.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Loading, ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import styles from './settings.module.css'

/** What a person may do with their own membership: hand the ownership over, and leave. */
export function MembershipSection() {
  const { me, workspace } = useSession()
  const { workspaceId } = workspace
  const mayTransfer = useMay('owners:manage')
  const members = useQuery(read('listMembers', { params: { workspaceId } }))
  // Here, since what it is asked by goes with the right to.
  const transfer = useWrite('transferOwnership')
  if (members.isPending) return <Loading lines={2} />
  if (members.isError) return <ProblemNotice error={members.error} onRetry={() => void members.refetch()} />
  const others = members.data.filter(({ memberId }) => memberId !== workspace.memberId)
  const isLastOwner = workspace.role === 'owner' && others.every(({ role }) => role !== 'owner')
  return (
    <section className={styles.section} aria-labelledby="membership">
      <h2 id="membership">Your membership</h2>
      <p>
        {me.person.name}, {workspace.role} of {workspace.name}
      </p>
      {mayTransfer ? (
        <TransferOwnership
          others={others}
          busy={transfer.isPending}
          error={transfer.error}
          onTransfer={({ memberId, name }) =>
            transfer.mutate(
              { params: { workspaceId }, body: { memberId } },
              {
                onSuccess: () => announce(`${name} is now an owner of ${workspace.name}. You are an admin.`),
              },
            )
          }
        />
      ) : null}
      <LeaveWorkspace isLastOwner={isLastOwner} />
    </section>
  )
}

type TransferOwnershipProps = {
  others: readonly app.MemberView[]
  busy: boolean
  error: unknown
  onTransfer: (to: app.MemberView) => void
}

function TransferOwnership({ others, busy, error, onTransfer }: TransferOwnershipProps) {
  const [chosen, setChosen] = useState('')
  const [confirming, setConfirming] = useState(false)
  const next = others.find(({ memberId }) => memberId === chosen)
  return (
    <>
      <h3>Transfer ownership</h3>
      {others.length === 0 ? (
        <p>You’re the only member. Invite the next owner first.</p>
      ) : (
        <>
          <Field label="New owner" hint="They become an owner, and you become an admin.">
            {(control) => (
              <select {...control} value={chosen} onChange={(event) => setChosen(event.target.value)}>
                <option value="">Choose a member</option>
                {others.map(({ memberId, name, email }) => (
                  <option key={memberId} value={memberId}>
                    {name} ({email})
                  </option>
                ))}
              </select>
            )}
          </Field>
          <div>
            <Button disabled={next === undefined} onClick={() => setConfirming(true)}>
              Transfer ownership
            </Button>
          </div>
        </>
      )}
      {next === undefined || !confirming ? null : (
        <ConfirmDialog
          title={`Make ${next.name} the owner?`}
          act="Transfer ownership"
          busy={busy}
          error={error}
          onConfirm={() => onTransfer(next)}
          onClose={() => setConfirming(false)}
        >
          {next.name} can then do everything here. You become an admin: you still manage members, keys and
          channels, but only an owner can make you an owner again.
        </ConfirmDialog>
      )}
    </>
  )
}

function LeaveWorkspace({ isLastOwner }: { isLastOwner: boolean }) {
  const { me, workspace } = useSession()
  const { workspaceId, name } = workspace
  const [confirming, setConfirming] = useState(false)
  const leave = useWrite('leaveWorkspace', { leadsAway: true })
  const isOnlyWorkspace = me.workspaces.length === 1
  return (
    <>
      <h3>Leave this workspace</h3>
      <p>
        {isLastOwner
          ? 'You’re its only owner. Transfer ownership before you leave.'
          : 'You lose access at once. To come back, you need a new invitation.'}
      </p>
      <div>
        <Button disabled={isLastOwner} onClick={() => setConfirming(true)}>
          Leave workspace
        </Button>
      </div>
      {confirming ? (
        <ConfirmDialog
          title={`Leave ${name}?`}
          act="Leave workspace"
          busy={leave.isPending}
          error={leave.error}
          onConfirm={() =>
            leave.mutate({ params: { workspaceId } }, { onSuccess: () => location.assign(homeAddress()) })
          }
          onClose={() => setConfirming(false)}
        >
          Your agent keys, connected apps and invitations here are revoked. Scheduled posts stay scheduled.
          {isOnlyWorkspace ? ' This is your only workspace; you keep your account.' : ''}
        </ConfirmDialog>
      ) : null}
    </>
  )
}
