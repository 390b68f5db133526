import { type ReactNode, useState } from 'react'
import type { app } from '@postrider/contract'
import { Plug, Plus } from '../../ui/icons.ts'
import { useWrite } from '../../api/queries.ts'
import { showRelative, showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { networkName } from './network-name.ts'
import { ReconnectChannel } from './reconnect-channel.tsx'
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
  const mayManage = useMay('channels:manage')
  const { displayName, enabled, publication } = channel
  return (
    <Row
      icon={displayName.slice(0, 1).toUpperCase()}
      title={displayName}
      tags={<ChannelState channel={channel} />}
      detail={<ChannelHealth channel={channel} />}
      actions={
        mayManage ? (
          <>
            <ReconnectChannel channel={channel} />
            <SwitchChannel channel={channel} />
          </>
        ) : undefined
      }
    >
      {enabled && publication.reason !== null ? <p>{publication.reason}</p> : null}
    </Row>
  )
}

function ChannelHealth({ channel }: { channel: app.ManagedChannel }) {
  const { timeZone: zone } = useSession().workspace
  const { handle, provider, maxCharacters, media, lastPublishedAt, authorizedUntil, pausedUntil } = channel
  return (
    <>
      <span>@{handle}</span>
      <span>{networkName(provider)}</span>
      <span>
        {lastPublishedAt === null
          ? 'nothing published yet'
          : `last published ${showRelative(lastPublishedAt)}`}
      </span>
      <span>
        up to {maxCharacters.toLocaleString()} characters
        {media.maxItems === 0 ? '' : ` and ${media.maxItems} ${media.maxItems === 1 ? 'file' : 'files'}`}
      </span>
      {authorizedUntil === null ? null : <span>access ends {showTime(authorizedUntil, zone)}</span>}
      {pausedUntil === null ? null : (
        <span>the network asked to wait until {showTime(pausedUntil, zone)}</span>
      )}
    </>
  )
}

type ChannelProps = { channel: app.ManagedChannel }

function SwitchChannel({ channel: { channelId, displayName, enabled } }: ChannelProps) {
  const { workspaceId } = useSession().workspace
  const change = useWrite(enabled ? 'disableChannel' : 'enableChannel')
  const act = enabled ? 'Disable' : 'Enable'
  return (
    <>
      <Button
        busy={change.isPending}
        aria-label={`${act} ${displayName}`}
        onClick={() => change.mutate({ params: { workspaceId, channelId } })}
      >
        {act}
      </Button>
      <WriteProblem error={change.error} />
    </>
  )
}

function ChannelState({ channel: { enabled, connectionStatus, pausedUntil, publication } }: ChannelProps) {
  if (!enabled) return <Tag>Disabled</Tag>
  if (connectionStatus === 'reconnect_required') return <Tag tone="red">Has to be reconnected</Tag>
  if (!publication.available) return <Tag tone="amber">Cannot publish now</Tag>
  return pausedUntil === null ? <Tag tone="green">Connected</Tag> : <Tag tone="amber">Paused</Tag>
}
