import { Link } from '../../navigation.tsx'
import { addressOf } from '../../api/address.ts'
import { showClock, showMoment } from '../../lib/time.ts'
import { dateOf } from '../../lib/zone-clock.ts'
import { useSession } from '../../session.tsx'
import { ChannelMarks } from '../../ui/channel-mark.tsx'
import { FileText } from '../../ui/icons.ts'
import { Picture } from '../../ui/picture.tsx'
import { StatusBadge, StatusMark, Tag } from '../../ui/status.tsx'
import type { Card } from '../calendar/cards.ts'
import { useChannels } from '../channels/use-channels.ts'
import styles from './today.module.css'
import { words } from './words.ts'

const MARKS = 4

type PostLineProps = {
  card: Card
  /** A post to come shows its clock first; one that was published, when that was. */
  look: 'next' | 'past'
}

/** A post in one line: what it says, when, where, and how it stands. */
export function PostLine({ card, look }: PostLineProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { channelOf } = useChannels()
  const { at, author, entries, imageId, isPending, postId, status, text } = card
  const isNext = look === 'next'
  const marks = <ChannelMarks channels={entries.map(channelOf)} most={MARKS} />
  return (
    <li>
      <Link
        className={isNext ? styles.line : `${styles.line} ${styles.past}`}
        to="/w/$workspaceId/posts/$postId"
        params={{ workspaceId, postId }}
      >
        {isNext ? <time dateTime={at}>{showClock(at, zone)}</time> : null}
        <Thumb imageId={imageId} />
        <span className={styles.says}>
          <span className={styles.title} dir="auto">
            {text || words.noText}
          </span>
          {isNext ? (
            <span className={styles.meta}>{author}</span>
          ) : (
            <span className={styles.meta}>
              <StatusMark status={status} />
              <time dateTime={at}>{whenOf(at, zone)}</time>
              {marks}
            </span>
          )}
        </span>
        {isNext ? (
          <span className={styles.end}>
            {marks}
            {isPending ? <Tag tone="amber">{words.waiting}</Tag> : <StatusBadge status={status} />}
          </span>
        ) : null}
      </Link>
    </li>
  )
}

/** The clock alone of what was today. */
function whenOf(at: string, zone: string): string {
  const isToday = dateOf(new Date(at), zone) === dateOf(new Date(), zone)
  return isToday ? words.todayAt(showClock(at, zone)) : showMoment(at, zone)
}

/** The first picture, small, or that there is none. What it shows is said where the post is. */
function Thumb({ imageId }: { imageId: string | null }) {
  const { workspaceId } = useSession().workspace
  if (imageId === null)
    return (
      <span className={styles.thumb}>
        <FileText aria-hidden />
      </span>
    )
  const input = { params: { workspaceId, mediaId: imageId }, query: { width: 320 } } as const
  return (
    <Picture className={styles.thumb} src={addressOf('appReadMediaContent', input)} alt="" loading="lazy" />
  )
}
