import type { CalendarEntry, DestinationStatus } from '@postrider/contract'
import { needPerson } from '@postrider/contract/names'
import { byDay, type Day, timeOf } from './grid.ts'

/** A post at one of its times, with the channels that it has then. */
export type Card = {
  readonly key: string
  readonly postId: string
  readonly text: string
  readonly author: string
  /** When it stands in the calendar. */
  readonly at: string
  /** The worst of its channels' statuses. */
  readonly status: DestinationStatus
  /** Whether it waits for approval. */
  readonly isPending: boolean
  readonly imageId: string | null
  readonly entries: readonly CalendarEntry[]
}

/** The worst first. */
const WORST_FIRST: readonly DestinationStatus[] = [
  ...needPerson,
  ...(['delayed', 'publishing', 'scheduled', 'draft', 'published', 'expired', 'cancelled'] as const),
]

/** The status that a post shows whose channels differ. */
export function worstOf(statuses: readonly DestinationStatus[]): DestinationStatus {
  const [worst = 'draft'] = statuses.toSorted((a, b) => WORST_FIRST.indexOf(a) - WORST_FIRST.indexOf(b))
  return worst
}

export function needsPerson(status: DestinationStatus): boolean {
  return needPerson.some((one) => one === status)
}

/** One card for a post and each of its times, in the order of these. */
export function cardsOf(entries: readonly CalendarEntry[]): Card[] {
  const groups = new Map<string, CalendarEntry[]>()
  for (const entry of entries) {
    if (timeOf(entry) === null) continue
    const key = `${entry.postId} ${entry.publishAt ?? entry.publishedAt}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return [...groups].map(([key, group]) => cardOf(key, group)).toSorted((a, b) => (a.at < b.at ? -1 : 1))
}

function cardOf(key: string, entries: readonly CalendarEntry[]): Card {
  const [first] = entries
  if (first === undefined) throw new Error('a card has an entry')
  const { postId, text, author, reviewStatus, imageId } = first
  const at = entries.map((entry) => timeOf(entry) ?? '').reduce((one, other) => (one < other ? one : other))
  return {
    key,
    postId,
    text,
    author,
    at,
    entries,
    imageId,
    status: worstOf(entries.map(({ status }) => status)),
    isPending: reviewStatus === 'pending',
  }
}

/** The cards of each day in the zone, in the order of their times. */
export function cardsByDay(cards: readonly Card[], zone: string): Map<Day, Card[]> {
  const days = byDay(
    cards.map((card) => ({ card, publishAt: card.at, publishedAt: null })),
    zone,
  )
  return new Map([...days].map(([day, list]) => [day, list.map(({ card }) => card)]))
}

/** How many posts of a day, or of an hour, are shown before the rest is counted. */
export const SHOWN = 3

/** Of the first cards of a day or an hour with so many in all, those that have room beside the number of the rest. */
export function withRoom(cards: readonly Card[], count: number): readonly Card[] {
  return count > SHOWN ? urgentFirst(cards).slice(0, SHOWN - 1) : cards
}

/** What needs somebody first, so that it is not among the cards that are only counted. */
export function urgentFirst(cards: readonly Card[]): Card[] {
  return [
    ...cards.filter(({ status }) => needsPerson(status)),
    ...cards.filter(({ status }) => !needsPerson(status)),
  ]
}

/** Whether it, or the rest of a thread, is still to be sent at its time, which can be changed. */
export function waitsForItsTime({ status, publishAt }: CalendarEntry): boolean {
  if (publishAt === null) return false
  return status === 'scheduled' || (status === 'partially_published' && Date.parse(publishAt) > Date.now())
}
