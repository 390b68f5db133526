import type { CalendarEntry, PostSummary } from '@postrider/contract'
import { Link } from '@tanstack/react-router'
import { Plus } from '../../ui/icons.ts'
import { type KeyboardEvent, memo, useMemo } from 'react'
import { dateOf, showClock, showDay } from '../../lib/time.ts'
import { StatusBadge, StatusMark, statusLooks } from '../../ui/status.tsx'
import styles from './calendar.module.css'
import { addDays, byDay, type Day, daysOf, timeOf, type View } from './grid.ts'
import { useDraggable, useDropTarget } from './use-drag.ts'

export type GridProps = {
  view: View
  /** A day that the view shows. */
  day: Day
  today: Day
  zone: string
  /** 1 for Monday to 7 for Sunday. */
  firstDay: number
  entries: readonly CalendarEntry[]
  channelName: (channelId: string) => string
  /** Whether this reader may move the entry to another day. */
  movable: (entry: CalendarEntry) => boolean
  onDrop: (what: Dragged, day: Day) => void
}

/** What a day takes: an entry of another day, or a draft from the tray. */
export type Dragged = { readonly entry: CalendarEntry } | { readonly draft: PostSummary }

/** How many entries of a day are shown before the rest is counted. */
const SHOWN = { month: 4, week: 40, agenda: Number.POSITIVE_INFINITY } as const

export function CalendarGrid(props: GridProps) {
  const { view, day, firstDay, entries, zone } = props
  const days = useMemo(() => daysOf(view, day, firstDay), [view, day, firstDay])
  const ofDay = useMemo(() => byDay(entries, zone), [entries, zone])
  if (view === 'agenda') return <Agenda {...props} days={days} ofDay={ofDay} />
  return (
    <div className={styles.scroll}>
      <div className={styles.weekdays} aria-hidden>
        {days.slice(0, 7).map((one) => (
          <span key={one}>{showDay(`${one}T12:00Z`, 'UTC').split(/[ ,]/)[0]}</span>
        ))}
      </div>
      <ol
        className={`${styles.grid} ${view === 'week' ? styles.week : ''}`}
        onKeyDown={(event) => pressOnTile(event, props)}
      >
        {days.map((one) => (
          <DayCell key={one} {...props} date={one} list={ofDay.get(one) ?? NONE} />
        ))}
      </ol>
    </div>
  )
}

/** How many days Shift with an arrow key moves an entry: the keyboard's way to drag. */
const DAYS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

/** Up and down go from tile to tile; with Shift, arrow keys move the entry to another day. */
function pressOnTile(event: KeyboardEvent<HTMLElement>, { entries, movable, zone, onDrop }: GridProps): void {
  const tiles = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-entry]')]
  const place = tiles.findIndex((tile) => tile === event.target)
  const days = DAYS[event.key]
  if (place === -1 || days === undefined || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.shiftKey) {
    const entry = entries.find((one) => keyOf(one) === tiles[place]?.dataset['entry'])
    if (entry === undefined || entry.publishAt === null || !movable(entry)) return
    onDrop({ entry }, addDays(dateOf(new Date(entry.publishAt), zone), days))
  } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
    tiles[place + Math.sign(days)]?.focus()
  } else return
  event.preventDefault()
}

const keyOf = ({ postId, channelId }: CalendarEntry) => `${postId} ${channelId}`

const NONE: readonly CalendarEntry[] = []

type CellProps = GridProps & { date: Day; list: readonly CalendarEntry[] }

const DayCell = memo(function DayCell({
  date,
  list,
  view,
  day,
  today,
  zone,
  channelName,
  movable,
  onDrop,
}: CellProps) {
  const { ref, over } = useDropTarget((data) => onDrop(data as Dragged, date))
  const classes = [
    styles.day,
    view === 'month' && date.slice(0, 7) !== day.slice(0, 7) ? styles.outside : '',
    date === today ? styles.today : '',
    date < today ? styles.past : '',
    over ? styles.over : '',
  ]
  const shown = list.length > SHOWN[view] ? list.slice(0, SHOWN[view] - 1) : list
  return (
    <li ref={ref} className={classes.filter(Boolean).join(' ')} aria-label={showDay(`${date}T12:00Z`, 'UTC')}>
      <div className={styles.date}>
        <time dateTime={date} aria-current={date === today ? 'date' : undefined}>
          {Number(date.slice(8))}
        </time>
        {date < today ? null : (
          <Link
            className={styles.add}
            to="/w/$workspaceId/compose"
            from="/w/$workspaceId"
            search={{ day: date }}
            aria-label={`New post on ${showDay(`${date}T12:00Z`, 'UTC')}`}
          >
            <Plus aria-hidden />
          </Link>
        )}
      </div>
      {shown.map((entry) => (
        <Tile key={keyOf(entry)} {...{ entry, zone, channelName }} movable={movable(entry)} />
      ))}
      {shown.length < list.length ? (
        <Link
          className={styles.more}
          to="/w/$workspaceId/calendar"
          from="/w/$workspaceId"
          search={(before) => ({ ...before, view: 'agenda', day: date })}
        >
          {list.length - shown.length} more
        </Link>
      ) : null}
    </li>
  )
})

type TileProps = {
  entry: CalendarEntry
  zone: string
  movable: boolean
  channelName: (channelId: string) => string
}

const Tile = memo(function Tile({ entry, zone, movable, channelName }: TileProps) {
  const { ref, dragging } = useDraggable({ entry }, movable)
  const time = timeOf(entry)
  const name = channelName(entry.channelId)
  const classes = [styles.tile, movable ? styles.movable : '', dragging ? styles.dragging : '']
  return (
    <Link
      ref={ref}
      className={classes.filter(Boolean).join(' ')}
      data-entry={keyOf(entry)}
      to="/w/$workspaceId/posts/$postId"
      from="/w/$workspaceId"
      params={{ postId: entry.postId }}
      title={`${name} · ${statusLooks[entry.status].label}\n${entry.text}`}
    >
      <StatusMark status={entry.status} />
      {time === null ? null : <time dateTime={time}>{showClock(time, zone)}</time>}
      <span className={styles.text}>{entry.text || 'Media without text'}</span>
      <span className="visually-hidden">{name}</span>
    </Link>
  )
})

type AgendaProps = GridProps & { days: readonly Day[]; ofDay: ReadonlyMap<Day, readonly CalendarEntry[]> }

function Agenda({ days, ofDay, zone, channelName }: AgendaProps) {
  return (
    <div className={styles.agenda}>
      {days
        .filter((date) => ofDay.has(date))
        .map((date) => (
          <section key={date} aria-labelledby={`day-${date}`}>
            <h2 id={`day-${date}`}>{showDay(`${date}T12:00Z`, 'UTC')}</h2>
            <ul>
              {ofDay.get(date)?.map((entry) => (
                <AgendaRow key={keyOf(entry)} {...{ entry, zone, channelName }} />
              ))}
            </ul>
          </section>
        ))}
    </div>
  )
}

function AgendaRow({ entry, zone, channelName }: Omit<TileProps, 'movable'>) {
  const time = timeOf(entry)
  return (
    <li>
      <Link
        className={styles.row}
        to="/w/$workspaceId/posts/$postId"
        from="/w/$workspaceId"
        params={{ postId: entry.postId }}
      >
        {time === null ? <span /> : <time dateTime={time}>{showClock(time, zone)}</time>}
        <span className={styles.channel}>{channelName(entry.channelId)}</span>
        <span className={styles.text}>{entry.text || 'Media without text'}</span>
        <StatusBadge status={entry.status} />
      </Link>
    </li>
  )
}
