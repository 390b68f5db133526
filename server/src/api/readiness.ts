import type { Readiness } from './status-routes.ts'
import { MIGRATIONS } from '../platform/database.ts'
import { type Db, isReadOnly } from '../platform/db.ts'
import { schemaStatus } from '../platform/migrate.ts'
import { workers } from '../platform/worker-store.ts'
import { takesWrites } from '../platform/write-probe.ts'

const FRESH_MS = 1_000
const LIMIT_MS = 2_000
/** Heartbeats come once a second. */
const SILENT_MS = 60_000

const without = (database: 'unreachable' | 'not_writable'): Readiness => ({
  status: 'not_ready',
  database,
  schema: 'unknown',
  workers: [],
})

/**
 * Tells whether this process can do its work. Anybody may ask, so the database is asked at most once a second, and one
 * that does not answer within two counts as unreachable.
 */
export function watchReadiness(db: Db): () => Promise<Readiness> {
  let latest: { askedMs: number; found: Promise<Readiness> } | null = null
  return () => {
    const nowMs = performance.now()
    if (latest === null || nowMs - latest.askedMs > FRESH_MS) latest = { askedMs: nowMs, found: look(db) }
    return latest.found
  }
}

async function look(db: Db): Promise<Readiness> {
  const limit = Promise.withResolvers<Readiness>()
  const timer = setTimeout(() => limit.resolve(without('unreachable')), LIMIT_MS)
  try {
    const asked = ask(db).catch((error) => without(isReadOnly(error) ? 'not_writable' : 'unreachable'))
    return await Promise.race([asked, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function ask(db: Db): Promise<Readiness> {
  const [schema, beats, writable] = await Promise.all([
    schemaStatus(db, MIGRATIONS),
    workers(db),
    takesWrites(db),
  ])
  return {
    // A newer schema is safe for the release before it, which goes on working while it is being replaced.
    status: writable && schema !== 'behind' && schema !== 'too_new' ? 'ready' : 'not_ready',
    database: writable ? 'reachable' : 'not_writable',
    schema,
    workers: beats.map(({ roles, beatAgeMs }) => ({
      roles,
      beatAgeSeconds: Math.round(beatAgeMs / 1_000),
      alive: beatAgeMs <= SILENT_MS,
    })),
  }
}
