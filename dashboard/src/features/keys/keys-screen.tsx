import { type app, type Permission, permissions } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { fieldError, isProblem } from '../../api/problem.ts'
import { proveAddress, read, useWrite } from '../../api/queries.ts'
import { showRelative } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Check, Field } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'

export function KeysScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayManage = useMay('keys:manage')
  const keys = useQuery({ ...read('listKeys', { params: { workspaceId } }), enabled: mayManage })
  const [creating, setCreating] = useState(false)
  if (!mayManage) return <Page title="Agent keys">Your role may not see agent keys. Ask an owner or admin.</Page>
  return (
    <Page
      title="Agent keys"
      lead="What agents and automations sign their requests with. A key acts in the name of whoever made it."
      actions={
        <Button variant="primary" onClick={() => setCreating(true)}>
          New key
        </Button>
      }
    >
      {keys.isPending ? <Loading /> : null}
      {keys.isError ? <ProblemNotice error={keys.error} onRetry={() => void keys.refetch()} /> : null}
      {keys.data?.length === 0 ? (
        <Empty icon={<KeyRound aria-hidden />} title="No key yet">
          <p>Make one for each agent, so that each can be cut off by itself.</p>
        </Empty>
      ) : null}
      {keys.data === undefined || keys.data.length === 0 ? null : <KeyTable keys={keys.data} />}
      {creating ? <CreateKey onClose={() => setCreating(false)} /> : null}
    </Page>
  )
}

function KeyTable({ keys }: { keys: readonly app.KeyView[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Begins with</th>
          <th scope="col">May</th>
          <th scope="col">Last used</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.keyId} agentKey={key} />
        ))}
      </tbody>
    </table>
  )
}

function KeyRow({ agentKey: key }: { agentKey: app.KeyView }) {
  const { workspaceId } = useSession().workspace
  const revoke = useWrite('revokeKey')
  const [asking, setAsking] = useState(false)
  return (
    <tr>
      <td>
        <strong>{key.name}</strong> {key.revokedAt === null ? null : <Tag>Revoked</Tag>}
        <br />
        {key.owner}
      </td>
      <td>
        <code>{key.hint}</code>
      </td>
      <td>{key.permissions.join(', ')}</td>
      <td>{key.lastUsedAt === null ? 'Never' : showRelative(key.lastUsedAt)}</td>
      <td>
        {key.revokedAt === null ? (
          <Button variant="quiet" onClick={() => setAsking(true)}>
            Revoke
          </Button>
        ) : null}
        {asking ? (
          <Dialog title={`Revoke “${key.name}”?`} onClose={() => setAsking(false)}>
            <p>Its next request is refused. What it scheduled stays scheduled. This cannot be undone.</p>
            {revoke.isError ? <ProblemNotice error={revoke.error} /> : null}
            <DialogActions>
              <Button onClick={() => setAsking(false)}>Keep it</Button>
              <Button
                variant="danger"
                busy={revoke.isPending}
                onClick={() =>
                  revoke.mutate({ params: { workspaceId, keyId: key.keyId } }, { onSuccess: () => setAsking(false) })
                }
              >
                Revoke
              </Button>
            </DialogActions>
          </Dialog>
        ) : null}
      </td>
    </tr>
  )
}

const names = Object.keys(permissions) as Permission[]

function CreateKey({ onClose }: { onClose: () => void }) {
  const { workspaceId } = useSession().workspace
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Permission[]>(names)
  const create = useWrite('createKey')
  const made = create.data
  if (made !== undefined) return <ShowKey secret={made.key} onClose={onClose} />
  return (
    <Dialog title="New agent key" onClose={onClose}>
      <Field label="What it is for" error={fieldError(create.error, '/name')}>
        {(control) => <input {...control} maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      {names.map((permission) => (
        <Check
          key={permission}
          label={permission}
          hint={permissions[permission]}
          checked={chosen.includes(permission)}
          onChange={(checked) =>
            setChosen(checked ? [...chosen, permission] : chosen.filter((one) => one !== permission))
          }
        />
      ))}
      {isProblem(create.error, 'fresh_proof_required') ? (
        <Notice tone="amber" live>
          <p>
            Show once more who you are, then make the key. <a href={proveAddress()}>Enter your password</a>
          </p>
        </Notice>
      ) : create.isError ? (
        <ProblemNotice error={create.error} />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          variant="primary"
          busy={create.isPending}
          disabled={name.trim() === '' || chosen.length === 0}
          onClick={() =>
            create.mutate(
              { params: { workspaceId }, body: { name: name.trim(), permissions: [...chosen] } },
              { onSuccess: () => announce('The key is made.') },
            )
          }
        >
          Make the key
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function ShowKey({ secret, onClose }: { secret: string; onClose: () => void }) {
  const curl = `curl -sS ${new URL('agent/v1/me', document.baseURI).href} -H 'Authorization: Bearer ${secret}'`
  return (
    <Dialog title="Your new key" onClose={onClose} wide>
      <Notice tone="amber">
        <p>It is shown this once. Keep it in a secret store.</p>
      </Notice>
      <Field label="Key">{(control) => <input {...control} readOnly value={secret} />}</Field>
      <Field label="Try it">{(control) => <textarea {...control} readOnly rows={3} value={curl} />}</Field>
      <DialogActions>
        <CopyButton text={secret} label="Copy the key" />
        <CopyButton text={curl} label="Copy the command" />
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
