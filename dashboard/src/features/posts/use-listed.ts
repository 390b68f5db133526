import type { CalendarEntry, PostFilter, PostSummary } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { read } from '../../api/queries.ts'
import { usePages } from '../../api/use-pages.ts'
import type { PostsSearch, Span } from '../../addresses.ts'
import { dateOf } from '../../lib/zone-clock.ts'
import { useSession } from '../../session.tsx'
import { cardsOf } from '../calendar/cards.ts'
import { addDays } from '../calendar/grid.ts'
import { words } from './words.ts'

/** What the list needs of a post, wherever it was read. */
export type ListedPost = Pick<
  PostSummary,
  'postId' | 'text' | 'imageId' | 'labels' | 'reviewStatus' | 'publishAt' | 'destinations'
>

/** Days from today on, the last one left out. */
export const spans: Readonly<Record<Span, { label: string; from: number; to: number }>> = {
  today: { label: words.today, from: 0, to: 1 },
  week: { label: words.next7, from: 0, to: 7 },
  month: { label: words.next30, from: 0, to: 30 },
  pastWeek: { label: words.last7, from: -6, to: 1 },
  pastMonth: { label: words.last30, from: -29, to: 1 },
}

/** From when to when a span is, by the days of a zone. */
export function rangeOfSpan(span: Span, zone: string): { from: string; to: string } {
  const today = dateOf(new Date(), zone)
  const at = (days: number) => `${addDays(today, days)}T00:00:00.000Z`
  return { from: at(spans[span].from), to: at(spans[span].to) }
}

/** What the calendar answers at once. */
const MOST_DAYS = 61
const PAGE = 30

/** The posts that an address asks for: newest first, or by the time at which they are, or were, published. */
export function useListed({ q, status, channelId, author, label, span, sort }: PostsSearch) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const today = dateOf(new Date(), zone)
  const rangeOf = (from: number, to: number) => ({
    from: `${addDays(today, from)}T00:00:00.000Z`,
    to: `${addDays(today, to)}T00:00:00.000Z`,
  })
  const filters = {
    ...(channelId === undefined ? {} : { channelId }),
    ...(label === undefined ? {} : { label }),
    ...(status === undefined || status === 'all' ? {} : { status: status as PostFilter }),
  }
  const span1 = span === undefined ? null : rangeOfSpan(span, zone)
  const query = {
    ...filters,
    ...(q === undefined ? {} : { q }),
    ...(author === undefined ? {} : { author }),
    ...span1,
  }
  const { pages, items } = usePages(
    'appListPosts',
    { params: { workspaceId }, query },
    { limit: PAGE, enabled: sort === undefined },
  )
  const range = span1 ?? (sort === 'last' ? rangeOf(-MOST_DAYS, 1) : rangeOf(0, MOST_DAYS))
  const calendar = useQuery({
    ...read('appReadCalendar', { params: { workspaceId }, query: { ...filters, ...range } }),
    enabled: sort !== undefined,
  })
  const timed = useMemo(
    () => (sort === undefined ? [] : byTime(calendar.data ?? [], author, sort)),
    [calendar.data, author, sort],
  )
  const isFiltered =
    [q, channelId, author, label, span].some((one) => one !== undefined) || 'status' in filters
  if (sort !== undefined) return { isFiltered: true, items: timed, more: null, query: calendar }
  const more = pages.hasNextPage
    ? { isBusy: pages.isFetchingNextPage, load: () => void pages.fetchNextPage() }
    : null
  return { isFiltered, items: items as readonly ListedPost[], more, query: pages }
}

/** Each post once, where it is first. */
function byTime(
  entries: readonly CalendarEntry[],
  author: string | undefined,
  sort: 'next' | 'last',
): ListedPost[] {
  const isMeant = ({ publishedAt }: CalendarEntry) => (sort === 'last') === (publishedAt !== null)
  const cards = cardsOf(
    entries.filter((entry) => isMeant(entry) && (author === undefined || entry.author === author)),
  )
  const posts = new Map<string, ListedPost>()
  for (const { postId, text, imageId, at, entries: channels } of sort === 'last'
    ? cards.toReversed()
    : cards) {
    if (posts.has(postId)) continue
    const [first] = channels
    posts.set(postId, {
      postId,
      text,
      imageId,
      publishAt: at,
      reviewStatus: first?.reviewStatus ?? 'not_required',
      labels: first?.labels ?? [],
      destinations: [...channels],
    })
  }
  return [...posts.values()]
}
