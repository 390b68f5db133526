import { app } from '@postrider/contract'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { type Caller, route, type Route } from '../../edge/operations/route.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { findRun, listRuns, type RunKey } from './bulk-run-store.ts'
import { refuseRunId, stopRun, undoRun } from './end-run.ts'
import { startDecisions, startRun } from './start-run.ts'
import { viewRun } from './views.ts'

/** What people do with several posts at once. */
export function bulkRoutes(): Route[] {
  return [
    route(app.startBulkRun, async ({ body }, { caller, sql, audit }) => {
      const runId = await startRun(sql, caller, body)
      if (typeof runId !== 'string') return runId
      const { action, minutes, posts } = body
      audit({ after: { action, ...(minutes === undefined ? {} : { minutes }), posts: posts.length } })
      return begun(sql, { workspaceId: caller.workspaceId, runId }, caller)
    }),
    route(app.decideApprovals, async ({ body }, { caller, sql, audit }) => {
      const runId = await startDecisions(sql, caller, body)
      if (typeof runId !== 'string') return runId
      audit({ after: { verdict: body.verdict, requests: body.requests.length } })
      return begun(sql, { workspaceId: caller.workspaceId, runId }, caller)
    }),
    route(app.listBulkRuns, async (_, { caller, sql }) => {
      const runs = await listRuns(sql, caller.workspaceId)
      return runs.map((run) => viewRun(run, caller.member.id))
    }),
    route(app.readBulkRun, ({ params: { runId } }, { caller, sql }) =>
      shown(sql, { workspaceId: caller.workspaceId, runId }, caller),
    ),
    route(app.stopBulkRun, async ({ params: { runId } }, { caller, sql }) => {
      const key = { workspaceId: caller.workspaceId, runId }
      return (await stopRun(sql, key, caller)) ?? shown(sql, key, caller)
    }),
    route(app.undoBulkRun, async ({ params: { runId } }, { caller, sql }) => {
      const key = { workspaceId: caller.workspaceId, runId }
      return (await undoRun(sql, key, caller)) ?? shown(sql, key, caller)
    }),
  ]
}

async function begun(sql: Sql, key: RunKey, caller: Pick<Caller, 'member'>): Promise<app.BulkRun> {
  const run = await shown(sql, key, caller)
  if (isRefusal(run)) throw new Error('a run vanished in its own transaction')
  return run
}

async function shown(sql: Sql, key: RunKey, { member }: Pick<Caller, 'member'>) {
  const run = await findRun(sql, key)
  return run === null ? refuseRunId() : viewRun(run, member.id)
}
