import type { CalendarEntry } from '@postrider/contract'
import { refuseViolations } from '../../edge/api/request/request-check.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'

const MOST = 100

/**
 * The entries after the one that the cursor names. Where that one has moved meanwhile, from its time on: an entry may come twice, and none
 * is left out.
 */
export function pageOfCalendar(
  entries: readonly CalendarEntry[],
  { limit = MOST, cursor }: { readonly limit?: unknown; readonly cursor?: unknown },
): { readonly answer: object; readonly isError: false } | Refusal {
  const size = Number(limit)
  if (!Number.isInteger(size) || size < 1 || size > MOST) {
    const detail = `\`limit\` must be a whole number from 1 to ${MOST}.`
    return refuseViolations([{ pointer: '/limit', code: 'out_of_range', detail }])
  }
  const start = cursor === undefined ? 0 : startAfter(entries, cursor)
  if (start === null) return refuse('invalid_cursor', 'Send the `nextCursor` of the previous page.')
  const page = entries.slice(start, start + size)
  const last = start + size < entries.length ? page.at(-1) : undefined
  return {
    answer: { entries: page, nextCursor: last === undefined ? null : cursorOf(last) },
    isError: false,
  }
}

function startAfter(entries: readonly CalendarEntry[], cursor: unknown): number | null {
  const [, time] = /^(\d{4}-[\d:.T-]+Z)_[\w-]+_[\w-]+$/.exec(String(cursor)) ?? []
  if (time === undefined) return null
  const at = entries.findIndex((entry) => cursorOf(entry) === cursor)
  if (at >= 0) return at + 1
  const later = entries.findIndex((entry) => timeOf(entry) >= time)
  return later < 0 ? entries.length : later
}

function cursorOf(entry: CalendarEntry): string {
  return `${timeOf(entry)}_${entry.postId}_${entry.channelId}`
}

/** What the calendar is ordered by. */
function timeOf({ publishedAt, publishAt }: CalendarEntry): string {
  return publishedAt ?? publishAt ?? ''
}
