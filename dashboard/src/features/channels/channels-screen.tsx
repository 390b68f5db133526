import type { ReactNode } from 'react'
import type { app } from '@postrider/contract'
import { Plug } from 'lucide-react'
import { useWrite } from '../../api/queries.ts'
import { showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { useChannels } from './use-channels.ts'

export function ChannelsScreen(): ReactNode {
  const { query, channels } = useChannels()
  return (
    <Page title="Channels" lead="The accounts that posts go out on.">
      {query.isPending ? <Loading /> : null}
      {query.isError ? <ProblemNotice error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isSuccess && channels.length === 0 ? (
        <Empty icon={<Plug aria-hidden />} title="No channel is connected">
          <p>
            On the server, <code>postrider channel add --help</code> lists the networks.
          </p>
        </Empty>
      ) : null}
      {channels.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th scope="col">Account</th>
              <th scope="col">Network</th>
              <th scope="col">State</th>
              <th scope="col">Characters</th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {channels.map((channel) => (
              <ChannelRow key={channel.channelId} channel={channel} />
            ))}
          </tbody>
        </table>
      )}
    </Page>
  )
}

function ChannelRow({ channel }: { channel: app.ManagedChannel }) {
  const { workspaceId, timeZone } = useSession().workspace
  const mayManage = useMay('channels:manage')
  const change = useWrite(channel.enabled ? 'disableChannel' : 'enableChannel')
  const { channelId, displayName, handle, provider, maxCharacters, authorizedUntil } = channel
  return (
    <tr>
      <td>
        <strong>{displayName}</strong>
        <br />
        {handle}
      </td>
      <td>{provider}</td>
      <td>
        <ChannelState channel={channel} />
        {authorizedUntil === null ? null : <div>Authorised until {showTime(authorizedUntil, timeZone)}</div>}
        {change.isError ? <ProblemNotice error={change.error} /> : null}
      </td>
      <td>{maxCharacters.toLocaleString()}</td>
      <td>
        {mayManage ? (
          <Button busy={change.isPending} onClick={() => change.mutate({ params: { workspaceId, channelId } })}>
            {channel.enabled ? 'Disable' : 'Enable'}
          </Button>
        ) : null}
      </td>
    </tr>
  )
}

function ChannelState({ channel: { enabled, connectionStatus, publication } }: { channel: app.ManagedChannel }) {
  if (!enabled) return <Tag>Disabled</Tag>
  if (connectionStatus === 'reconnect_required') return <Tag tone="red">Reconnect</Tag>
  return publication.available ? (
    <Tag tone="green">Connected</Tag>
  ) : (
    <>
      <Tag tone="amber">Not now</Tag> {publication.reason}
    </>
  )
}
