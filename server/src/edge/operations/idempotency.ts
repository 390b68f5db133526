import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { codeOf, type Db, isUniqueViolation, type Sql, type Tx } from '../../platform/postgres/db.ts'
import { isRefusal, refuse, type Refusal } from './refusal.ts'
import { writeInTransaction } from './write-transaction.ts'

/** One intended effect, as its client names it. */
export type IdempotentRequest = {
  readonly workspaceId: string
  /** The operation's id. */
  readonly operation: string
  readonly key: string
  readonly fingerprint: Buffer
  /** Writes into the audit log what was done, in the transaction that records the answer. */
  readonly audit?: (tx: Tx, answer: Recorded) => Promise<void>
}

/** What a write answered: recorded, and sent again for a repeat. `body` is the JSON text as sent. */
export type Recorded = {
  readonly status: number
  readonly body: string
  /** What the body was written from; left out where it was read from a record. */
  readonly answer?: unknown
}

/** The answer that a body is the text of. */
export function answerIn({ body, answer }: Pick<Recorded, 'body' | 'answer'>): unknown {
  return answer ?? JSON.parse(body)
}

export type Answered = Recorded & {
  /** Whether this is the answer of an earlier request. */
  readonly replayed: boolean
}

export type Outcome = Refusal | Answered

/** What a key that is not unused is answered with. */
export type KeyTaken = Answered | Refusal<KeyRefusal>

export type KeyRefusal = 'idempotency_in_progress' | 'idempotency_key_reused'

/** SHA-256 over operation, path and the canonical JSON of the body (RFC 8785). */
export function fingerprintOf(operation: string, path: string, body: unknown): Buffer {
  return hash('sha256', `${operation}\n${path}\n${canonicalize(body) ?? ''}`, 'buffer')
}

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
  return answerOnce(db, request, async (tx) => (await claimKey(tx, request)) ?? run(tx))
}

/**
 * The same, with one round trip less: the first statements of `run` are sent together with the claim of the key, and none
 * of them is carried out for a key that is not unused. Until one of them is answered, `run` must do nothing but ask.
 */
export async function withIdempotencyPipelined(
  db: Db,
  request: IdempotentRequest,
  run: (tx: Tx) => Promise<Recorded | Refusal>,
): Promise<Outcome> {
  try {
    return await answerOnce(db, request, async (tx) => {
      const [, outcome] = await Promise.all([claimOrRaise(tx, request), run(tx)])
      return outcome
    })
  } catch (fault) {
    if (codeOf(fault) !== KEY_TAKEN) throw fault
    return (await findAnswer(db, request)) ?? keyInProgress()
  }
}

async function answerOnce(
  db: Db,
  request: IdempotentRequest,
  claimAndRun: (tx: Tx) => Promise<Recorded | Outcome>,
): Promise<Outcome> {
  try {
    return await writeInTransaction(db, async (tx): Promise<Outcome> => {
      const outcome = await claimAndRun(tx)
      if (isRefusal(outcome) || 'replayed' in outcome) return outcome
      recordAnswer(tx, request, outcome)
      return { ...outcome, replayed: false }
    })
  } catch (fault) {
    if (!isUniqueViolation(fault, 'idempotency_record_pkey')) throw fault
    return (await findAnswer(db, request)) ?? keyInProgress()
  }
}

/** The body that an operation answered with under a key; null where none is recorded, or no longer. */
export async function recordedBody(
  sql: Sql,
  { workspaceId, operation, key }: NamedKey,
): Promise<string | null> {
  const [record] = await sql<{ body: Buffer }[]>`
    select body from idempotency_record
    where  workspace_id = ${workspaceId} and operation = ${operation} and key = ${key}`
  return record?.body.toString('utf8') ?? null
}

/** Whether an operation has been answered under a key. */
export async function isRecorded(sql: Sql, { workspaceId, operation, key }: NamedKey): Promise<boolean> {
  const rows = await sql`
    select from idempotency_record
    where  workspace_id = ${workspaceId} and operation = ${operation} and key = ${key}`
  return rows.length > 0
}

/** The answer that is recorded for a key, or the refusal of a changed request; null for a key that is not used yet. */
export async function findAnswer(sql: Sql, request: IdempotentRequest): Promise<Outcome | null> {
  const { workspaceId, operation, key, fingerprint } = request
  const [record] = await sql<KeyRecord[]>`
    select fingerprint, http_status as status, body
    from   idempotency_record
    where  workspace_id = ${workspaceId} and operation = ${operation} and key = ${key}`
  if (record === undefined) return null
  return record.fingerprint.equals(fingerprint) ? replay(record) : keyReused()
}

/** Deletes records older than `days`, at most `limit` at once, and says how many. */
export async function pruneIdempotency(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from idempotency_record
    where  ctid = any (array(
      select ctid from idempotency_record
      where  created_at < now() - ${days} * interval '1 day'
      limit  ${limit}
    ))`
  return count
}

/** What is recorded of a key. */
export type KeyRecord = { readonly fingerprint: Buffer; readonly status: number; readonly body: Buffer }

type NamedKey = Pick<IdempotentRequest, 'workspaceId' | 'operation' | 'key'>

/**
 * The answer that the key's record calls for; null when the key is unused. Then this transaction holds the key until its
 * end: other requests are answered that it is in progress.
 */
export async function claimKey(tx: Tx, request: IdempotentRequest): Promise<KeyTaken | null> {
  const { obtained, record } = await lockAndRead(tx, request)
  if (record !== null) return record.fingerprint.equals(request.fingerprint) ? replay(record) : keyReused()
  return obtained ? null : keyInProgress()
}

/** The record of a key, or null for an unused one. This transaction holds the key until its end, so that it can write the record anew. */
export async function claimRecord(
  tx: Tx,
  key: NamedKey,
): Promise<KeyRecord | Refusal<'idempotency_in_progress'> | null> {
  const { obtained, record } = await lockAndRead(tx, key)
  return obtained ? record : keyInProgress()
}

async function lockAndRead(
  tx: Tx,
  { workspaceId, operation, key }: NamedKey,
): Promise<{ obtained: boolean; record: KeyRecord | null }> {
  // Two statements, sent together: one round trip. They must not be one, because a statement's snapshot is taken
  // before it waits for or gets a lock, and could miss what the lock's last holder has just committed.
  const [[lock], [record]] = await Promise.all([
    tx<{ obtained: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${lockNameOf({ workspaceId, operation, key })}, 0)) as obtained`,
    tx<KeyRecord[]>`
      select fingerprint, http_status as status, body
      from   idempotency_record
      where  workspace_id = ${workspaceId} and operation = ${operation} and key = ${key}`,
  ])
  return { obtained: lock?.obtained === true, record: record ?? null }
}

/** What `refuse_idempotency_key` raises. */
const KEY_TAKEN = 'PR001'

/**
 * Claims the key, or raises KEY_TAKEN. As one statement it may miss what the key's last holder committed just before the lock was
 * to be had: then the transaction fails at its own record of the answer, with all that it wrote.
 */
async function claimOrRaise(tx: Tx, request: IdempotentRequest): Promise<void> {
  const { workspaceId, operation, key } = request
  await tx`
    select refuse_idempotency_key()
    where  not pg_try_advisory_xact_lock(hashtextextended(${lockNameOf(request)}, 0))
    or     exists (
      select from idempotency_record r
      where  r.workspace_id = ${workspaceId} and r.operation = ${operation} and r.key = ${key})`
}

/** Locks the key until the end of the transaction, and waits for the transaction that has it. */
export async function lockKey(tx: Tx, request: IdempotentRequest): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${lockNameOf(request)}, 0))`
}

function lockNameOf({ workspaceId, operation, key }: NamedKey): string {
  return `${workspaceId} ${operation} ${key}`
}

/** Stores with the commit what every repeat is answered with, and with it the act in the audit log. */
export function recordAnswer(
  tx: Tx,
  { workspaceId, operation, key, fingerprint, audit }: IdempotentRequest,
  answer: Recorded,
): void {
  const { status, body } = answer
  tx.deferPart(
    'new_record',
    tx`
      new_record as (
        insert into idempotency_record (workspace_id, operation, key, fingerprint, http_status, body)
        values (${workspaceId}, ${operation}, ${key}, ${fingerprint}, ${status}, ${Buffer.from(body)})
      )`,
  )
  if (audit !== undefined) tx.defer(() => audit(tx, answer))
}

/** Stores another answer for a key that has one. It is kept as long as if it were the first. */
export async function replaceAnswer(
  tx: Tx,
  { workspaceId, operation, key, fingerprint }: IdempotentRequest,
  { status, body }: Recorded,
): Promise<void> {
  await tx`
    update idempotency_record
    set    fingerprint = ${fingerprint}, http_status = ${status}, body = ${Buffer.from(body)}, created_at = now()
    where  workspace_id = ${workspaceId} and operation = ${operation} and key = ${key}`
}

function replay({ status, body }: KeyRecord): Answered {
  return { status, body: body.toString('utf8'), replayed: true }
}

/** The answer to a request whose key is being worked on. */
export function keyInProgress(): Refusal<'idempotency_in_progress'> {
  return refuse(
    'idempotency_in_progress',
    'A request with this idempotency key is still running. Send the same request again in a second to get its answer.',
    { retryAfterSeconds: 1 },
  )
}

/** The answer to a request with the key of another one. */
export function keyReused(): Refusal<'idempotency_key_reused'> {
  return refuse(
    'idempotency_key_reused',
    'This idempotency key was used for a different request. Use a new key for a new effect, or send the first request unchanged.',
  )
}
