import { type app, noLimits, type Permission, permissions, presetPermissions } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from '../../ui/icons.ts'
import { type ReactNode, useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { read, useWrite } from '../../api/queries.ts'
import { chooseTime, instantOf } from '../../lib/chosen-time.ts'
import { showRelative, showTime } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Check, TextField } from '../../ui/field.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { Page } from '../../ui/page.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { ListedRows, Row } from '../../ui/rows.tsx'
import { Empty } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { CredentialActions } from '../credentials/credential-actions.tsx'
import styles from '../credentials/credentials.module.css'
import { LimitWords } from '../credentials/limit-words.tsx'
import { LimitsFields } from '../credentials/limits-fields.tsx'
import { ConnectAnAgent } from '../developers/connect-an-agent.tsx'
import { curlOf } from '../developers/curl.ts'
import { ReferenceLink } from '../developers/reference-link.tsx'
import { TryAKey } from '../developers/try-a-key.tsx'

export function KeysScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayManage = useMay('keys:manage')
  const keys = useQuery({ ...read('listKeys', { params: { workspaceId } }), enabled: mayManage })
  const [creating, setCreating] = useState(false)
  if (!mayManage)
    return <Page title="Agent keys">Your role may not see agent keys. Ask an owner or admin.</Page>
  return (
    <Page
      title="Agent keys"
      lead="What agents and automations sign their requests with. A key acts in the name of the member who made it."
      actions={
        <>
          <ReferenceLink />
          <Button variant="primary" onClick={() => setCreating(true)}>
            New key
          </Button>
        </>
      }
    >
      <ListedRows
        label="Agent keys"
        list={keys}
        empty={
          <Empty icon={<KeyRound aria-hidden />} title="No key yet">
            <p>Make one for each agent, so that each can be cut off by itself.</p>
          </Empty>
        }
      >
        {(key) => <KeyRow key={key.keyId} agentKey={key} />}
      </ListedRows>
      <ConnectAnAgent />
      <TryAKey />
      {creating ? <CreateKey onClose={() => setCreating(false)} /> : null}
    </Page>
  )
}

function KeyRow({ agentKey: key }: { agentKey: app.KeyView }) {
  const { workspaceId, timeZone } = useSession().workspace
  const params = { workspaceId, keyId: key.keyId }
  const limit = useWrite('limitKey')
  const revoke = useWrite('revokeKey')
  const stop = useWrite('stopKey')
  const { name, hint, owner, limits, expiresAt, revokedAt, lastUsedAt } = key
  return (
    <Row
      icon={<KeyRound aria-hidden />}
      title={name}
      tags={
        <>
          <code>{hint}</code>
          {revokedAt === null ? null : <Tag>Revoked</Tag>}
        </>
      }
      detail={
        <>
          <span>{owner}</span>
          <span>{lastUsedAt === null ? 'never used' : `used ${showRelative(lastUsedAt)}`}</span>
          {expiresAt === null ? null : <span>ends {showTime(expiresAt, timeZone)}</span>}
          <span>
            {key.permissions.length === names.length ? 'all permissions' : key.permissions.join(', ')}
          </span>
          <LimitWords limits={limits} />
        </>
      }
      actions={
        revokedAt === null ? (
          <CredentialActions
            {...{ name, limits }}
            end={{ label: 'Revoke', act: 'Revoke' }}
            limit={{ ...limit, run: (body, onSuccess) => limit.mutate({ params, body }, { onSuccess }) }}
            revoke={{ ...revoke, run: (onSuccess) => revoke.mutate({ params }, { onSuccess }) }}
            stop={{ ...stop, run: (onSuccess) => stop.mutate({ params }, { onSuccess }) }}
          />
        ) : undefined
      }
    />
  )
}

const names = Object.keys(permissions) as Permission[]

const FIELDS = ['/name', '/expiresAt', '/limits']
/** How many years ahead a key may end. */
const MAX_YEARS = 100

function CreateKey({ onClose }: { onClose: () => void }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Permission[]>(presetPermissions)
  const [ends, setEnds] = useState(() => chooseTime())
  const [limits, setLimits] = useState(noLimits)
  const create = useWrite('createKey')
  const expiresAt = instantOf(ends, zone, useNow(), MAX_YEARS)
  const made = create.data
  if (made !== undefined) return <ShowKey secret={made.key} onClose={onClose} />
  function send(): void {
    const body = {
      ...{ name: name.trim(), permissions: [...chosen], limits },
      expiresAt: expiresAt?.toISOString() ?? null,
    }
    create.mutate({ params: { workspaceId }, body }, { onSuccess: () => announce('The key is made.') })
  }
  return (
    <Dialog title="New agent key" onClose={onClose}>
      <TextField
        label="What it is for"
        error={fieldError(create.error, '/name')}
        maxLength={100}
        value={name}
        onChange={setName}
      />
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
      <TimeField
        label="Ends (optional)"
        {...{ zone }}
        chosen={ends}
        maxYearsAhead={MAX_YEARS}
        error={fieldError(create.error, '/expiresAt')}
        onChange={setEnds}
      />
      <details className={styles.more} open={fieldError(create.error, '/limits') !== null || undefined}>
        <summary>Limits (optional)</summary>
        <LimitsFields limits={limits} error={create.error} at="/limits" onChange={setLimits} />
      </details>
      {isAboutFields(create.error, FIELDS) ? null : <WriteProblem error={create.error} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          variant="primary"
          busy={create.isPending}
          disabled={name.trim() === '' || chosen.length === 0 || (ends.words !== '' && expiresAt === null)}
          onClick={send}
        >
          Make the key
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function ShowKey({ secret, onClose }: { secret: string; onClose: () => void }) {
  const curl = curlOf({ path: 'me', key: secret })
  return (
    <SecretDialog
      {...{ title: 'Your new key', name: 'Key', secret, onClose }}
      warning="This key is shown only once. Keep it in a secret store."
      example={{ label: 'Try it', name: 'command', text: curl }}
    />
  )
}
