import { type app, type Role, roleNames, roles } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { fieldError } from '../../api/problem.ts'
import { read, useWrite } from '../../api/queries.ts'
import { showRelative } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { ListedRows, Row, Rows } from '../../ui/rows.tsx'
import { Tag } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './settings.module.css'

export function MembersScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayManage = useMay('members:manage')
  const members = useQuery(read('listMembers', { params: { workspaceId } }))
  const invitations = useQuery({
    ...read('listInvitations', { params: { workspaceId } }),
    enabled: mayManage,
  })
  const [inviting, setInviting] = useState(false)
  const invite = (
    <Button variant="primary" onClick={() => setInviting(true)}>
      Invite a member
    </Button>
  )
  return (
    <Page title="Members" lead="Who may do what in this workspace." actions={mayManage ? invite : undefined}>
      <div className={styles.list}>
        <ListedRows label="Members" list={members}>
          {(member) => <MemberRow key={member.memberId} member={member} />}
        </ListedRows>
      </div>
      {invitations.data === undefined || invitations.data.length === 0 ? null : (
        <section className={styles.list} aria-labelledby="invitations">
          <h2 id="invitations">Open invitations</h2>
          <Rows label="Open invitations">
            {invitations.data.map((invitation) => (
              <InvitationRow key={invitation.invitationId} invitation={invitation} />
            ))}
          </Rows>
        </section>
      )}
      {inviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </Page>
  )
}

function MemberRow({ member }: { member: app.MemberView }) {
  const { me, workspace } = useSession()
  const { workspaceId } = workspace
  const { memberId, name, email, role, keys, createdAt } = member
  const mayManage = useMay('members:manage')
  const change = useWrite('changeMemberRole')
  const remove = useWrite('removeMember')
  const [removing, setRemoving] = useState(false)
  const own = email === me.person.email
  return (
    <Row
      icon={name.slice(0, 1).toUpperCase()}
      title={name}
      tags={own ? <Tag>You</Tag> : null}
      detail={
        <>
          <span>{email}</span>
          <span>since {showRelative(createdAt)}</span>
          {keys === 0 ? null : <span>{keys === 1 ? '1 agent key' : `${keys} agent keys`}</span>}
        </>
      }
      actions={
        mayManage && !own ? (
          <>
            <RoleSelect
              label={`Role of ${name}`}
              role={role}
              onChange={(next) =>
                change.mutate(
                  { params: { workspaceId, memberId }, body: { role: next } },
                  { onSuccess: () => announce(`${name} is ${next} now.`) },
                )
              }
            />
            <Button aria-label={`Remove ${name}`} onClick={() => setRemoving(true)}>
              Remove
            </Button>
          </>
        ) : (
          <Tag>{role}</Tag>
        )
      }
    >
      <WriteProblem error={change.error} />
      {removing ? (
        <ConfirmDialog
          title={`Remove ${name}?`}
          act="Remove"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() =>
            remove.mutate({ params: { workspaceId, memberId } }, { onSuccess: () => setRemoving(false) })
          }
          onClose={() => setRemoving(false)}
        >
          Their agent keys and connected apps in this workspace and the invitations that they sent end with
          that. What they scheduled stays scheduled.
        </ConfirmDialog>
      ) : null}
    </Row>
  )
}

const roleOptions = roleNames.map((one) => (
  <option key={one} value={one}>
    {one}
  </option>
))

type RoleSelectProps = { label: string; role: Role; onChange: (role: Role) => void }

function RoleSelect({ label, role, onChange }: RoleSelectProps) {
  return (
    <select
      className={styles.role}
      aria-label={label}
      value={role}
      onChange={(event) => onChange(event.target.value as Role)}
    >
      {roleOptions}
    </select>
  )
}

function InvitationRow({ invitation }: { invitation: app.InvitationView }) {
  const { workspaceId } = useSession().workspace
  const { invitationId, email, role, invitedBy, expiresAt } = invitation
  const revoke = useWrite('revokeInvitation')
  return (
    <Row
      title={email}
      tags={<Tag>{role}</Tag>}
      detail={
        <>
          <span>invited by {invitedBy}</span>
          <span>ends {showRelative(expiresAt)}</span>
        </>
      }
      actions={
        <Button
          aria-label={`Withdraw the invitation of ${email}`}
          busy={revoke.isPending}
          onClick={() => revoke.mutate({ params: { workspaceId, invitationId } })}
        >
          Withdraw
        </Button>
      }
    >
      <WriteProblem error={revoke.error} />
    </Row>
  )
}

function InviteDialog({ onClose }: { onClose: () => void }) {
  const { workspaceId } = useSession().workspace
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const invite = useWrite('inviteMember')
  const link = invite.data?.link
  if (link !== undefined && link !== null)
    return (
      <SecretDialog
        {...{ title: 'The invitation', name: 'Link', secret: link, onClose }}
        warning={`This link is shown only once, and works once, for seven days. Give it to ${email} yourself.`}
      />
    )
  return (
    <Dialog title="Invite a member" onClose={onClose}>
      <TextField
        label="E-mail address"
        error={fieldError(invite.error, '/email')}
        type="email"
        value={email}
        onChange={setEmail}
      />
      <Field label="Role" hint={roles[role]}>
        {(control) => (
          <select {...control} value={role} onChange={(event) => setRole(event.target.value as Role)}>
            {roleOptions}
          </select>
        )}
      </Field>
      {fieldError(invite.error, '/email') === null ? <WriteProblem error={invite.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          variant="primary"
          busy={invite.isPending}
          disabled={email.trim() === ''}
          onClick={() =>
            invite.mutate({
              params: { workspaceId },
              body: { email: email.trim(), role, deliverBy: 'link' },
            })
          }
        >
          Make the link
        </Button>
      </DialogActions>
    </Dialog>
  )
}
