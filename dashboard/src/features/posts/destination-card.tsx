import type { Destination, Post } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../api/client.ts'
import { differs, showClock, showTime, viewerZone } from '../../lib/time.ts'
import { dateOf } from '../../lib/zone-clock.ts'
import { placeOf } from '../../lib/zones.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { Ellipsis, ExternalLink } from '../../ui/icons.ts'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { Loading, Notice, Unread } from '../../ui/states.tsx'
import { StatusBadge, Tag, type Tone } from '../../ui/status.tsx'
import { sentence } from '../../terms/problem-words.ts'
import { ReconnectChannel } from '../channels/reconnect-channel.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { MediaGrid } from '../preview/media-grid.tsx'
import { PartPreview } from '../preview/part-preview.tsx'
import { type CommandName, CommandDialog } from './command-dialog.tsx'
import styles from './posts.module.css'
import { ResolveDialog } from './resolve-dialog.tsx'
import { goesOn, standingWords } from './standing.ts'
import { Timeline } from './timeline.tsx'
import { useDuplicate } from './use-duplicate.ts'
import { words } from './words.ts'

// It brings what texts are written with.
const RepairDialog = lazy(async () => {
  const { RepairDialog: dialog } = await import('./repair-dialog.tsx')
  return { default: dialog }
})

type Props = { post: Post; destination: Destination }
type Opened = Exclude<CommandName, 'retry'> | 'repair' | 'resolve' | null

/** A post on one channel: where it stands, what can be done about it, and what happened. */
export function DestinationCard({ post, destination }: Props) {
  const { timeZone: zone } = useSession().workspace
  const [open, setOpen] = useState<Opened>(null)
  const { status, displayName, error } = destination
  const { channelOf } = useChannels()
  const close = () => setOpen(null)
  return (
    <section className={styles.card} aria-label={displayName}>
      <div className={styles.cardHead}>
        <ChannelMark channel={{ ...channelOf(destination), displayName }} />
        <h2>{displayName}</h2>
        <StatusBadge status={status} />
        <MoreActions {...{ post, destination }} onOpen={setOpen} />
      </div>
      <div className={styles.halves}>
        <div className={styles.half}>
          {needsPerson(destination) ? (
            <Notice tone={status === 'failed' || status === 'reconnect_required' ? 'red' : 'amber'}>
              <p>{standingWords(destination, post, zone)}</p>
              {status === 'checking' && error !== null ? <p>{sentence(error.message)}</p> : null}
            </Notice>
          ) : (
            <p>{standingWords(destination, post, zone)}</p>
          )}
          {destination.waitReason === null ? null : (
            <Notice tone="amber">
              <p>{sentence(destination.waitReason)}</p>
            </Notice>
          )}
          <NextActions {...{ post, destination }} onOpen={setOpen} />
          <Parts {...{ post, destination }} />
          <Facts destination={destination} />
        </div>
        <History {...{ post, destination }} />
      </div>
      {open === 'schedule' || open === 'reschedule' || open === 'cancel' ? (
        <CommandDialog command={open} {...{ post, destination }} onClose={close} />
      ) : null}
      {open === 'repair' ? (
        <Suspense fallback={<Loading lines={3} />}>
          <RepairDialog {...{ post, destination }} onClose={close} />
        </Suspense>
      ) : null}
      {open === 'resolve' ? <ResolveDialog {...{ post, destination }} onClose={close} /> : null}
    </section>
  )
}

/** Whether it will not end well by itself. */
function needsPerson(destination: Destination): boolean {
  const { status } = destination
  return (
    ['failed', 'reconnect_required', 'checking'].includes(status) ||
    (status === 'partially_published' && !goesOn(destination))
  )
}

type ActionProps = Props & { onOpen: (what: Opened) => void }

/** The one or two things to do next, as the server allows them. */
function NextActions({ post, destination, onOpen }: ActionProps) {
  const [mayWrite, mayResolve] = [useMay('posts:write'), useMay('posts:resolve')]
  const { status, releaseUrl, allowedActions, channelId } = destination
  const { duplicate, duplicateRest } = useDuplicate(post)
  const allows = (name: CommandName) => mayWrite && allowedActions[name].allowed
  const isOver = status === 'cancelled' || status === 'expired'
  return (
    <div className={styles.actions}>
      {allows('retry') ? (
        <Button variant="primary" onClick={() => onOpen('repair')}>
          {status === 'failed' ? words.editAndRetry : words.editAndContinue}
        </Button>
      ) : null}
      {status === 'reconnect_required' ? <Reconnecting channelId={channelId} /> : null}
      {mayResolve && status === 'checking' ? (
        <Button variant="primary" onClick={() => onOpen('resolve')}>
          {words.resolve}
        </Button>
      ) : null}
      {allows('schedule') ? <Button onClick={() => onOpen('schedule')}>{words.schedule}</Button> : null}
      {allows('reschedule') ? <Button onClick={() => onOpen('reschedule')}>{words.changeTime}</Button> : null}
      {mayWrite && status === 'partially_published' && !goesOn(destination) ? (
        <Button onClick={() => duplicateRest(channelId)}>{words.writeRest}</Button>
      ) : null}
      {mayWrite && isOver ? (
        <Button onClick={() => duplicate([channelId])}>{words.duplicateHere}</Button>
      ) : null}
      {releaseUrl === null ? null : (
        <a className={buttonClass()} href={releaseUrl} target="_blank" rel="noreferrer">
          <ExternalLink aria-hidden />
          {words.openOnNetwork}
        </a>
      )}
    </div>
  )
}

function Reconnecting({ channelId }: { channelId: string }) {
  const mayManage = useMay('channels:manage')
  const channel = useChannels().channels.find((one) => one.channelId === channelId)
  if (channel === undefined) return null
  return mayManage ? (
    <ReconnectChannel channel={channel} />
  ) : (
    <p>{words.askToReconnect(channel.displayName)}</p>
  )
}

/** What else can be done now; nothing that cannot. */
function MoreActions({ post, destination, onOpen }: ActionProps) {
  const mayWrite = useMay('posts:write')
  const { duplicate } = useDuplicate(post)
  const { allowedActions, channelId, displayName } = destination
  if (!mayWrite) return null
  const items: MenuItem[] = [
    { label: words.duplicateHere, onSelect: () => duplicate([channelId]) },
    ...(allowedActions.cancel.allowed
      ? [
          {
            label: goesOn(destination) ? words.cancelRest : words.cancelPost,
            danger: true,
            onSelect: () => onOpen('cancel'),
          },
        ]
      : []),
  ]
  return <Menu label={words.more(displayName)} trigger={<Ellipsis aria-hidden />} items={items} />
}

type Part = Destination['parts'][number]

const partLooks: Record<Part['status'], { label: string; tone: Tone }> = {
  pending: { label: words.notSentYet, tone: 'gray' },
  publishing: { label: words.beingSent, tone: 'blue' },
  published: { label: words.live, tone: 'green' },
  failed: { label: words.refused, tone: 'red' },
  checking: { label: words.notConfirmed, tone: 'violet' },
  skipped: { label: words.notSent, tone: 'gray' },
}

function partName({ kind, index }: Part): string {
  if (kind === 'first_comment') return words.firstComment
  return index === 0 ? words.post : words.followUp(index)
}

/** The post and its follow-ups; of one of which some was sent, what became of each. */
function Parts({ post, destination: { parts, displayName, provider, channelId } }: Props) {
  const limit = useChannels().channels.find((one) => one.channelId === channelId)
  const begun = parts.some(({ status }) => status !== 'pending')
  return (
    <ol className={styles.parts} aria-label={words.postsOn(displayName)}>
      {parts.map((part) => (
        <li key={part.index} className={styles.part}>
          {parts.length > 1 ? (
            <p className={styles.partHead}>
              {partName(part)}
              {begun ? <Tag tone={partLooks[part.status].tone}>{partLooks[part.status].label}</Tag> : null}
              {part.releaseUrl === null ? null : (
                <a href={part.releaseUrl} target="_blank" rel="noreferrer">
                  {words.open}
                </a>
              )}
            </p>
          ) : null}
          <PartPreview
            {...{ provider, part, limit }}
            index={part.index}
            isOut={part.status === 'published'}
            media={<Pictures {...{ post, provider }} mediaIds={part.mediaIds} />}
          />
        </li>
      ))}
    </ol>
  )
}

/** What happened to the post; refetched whenever a destination has another status. */
function useTimeline({ postId, destinations, updatedAt }: Post) {
  const { workspaceId } = useSession().workspace
  const state = [updatedAt, ...destinations.map(({ status }) => status)].join(' ')
  return useQuery({
    queryKey: ['readTimeline', postId, state],
    queryFn: ({ signal }) => call('readTimeline', { params: { workspaceId, postId } }, { signal }),
    placeholderData: (previous) => previous,
  })
}

function History({ post, destination }: Props) {
  const timeline = useTimeline(post)
  const { channelId, displayName } = destination
  return (
    <div className={styles.history}>
      <h3>{words.whatHappened}</h3>
      <Unread of={timeline} lines={3} />
      <Timeline
        label={words.whatHappenedOn(displayName)}
        entries={(timeline.data ?? []).filter(
          (entry) => entry.channelId === null || entry.channelId === channelId,
        )}
      />
    </div>
  )
}

/** Times that still hold: none of what is over. */
function Facts({ destination }: { destination: Destination }) {
  const { status, publishAt, queued, publishedAt, checkAgainAt, expiresAt } = destination
  const waits = ['scheduled', 'delayed', 'reconnect_required', 'publishing'].includes(status)
  const facts: [string, string | null][] = [
    [words.publishes, status === 'scheduled' ? publishAt : null],
    [words.published, publishedAt],
    [status === 'checking' ? words.nextCheck : words.nextAttempt, checkAgainAt],
    [words.deadline, waits || goesOn(destination) ? expiresAt : null],
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(([label, at]) =>
        at === null ? null : (
          <div key={label} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>
              <When at={at} />
              {label === words.publishes && queued ? ` (${words.inQueue})` : null}
            </dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** A time in the workspace's zone and, where the reader's clock shows another, what that shows. */
function When({ at }: { at: string }) {
  const { timeZone: zone } = useSession().workspace
  const own = viewerZone()
  const time = showTime(at, zone)
  if (!differs(at, zone, own)) return <time dateTime={at}>{time}</time>
  const isSameDay = dateOf(new Date(at), zone) === dateOf(new Date(at), own)
  return (
    <time dateTime={at}>
      {words.timeIn(time, placeOf(zone))}
      {words.forYou(isSameDay ? showClock(at, own) : showTime(at, own))}
    </time>
  )
}

type PicturesProps = { post: Post; provider: string; mediaIds: readonly string[] }

function Pictures({ post, provider, mediaIds }: PicturesProps) {
  const items = mediaIds.flatMap((id) => post.media.filter(({ mediaId }) => mediaId === id))
  return <MediaGrid {...{ provider, items }} count={items.length} isSaid />
}
