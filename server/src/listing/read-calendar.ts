import type { CalendarEntry, Input, readCalendar as operation } from '@postrider/contract'
import type { Sql } from '../platform/db.ts'
import { isRefusal, type Refusal } from '../operations/refusal.ts'
import { readRange } from '../posts/calendar-range.ts'
import { namedChannels } from './named-channels.ts'
import { listCalendar } from './post-list-store.ts'
import { viewCalendarEntry } from './views.ts'

/** The calendar of [from, to). */
export async function readCalendar(
  sql: Sql,
  workspaceId: string,
  query: Input<typeof operation>['query'],
  seen: readonly string[] | null = null,
): Promise<CalendarEntry[] | Refusal<'validation_failed'>> {
  const range = readRange(query)
  if (isRefusal(range)) return range
  const { status = 'all', includeDrafts = false } = query
  const channels = await namedChannels(sql, workspaceId, query.channelId, seen)
  const filter = { ...channels, status, includeDrafts: includeDrafts || status === 'draft' }
  const rows = await listCalendar(sql, workspaceId, { ...range, ...filter })
  return rows.map(viewCalendarEntry)
}
