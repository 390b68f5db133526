import type { CalendarEntry, Input, readCalendar as operation } from '@postrider/contract'
import type { Sql } from '../platform/db.ts'
import { parseInstant } from '../platform/instant.ts'
import { refuse, type Refusal } from '../operations/refusal.ts'
import type { FieldError } from '../posts/publish-time.ts'
import { namedChannels } from './named-channels.ts'
import { listCalendar } from './post-list-store.ts'
import { viewCalendarEntry } from './views.ts'

const MOST_DAYS = 62
const DAY_MS = 24 * 60 * 60_000
const INVALID = new Date(Number.NaN)

/** The calendar of [from, to). The range is measured in exact time, whatever the clocks did in between. */
export async function readCalendar(
  sql: Sql,
  workspaceId: string,
  query: Input<typeof operation>['query'],
  seen: readonly string[] | null = null,
): Promise<CalendarEntry[] | Refusal<'validation_failed'>> {
  const [from, to] = [parseInstant(query.from) ?? INVALID, parseInstant(query.to) ?? INVALID]
  const error = rangeError(from, to)
  if (error !== null) return refuse('validation_failed', error.detail, { errors: [error] })

  const { status = 'all', includeDrafts = false } = query
  const channels = await namedChannels(sql, workspaceId, query.channelId, seen)
  const filter = { ...channels, status, includeDrafts: includeDrafts || status === 'draft' }
  const rows = await listCalendar(sql, workspaceId, { from, to, ...filter })
  return rows.map(viewCalendarEntry)
}

function rangeError(from: Date, to: Date): FieldError | null {
  const length = to.getTime() - from.getTime()
  if (Number.isNaN(length)) {
    const pointer = Number.isNaN(from.getTime()) ? '?from' : '?to'
    return { pointer, code: 'malformed', detail: `\`${pointer.slice(1)}\` is not a date-time that exists.` }
  }
  if (length <= 0) return { pointer: '?to', code: 'out_of_range', detail: '`to` must be later than `from`.' }
  if (length <= MOST_DAYS * DAY_MS) return null
  return {
    pointer: '?to',
    code: 'out_of_range',
    detail: `\`to\` can be at most ${MOST_DAYS} days after \`from\`. Ask for shorter ranges, one after the other.`,
  }
}
