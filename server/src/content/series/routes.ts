import * as contract from '@postrider/contract'
import type { Cursors } from '../../edge/operations/cursor.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { refuseHidden, seesAll } from '../../edge/operations/credential-limits.ts'
import { type Caller, type RefuseRepeat, route, type Route } from '../../edge/operations/route.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { refuseShape } from '../posts/plan/refuse-plan.ts'
import type { Providers } from '../../networks/providers/port/port.ts'
import { isDay } from './rule.ts'
import { findSeries, listSeriesRows } from './series-store.ts'
import { viewSeries, viewSummary } from './views.ts'
import { readNow, refuseSeriesId } from './change-series.ts'
import { createSeries } from './create-series.ts'
import { editSeries } from './edit-series.ts'
import { setSeriesStatus } from './set-series-status.ts'
import { skipOccurrence } from './skip-occurrence.ts'

const DEFAULT_LIMIT = 20

/** The routes on series. */
export function seriesRoutes({ providers, cursors }: { providers: Providers; cursors: Cursors }): Route[] {
  return [
    route(
      contract.createSeries,
      ({ body }, { caller, sql }) => createSeries(sql, caller, body, { providers }),
      {
        location: ({ seriesId }) => `/agent/v1/series/${seriesId}`,
        refuseRepeat: async ({ answer: { seriesId } }, { caller, sql }) =>
          (await isSeen(sql, caller, seriesId)) ? null : refuseHidden(caller.credential.limits),
      },
    ),
    route(contract.listSeries, ({ query }, { caller, sql }) => listSeries(sql, caller, query, cursors)),
    route(contract.readSeries, async ({ params, query: { from, only } }, { caller, sql }) => {
      for (const [name, day] of Object.entries({ from, only })) {
        if (day === undefined || isDay(day)) continue
        const detail = `\`${day}\` is not a day that exists.`
        return refuseShape([{ pointer: `?${name}`, code: 'malformed', detail }])
      }
      const key = { ...params, workspaceId: caller.workspaceId }
      const row = await findSeries(sql, key, caller.credential.limits)
      return row === null ? refuseSeriesId() : viewSeries(sql, row, { now: await readNow(sql), from, only })
    }),
    route(
      contract.editSeries,
      ({ params, body }, { caller, sql, audit }) =>
        editSeries(sql, caller, { ...params, workspaceId: caller.workspaceId }, body, {
          providers,
          say: audit,
        }),
      { refuseRepeat },
    ),
    route(
      contract.skipOccurrence,
      ({ params, body }, { caller, sql, audit }) =>
        skipOccurrence(sql, caller, { ...params, workspaceId: caller.workspaceId }, body, { say: audit }),
      { refuseRepeat },
    ),
    route(
      contract.setSeriesStatus,
      ({ params, body }, { caller, sql, audit }) =>
        setSeriesStatus(sql, caller, { ...params, workspaceId: caller.workspaceId }, body, {
          providers,
          say: audit,
        }),
      { refuseRepeat },
    ),
  ]
}

/** About a series that the caller does not see, a repeat is answered as about none. */
const refuseRepeat: RefuseRepeat<{ readonly params: { readonly seriesId: string } }> = async (
  { params: { seriesId } },
  { caller, sql },
) => ((await isSeen(sql, caller, seriesId)) ? null : refuseSeriesId())

async function isSeen(
  sql: Sql,
  { workspaceId, credential: { limits } }: Caller,
  seriesId: string,
): Promise<boolean> {
  return seesAll(limits) || (await findSeries(sql, { workspaceId, seriesId }, limits)) !== null
}

/** One page of the series that the caller sees. Its cursor is good for this workspace and this filter only. */
async function listSeries(
  sql: Sql,
  { workspaceId, credential: { limits } }: Caller,
  { cursor, limit = DEFAULT_LIMIT, status }: contract.Input<typeof contract.listSeries>['query'],
  cursors: Cursors,
): Promise<contract.Answer<typeof contract.listSeries> | Refusal<'invalid_cursor'>> {
  const scope = [contract.listSeries.id, workspaceId, status ?? '']
  const before = cursor === undefined ? null : cursors.read(cursor, scope)
  if (cursor !== undefined && typeof before !== 'string')
    return refuse('invalid_cursor', 'Send the `nextCursor` of the previous page, with the same filters.')
  const filter = { status: status ?? null, before: typeof before === 'string' ? before : null, limits }
  const rows = await listSeriesRows(sql, workspaceId, filter, limit + 1)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  const now = await readNow(sql)
  return {
    items: await Promise.all(page.map((row) => viewSummary(sql, row, now))),
    nextCursor: last === undefined ? null : cursors.issue(scope, last.seriesId),
  }
}
