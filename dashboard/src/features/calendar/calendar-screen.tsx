import { useQuery } from '@tanstack/react-query'
import { Link, navigate, useSearch } from '../../navigation.tsx'
import { ChevronLeft, ChevronRight, CalendarDays } from '../../ui/icons.ts'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { read } from '../../api/queries.ts'
import type { CalendarSearch } from '../../addresses.ts'
import { useMay, useSession } from '../../session.tsx'
import { locale } from '../../lib/language.ts'
import { showDay, viewerZone } from '../../lib/time.ts'
import { clockZone, dateOf, localOf } from '../../lib/zone-clock.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Notice, Unread } from '../../ui/states.tsx'
import { statusLooks } from '../../ui/status.tsx'
import { isAmong, placesOf } from '../channels/groups.ts'
import { useChannels } from '../channels/use-channels.ts'
import { withLabel } from '../labels/label-key.ts'
import { useLabels } from '../labels/use-labels.ts'
import { words as labelWords } from '../labels/words.ts'
import { words as channelWords } from '../channels/words.ts'
import { chooseTime } from '../../lib/chosen-time.ts'
import { wordsOfLocal } from '../../lib/read-time.ts'
import { BulkBar } from '../posts/bulk-bar.tsx'
import { ScheduleDialog } from '../posts/schedule-dialog.tsx'
import styles from './calendar.module.css'
import { CalendarGrid, type Dragged } from './calendar-views.tsx'
import { type Card, waitsForItsTime } from './cards.ts'
import { DraftsTray } from './drafts.tsx'
import type { FreeTime } from './free-times.tsx'
import { type Day, daysOf, minutesBetween, step, type View, views } from './grid.ts'
import { SelectionContext } from './selection.ts'
import { filtersOf, listFilters, overviewOf, rangeOf, startView } from './shown.ts'
import { useFirstDay } from './use-first-day.ts'
import { useMovePost } from './use-move-post.ts'
import { words } from './words.ts'

const HERE = '/w/$workspaceId/calendar'

/** The days that are seen, in words. */
function titleOf(view: View, day: Day, firstDay: number): string {
  const days = daysOf(view, day, firstDay)
  const [first, last] = [days[0] ?? day, days.at(-1) ?? day]
  const short = { day: 'numeric', month: 'short' } as const
  return `${inWords(first, short)} – ${inWords(last, { ...short, year: 'numeric' })}`
}

function inWords(day: Day, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format(new Date(`${day}T12:00Z`))
}

const dayName = (day: Day): string => showDay(`${day}T12:00Z`, 'UTC')

/** When a draft is proposed to be published that is dropped on a day. */
const DRAFT_TIME = 'T09:00'

const viewWords = { month: words.month, week: words.week, agenda: words.agenda }
const previousWords = { month: words.previousMonth, week: words.previousWeek, agenda: words.previousAgenda }
const nextWords = { month: words.nextMonth, week: words.nextWeek, agenda: words.nextAgenda }

export function CalendarScreen(): ReactNode {
  const { workspace } = useSession()
  const { workspaceId, timeZone: zone } = workspace
  const search = useSearch(HERE)
  const mayWrite = useMay('posts:write')
  const firstDay = useFirstDay()
  const { channels, channelOf } = useChannels()
  const [dropped, setDropped] = useState<{
    what: Extract<Dragged, { draft: unknown }>
    to: string
    slot?: FreeTime
  } | null>(null)
  const { move, fault, moved, clear } = useMovePost()
  // What is shown otherwise begins anew: nothing is done to what is not seen.
  const shownNow = JSON.stringify(search)
  const [selecting, setSelecting] = useState<{ shown: string; posts: Selected } | null>(null)
  const selected = selecting === null ? null : selecting.shown === shownNow ? selecting.posts : NO_POSTS
  const select = (posts: Selected) => setSelecting({ shown: shownNow, posts })
  const selection = useMemo(
    () =>
      selected && {
        posts: selected,
        toggle: (postId: string, labels: readonly string[]) =>
          setSelecting({ shown: shownNow, posts: toggled(selected, postId, labels) }),
      },
    [selected, shownNow],
  )

  const today = dateOf(new Date(), zone)
  const { view = startView(), day = today } = search
  const show = (change: { view?: View; day?: Day | undefined }) =>
    void navigate({ to: HERE, search: (now) => ({ ...now, ...change }) })
  useKeys({
    m: () => show({ view: 'month' }),
    w: () => show({ view: 'week' }),
    a: () => show({ view: 'agenda' }),
    t: () => show({ day: undefined }),
    ArrowLeft: () => show({ day: step(view, day, -1) }),
    ArrowRight: () => show({ day: step(view, day, 1) }),
  })

  const range = rangeOf(view, day, firstDay)
  const { channelId, status, label, author } = search
  const filters = useMemo(
    () => filtersOf({ channelId, status, label, author }),
    [channelId, status, label, author],
  )
  const listed = useQuery({
    ...read('appReadCalendar', { params: { workspaceId }, query: { ...range, ...listFilters(filters) } }),
    enabled: view === 'agenda',
    placeholderData: (previous) => previous,
  })
  const overview = useQuery({
    ...read('readCalendarOverview', {
      params: { workspaceId },
      query: { ...overviewOf(view, day, firstDay), ...filters },
    }),
    enabled: view !== 'agenda',
    // What was counted by the hour says nothing of days, nor the other way round.
    placeholderData: (previous) =>
      previous?.slots.every(({ at }) => at.includes('T') === (view === 'week')) === true
        ? previous
        : undefined,
  })
  const calendar = view === 'agenda' ? listed : overview
  const hasTimes = channels.some(({ enabled, postingTimes }) => enabled && postingTimes.length > 0)
  const freeTimes = useQuery({
    ...read('listFreePostingTimes', { params: { workspaceId }, query: range }),
    enabled: mayWrite && hasTimes && view !== 'agenda',
    placeholderData: (previous) => previous,
  })
  const free = useMemo(
    () =>
      (hasTimes ? (freeTimes.data ?? []) : []).flatMap(({ at, channelIds }) => {
        const shown = channelIds.filter((id) => isAmong(channels, id, search.channelId))
        return shown.length === 0 ? [] : [{ at, channelIds: shown }]
      }),
    [freeTimes.data, hasTimes, channels, search.channelId],
  )
  const entries = useMemo(
    () =>
      view === 'agenda'
        ? (listed.data ?? []).filter((entry) => author === undefined || entry.author === author)
        : (overview.data?.slots ?? []).flatMap(({ entries: first }) => first),
    [view, listed.data, overview.data, author],
  )
  const counts = useMemo(
    () => new Map((overview.data?.slots ?? []).map(({ at, posts }) => [at, posts])),
    [overview.data],
  )
  const authors = useMemo(() => {
    const found = new Set(
      view === 'agenda' ? listed.data?.map((entry) => entry.author) : overview.data?.authors,
    )
    if (author !== undefined) found.add(author)
    return [...found].toSorted((a, b) => a.localeCompare(b))
  }, [view, listed.data, overview.data, author])
  const known = useLabels()
  const labels = search.label === undefined ? known : withLabel(known, search.label)
  const filterBy = (change: Partial<CalendarSearch>) =>
    void navigate({ to: HERE, search: (now) => ({ ...now, ...change }) })

  const drop = useCallback(
    (what: Dragged, to: string) => {
      if ('draft' in what) return setDropped({ what, to })
      const from = localOf(new Date(what.card.at), zone)
      const minutes = minutesBetween(from, to.includes('T') ? to : `${to}${from.slice(10)}`)
      if (minutes !== 0) void move(what.card, minutes)
    },
    [zone, move],
  )
  const take = useCallback(
    (what: Dragged, slot: FreeTime) => {
      const to = localOf(new Date(slot.at), zone)
      if ('draft' in what) setDropped({ what, to, slot })
      else drop(what, to)
    },
    [zone, drop],
  )
  const movable = useCallback(({ entries }: Card) => mayWrite && entries.some(waitsForItsTime), [mayWrite])
  const close = () => setDropped(null)

  return (
    <Page
      wide
      title={words.title}
      lead={words.lead(
        zone,
        clockZone(viewerZone()) === clockZone(zone) ? '' : ` ${words.youAreIn(viewerZone())}`,
      )}
      actions={<ViewSwitch view={view} />}
    >
      <div className={styles.toolbar}>
        <Link className={buttonClass()} to={HERE} search={(now) => ({ ...now, day: undefined })}>
          {words.today}
        </Link>
        <Step label={previousWords[view]} to={step(view, day, -1)} icon={<ChevronLeft aria-hidden />} />
        <Step label={nextWords[view]} to={step(view, day, 1)} icon={<ChevronRight aria-hidden />} />
        <h2 className={styles.title} aria-live="polite">
          {titleOf(view, day, firstDay)}
        </h2>
        <Choice
          className={styles.filter}
          label={words.channel}
          all={words.allChannels}
          options={placesOf(channels, channelWords.allOf)}
          value={search.channelId}
          onChange={(channelId) => filterBy({ channelId })}
        />
        <Choice
          className={styles.filter}
          label={words.status}
          all={words.allStatuses}
          options={Object.entries(statusLooks).map(([status, { label }]) => [status, label])}
          value={search.status}
          onChange={(status) => filterBy({ status })}
        />
        <Choice
          className={styles.filter}
          label={labelWords.label}
          all={labelWords.all}
          options={labels.map((label) => [label, label])}
          value={search.label}
          onChange={(label) => filterBy({ label })}
        />
        <Choice
          className={styles.filter}
          label={words.author}
          all={words.allAuthors}
          options={authors.map((author) => [author, author])}
          value={search.author}
          onChange={(author) => filterBy({ author })}
        />
        {mayWrite ? (
          <Button
            aria-pressed={selected !== null}
            onClick={() => (selected === null ? select(NO_POSTS) : setSelecting(null))}
          >
            {words.select}
          </Button>
        ) : null}
      </div>
      {selected === null ? null : (
        <BulkBar posts={[...selected.values()]} onDone={() => select(NO_POSTS)}>
          <p role="status">{words.selectedCount(selected.size)}</p>
        </BulkBar>
      )}
      <Unread of={calendar} />
      {fault === null ? null : (
        <Notice tone="amber" live>
          <div className={styles.fault}>
            <p>{fault}</p>
            <Button onClick={clear}>{words.close}</Button>
          </div>
        </Notice>
      )}
      {view === 'agenda' ? null : <DraftsTray />}
      {calendar.data !== undefined && view === 'agenda' && entries.length === 0 ? (
        <Empty icon={<CalendarDays aria-hidden />} title={words.none}>
          <p>{words.noneHint}</p>
        </Empty>
      ) : null}
      <SelectionContext value={selection}>
        {calendar.data !== undefined ? (
          <CalendarGrid
            {...{
              view,
              day,
              today,
              zone,
              firstDay,
              entries,
              counts,
              filters,
              free,
              channelOf,
              dayName,
              movable,
              mayWrite,
              moved,
            }}
            onDrop={drop}
            onTake={take}
          />
        ) : null}
      </SelectionContext>
      {dropped === null ? null : (
        <ScheduleDialog
          postId={dropped.what.draft.postId}
          text={dropped.what.draft.text}
          proposed={chooseTime(
            wordsOfLocal(dropped.to.includes('T') ? dropped.to : `${dropped.to}${DRAFT_TIME}`),
          )}
          slot={dropped.slot ?? null}
          onClose={close}
        />
      )}
    </Page>
  )
}

function ViewSwitch({ view }: { view: View }) {
  return (
    <span className={styles.views} role="group" aria-label={words.view}>
      {views.map((one) => (
        <Link key={one} to={HERE} search={(now) => ({ ...now, view: one })} aria-current={one === view}>
          {viewWords[one]}
        </Link>
      ))}
    </span>
  )
}

type Selected = ReadonlyMap<string, { readonly postId: string; readonly labels: readonly string[] }>

const NO_POSTS: Selected = new Map()

function toggled(selected: Selected, postId: string, labels: readonly string[]): Selected {
  const next = new Map(selected)
  if (!next.delete(postId)) next.set(postId, { postId, labels })
  return next
}

function Step({ label, to, icon }: { label: string; to: Day; icon: React.ReactNode }) {
  return (
    <Link
      className={buttonClass('quiet')}
      to={HERE}
      search={(now) => ({ ...now, day: to })}
      aria-label={label}
      title={label}
    >
      {icon}
    </Link>
  )
}
