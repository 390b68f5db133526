import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import type { app } from '@postrider/contract'
import { Ellipsis, Plug, Plus, Search } from '../../ui/icons.ts'
import { read, useWrite } from '../../api/queries.ts'
import { showRelative, showTime } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Check } from '../../ui/field.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty, Unread } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './channels.module.css'
import { ChannelGroups } from './channel-groups.tsx'
import { RemoveDialog, RenameDialog } from './change-channel.tsx'
import { CheckDialog } from './check-dialog.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { networkName, profileAddress, shownHandle } from './network-name.ts'
import { PostingTimesDialog } from './posting-times-dialog.tsx'
import { ReconnectChannel } from './reconnect-channel.tsx'
import { useChannels } from './use-channels.ts'
import { locale } from '../../lib/language.ts'
import { sentence } from '../../terms/problem-words.ts'
import { words } from './words.ts'

export function ChannelsScreen(): ReactNode {
  const { query, channels } = useChannels()
  const mayManage = useMay('channels:manage')
  const [connecting, setConnecting] = useState(false)
  const [find, setFind] = useState<FindState>({ words: '', needsCare: false })
  const found = useMemo(() => findChannels(channels, find), [channels, find])
  // The page is there with the first of them; the rest follows at once, without holding up what is clicked.
  const shown = useDeferredValue(found, found.slice(0, AT_ONCE))
  const inNeed = channels.filter(needsCare).length
  const connect = (
    <Button variant="primary" onClick={() => setConnecting(true)}>
      <Plus aria-hidden />
      {words.connect}
    </Button>
  )
  return (
    <Page
      title={words.title}
      lead={words.lead(inNeed === 0 ? '' : ` ${words.inNeed(inNeed)}`)}
      actions={mayManage && channels.length > 0 ? connect : undefined}
    >
      <Unread of={query} />
      {query.data !== undefined && channels.length === 0 ? (
        <Empty icon={<Plug aria-hidden />} title={words.none}>
          <p>{words.noneHint}</p>
          {mayManage ? connect : null}
        </Empty>
      ) : null}
      {channels.length > FEW ? <Find find={find} onChange={setFind} /> : null}
      {channels.length > 0 && found.length === 0 ? (
        <Empty icon={<Search aria-hidden />} title={words.noMatch} />
      ) : null}
      {found.length === 0 ? null : (
        <Rows label={words.title}>
          {shown.map((channel) => (
            <ChannelRow key={channel.channelId} channel={channel} />
          ))}
        </Rows>
      )}
      {channels.length > 0 ? <ChannelGroups /> : null}
      {connecting ? <ConnectDialog onClose={() => setConnecting(false)} /> : null}
    </Page>
  )
}

/** More than a window shows. */
const AT_ONCE = 30
/** So many are seen at a glance. */
const FEW = 6

type FindState = { readonly words: string; readonly needsCare: boolean }

function needsCare({ enabled, connectionStatus, publication }: app.ManagedChannel): boolean {
  return enabled && (connectionStatus === 'reconnect_required' || !publication.available)
}

/** Those that have every word in their name, handle or network; those that need attention first. */
function findChannels(
  channels: readonly app.ManagedChannel[],
  { words, needsCare: onlyInNeed }: FindState,
): app.ManagedChannel[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const isMeant = (channel: app.ManagedChannel) => {
    const { displayName, handle, provider } = channel
    const within = `${displayName} ${shownHandle(provider, handle)} ${networkName(provider)}`.toLowerCase()
    return wanted.every((word) => within.includes(word)) && (!onlyInNeed || needsCare(channel))
  }
  const meant = channels.filter(isMeant)
  return [...meant.filter(needsCare), ...meant.filter((channel) => !needsCare(channel))]
}

function Find({ find, onChange }: { find: FindState; onChange: (find: FindState) => void }) {
  return (
    <div className={styles.find}>
      <SearchField
        label={words.find}
        placeholder={words.findHint}
        value={find.words}
        onChange={(typed) => onChange({ ...find, words: typed })}
      />
      <Check
        label={words.attention}
        checked={find.needsCare}
        onChange={(checked) => onChange({ ...find, needsCare: checked })}
      />
    </div>
  )
}

function ChannelRow({ channel }: { channel: app.ManagedChannel }) {
  const mayManage = useMay('channels:manage')
  const { displayName, enabled, publication } = channel
  return (
    <Row
      icon={<ChannelMark channel={channel} size="large" />}
      title={displayName}
      tags={<ChannelState channel={channel} />}
      detail={<ChannelHealth channel={channel} />}
      actions={
        mayManage ? (
          <>
            <ReconnectChannel channel={channel} />
            <MoreOfChannel channel={channel} />
          </>
        ) : undefined
      }
    >
      {enabled && publication.reason !== null ? <p>{sentence(publication.reason)}</p> : null}
    </Row>
  )
}

function ChannelHealth({ channel }: { channel: app.ManagedChannel }) {
  const { timeZone: zone } = useSession().workspace
  const { provider, maxCharacters, media, lastPublishedAt, authorizedUntil, pausedUntil, planned } = channel
  const { postingTimes } = channel
  return (
    <>
      <Profile channel={channel} />
      <span>{networkName(provider)}</span>
      <span>
        {lastPublishedAt === null
          ? words.nothingPublished
          : words.lastPublished(showRelative(lastPublishedAt, zone))}
      </span>
      {planned === 0 ? null : <span>{words.planned(planned)}</span>}
      {postingTimes.length === 0 ? null : <span>{words.postingTimesCount(postingTimes.length)}</span>}
      {/* A network that is switched off takes nothing. */}
      {maxCharacters === 0 ? null : (
        <span>
          {media.maxItems === 0
            ? words.limits(maxCharacters.toLocaleString(locale))
            : words.limitsAndFiles(maxCharacters.toLocaleString(locale), media.maxItems)}
        </span>
      )}
      {authorizedUntil === null ? null : <span>{words.accessEnds(showTime(authorizedUntil, zone))}</span>}
      {pausedUntil === null ? null : (
        <span>{words.pausedBy(networkName(provider), showTime(pausedUntil, zone))}</span>
      )}
    </>
  )
}

type ChannelProps = { channel: app.ManagedChannel }

/** The account on its network, where its handle tells the address. */
function Profile({ channel: { handle, provider } }: ChannelProps) {
  const address = profileAddress(provider, handle)
  if (address === null) return <span>{shownHandle(provider, handle)}</span>
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {shownHandle(provider, handle)}
    </a>
  )
}

/** What else can be done with a channel. */
function MoreOfChannel({ channel }: ChannelProps) {
  const { workspaceId } = useSession().workspace
  const [opened, setOpened] = useState<'rename' | 'times' | 'check' | 'disable' | 'remove' | null>(null)
  const enable = useWrite('enableChannel')
  const { channelId, displayName, enabled } = channel
  const close = () => setOpened(null)
  return (
    <>
      <Menu
        label={words.more(displayName)}
        trigger={<Ellipsis aria-hidden />}
        items={[
          { label: words.rename, onSelect: () => setOpened('rename') },
          { label: words.postingTimes, onSelect: () => setOpened('times') },
          { label: words.check, onSelect: () => setOpened('check') },
          enabled
            ? { label: words.disable, onSelect: () => setOpened('disable') }
            : {
                label: words.enable,
                onSelect: () => enable.mutate({ params: { workspaceId, channelId } }),
              },
          { label: words.remove, danger: true, onSelect: () => setOpened('remove') },
        ]}
      />
      {opened === 'rename' ? <RenameDialog channel={channel} onClose={close} /> : null}
      {opened === 'times' ? <PostingTimesDialog channel={channel} onClose={close} /> : null}
      {opened === 'check' ? <CheckDialog channel={channel} onClose={close} /> : null}
      {opened === 'disable' ? <DisableDialog channel={channel} onClose={close} /> : null}
      {opened === 'remove' ? <RemoveDialog channel={channel} onClose={close} /> : null}
      <WriteProblem error={enable.error} />
    </>
  )
}

/** As many as one page of a list holds: more are not counted one by one. */
const COUNTED = 100

/** Says what stops before it does. */
function DisableDialog({
  channel: { channelId, displayName },
  onClose,
}: ChannelProps & { onClose: () => void }) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const disable = useWrite('disableChannel')
  const planned = useQuery({
    ...read('appListPosts', {
      params: { workspaceId },
      query: { channelId, status: 'scheduled', limit: COUNTED },
    }),
    staleTime: 0,
  })
  const times = (planned.data?.items ?? []).flatMap(({ destinations }) =>
    destinations.flatMap((one) => (one.channelId === channelId ? (one.publishAt ?? []) : [])),
  )
  const [next] = times.toSorted()
  const count = times.length >= COUNTED ? words.orMore(COUNTED) : String(times.length)
  return (
    <ConfirmDialog
      title={words.disableTitle(displayName)}
      act={words.disableChannel}
      busy={disable.isPending || planned.isPending}
      error={disable.error ?? planned.error}
      onClose={onClose}
      onConfirm={() => disable.mutate({ params: { workspaceId, channelId } }, { onSuccess: onClose })}
    >
      {next === undefined
        ? planned.isPending
          ? words.looking
          : words.disableHint
        : count === '1'
          ? words.oneWaits(showTime(next, zone))
          : words.severalWait(count, showTime(next, zone))}
    </ConfirmDialog>
  )
}

function ChannelState({ channel: { enabled, connectionStatus, pausedUntil, publication } }: ChannelProps) {
  if (!enabled) return <Tag>{words.disabled}</Tag>
  if (connectionStatus === 'reconnect_required') return <Tag tone="red">{words.reconnectNeeded}</Tag>
  if (!publication.available) return <Tag tone="amber">{words.cantPublish}</Tag>
  return pausedUntil === null ? (
    <Tag tone="green">{words.connected}</Tag>
  ) : (
    <Tag tone="amber">{words.paused}</Tag>
  )
}
