import type { app } from '@postrider/contract'
import { type Role, roleNames } from '@postrider/contract/names'
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
import { terms } from '../../terms/words.ts'
import { words } from './words.ts'

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
      {words.invite}
    </Button>
  )
  return (
    <Page title={words.members} lead={words.membersLead} actions={mayManage ? invite : undefined}>
      <div className={styles.list}>
        <ListedRows label={words.members} list={members}>
          {(member) => <MemberRow key={member.memberId} member={member} />}
        </ListedRows>
      </div>
      {invitations.data === undefined || invitations.data.length === 0 ? null : (
        <section className={styles.list} aria-labelledby="invitations">
          <h2 id="invitations">{words.invitations}</h2>
          <Rows label={words.invitations}>
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
  const { workspaceId, timeZone: zone } = workspace
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
      tags={own ? <Tag>{words.you}</Tag> : null}
      detail={
        <>
          <span>{email}</span>
          <span>{words.since(showRelative(createdAt, zone))}</span>
          {keys === 0 ? null : <span>{words.agentKeys(keys)}</span>}
        </>
      }
      actions={
        mayManage && !own ? (
          <>
            <RoleSelect
              label={words.roleOf(name)}
              role={role}
              onChange={(next) =>
                change.mutate(
                  { params: { workspaceId, memberId }, body: { role: next } },
                  {
                    onSuccess: () =>
                      announce(words.roleChanged(name, terms.roles[next]), {
                        label: words.undo,
                        run: () => change.mutate({ params: { workspaceId, memberId }, body: { role } }),
                      }),
                  },
                )
              }
            />
            <Button aria-label={words.removeLabel(name)} onClick={() => setRemoving(true)}>
              {words.remove}
            </Button>
          </>
        ) : (
          <Tag>{terms.roles[role]}</Tag>
        )
      }
    >
      <WriteProblem error={change.error} />
      {removing ? (
        <ConfirmDialog
          title={words.removeTitle(name)}
          act={words.remove}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() =>
            remove.mutate({ params: { workspaceId, memberId } }, { onSuccess: () => setRemoving(false) })
          }
          onClose={() => setRemoving(false)}
        >
          {words.removeHint}
        </ConfirmDialog>
      ) : null}
    </Row>
  )
}

const roleOptions = roleNames.map((one) => (
  <option key={one} value={one}>
    {terms.roles[one]}
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
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { invitationId, email, role, invitedBy, expiresAt } = invitation
  const revoke = useWrite('revokeInvitation')
  return (
    <Row
      title={email}
      tags={<Tag>{terms.roles[role]}</Tag>}
      detail={
        <>
          <span>{words.invitedBy(invitedBy)}</span>
          <span>{words.expires(showRelative(expiresAt, zone))}</span>
        </>
      }
      actions={
        <Button
          aria-label={words.withdrawLabel(email)}
          busy={revoke.isPending}
          onClick={() => revoke.mutate({ params: { workspaceId, invitationId } })}
        >
          {words.withdraw}
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
        {...{ title: words.invitation, name: words.link, secret: link, onClose }}
        warning={words.linkHint(email)}
      />
    )
  return (
    <Dialog title={words.invite} onClose={onClose}>
      <TextField
        label={words.email}
        error={fieldError(invite.error, '/email')}
        type="email"
        value={email}
        onChange={setEmail}
      />
      <Field label={words.role} hint={terms.roleHints[role]}>
        {(control) => (
          <select {...control} value={role} onChange={(event) => setRole(event.target.value as Role)}>
            {roleOptions}
          </select>
        )}
      </Field>
      {fieldError(invite.error, '/email') === null ? <WriteProblem error={invite.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
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
          {words.createLink}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
