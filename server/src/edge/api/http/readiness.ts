import type { Readiness } from './status-routes.ts'
import { MIGRATIONS } from '../../../platform/embedded-postgres/database.ts'
import { codeOf, type Db, isDatabaseFull, isReadOnly, type Tx } from '../../../platform/postgres/db.ts'
import { compareSchema, newestVersion, readApplied } from '../../../platform/postgres/migrate.ts'
import { workers } from '../../../platform/postgres/worker-store.ts'
import { takesWrites } from '../../../platform/postgres/write-probe.ts'

const FRESH_MS = 1_000
const LIMIT_MS = 2_000
/** Heartbeats come once a second. */
const SILENT_MS = 60_000

type Found = Pick<Readiness, 'schema' | 'workers'>

const UNKNOWN: Found = { schema: 'unknown', workers: [] }

/**
 * Tells whether this process can do its work. Anybody may ask, so the database is asked at most once a second, and one
 * that does not answer within two counts as unreachable. Asking opens no file.
 */
export function watchReadiness(db: Db): () => Promise<Readiness> {
  const newest = newestVersion(MIGRATIONS)
  let latest: { askedMs: number; found: Promise<Readiness> } | null = null
  return () => {
    const nowMs = performance.now()
    if (latest === null || nowMs - latest.askedMs > FRESH_MS)
      latest = { askedMs: nowMs, found: look(db, newest) }
    return latest.found
  }
}

async function look(db: Db, newest: number): Promise<Readiness> {
  const seen = { found: UNKNOWN }
  const limit = Promise.withResolvers<Readiness>()
  const timer = setTimeout(() => limit.resolve(late(seen.found)), LIMIT_MS)
  try {
    return await Promise.race([ask(db, newest, seen), limit.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A commit that takes long has a slow disk under it, or waits for a standby. */
function late(found: Found): Readiness {
  const seconds = LIMIT_MS / 1_000
  return found === UNKNOWN
    ? notReady('unreachable', `The database has not answered within ${seconds} seconds.`)
    : notReady('not_writable', `The database has not stored a write within ${seconds} seconds.`, found)
}

/** Everything in one transaction, and what waits for nothing in one round trip. */
async function ask(db: Db, newest: number, seen: { found: Found }): Promise<Readiness> {
  try {
    const writable = await db.begin(async (tx) => {
      const reading = read(tx, newest).then((read) => (seen.found = read))
      const [takes] = await Promise.all([takesWrites(tx), reading])
      return takes
    })
    const { found } = seen
    if (!writable) return notReady('not_writable', READ_ONLY, found)
    const { schema } = found
    // A newer schema is safe for the release before it, which goes on working while it is being replaced.
    const unfit = schema === 'behind' || schema === 'too_new'
    return unfit
      ? notReady('reachable', SCHEMA[schema], found)
      : { status: 'ready', database: 'reachable', reason: null, ...found }
  } catch (error) {
    return explain(error, seen.found)
  }
}

async function read(tx: Tx, newest: number): Promise<Found> {
  const [applied, heartbeats] = await Promise.all([readApplied(tx), workers(tx)])
  return {
    schema: compareSchema(applied, newest),
    workers: heartbeats.map(({ roles, heartbeatAgeMs }) => ({
      roles,
      heartbeatAgeSeconds: Math.round(heartbeatAgeMs / 1_000),
      alive: heartbeatAgeMs <= SILENT_MS,
    })),
  }
}

const READ_ONLY = 'The database takes no writes.'
const SCHEMA = {
  behind: 'The schema of the database is older than this release.',
  too_new: 'The schema of the database is newer than what this release can work on.',
}

/** What a table that is not there is answered with: the database is empty, or was emptied. */
const NO_TABLE = '42P01'

function explain(error: unknown, found: Found): Readiness {
  const code = codeOf(error)
  if (isReadOnly(error)) return notReady('not_writable', READ_ONLY, found)
  if (isDatabaseFull(error))
    return notReady('not_writable', `The database has no room left (${code}).`, found)
  if (code === NO_TABLE) return notReady('reachable', SCHEMA.behind, { ...found, schema: 'behind' })
  // It is this process that cannot connect, so that nothing is known of the database.
  if (code === 'EMFILE' || code === 'ENFILE') {
    const whose = code === 'EMFILE' ? 'This process has' : 'The machine has'
    return notReady('unknown', `${whose} no file descriptor left (${code}).`, found)
  }
  return notReady(
    'unreachable',
    `The database could not be asked${code === undefined ? '' : ` (${code})`}.`,
    found,
  )
}

function notReady(database: Readiness['database'], reason: string, found = UNKNOWN): Readiness {
  return { status: 'not_ready', database, reason, ...found }
}
