import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { Db } from '../../src/platform/postgres/db.ts'
import { decideOutcome } from '../../src/engine/publication/decide-outcome.ts'
import type {
  Conclusion,
  Doubt,
  EngineStore,
  Outcome,
  SettledAttempt,
  Settlement,
  Work,
} from '../../src/engine/queue/work.ts'
import { publicationStore } from '../../src/engine/queue/engine-store.ts'
import { anAttempt, aPost } from './fixtures.ts'

/* The store of a publisher, and the steps of its work, for tests that take them one by one. */

/** The store of a worker of its own, to which all authorizations are alike. */
export function storeOn(db: Db, { workerId = uuidv7(), perWorkspace = 100 } = {}): EngineStore {
  return publicationStore(db, { workerId, leaseMs: 60_000, perWorkspace, openAuthorization: () => ({}) })
}

/** One post, due on each of the channels since a minute ago. Returns the ids of its destinations. */
export async function duePost(
  db: Db,
  workspaceId: string,
  channelIds: readonly string[],
  texts: readonly string[] = ['Hello'],
): Promise<string[]> {
  const states = channelIds.map(() => 'scheduled' as const)
  const publishAt = new Date(Date.now() - 60_000)
  return (await aPost(db, workspaceId, { states, texts, channelIds, publishAt })).destinationIds
}

export function leaseOf({ workspaceId, destinationId, fence }: Work) {
  return { workspaceId, destinationId, fence }
}

/** Under the lease of work, or out of a doubt. */
export function settlementOf(of: Work | Doubt, attempt: SettledAttempt | null, outcome: Outcome): Settlement {
  const { workspaceId, destinationId, connection } = of
  return { workspaceId, destinationId, connection, outcome, attempt, fence: 'fence' in of ? of.fence : null }
}

/** Arms the first part of what was claimed. Returns the id of the attempt. */
export async function armed(store: EngineStore, work: Work): Promise<string> {
  const attemptId = uuidv7()
  expect(await store.arm({ ...leaseOf(work), attemptId, partIndex: 0, key: attemptId })).toBe(true)
  return attemptId
}

/** How an attempt at the first part is settled: by its call, or late, by a look at what is in doubt. */
export function ending(work: Work, attemptId: string, conclusion: Conclusion, late = false): Settlement {
  const context = { ...work, status: late ? 'checking' : 'publishing', partIndex: 0 } as const
  const evidence = { by: 'test' }
  const attempt = { id: attemptId, partIndex: 0, conclusion: conclusion.is, evidence, inferred: false }
  const settlement = settlementOf(work, attempt, decideOutcome(context, conclusion, 0))
  return late ? { ...settlement, fence: null } : settlement
}

export const published: Conclusion = { is: 'published', remoteId: 'r1', url: null }

/** The time of every lease is over. */
export async function endLeases(db: Db): Promise<void> {
  await db`update destination set lease_until = now() where lease_until is not null`
}

/** How many of these destinations are in each status. */
export async function statusCounts(db: Db, ids: readonly string[]): Promise<Record<string, number>> {
  const rows = await db<{ status: string; count: number }[]>`
    select status, count(*)::int as count from destination where id = any(${[...ids]}) group by status`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Waits until a statement of the world with this text in it stands in line for a lock. */
export async function untilLocked(db: Db, text: string): Promise<void> {
  const blocked = () => db`
    select from pg_stat_activity
    where  datname = current_database() and wait_event_type = 'Lock' and query like ${`%${text}%`}`
  await expect.poll(async () => (await blocked()).length, { interval: 5 }).toBeGreaterThan(0)
}

/** The first part of a destination that is out proves to be live twice: a call that was given up is confirmed after all. */
export async function aSecondPost(db: Db, workspaceId: string, destinationId: string) {
  const attemptId = await anAttempt(db, workspaceId, destinationId, 'absent')
  const url = 'https://example.com/second'
  const post = { attemptId, partIndex: 0, remoteId: 'second', url }
  expect(await storeOn(db).noteLatePost({ workspaceId, destinationId }, post)).toBe(null)
  return { attemptId, url }
}
