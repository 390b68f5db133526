import { Link } from '../../navigation.tsx'
import type { AnswerOf } from '../../api/client.ts'
import { listNames } from '../../lib/list-names.ts'
import { showClock, showDay } from '../../lib/time.ts'
import { ChannelMarks } from '../../ui/channel-mark.tsx'
import styles from './calendar.module.css'
import type { Dragged } from './calendar-views.tsx'
import type { Day } from './grid.ts'
import type { ChannelOf } from './post-card.tsx'
import { useDropTarget } from './use-drag.ts'
import { words } from './words.ts'

/** A posting time, and the channels on which it is free. */
export type FreeTime = AnswerOf<'listFreePostingTimes'>[number]

const MARKS = 3

type FreeTileProps = {
  free: FreeTime
  zone: string
  channelOf: ChannelOf
  onDrop: (what: Dragged, free: FreeTime) => void
}

/** A posting time that nothing has: a draft that is dropped on it takes it, and a new post is a click away. */
export function FreeTile({ free, zone, channelOf, onDrop }: FreeTileProps) {
  const { at, channelIds } = free
  const { ref, over } = useDropTarget<HTMLAnchorElement>((data) => onDrop(data as Dragged, free))
  const channels = channelIds.map((channelId) => channelOf({ channelId }))
  const [only] = channelIds
  const names = listNames(channels.map(({ displayName }) => displayName))
  return (
    <Link
      ref={ref}
      className={over === null ? styles.free : `${styles.free} ${styles.over}`}
      to="/w/$workspaceId/compose"

      search={{ slot: at, ...(channelIds.length === 1 ? { channel: only } : {}) }}
    >
      <span>
        {words.freeAt(showClock(at, zone))}
        <span className="visually-hidden">{words.freeFor(showDay(at, zone), names)}</span>
      </span>
      <span className={styles.marks} aria-hidden>
        <ChannelMarks channels={channels} most={MARKS} />
      </span>
    </Link>
  )
}

/** How many posting times of a day are free, with the way to see them. */
export function FreeCount({ count, date, name }: { count: number; date: Day; name: string }) {
  if (count === 0) return null
  return (
    <Link
      className={styles.freeCount}
      to="/w/$workspaceId/calendar"
      search={(now) => ({ ...now, view: 'week', day: date })}
      aria-label={words.freeTimesOn(count, name)}
    >
      {words.freeTimes(count)}
    </Link>
  )
}
