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

export function AppsScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const mayManage = useMay('keys:manage')
  const apps = useQuery({ ...read('listApps', { params: { workspaceId } }), enabled: mayManage })
  if (!mayManage)
    return <Page title="Connected apps">Your role may not see connected apps. Ask an owner or admin.</Page>
  return (
    <Page title="Connected apps" lead="Apps that a member let in with OAuth. Each can be cut off by itself.">
      <ListedRows
        label="Connected apps"
        list={apps}
        empty={
          <Empty icon={<AppWindow aria-hidden />} title="No app is connected">
            <p>An agent or app appears here once a member has let it in.</p>
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
      tags={revokedAt === null ? null : <Tag>Cut off</Tag>}
      detail={
        <>
          <span>{clientOrigin}</span>
          <span>
            let in by {connectedBy} {showRelative(connectedAt)}
          </span>
          <span>{lastUsedAt === null ? 'never used' : `used ${showRelative(lastUsedAt)}`}</span>
          {expiresAt === null ? null : <span>ends {showTime(expiresAt, timeZone)}</span>}
          <span>{connected.permissions.join(', ')}</span>
          <LimitWords limits={limits} />
        </>
      }
      actions={
        revokedAt === null ? (
          <CredentialActions
            name={clientName}
            limits={limits}
            end={{ label: 'Cut off', act: 'Cut it off' }}
            limit={{ ...limit, run: (body, onSuccess) => limit.mutate({ params, body }, { onSuccess }) }}
            revoke={{ ...revoke, run: (onSuccess) => revoke.mutate({ params }, { onSuccess }) }}
            stop={{ ...stop, run: (onSuccess) => stop.mutate({ params }, { onSuccess }) }}
          />
        ) : undefined
      }
    />
  )
}
