import { Link } from '../../navigation.tsx'
import { memo } from 'react'
import { addressOf } from '../../api/address.ts'
import { showClock } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { ChannelMarks, type MarkedChannel } from '../../ui/channel-mark.tsx'
import { Repeat } from '../../ui/icons.ts'
import { Picture } from '../../ui/picture.tsx'
import { StatusMark, statusLooks } from '../../ui/status.tsx'
import styles from './calendar.module.css'
import type { Card } from './cards.ts'
import { useSelectable } from './selection.ts'
import { useDraggable } from './use-drag.ts'
import { words } from './words.ts'

export type ChannelOf = (entry: { channelId: string; provider?: string }) => MarkedChannel

type PostCardProps = { card: Card; zone: string; movable: boolean; channelOf: ChannelOf }

const MARKS = 2

/** A post as it stands on a day: how it fares, when, where, and what it says. */
export const PostCard = memo(function PostCard({ card, zone, movable, channelOf }: PostCardProps) {
  const { ref, dragging } = useDraggable({ card }, movable)
  const selectable = useSelectable(card)
  const { at, entries, imageId, isPending, postId, status, text } = card
  const { label, tone } = statusLooks[status]
  const classes = [
    styles.card,
    styles[isPending ? 'amber' : tone],
    movable ? styles.movable : '',
    dragging ? styles.dragging : '',
  ]
  const isOfSeries = entries.some(({ seriesId }) => seriesId !== null)
  const where = entries
    .map((entry) => `${channelOf(entry).displayName}: ${statusLooks[entry.status].label}`)
    .join('\n')
  return (
    <Link
      {...selectable}
      ref={ref}
      className={classes.filter(Boolean).join(' ')}
      data-card={card.key}
      data-post={postId}
      to="/w/$workspaceId/posts/$postId"

      params={{ postId }}
      title={`${label}${isPending ? words.andWaiting : ''}\n${isOfSeries ? `${words.ofSeries}\n` : ''}${where}\n${text}`}
    >
      <span className={styles.facts}>
        <StatusMark status={status} />
        <time dateTime={at}>{showClock(at, zone)}</time>
        <ChannelMarks channels={entries.map(channelOf)} most={MARKS} />
        {isOfSeries ? <Repeat /> : null}
      </span>
      <span className={styles.says}>
        <span className={styles.text} dir="auto">
          {text || words.withoutText}
        </span>
        {imageId === null ? null : <FirstPicture mediaId={imageId} />}
      </span>
      {isPending ? <span className="visually-hidden">{words.waiting}</span> : null}
      {isOfSeries ? <span className="visually-hidden">{words.ofSeries}</span> : null}
    </Link>
  )
})

/** The first picture of a post, small. What it shows is said where the post is. */
export function FirstPicture({ mediaId }: { mediaId: string }) {
  const { workspaceId } = useSession().workspace
  const src = addressOf('appReadMediaContent', { params: { workspaceId, mediaId }, query: { width: 320 } })
  return <Picture className={styles.picture} src={src} alt="" loading="lazy" draggable={false} />
}
