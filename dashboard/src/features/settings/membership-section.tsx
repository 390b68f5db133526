import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { homeAddress, read, useWrite } from '../../api/queries.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Unread } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import styles from './settings.module.css'
import { terms } from '../../terms/words.ts'
import { words } from './words.ts'

/** What a person may do with their own membership: hand the ownership over, and leave. */
export function MembershipSection() {
  const { me, workspace } = useSession()
  const { workspaceId } = workspace
  const mayTransfer = useMay('owners:manage')
  const members = useQuery(read('listMembers', { params: { workspaceId } }))
  // Here, since what it is asked by goes with the right to.
  const transfer = useWrite('transferOwnership')
  if (members.data === undefined) return <Unread of={members} lines={2} />
  const others = members.data.filter(({ memberId }) => memberId !== workspace.memberId)
  const isLastOwner = workspace.role === 'owner' && others.every(({ role }) => role !== 'owner')
  return (
    <section className={styles.section} aria-labelledby="membership">
      <h2 id="membership">{words.membership}</h2>
      <p>{words.memberAs(me.person.name, terms.roles[workspace.role], workspace.name)}</p>
      {mayTransfer ? (
        <TransferOwnership
          others={others}
          busy={transfer.isPending}
          error={transfer.error}
          onTransfer={({ memberId, name }) =>
            transfer.mutate(
              { params: { workspaceId }, body: { memberId } },
              {
                onSuccess: () => announce(words.transferred(name, workspace.name)),
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
      <h3>{words.transfer}</h3>
      {others.length === 0 ? (
        <p>{words.onlyMember}</p>
      ) : (
        <>
          <Field label={words.newOwner} hint={words.newOwnerHint}>
            {(control) => (
              <select {...control} value={chosen} onChange={(event) => setChosen(event.target.value)}>
                <option value="">{words.chooseMember}</option>
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
              {words.transfer}
            </Button>
          </div>
        </>
      )}
      {next === undefined || !confirming ? null : (
        <ConfirmDialog
          title={words.transferTitle(next.name)}
          act={words.transfer}
          busy={busy}
          error={error}
          onConfirm={() => onTransfer(next)}
          onClose={() => setConfirming(false)}
        >
          {words.transferHint(next.name)}
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
      <h3>{words.leaveHeading}</h3>
      <p>{isLastOwner ? words.onlyOwner : words.leaveLead}</p>
      <div>
        <Button disabled={isLastOwner} onClick={() => setConfirming(true)}>
          {words.leave}
        </Button>
      </div>
      {confirming ? (
        <ConfirmDialog
          title={words.leaveTitle(name)}
          act={words.leave}
          busy={leave.isPending}
          error={leave.error}
          onConfirm={() =>
            leave.mutate({ params: { workspaceId } }, { onSuccess: () => location.assign(homeAddress()) })
          }
          onClose={() => setConfirming(false)}
        >
          {words.leaveHint(isOnlyWorkspace ? ` ${words.leaveOnly}` : '')}
        </ConfirmDialog>
      ) : null}
    </>
  )
}
