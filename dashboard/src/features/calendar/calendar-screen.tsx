import type { CalendarEntry } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight, CalendarDays } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { read } from '../../api/queries.ts'
import { useMay, useSession } from '../../session.tsx'
import { dateOf, viewerZone } from '../../lib/time.ts'
import { buttonClass } from '../../ui/button.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { statusLooks } from '../../ui/status.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { FirstRun } from '../first-run/first-run.tsx'
import styles from './calendar.module.css'
import { CalendarGrid } from './calendar-views.tsx'
import { addDays, type Day, daysOf, step, type View, views } from './grid.ts'
import { type Move, MoveDialog } from './move-dialog.tsx'

const route = getRouteApi('/w/$workspaceId/calendar')
/** Where Monday comes first unless the reader's language says otherwise. */
const firstDay = weekInfo(new Intl.Locale(navigator.language))

type WithWeek = Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } }

function weekInfo(locale: WithWeek): number {
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1
}

const titles: Record<View, (day: Day) => string> = {
  month: (day) => inWords(day, { month: 'long', year: 'numeric' }),
  week: (day) => {
    const days = daysOf('week', day, firstDay)
    return `${inWords(days[0] ?? day, { day: 'numeric', month: 'short' })} – ${inWords(days[6] ?? day, { day: 'numeric', month: 'short', year: 'numeric' })}`
  },
  agenda: (day) => `Four weeks from ${inWords(day, { day: 'numeric', month: 'long', year: 'numeric' })}`,
}

function inWords(day: Day, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', ...options }).format(new Date(`${day}T12:00Z`))
}

/** Seven days do not fit beside each other on a phone. */
const narrow = () => matchMedia('(max-width: 48rem)').matches

export function CalendarScreen(): ReactNode {
  const { workspace } = useSession()
  const { workspaceId, timeZone: zone } = workspace
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const mayWrite = useMay('posts:write')
  const { channels, nameOf } = useChannels()
  const [move, setMove] = useState<Move | null>(null)

  const today = dateOf(new Date(), zone)
  const { view = narrow() ? 'agenda' : 'month', day = today } = search
  const show = (change: { view?: View; day?: Day | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...change }) })
  useKeys({
    m: () => show({ view: 'month' }),
    w: () => show({ view: 'week' }),
    a: () => show({ view: 'agenda' }),
    t: () => show({ day: undefined }),
    ArrowLeft: () => show({ day: step(view, day, -1) }),
    ArrowRight: () => show({ day: step(view, day, 1) }),
  })

  const days = daysOf(view, day, firstDay)
  // A day more on both sides: the workspace's midnight is not the server's.
  const range = {
    from: `${addDays(days[0] ?? day, -1)}T00:00:00.000Z`,
    to: `${addDays(days.at(-1) ?? day, 2)}T00:00:00.000Z`,
  }
  const calendar = useQuery({
    ...read('appReadCalendar', { params: { workspaceId }, query: range }),
    placeholderData: (previous) => previous,
  })
  const entries = useMemo(
    () =>
      (calendar.data ?? []).filter(
        ({ channelId, status }) =>
          (search.channelId === undefined || channelId === search.channelId) &&
          (search.status === undefined || status === search.status),
      ),
    [calendar.data, search.channelId, search.status],
  )

  function begin(entry: CalendarEntry, to: Day): void {
    if (entry.publishAt === null || to === dateOf(new Date(entry.publishAt), zone)) return
    setMove({ entry, to })
  }

  return (
    <Page
      title="Calendar"
      lead={`Times are in ${zone}.${viewerZone() === zone ? '' : ` You are in ${viewerZone()}.`}`}
    >
      <FirstRun />
      <div className={styles.toolbar}>
        <Link className={buttonClass()} from={route.id} search={(now) => ({ ...now, day: undefined })}>
          Today
        </Link>
        <Step label={`Previous ${view}`} to={step(view, day, -1)} icon={<ChevronLeft aria-hidden />} />
        <Step label={`Next ${view}`} to={step(view, day, 1)} icon={<ChevronRight aria-hidden />} />
        <h2 className={styles.title} aria-live="polite">
          {titles[view](day)}
        </h2>
        <select
          aria-label="Channel"
          className={styles.filter}
          value={search.channelId ?? ''}
          onChange={(event) =>
            void navigate({ search: (now) => ({ ...now, channelId: event.target.value || undefined }) })
          }
        >
          <option value="">All channels</option>
          {channels.map(({ channelId, displayName }) => (
            <option key={channelId} value={channelId}>
              {displayName}
            </option>
          ))}
        </select>
        <select
          aria-label="Status"
          className={styles.filter}
          value={search.status ?? ''}
          onChange={(event) =>
            void navigate({ search: (now) => ({ ...now, status: event.target.value || undefined }) })
          }
        >
          <option value="">Every status</option>
          {Object.entries(statusLooks).map(([status, { label }]) => (
            <option key={status} value={status}>
              {label}
            </option>
          ))}
        </select>
        <span className={styles.views} role="group" aria-label="View">
          {views.map((one) => (
            <Link
              key={one}
              from={route.id}
              search={(now) => ({ ...now, view: one })}
              aria-current={one === view}
            >
              {one[0]?.toUpperCase()}
              {one.slice(1)}
            </Link>
          ))}
        </span>
      </div>
      {calendar.isPending ? <Loading /> : null}
      {calendar.isError ? (
        <ProblemNotice error={calendar.error} onRetry={() => void calendar.refetch()} />
      ) : null}
      {calendar.isSuccess && view === 'agenda' && entries.length === 0 ? (
        <Empty icon={<CalendarDays aria-hidden />} title="Nothing in these four weeks">
          <p>Posts with a time appear here, by day.</p>
        </Empty>
      ) : null}
      {calendar.isSuccess ? (
        <CalendarGrid
          {...{ view, day, today, zone, firstDay, entries }}
          channelName={nameOf}
          movable={(entry) => mayWrite && entry.status === 'scheduled'}
          onMove={begin}
        />
      ) : null}
      {move === null ? null : <MoveDialog move={move} onClose={() => setMove(null)} />}
    </Page>
  )
}

function Step({ label, to, icon }: { label: string; to: Day; icon: React.ReactNode }) {
  return (
    <Link
      className={buttonClass('quiet')}
      from={route.id}
      search={(now) => ({ ...now, day: to })}
      aria-label={label}
      title={label}
    >
      {icon}
    </Link>
  )
}
