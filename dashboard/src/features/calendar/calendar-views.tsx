import type { CalendarEntry, PostSummary } from '@postrider/contract'
import { Link } from '../../navigation.tsx'
import {
  type KeyboardEvent,
  memo,
  type RefObject,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { showClock, showDay } from '../../lib/time.ts'
import { dateOf, localOf } from '../../lib/zone-clock.ts'
import { useNarrow } from '../../lib/use-narrow.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ChannelMarks } from '../../ui/channel-mark.tsx'
import { StatusBadge, statusLooks } from '../../ui/status.tsx'
import styles from './calendar.module.css'
import { type Card, cardsByDay, cardsOf, urgentFirst, withRoom } from './cards.ts'
import { DayHead } from './day-head.tsx'
import { type Day, daysOf, shiftLocal, type View } from './grid.ts'
import { FreeCount, type FreeTime } from './free-times.tsx'
import { MoreCards } from './more-cards.tsx'
import { type ChannelOf, FirstPicture, PostCard } from './post-card.tsx'
import { SelectionContext, useSelectable } from './selection.ts'
import type { Filters } from './shown.ts'
import { useDropTarget } from './use-drag.ts'
import { WeekView } from './week-view.tsx'
import { words } from './words.ts'

export type GridProps = {
  view: View
  /** A day that the view shows. */
  day: Day
  today: Day
  zone: string
  /** 1 for Monday to 7 for Sunday. */
  firstDay: number
  /** All of them in the agenda; else the first of each day, or of each hour in the week. */
  entries: readonly CalendarEntry[]
  /** How many posts each day has, or in the week each hour, those included that `entries` do not have. */
  counts: ReadonlyMap<string, number>
  /** What the entries were asked for with. */
  filters: Filters
  /** The posting times that are free, in order. */
  free: readonly FreeTime[]
  channelOf: ChannelOf
  dayName: (day: Day) => string
  /** Whether this reader may move what stands there. */
  movable: (card: Card) => boolean
  mayWrite: boolean
  /** `to` is a day, or a minute of one. */
  onDrop: (what: Dragged, to: string) => void
  /** The same on a posting time that is free. */
  onTake: (what: Dragged, free: FreeTime) => void
  /** The post whose card gets the focus as soon as it stands elsewhere. */
  moved: RefObject<string | null>
}

/** What a day takes: what stands elsewhere, or a draft from the tray. */
export type Dragged = { readonly card: Card } | { readonly draft: PostSummary }

export function CalendarGrid(props: GridProps) {
  const { view, day, firstDay, entries, counts, zone, moved } = props
  const days = useMemo(() => daysOf(view, day, firstDay), [view, day, firstDay])
  const cards = useMemo(() => cardsOf(entries), [entries])
  const ofDay = useMemo(() => cardsByDay(cards, zone), [cards, zone])
  const freeOf = useMemo(() => freeByDay(props.free, zone), [props.free, zone])
  const grid = useRef<HTMLDivElement>(null)
  const isNarrow = useNarrow()
  useEffect(() => {
    if (moved.current === null) return
    if (document.activeElement !== document.body && document.activeElement !== null) return
    grid.current?.querySelector<HTMLElement>(`[data-post="${moved.current}"]`)?.focus()
    moved.current = null
  }, [cards, moved])
  if (view === 'agenda') return <Agenda {...props} days={days} ofDay={ofDay} />
  return (
    <div
      ref={grid}
      className={styles.scroll}
      onKeyDown={(event) => pressOnCard(event, view, { cards, ...props })}
    >
      {view === 'week' ? (
        <WeekView {...props} days={days} ofDay={ofDay} freeOf={freeOf} />
      ) : (
        <>
          <div className={styles.weekdays} aria-hidden>
            {days.slice(0, 7).map((one) => (
              <span key={one}>{weekday(one, isNarrow)}</span>
            ))}
          </div>
          <ol className={styles.grid}>
            {days.map((one) =>
              isNarrow ? (
                <DayDots
                  key={one}
                  {...props}
                  date={one}
                  cards={ofDay.get(one) ?? NONE}
                  count={counts.get(one) ?? 0}
                />
              ) : (
                <DayCell
                  key={one}
                  {...props}
                  date={one}
                  cards={ofDay.get(one) ?? NONE}
                  count={counts.get(one) ?? 0}
                  freeCount={freeOf.get(one)?.length ?? 0}
                />
              ),
            )}
          </ol>
        </>
      )}
    </div>
  )
}

/** The name of a day of the week; on a phone its first two letters. */
function weekday(date: Day, isNarrow: boolean): string {
  const name = showDay(`${date}T12:00Z`, 'UTC').split(/[ ,]/)[0] ?? ''
  return isNarrow ? name.slice(0, 2) : name
}

const DAY_MINUTES = 24 * 60

/** How many minutes Shift with an arrow key moves a post: the keyboard's way to drag. */
const MINUTES: Readonly<Record<'week' | 'month', Readonly<Record<string, number>>>> = {
  week: { ArrowLeft: -DAY_MINUTES, ArrowRight: DAY_MINUTES, ArrowUp: -15, ArrowDown: 15 },
  month: {
    ArrowLeft: -DAY_MINUTES,
    ArrowRight: DAY_MINUTES,
    ArrowUp: -7 * DAY_MINUTES,
    ArrowDown: 7 * DAY_MINUTES,
  },
}

type Pressed = Pick<GridProps, 'movable' | 'zone' | 'onDrop'> & { cards: readonly Card[] }

/** Up and down go from card to card; with Shift, arrow keys move the post. */
function pressOnCard(
  event: KeyboardEvent<HTMLElement>,
  view: 'week' | 'month',
  { cards, movable, zone, onDrop }: Pressed,
): void {
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-card]')]
  const place = all.findIndex((one) => one === event.target)
  const minutes = MINUTES[view][event.key]
  if (place === -1 || minutes === undefined || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.shiftKey) {
    const card = cards.find(({ key }) => key === all[place]?.dataset['card'])
    if (card === undefined || !movable(card)) return
    onDrop({ card }, shiftLocal(localOf(new Date(card.at), zone), minutes))
  } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
    all[place + Math.sign(minutes)]?.focus()
  } else return
  event.preventDefault()
}

const NONE: readonly Card[] = []

function freeByDay(free: readonly FreeTime[], zone: string): Map<Day, FreeTime[]> {
  const days = new Map<Day, FreeTime[]>()
  for (const one of free) {
    const day = dateOf(new Date(one.at), zone)
    days.set(day, [...(days.get(day) ?? []), one])
  }
  return days
}

type CellProps = GridProps & {
  date: Day
  /** The first of its posts. */
  cards: readonly Card[]
  /** How many posts it has. */
  count: number
}

const DayCell = memo(function DayCell({
  date,
  cards,
  count,
  filters,
  today,
  zone,
  channelOf,
  movable,
  onDrop,
  freeCount,
  ...props
}: CellProps & { freeCount: number }) {
  const { ref, over } = useDropTarget<HTMLLIElement>((data) => onDrop(data as Dragged, date))
  const classes = [styles.day, date < today ? styles.gone : '', over === null ? '' : styles.over]
  const name = props.dayName(date)
  const shown = withRoom(cards, count)
  return (
    <li ref={ref} className={classes.filter(Boolean).join(' ')} aria-label={name}>
      <DayHead {...{ date, today, name }} count={null} mayWrite={props.mayWrite} />
      {shown.map((card) => (
        <PostCard key={card.key} {...{ card, zone, channelOf }} movable={movable(card)} />
      ))}
      {shown.length < count ? (
        <MoreCards {...{ date, cards, filters, zone, channelOf }} slot={date} count={count - shown.length} />
      ) : null}
      <FreeCount {...{ date, name }} count={freeCount} />
    </li>
  )
})

const DOTS = 3

/**
 * A day of a month on a phone: its posts as dots, the most urgent first. The day itself is a tap away, in the week; while posts are
 * selected, its posts are, to select among them.
 */
function DayDots({ date, cards, count, today, dayName, filters, zone, channelOf }: CellProps) {
  const selection = useContext(SelectionContext)
  const className = [
    styles.dots,
    date < today ? styles.gone : '',
    cards.some(({ postId }) => selection?.posts.has(postId)) ? styles.dotsSelected : '',
  ].join(' ')
  const label = `${dayName(date)}, ${words.posts(count)}`
  const face = (
    <>
      <strong aria-hidden className={date === today ? styles.stripToday : undefined}>
        {Number(date.slice(8))}
      </strong>
      <span aria-hidden>
        {urgentFirst(cards)
          .slice(0, DOTS)
          .map(({ key, status, isPending }) => (
            <span
              key={key}
              className={`${styles.dot} ${styles[isPending ? 'amber' : statusLooks[status].tone]}`}
            />
          ))}
      </span>
    </>
  )
  if (selection === null)
    return (
      <li>
        <Link
          className={className}
          to="/w/$workspaceId/calendar"
          search={(now) => ({ ...now, view: 'week', day: date })}
        >
          {face}
          <span className="visually-hidden">{label}</span>
        </Link>
      </li>
    )
  return (
    <li>
      {count === 0 ? (
        <span className={className}>{face}</span>
      ) : (
        <MoreCards
          {...{ date, cards, count, filters, zone, channelOf }}
          slot={date}
          trigger={{ className, label, children: face }}
        />
      )}
    </li>
  )
}

type AgendaProps = GridProps & { days: readonly Day[]; ofDay: ReadonlyMap<Day, readonly Card[]> }

/** So many rows are drawn at once; the next ones before the reader comes to them. */
const ROWS = 50

function Agenda({ days, ofDay, zone, channelOf, dayName }: AgendaProps) {
  const first = days[0] ?? ''
  const [drawn, setDrawn] = useState({ first, rows: ROWS })
  // Another range begins at its top.
  const rows = drawn.first === first ? drawn.rows : ROWS
  const count = days.reduce((sum, date) => sum + (ofDay.get(date)?.length ?? 0), 0)
  let room = rows
  const shown = days.flatMap((date) => {
    const cards = (ofDay.get(date) ?? NONE).slice(0, room)
    room -= cards.length
    return cards.length === 0 ? [] : [{ date, cards }]
  })
  return (
    <div className={styles.agenda}>
      {shown.map(({ date, cards }) => (
        <section key={date} aria-labelledby={`day-${date}`}>
          <h2 id={`day-${date}`}>{dayName(date)}</h2>
          <ul>
            {cards.map((card) => (
              <AgendaRow key={card.key} {...{ card, zone, channelOf }} />
            ))}
          </ul>
        </section>
      ))}
      {rows < count ? (
        <MoreRows count={count - rows} onShow={() => setDrawn({ first, rows: rows + ROWS })} />
      ) : null}
    </div>
  )
}

/** The number of the rows that are not drawn yet. Whoever comes near it by scrolling has them drawn; a press does so, too. */
function MoreRows({ count, onShow }: { count: number; onShow: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const near = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) onShow()
      },
      { rootMargin: '1000px' },
    )
    if (button.current !== null) near.observe(button.current)
    return () => near.disconnect()
    // With each count it is looked for anew: where it still is near, more are drawn.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [count])
  return (
    <button ref={button} type="button" className={buttonClass('quiet')} onClick={onShow}>
      {words.more(count)}
    </button>
  )
}

const MARKS = 4

type AgendaRowProps = { card: Card; zone: string; channelOf: ChannelOf }

const AgendaRow = memo(function AgendaRow({ card, zone, channelOf }: AgendaRowProps) {
  const { at, entries, imageId, postId, status, text } = card
  const channels = entries.map(channelOf)
  const selectable = useSelectable(card)
  return (
    <li>
      <Link
        {...selectable}
        className={styles.row}
        to="/w/$workspaceId/posts/$postId"

        params={{ postId }}
      >
        <time dateTime={at}>{showClock(at, zone)}</time>
        <span className={styles.channel}>
          <ChannelMarks channels={channels} most={MARKS} />
          {channels.length === 1 ? <span aria-hidden>{channels[0]?.displayName}</span> : null}
        </span>
        <span className={styles.text} dir="auto">
          {text || words.withoutText}
        </span>
        {imageId === null ? <span /> : <FirstPicture mediaId={imageId} />}
        <StatusBadge status={status} />
      </Link>
    </li>
  )
})
