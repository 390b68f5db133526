import type { CalendarEntry } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight, CalendarDays } from '../../ui/icons.ts'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { read } from '../../api/queries.ts'
import type { CalendarSearch } from '../../router.tsx'
import { useMay, useSession } from '../../session.tsx'
import { dateOf, viewerZone } from '../../lib/time.ts'
import { buttonClass } from '../../ui/button.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loading, ProblemNotice } from '../../ui/states.tsx'
import { statusLooks } from '../../ui/status.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { chooseTime } from '../../lib/chosen-time.ts'
import { wordsOfLocal } from '../../lib/read-time.ts'
import { ScheduleDialog } from '../posts/schedule-dialog.tsx'
import { FirstRun } from '../first-run/first-run.tsx'
import styles from './calendar.module.css'
import { CalendarGrid, type Dragged } from './calendar-views.tsx'
import { addDays, type Day, daysOf, step, type View, views } from './grid.ts'
import { DraftsTray } from './drafts.tsx'
import { MoveDialog } from './move-dialog.tsx'

const route = getRouteApi('/w/$workspaceId/calendar')
const firstDays = { monday: 1, saturday: 6, sunday: 7 } as const

type WithWeek = Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } }

/** 1 for Monday to 7 for Sunday, as the person has it, else their language. Where that says nothing, it is Monday. */
function useFirstDay(): number {
  const { weekStart } = useSession().me.preferences
  if (weekStart !== null) return firstDays[weekStart]
  const locale: WithWeek = new Intl.Locale(navigator.language)
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1
}

const titles: Record<View, (day: Day, firstDay: number) => string> = {
  month: (day) => inWords(day, { month: 'long', year: 'numeric' }),
  week: (day, firstDay) => {
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
  const firstDay = useFirstDay()
  const { channels, nameOf } = useChannels()
  const [dropped, setDropped] = useState<{ what: Dragged; on: Day } | null>(null)

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
        ({ channelId, status, author }) =>
          (search.channelId === undefined || channelId === search.channelId) &&
          (search.status === undefined || status === search.status) &&
          (search.author === undefined || author === search.author),
      ),
    [calendar.data, search.channelId, search.status, search.author],
  )
  const authors = useMemo(() => {
    const found = new Set((calendar.data ?? []).map(({ author }) => author))
    if (search.author !== undefined) found.add(search.author)
    return [...found].toSorted((a, b) => a.localeCompare(b))
  }, [calendar.data, search.author])
  const filter = (change: Partial<CalendarSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...change }) })

  const drop = useCallback(
    (what: Dragged, on: Day) => {
      const publishAt = 'entry' in what ? what.entry.publishAt : null
      if (publishAt === null || on !== dateOf(new Date(publishAt), zone)) setDropped({ what, on })
    },
    [zone],
  )
  const movable = useCallback(
    ({ status, publishAt }: CalendarEntry) => mayWrite && status === 'scheduled' && publishAt !== null,
    [mayWrite],
  )
  const close = () => setDropped(null)

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
          {titles[view](day, firstDay)}
        </h2>
        <Filter
          label="Channel"
          all="All channels"
          options={channels.map(({ channelId, displayName }) => [channelId, displayName])}
          value={search.channelId}
          onChange={(channelId) => filter({ channelId })}
        />
        <Filter
          label="Status"
          all="Every status"
          options={Object.entries(statusLooks).map(([status, { label }]) => [status, label])}
          value={search.status}
          onChange={(status) => filter({ status })}
        />
        <Filter
          label="Author"
          all="All authors"
          options={authors.map((author) => [author, author])}
          value={search.author}
          onChange={(author) => filter({ author })}
        />
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
      {view === 'agenda' ? null : <DraftsTray />}
      {calendar.isSuccess && view === 'agenda' && entries.length === 0 ? (
        <Empty icon={<CalendarDays aria-hidden />} title="Nothing in these four weeks">
          <p>Posts with a time appear here, by day.</p>
        </Empty>
      ) : null}
      {calendar.isSuccess ? (
        <CalendarGrid
          {...{ view, day, today, zone, firstDay, entries }}
          channelName={nameOf}
          movable={movable}
          onDrop={drop}
        />
      ) : null}
      {dropped !== null && 'entry' in dropped.what ? (
        <MoveDialog entry={dropped.what.entry} to={dropped.on} onClose={close} />
      ) : null}
      {dropped !== null && 'draft' in dropped.what ? (
        <ScheduleDialog
          postId={dropped.what.draft.postId}
          text={dropped.what.draft.text}
          proposed={chooseTime(wordsOfLocal(`${dropped.on}T09:00`))}
          onClose={close}
        />
      ) : null}
    </Page>
  )
}

type FilterProps = {
  label: string
  /** What is chosen when nothing is filtered. */
  all: string
  options: readonly (readonly [value: string, name: string])[]
  value: string | undefined
  onChange: (value: string | undefined) => void
}

function Filter({ label, all, options, value = '', onChange }: FilterProps) {
  return (
    <select
      aria-label={label}
      className={styles.filter}
      value={value}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{all}</option>
      {options.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
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
