import { useQuery } from '@tanstack/react-query'
import { Link } from '../../navigation.tsx'
import { type ReactNode, useMemo } from 'react'
import { read } from '../../api/queries.ts'
import { showClock, showDay, showRelative } from '../../lib/time.ts'
import { dateOf } from '../../lib/zone-clock.ts'
import { useNow } from '../../lib/use-now.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { CalendarDays, CircleCheck } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Unread } from '../../ui/states.tsx'
import { AttentionSummary } from '../attention/attention-summary.tsx'
import { type Card, cardsOf } from '../calendar/cards.ts'
import { weekStart } from '../calendar/grid.ts'
import { useFirstDay } from '../calendar/use-first-day.ts'
import { FirstRun } from '../first-run/first-run.tsx'
import { ChannelHealth } from './channel-health.tsx'
import { Head } from './head.tsx'
import { PostLine } from './post-line.tsx'
import styles from './today.module.css'
import { WaitingRequests } from './waiting-requests.tsx'
import { WeekSummary } from './week-summary.tsx'
import { words } from './words.ts'

/** What a person looks at first: what needs them, what is published next, and what was. */
export function TodayScreen(): ReactNode {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const now = useNow()
  const day = dateOf(now, zone)
  const from = weekStart(day, useFirstDay())
  const today = useQuery({
    ...read('readToday', { params: { workspaceId }, query: { from } }),
    placeholderData: (previous) => previous,
  })
  const next = useMemo(() => cardsOf(today.data?.next ?? []), [today.data])
  const last = useMemo(() => cardsOf(today.data?.published ?? []).toReversed(), [today.data])
  return (
    <Page
      title={words.title(showDay(now, zone))}
      lead={`${words.clock(showClock(now, zone), placeOf(zone))} ${today.data === undefined ? '' : aheadWords(next, zone, now)}`}
    >
      <FirstRun />
      <div className={styles.columns}>
        <div className={styles.stack}>
          <AttentionSummary calm={<AllWell />} />
          <WaitingRequests />
          <section aria-labelledby="next">
            <Head id="next" title={words.next}>
              <Link to="/w/$workspaceId/calendar" params={{ workspaceId }}>
                {words.openCalendar}
              </Link>
            </Head>
            <Unread of={today} lines={4} />
            {today.data !== undefined ? <Next cards={next} /> : null}
          </section>
        </div>
        <div className={styles.stack}>
          <WeekSummary {...{ from, day }} counts={today.data?.week ?? []} />
          <section aria-labelledby="published">
            <Head id="published" title={words.published}>
              <Link
                to="/w/$workspaceId/posts"
                params={{ workspaceId }}
                search={{ status: 'published', sort: 'last' }}
              >
                {words.seeAll}
              </Link>
            </Head>
            {today.data !== undefined && last.length === 0 ? (
              <p className={styles.quiet}>{words.nonePublished}</p>
            ) : (
              <ul className={styles.box}>
                {last.map((card) => (
                  <PostLine key={card.key} card={card} look="past" />
                ))}
              </ul>
            )}
          </section>
          <ChannelHealth />
        </div>
      </div>
    </Page>
  )
}

/** How much is still to come today. The server tells of the next posts only, so that a full day is not counted to its end. */
function aheadWords(next: readonly Card[], zone: string, now: Date): string {
  const ahead = next.filter(({ at }) => Date.parse(at) > now.getTime())
  const [first] = ahead
  if (first === undefined) return words.nothingPlanned
  const soon = showRelative(first.at, zone, now)
  const rest = ahead.filter(({ at }) => dateOf(new Date(at), zone) === dateOf(now, zone)).length
  if (rest === 0) return words.noneToday(soon)
  const isAll = rest < ahead.length || next.length < NEXT_MOST
  return rest === 1 ? words.oneToday(soon) : words.severalToday(rest, isAll, soon)
}

/** As many as `readToday` tells of. */
const NEXT_MOST = 8

function Next({ cards }: { cards: readonly Card[] }) {
  const { timeZone: zone } = useSession().workspace
  if (cards.length === 0)
    return (
      <Empty icon={<CalendarDays aria-hidden />} title={words.noneNext}>
        <p>{words.noneNextHint}</p>
      </Empty>
    )
  const days = Map.groupBy(cards, ({ at }) => dateOf(new Date(at), zone))
  return (
    <div className={styles.box}>
      {[...days].map(([day, ofDay]) => (
        <div key={day} role="group" aria-label={dayName(day)}>
          <h3 className={styles.day}>{dayName(day)}</h3>
          <ul>
            {ofDay.map((card) => (
              <PostLine key={card.key} card={card} look="next" />
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}

const dayName = (day: string) => showDay(`${day}T12:00Z`, 'UTC')

function AllWell() {
  return (
    <p className={styles.well}>
      <CircleCheck aria-hidden />
      {words.allWell}
    </p>
  )
}
