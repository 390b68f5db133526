import type { app } from '@postrider/contract'
import {
  noLimits,
  type Permission,
  permissionNames as names,
  presetPermissions,
} from '@postrider/contract/names'
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
import { terms } from '../../terms/words.ts'
import { words } from './words.ts'

export function KeysScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayManage = useMay('keys:manage')
  const keys = useQuery({ ...read('listKeys', { params: { workspaceId } }), enabled: mayManage })
  const [creating, setCreating] = useState(false)
  if (!mayManage) return <Page title={words.title}>{words.hidden}</Page>
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <ReferenceLink />
          <Button variant="primary" onClick={() => setCreating(true)}>
            {words.newKey}
          </Button>
        </>
      }
    >
      <ListedRows
        label={words.title}
        list={keys}
        empty={
          <Empty icon={<KeyRound aria-hidden />} title={words.none}>
            <p>{words.noneHint}</p>
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
          {revokedAt === null ? null : <Tag>{words.revoked}</Tag>}
        </>
      }
      detail={
        <>
          <span>{owner}</span>
          <span>
            {lastUsedAt === null ? words.neverUsed : words.used(showRelative(lastUsedAt, timeZone))}
          </span>
          {expiresAt === null ? null : <span>{words.ends(showTime(expiresAt, timeZone))}</span>}
          <span>
            {key.permissions.length === names.length ? words.allPermissions : key.permissions.join(', ')}
          </span>
          <LimitWords limits={limits} />
        </>
      }
      actions={
        revokedAt === null ? (
          <CredentialActions
            {...{ name, limits }}
            end={words.revoke}
            limit={{ ...limit, run: (body, onSuccess) => limit.mutate({ params, body }, { onSuccess }) }}
            revoke={{ ...revoke, run: (onSuccess) => revoke.mutate({ params }, { onSuccess }) }}
            stop={{ ...stop, run: (onSuccess) => stop.mutate({ params }, { onSuccess }) }}
          />
        ) : undefined
      }
    />
  )
}

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
      name: name.trim(),
      permissions: [...chosen],
      limits,
      expiresAt: expiresAt?.toISOString() ?? null,
    }
    create.mutate({ params: { workspaceId }, body }, { onSuccess: () => announce(words.created) })
  }
  return (
    <Dialog title={words.create} onClose={onClose}>
      <TextField
        label={words.name}
        error={fieldError(create.error, '/name')}
        maxLength={100}
        value={name}
        onChange={setName}
      />
      {names.map((permission) => (
        <Check
          key={permission}
          label={permission}
          hint={terms.permissionHints[permission]}
          checked={chosen.includes(permission)}
          onChange={(checked) =>
            setChosen(checked ? [...chosen, permission] : chosen.filter((one) => one !== permission))
          }
        />
      ))}
      <TimeField
        label={words.expiry}
        {...{ zone }}
        chosen={ends}
        maxYearsAhead={MAX_YEARS}
        error={fieldError(create.error, '/expiresAt')}
        onChange={setEnds}
      />
      <details className={styles.more} open={fieldError(create.error, '/limits') !== null || undefined}>
        <summary>{words.limits}</summary>
        <LimitsFields limits={limits} error={create.error} at="/limits" onChange={setLimits} />
      </details>
      {isAboutFields(create.error, FIELDS) ? null : <WriteProblem error={create.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button
          variant="primary"
          busy={create.isPending}
          disabled={name.trim() === '' || chosen.length === 0 || (ends.words !== '' && expiresAt === null)}
          onClick={send}
        >
          {words.createKey}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function ShowKey({ secret, onClose }: { secret: string; onClose: () => void }) {
  const curl = curlOf({ path: 'me', key: secret })
  return (
    <SecretDialog
      {...{ title: words.yourKey, name: words.key, secret, onClose }}
      warning={words.shownOnce}
      example={{ label: words.tryIt, name: 'command', text: curl }}
    />
  )
}
