import type { Readiness } from './status-routes.ts'
import { MIGRATIONS } from '../../../platform/embedded-postgres/database.ts'
import { codeOf, type Db, isDatabaseFull, isReadOnly, type Tx } from '../../../platform/postgres/db.ts'
import {
  judgeHistory,
  type KnownMigration,
  knownMigrations,
  readApplied,
  type SchemaFinding,
  schemaSentence,
} from '../../../platform/postgres/migrate.ts'
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
  const known = knownMigrations(MIGRATIONS)
  let latest: { askedMs: number; found: Promise<Readiness> } | null = null
  return () => {
    const nowMs = performance.now()
    if (latest === null || nowMs - latest.askedMs > FRESH_MS)
      latest = { askedMs: nowMs, found: look(db, known) }
    return latest.found
  }
}

async function look(db: Db, known: readonly KnownMigration[]): Promise<Readiness> {
  const seen = { found: UNKNOWN }
  const limit = Promise.withResolvers<Readiness>()
  const timer = setTimeout(() => limit.resolve(late(seen.found)), LIMIT_MS)
  try {
    return await Promise.race([ask(db, known, seen), limit.promise])
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
async function ask(db: Db, known: readonly KnownMigration[], seen: { found: Found }): Promise<Readiness> {
  try {
    const [writable, schema] = await db.begin((tx) => {
      const reading = read(tx, known).then((read) => {
        seen.found = read.found
        return read.schema
      })
      return Promise.all([takesWrites(tx), reading])
    })
    const { found } = seen
    if (!writable) return notReady('not_writable', READ_ONLY, found)
    // A newer schema is safe for the release before it, which goes on working while it is being replaced.
    return schema.status === 'current' || schema.status === 'newer'
      ? { status: 'ready', database: 'reachable', reason: null, ...found }
      : notReady('reachable', schemaSentence(schema), found)
  } catch (error) {
    return explain(error, seen.found, known)
  }
}

async function read(
  tx: Tx,
  known: readonly KnownMigration[],
): Promise<{ found: Found; schema: SchemaFinding }> {
  const [applied, heartbeats] = await Promise.all([readApplied(tx), workers(tx)])
  const schema = judgeHistory(known, applied)
  const found = {
    schema: schema.status,
    workers: heartbeats.map(({ roles, heartbeatAgeMs }) => ({
      roles,
      heartbeatAgeSeconds: Math.round(heartbeatAgeMs / 1_000),
      alive: heartbeatAgeMs <= SILENT_MS,
    })),
  }
  return { found, schema }
}

const READ_ONLY = 'The database takes no writes.'

/** What a table that is not there is answered with: the database is empty, or was emptied. */
const NO_TABLE = '42P01'

function explain(error: unknown, found: Found, known: readonly KnownMigration[]): Readiness {
  const code = codeOf(error)
  if (isReadOnly(error)) return notReady('not_writable', READ_ONLY, found)
  if (isDatabaseFull(error))
    return notReady('not_writable', `The database has no room left (${code}).`, found)
  if (code === NO_TABLE)
    return notReady('reachable', schemaSentence(judgeHistory(known, [])), { ...found, schema: 'behind' })
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
