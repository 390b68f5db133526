import { Link } from '../../navigation.tsx'
import { memo, useEffect, useMemo, useRef } from 'react'
import { showClock } from '../../lib/time.ts'
import { localOf } from '../../lib/zone-clock.ts'
import { useNarrow } from '../../lib/use-narrow.ts'
import { useNow } from '../../lib/use-now.ts'
import styles from './calendar.module.css'
import type { Dragged, GridProps } from './calendar-views.tsx'
import { DayHead } from './day-head.tsx'
import { type Card, withRoom } from './cards.ts'
import { type FreeTime, FreeTile } from './free-times.tsx'
import { type Day, shiftLocal } from './grid.ts'
import { MoreCards } from './more-cards.tsx'
import { PostCard } from './post-card.tsx'
import { useDropTarget } from './use-drag.ts'
import { words } from './words.ts'

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const QUARTERS = 4
const QUARTER_MINUTES = 15
/** Where the day is scrolled to before anything tells better. */
const MORNING = 8

type WeekProps = GridProps & {
  days: readonly Day[]
  ofDay: ReadonlyMap<Day, readonly Card[]>
  freeOf: ReadonlyMap<Day, readonly FreeTime[]>
}

/**
 * Seven days beside each other, with their hours: what is dragged gets the quarter of an hour on which it is dropped. On a phone, one of
 * them below a strip of all.
 */
export function WeekView({ days, ofDay, freeOf, ...props }: WeekProps) {
  const scroll = useRef<HTMLDivElement>(null)
  const { zone, today, day, counts } = props
  const isNarrow = useNarrow()
  const shown = isNarrow ? days.filter((date) => date === day) : days
  const now = localOf(useNow(60_000), zone)
  const first = days[0]
  const countOf = useMemo(() => {
    const found = new Map<Day, number>()
    for (const [hour, count] of counts) {
      const date = hour.slice(0, 10)
      found.set(date, (found.get(date) ?? 0) + count)
    }
    return found
  }, [counts])
  useEffect(() => {
    const hour = days.includes(today) ? Math.max(0, Number(now.slice(11, 13)) - 1) : MORNING
    const cell = scroll.current?.querySelector<HTMLElement>(`[data-hour="${hour}"]`)
    const head = scroll.current?.querySelector<HTMLElement>(`.${styles.corner}`)
    if (scroll.current !== null && cell != null)
      scroll.current.scrollTop = cell.offsetTop - (head?.offsetHeight ?? 0)
    // Only where another week is shown: what a person scrolled to stays.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [first])
  return (
    <>
      {isNarrow ? <DayStrip {...{ days, day, today, countOf }} dayName={props.dayName} /> : null}
      <div ref={scroll} className={styles.hours} tabIndex={0} role="group" aria-label={words.weekByHour}>
        <div className={isNarrow ? `${styles.week} ${styles.oneDay}` : styles.week}>
          <div className={styles.corner} />
          <div className={styles.clock} aria-hidden>
            {HOURS.map((hour) => (
              <span key={hour} data-hour={hour}>
                {showClock(`2026-01-01T${String(hour).padStart(2, '0')}:00Z`, 'UTC')}
              </span>
            ))}
          </div>
          <ol className={styles.columns}>
            {shown.map((date) => (
              <DayColumn
                key={date}
                {...props}
                {...{ date, now }}
                cards={ofDay.get(date) ?? NONE}
                count={countOf.get(date) ?? 0}
                freeOfDay={freeOf.get(date) ?? NO_TIMES}
              />
            ))}
          </ol>
        </div>
      </div>
    </>
  )
}

type DayStripProps = Pick<WeekProps, 'days' | 'day' | 'today' | 'dayName'> & {
  countOf: ReadonlyMap<Day, number>
}

/** The days of the week, each with whether it has posts. */
function DayStrip({ days, day, today, countOf, dayName }: DayStripProps) {
  return (
    <ol className={styles.strip}>
      {days.map((date) => {
        const count = countOf.get(date) ?? 0
        return (
          <li key={date}>
            <Link
              to="/w/$workspaceId/calendar"
              search={(now) => ({ ...now, day: date })}
              aria-current={date === day ? 'true' : undefined}
            >
              <span aria-hidden>{dayName(date).slice(0, 2)}</span>
              <strong aria-hidden className={date === today ? styles.stripToday : undefined}>
                {Number(date.slice(8))}
              </strong>
              <span className={count === 0 ? styles.noPosts : styles.somePosts} />
              <span className="visually-hidden">
                {dayName(date)}, {words.posts(count)}
              </span>
            </Link>
          </li>
        )
      })}
    </ol>
  )
}

const NONE: readonly Card[] = []
const NO_TIMES: readonly FreeTime[] = []

type ColumnProps = GridProps & {
  date: Day
  cards: readonly Card[]
  /** How many posts it has. */
  count: number
  freeOfDay: readonly FreeTime[]
  now: string
}

const DayColumn = memo(function DayColumn({ date, cards, count, freeOfDay, now, ...props }: ColumnProps) {
  const { zone, today } = props
  const ofHour = useMemo(() => {
    const hours = new Map<number, Card[]>()
    for (const card of cards) {
      const hour = Number(localOf(new Date(card.at), zone).slice(11, 13))
      hours.set(hour, [...(hours.get(hour) ?? []), card])
    }
    return hours
  }, [cards, zone])
  const freeOfHour = useMemo(() => {
    const hours = new Map<number, FreeTime[]>()
    for (const free of freeOfDay) {
      const hour = Number(localOf(new Date(free.at), zone).slice(11, 13))
      hours.set(hour, [...(hours.get(hour) ?? []), free])
    }
    return hours
  }, [freeOfDay, zone])
  const minute = date === today ? Number(now.slice(14, 16)) : null
  const hourNow = Number(now.slice(11, 13))
  return (
    <li className={styles.column} aria-label={props.dayName(date)}>
      <DayHead {...{ date, today }} name={props.dayName(date)} count={count} mayWrite={props.mayWrite} />
      {HOURS.map((hour) => (
        <HourCell
          key={hour}
          {...{ date, hour, zone }}
          count={props.counts.get(slotOf(date, hour)) ?? 0}
          filters={props.filters}
          cards={ofHour.get(hour) ?? NONE}
          free={freeOfHour.get(hour) ?? NO_TIMES}
          nowMinute={hour === hourNow ? minute : null}
          isPast={date < today || (date === today && hour < hourNow)}
          channelOf={props.channelOf}
          movable={props.movable}
          onDrop={props.onDrop}
          onTake={props.onTake}
        />
      ))}
    </li>
  )
})

/** An hour of a day, as posts are counted by it. */
const slotOf = (date: Day, hour: number) => `${date}T${String(hour).padStart(2, '0')}`

type HourProps = Pick<
  GridProps,
  'filters' | 'zone' | 'channelOf' | 'movable' | 'onDrop' | 'onTake' | 'free'
> & {
  date: Day
  hour: number
  /** The first of its posts. */
  cards: readonly Card[]
  /** How many posts it has. */
  count: number
  /** The minute that it is, in the hour that it is. */
  nowMinute: number | null
  isPast: boolean
}

const HourCell = memo(function HourCell(props: HourProps) {
  const { date, hour, cards, count, free, nowMinute, isPast, filters, zone } = props
  const { channelOf, movable, onDrop, onTake } = props
  const slot = slotOf(date, hour)
  const begin = `${slot}:00`
  const timeOf = (step: number) => shiftLocal(begin, step * QUARTER_MINUTES)
  const { ref, over } = useDropTarget<HTMLDivElement>(
    (data, step) => onDrop(data as Dragged, timeOf(step)),
    QUARTERS,
  )
  const shown = withRoom(cards, count)
  const classes = [styles.hour, isPast ? styles.gone : '', over === null ? '' : styles.over]
  return (
    <div ref={ref} className={classes.filter(Boolean).join(' ')} data-time={begin}>
      {nowMinute === null ? null : (
        <span
          className={styles.now}
          style={{ top: `${(nowMinute / 60) * 100}%` }}
          title={words.now}
          aria-hidden
        />
      )}
      {shown.map((card) => (
        <PostCard key={card.key} {...{ card, zone, channelOf }} movable={movable(card)} />
      ))}
      {shown.length < count ? (
        <MoreCards {...{ date, slot, cards, filters, zone, channelOf }} count={count - shown.length} />
      ) : null}
      {free.map((one) => (
        <FreeTile key={one.at} {...{ zone, channelOf }} free={one} onDrop={onTake} />
      ))}
      {over === null ? null : <span className={styles.drop}>{showClock(`${timeOf(over)}Z`, 'UTC')}</span>}
    </div>
  )
})
