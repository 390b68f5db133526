import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '../../navigation.tsx'
import { useEffect } from 'react'
import { read } from '../../api/queries.ts'
import { showRelative, showTime } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { Clock } from '../../ui/icons.ts'
import { Notice, Unread } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { networkName, shownHandle } from '../channels/network-name.ts'
import { useChannels } from '../channels/use-channels.ts'
import styles from './approvals.module.css'
import { PartPreview } from '../preview/part-preview.tsx'
import { limitOf } from '../preview/text-limit.ts'
import { Changes, previousWords } from './changes.tsx'
import { Decision } from './decision.tsx'
import { PlayableMedia } from './playable-media.tsx'
import { publishesWords } from './when.ts'
import { words } from './words.ts'

type RequestViewProps = {
  approvalId: string
  /** All of it is on the screen, under this digest. */
  onLooked: (digest: string) => void
  onOpen: (approvalId: string) => void
}

/** Everything that is published with an approval: what, where and when, and what changed. */
export function RequestView({ approvalId, onLooked, onOpen }: RequestViewProps) {
  const { workspaceId } = useSession().workspace
  const approval = useQuery(read('readApproval', { params: { workspaceId, approvalId } }))
  const digest = approval.data?.digest
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  useEffect(() => (digest === undefined ? undefined : onLooked(digest)), [digest])
  if (approval.data === undefined) return <Unread of={approval} lines={4} />
  return <RequestCard approval={approval.data} onOpen={onOpen} />
}

type CardProps = { approval: app.ApprovalView; onOpen: (approvalId: string) => void }

function RequestCard({ approval, onOpen }: CardProps) {
  const { timeZone: zone, workspaceId } = useSession().workspace
  const now = useNow()
  const { previous, status, postId, moreTimes } = approval
  const groups = groupsOf(approval.destinations)
  return (
    <article className={styles.card} aria-label={words.requestOf(approval.askedBy)}>
      {status === 'pending' ? (
        <p className={styles.when}>
          <Clock aria-hidden />
          <strong>{publishesWords(approval, zone, now)}</strong>
        </p>
      ) : null}
      <p className={styles.meta}>
        {words.asked(
          approval.askedBy,
          showRelative(approval.requestedAt, zone, now),
          status === 'pending' ? words.decideBy(showTime(approval.expiresAt, zone)) : '',
        )}
      </p>
      <p className={styles.meta}>
        <Link to="/w/$workspaceId/posts/$postId" params={{ workspaceId, postId }}>
          {words.openPost}
        </Link>
      </p>
      {previous === null ? null : <p className={styles.meta}>{previousWords(previous)}</p>}
      {groups.map((group) => (
        <section key={group[0]?.channelId} className={styles.preview} aria-label={namesOf(group)}>
          {group.map((one) => (
            <Channel key={one.channelId} destination={one} showsTime={moreTimes > 0} />
          ))}
          <Content {...{ approval, group }} />
        </section>
      ))}
      <Standing {...{ approval, onOpen }} />
      <Decision approval={approval} />
    </article>
  )
}

type Destination = app.ApprovalView['destinations'][number]

/** Channels that get the very same, together. */
function groupsOf(destinations: readonly Destination[]): Destination[][] {
  const keyOf = ({ parts, settings, provider }: Destination) => JSON.stringify([parts, settings, provider])
  return [...Map.groupBy(destinations, keyOf).values()]
}

const namesOf = (group: readonly Destination[]) =>
  group.map(({ displayName }) => displayName ?? words.removedChannel).join(', ')

function Channel({ destination, showsTime }: { destination: Destination; showsTime: boolean }) {
  const { timeZone: zone } = useSession().workspace
  const { channelId, displayName, handle, provider, status, publishAt } = destination
  const { channelOf } = useChannels()
  return (
    <h2>
      {displayName === null || provider === null ? null : (
        <ChannelMark channel={{ ...channelOf({ channelId, provider }), displayName }} />
      )}
      <span>
        {displayName ?? words.removedChannel}
        <span className={styles.handle}>
          {handle === null ? '' : ` ${shownHandle(provider ?? '', handle)}`}
          {provider === null ? '' : `, ${networkName(provider)}`}
          {showsTime && status === 'draft' ? `. ${publishesWords({ publishAt, moreTimes: 0 }, zone)}` : ''}
        </span>
      </span>{' '}
      {status === null || status === 'draft' ? null : <StatusBadge status={status} />}
    </h2>
  )
}

type ContentProps = { approval: app.ApprovalView; group: readonly Destination[] }

function Content({ approval: { previous, media }, group }: ContentProps) {
  const { channels } = useChannels()
  const [destination] = group
  if (destination === undefined) return null
  const { channelId, parts, settings, provider } = destination
  const limit = limitOf(channels.filter((one) => group.some(({ channelId: id }) => id === one.channelId)))
  const before = previous?.destinations.find((one) => one.channelId === channelId)?.parts
  return (
    <>
      {parts.map((part, index) => (
        <div key={index} className={styles.part}>
          {parts.length > 1 ? <p className={styles.meta}>{partName(part.kind, index)}</p> : null}
          <PartPreview
            {...{ part, index, limit }}
            provider={provider ?? ''}
            linkCard={settings['linkCard'] !== false}
            media={
              <PlayableMedia
                provider={provider ?? ''}
                items={part.mediaIds.flatMap((id) => media.filter(({ mediaId }) => mediaId === id))}
              />
            }
          />
        </div>
      ))}
      {Object.entries(settings).map(([name, value]) => (
        <p key={name} className={styles.meta}>
          {words.setting(name, JSON.stringify(value))}
        </p>
      ))}
      {previous === null ? null : <Changes before={before} after={parts} />}
    </>
  )
}

function partName(kind: Destination['parts'][number]['kind'], index: number): string {
  if (kind === 'first_comment') return words.firstComment
  return index === 0 ? words.post : words.followUp(index)
}

/** Why nothing can be decided here, where that is so, and where to go on. */
function Standing({ approval, onOpen }: CardProps) {
  const { workspaceId } = useSession().workspace
  const waiting = useQuery(read('listApprovals', { params: { workspaceId }, query: {} }))
  const { status, unchanged, postId, approvalId } = approval
  const next = waiting.data?.find((one) => one.postId === postId && one.approvalId !== approvalId)
  if (next !== undefined)
    return (
      <Notice tone="amber">
        <p>{words.movedOn}</p>
        <Button onClick={() => onOpen(next.approvalId)}>{words.reviewNew}</Button>
      </Notice>
    )
  if (status === 'superseded')
    return (
      <Notice>
        <p>{words.editedBefore}</p>
      </Notice>
    )
  if (status === 'expired')
    return (
      <Notice>
        <p>{words.expiredHint}</p>
      </Notice>
    )
  return status === 'pending' && !unchanged ? (
    <Notice tone="amber">
      <p>{words.changedNow}</p>
    </Notice>
  ) : null
}
