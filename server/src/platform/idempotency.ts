import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { codeOf, type Db, isUniqueViolation, type Sql, type Tx } from './db.ts'
import { isRefusal, refuse, type Refusal } from './refusal.ts'

/** One intended effect, as its client names it. */
export type IdempotentRequest = {
  readonly workspaceId: string
  /** The operation's id. */
  readonly operation: string
  readonly key: string
  readonly fingerprint: Buffer
}

/** What a write answered: recorded, and sent again for a repeat. `body` is the JSON text as sent. */
export type Recorded = { readonly status: number; readonly body: string }

export type Outcome =
  | Refusal
  | (Recorded & {
      /** Whether this is the answer of an earlier request. */
      readonly replayed: boolean
    })

/** SHA-256 over operation, path and the canonical JSON of the body (RFC 8785). */
export function fingerprintOf(operation: string, path: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(`${operation}\n${path}\n${canonicalize(body) ?? ''}`)
    .digest()
}

/** What two transactions may do to each other by accident; a new try in a new transaction is the cure. */
const COLLISIONS = ['40001', '40P01']
const TRIES = 3

/**
 * Runs a write once per key. The record of its answer is committed together with its effect; a refusal rolls both
 * back and leaves the key unused. A request whose key is being worked on elsewhere is refused at once, without
 * waiting for it. `run` may be called again when its transaction collides with another one.
 */
export async function withIdempotency(
  db: Db,
  request: IdempotentRequest,
  run: (tx: Tx) => Promise<Recorded | Refusal>,
): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.begin((tx) => answerOnce(tx, request, run))
    } catch (fault) {
      if (fault instanceof RolledBack) return fault.refusal
      // The lock all but excludes this; were a record to appear beside it, that record is the answer to come back for.
      if (isUniqueViolation(fault, 'idempotency_record_pkey')) return inProgress()
      if (tries === TRIES || !COLLISIONS.includes(codeOf(fault) ?? '')) throw fault
    }
  }
}

/** The answer that is recorded for a key, or the refusal of a changed request; null for a key that is not used yet. */
export async function findAnswer(sql: Sql, request: IdempotentRequest): Promise<Outcome | null> {
  const { workspaceId, operation, key, fingerprint } = request
  const [record] = await sql<Row[]>`
    select fingerprint, http_status as status, body
    from   idempotency_record
    where  workspace_id = ${workspaceId} and operation = ${operation} and key = ${key}`
  if (record === undefined) return null
  return record.fingerprint.equals(fingerprint) ? replay(record) : reused()
}

/** Deletes records older than `days`, at most `limit` at once, and says how many. */
export async function pruneIdempotency(db: Db, days: number, limit = 5_000): Promise<number> {
  const deleted = await db`
    delete from idempotency_record
    where  ctid in (
      select ctid from idempotency_record
      where  created_at < now() - ${days} * interval '1 day'
      limit  ${limit}
    )`
  return deleted.count
}

type Row = { fingerprint: Buffer; status: number; body: Buffer }

/** Carries a refusal out of a transaction that must not be committed. */
class RolledBack extends Error {
  override name = 'RolledBack'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.refused)
    this.refusal = refusal
  }
}

async function answerOnce(
  tx: Tx,
  request: IdempotentRequest,
  run: (tx: Tx) => Promise<Recorded | Refusal>,
): Promise<Outcome> {
  const { workspaceId, operation, key, fingerprint } = request
  // Two statements, sent together: one round trip. They must not be one, because a statement's snapshot is taken
  // before it waits for or gets a lock, and could miss what the lock's last holder has just committed.
  const [[lock], [record]] = await Promise.all([
    tx<{ obtained: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${`${workspaceId} ${operation} ${key}`}, 0)) as obtained`,
    tx<Row[]>`
      select fingerprint, http_status as status, body
      from   idempotency_record
      where  workspace_id = ${workspaceId} and operation = ${operation} and key = ${key}`,
  ])
  if (record !== undefined) return record.fingerprint.equals(fingerprint) ? replay(record) : reused()
  if (lock?.obtained !== true) return inProgress()

  const outcome = await run(tx)
  if (isRefusal(outcome)) throw new RolledBack(outcome)
  await tx`
    insert into idempotency_record (workspace_id, operation, key, fingerprint, http_status, body)
    values (${workspaceId}, ${operation}, ${key}, ${fingerprint}, ${outcome.status}, ${Buffer.from(outcome.body)})`
  return { ...outcome, replayed: false }
}

function replay({ status, body }: Row): Outcome {
  return { status, body: body.toString('utf8'), replayed: true }
}

function inProgress(): Refusal {
  return refuse(
    'idempotency_in_progress',
    'A request with this idempotency key is still running. Send the same request again in a second to get its answer.',
    { retryAfterSeconds: 1 },
  )
}

function reused(): Refusal {
  return refuse(
    'idempotency_key_reused',
    'This idempotency key was used for a different request. Use a new key for a new effect, or send the first request unchanged.',
  )
}
