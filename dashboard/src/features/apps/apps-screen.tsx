import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { AppWindow } from '../../ui/icons.ts'
import type { ReactNode } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { showRelative, showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Page } from '../../ui/page.tsx'
import { ListedRows, Row } from '../../ui/rows.tsx'
import { Empty } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { CredentialActions } from '../credentials/credential-actions.tsx'
import { LimitWords } from '../credentials/limit-words.tsx'
import { ConnectAnAgent } from '../developers/connect-an-agent.tsx'
import { words } from './words.ts'

export function AppsScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayManage = useMay('keys:manage')
  const apps = useQuery({ ...read('listApps', { params: { workspaceId } }), enabled: mayManage })
  if (!mayManage) return <Page title={words.title}>{words.hidden}</Page>
  return (
    <Page title={words.title} lead={words.lead}>
      <ListedRows
        label={words.title}
        list={apps}
        empty={
          <Empty icon={<AppWindow aria-hidden />} title={words.none}>
            <p>{words.noneHint}</p>
          </Empty>
        }
      >
        {(one) => <AppRow key={one.grantId} connected={one} />}
      </ListedRows>
      <ConnectAnAgent />
    </Page>
  )
}

function AppRow({ connected }: { connected: app.ConnectedAppView }) {
  const { workspaceId, timeZone } = useSession().workspace
  const { grantId, clientName, clientOrigin, connectedBy, connectedAt, limits } = connected
  const { expiresAt, lastUsedAt, revokedAt } = connected
  const params = { workspaceId, grantId }
  const limit = useWrite('limitApp')
  const revoke = useWrite('revokeApp')
  const stop = useWrite('stopApp')
  return (
    <Row
      icon={<AppWindow aria-hidden />}
      title={clientName}
      tags={revokedAt === null ? null : <Tag>{words.revoked}</Tag>}
      detail={
        <>
          <span>{clientOrigin}</span>
          <span>{words.connectedBy(connectedBy, showRelative(connectedAt, timeZone))}</span>
          <span>
            {lastUsedAt === null ? words.neverUsed : words.used(showRelative(lastUsedAt, timeZone))}
          </span>
          {expiresAt === null ? null : <span>{words.ends(showTime(expiresAt, timeZone))}</span>}
          <span>{connected.permissions.join(', ')}</span>
          <LimitWords limits={limits} />
        </>
      }
      actions={
        revokedAt === null ? (
          <CredentialActions
            name={clientName}
            limits={limits}
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
