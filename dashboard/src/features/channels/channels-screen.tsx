import { type ReactNode, useState } from 'react'
import type { app } from '@postrider/contract'
import { Plug, Plus } from 'lucide-react'
import { useWrite } from '../../api/queries.ts'
import { showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { networkName } from './network-name.ts'
import { useChannels } from './use-channels.ts'

export function ChannelsScreen(): ReactNode {
  const { query, channels } = useChannels()
  const mayManage = useMay('channels:manage')
  const [connecting, setConnecting] = useState(false)
  const connect = (
    <Button variant="primary" onClick={() => setConnecting(true)}>
      <Plus aria-hidden />
      Connect a channel
    </Button>
  )
  return (
    <Page
      title="Channels"
      lead="The accounts that posts are published on."
      actions={mayManage && channels.length > 0 ? connect : undefined}
    >
      {query.isPending ? <Loading /> : null}
      {query.isError ? <ProblemNotice error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isSuccess && channels.length === 0 ? (
        <Empty icon={<Plug aria-hidden />} title="No channel is connected">
          <p>Connect an account of a network, or one of the sandbox network to try things out.</p>
          {mayManage ? connect : null}
        </Empty>
      ) : null}
      {channels.length === 0 ? null : (
        <Rows label="Channels">
          {channels.map((channel) => (
            <ChannelRow key={channel.channelId} channel={channel} />
          ))}
        </Rows>
      )}
      {connecting ? <ConnectDialog onClose={() => setConnecting(false)} /> : null}
    </Page>
  )
}

function ChannelRow({ channel }: { channel: app.ManagedChannel }) {
  const { workspaceId, timeZone } = useSession().workspace
  const mayManage = useMay('channels:manage')
  const change = useWrite(channel.enabled ? 'disableChannel' : 'enableChannel')
  const { channelId, displayName, handle, provider, maxCharacters, authorizedUntil, publication } = channel
  return (
    <Row
      icon={displayName.slice(0, 1).toUpperCase()}
      title={displayName}
      tags={<ChannelState channel={channel} />}
      detail={
        <>
          <span>@{handle}</span>
          <span>{networkName(provider)}</span>
          <span>up to {maxCharacters.toLocaleString()} characters</span>
          {authorizedUntil === null ? null : <span>access ends {showTime(authorizedUntil, timeZone)}</span>}
        </>
      }
      actions={
        mayManage ? (
          <Button
            busy={change.isPending}
            aria-label={`${channel.enabled ? 'Disable' : 'Enable'} ${displayName}`}
            onClick={() => change.mutate({ params: { workspaceId, channelId } })}
          >
            {channel.enabled ? 'Disable' : 'Enable'}
          </Button>
        ) : undefined
      }
    >
      {channel.enabled && publication.reason !== null ? <p>{publication.reason}</p> : null}
      {change.isError ? <ProblemNotice error={change.error} /> : null}
    </Row>
  )
}

function ChannelState({
  channel: { enabled, connectionStatus, publication },
}: {
  channel: app.ManagedChannel
}) {
  if (!enabled) return <Tag>Disabled</Tag>
  if (connectionStatus === 'reconnect_required') return <Tag tone="red">Reconnect</Tag>
  return publication.available ? (
    <Tag tone="green">Connected</Tag>
  ) : (
    <Tag tone="amber">Cannot publish now</Tag>
  )
}
