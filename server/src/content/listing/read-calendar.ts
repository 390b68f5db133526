import type { CalendarEntry, CredentialLimits, Input, readCalendar as operation } from '@postrider/contract'
import { noLimits } from '@postrider/contract/names'
import { labelKeys } from '../../edge/operations/credential-limits.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import { readRange } from '../posts/plan/calendar-range.ts'
import { namedChannels } from './named-channels.ts'
import { listCalendar } from './post-list-store.ts'
import { viewCalendarEntry } from './views.ts'

/** The calendar of [from, to). */
export async function readCalendar(
  sql: Sql,
  workspaceId: string,
  query: Input<typeof operation>['query'],
  limits: CredentialLimits = noLimits,
): Promise<CalendarEntry[] | Refusal<'validation_failed'>> {
  const range = readRange(query)
  if (isRefusal(range)) return range
  const { status = 'all', includeDrafts = false } = query
  const channels = await namedChannels(sql, workspaceId, query.channelId, limits.channelIds)
  const labels = labelKeys(limits, query.label)
  const filter = { ...channels, labels, status, includeDrafts: includeDrafts || status === 'draft' }
  const rows = await listCalendar(sql, workspaceId, { ...range, ...filter })
  return rows.map(viewCalendarEntry)
}
