import { whileAuthenticated } from '../../operations/changed-meanwhile.ts'
import { claimKey, fingerprintOf, type Outcome, recordAnswer } from '../../operations/idempotency.ts'
import { type KeyedList, openList } from '../../operations/keyed-list.ts'
import { isRefusal, refuse, type Refusal, type RefusalFacts } from '../../operations/refusal.ts'
import type { Caller, RowsOf } from '../../operations/route.ts'
import { writeInTransaction } from '../../operations/write-transaction.ts'
import { sendingDeferred, type Tx } from '../../../platform/postgres/db.ts'
import {
  checkKeyed,
  type CompiledOperation,
  type Invocation,
  type NamedWrite,
  runOperation,
  runWithin,
} from './answer-operation.ts'
import { pathOf, problemOf } from '../documents/problem.ts'
import type { RawRequest } from '../request/request-check.ts'
import { isSchema, type Schema } from '../request/schema-shape.ts'

type Batch = {
  readonly posts: readonly unknown[]
  /** Of the whole batch, whose rows have none of their own then. */
  readonly idempotencyKey?: string
  readonly allOrNothing: boolean
  readonly dryRun: boolean
}

/** A row as the request that it stands for; or why it stands for none. */
type Row = Invocation | Refusal

export type BatchParts = {
  readonly compiled: CompiledOperation
  /** The operation that each row is a request of. */
  readonly row: CompiledOperation
  readonly rows: RowsOf
  /** Why the caller of a row is not shown what it was answered with before; null where they are. */
  readonly refuseRepeat: (
    row: Pick<Invocation, 'asked' | 'caller'>,
    answered: Exclude<Outcome, Refusal>,
  ) => Promise<Refusal | null>
  /** The answer of a row as its caller may see it. */
  readonly bodyFor: (caller: Invocation['caller'], answered: Exclude<Outcome, Refusal>) => string
  readonly rowAsJson: Invocation['asJson']
}

/**
 * Carries out each row as a request of its own, with its own key, in its own transaction; or all of them in one. A row that
 * is sent again, by whichever way, is answered with its first result. Where the batch has the key, its rows are one effect and
 * are carried out in one transaction, in which some may be refused. Null where the gate has answered.
 */
export async function runBatch(parts: BatchParts, invocation: Invocation): Promise<Outcome | null> {
  const checked = parts.compiled.check(invocation.asked.input)
  if (isRefusal(checked)) return checked
  const batch: Batch = { allOrNothing: false, dryRun: false, ...(checked.body as Pick<Batch, 'posts'>) }
  const isOne = batch.idempotencyKey !== undefined || batch.allOrNothing || batch.dryRun
  const outcomes = isOne
    ? await whileAuthenticated(
        invocation,
        (who) => runTogether(parts, who, batch),
        invocation.authenticateAgain,
      )
    : await runEach(parts, readRows(parts, invocation, batch))
  if (outcomes === null || isRefusal(outcomes)) return outcomes
  const shown = await asSeen(parts, invocation, outcomes)
  const replayed = shown.every((one) => !isRefusal(one) && one.replayed)
  return { status: 200, body: answerOf(parts, invocation, shown), replayed }
}

/** The outcomes without what others have made and the caller does not see. */
async function asSeen(
  { refuseRepeat }: BatchParts,
  invocation: Invocation,
  outcomes: readonly Outcome[],
): Promise<Outcome[]> {
  const seen: Outcome[] = []
  for (const one of outcomes) seen.push(isRefusal(one) ? one : ((await refuseRepeat(invocation, one)) ?? one))
  return seen
}

function readRows({ rows, rowAsJson }: BatchParts, invocation: Invocation, batch: Batch): Row[] {
  const { asked } = invocation
  const keys = new Map<unknown, number>()
  return batch.posts.map((post, index): Row => {
    const refused = isSchema(post) ? (refuseField(post, batch) ?? refuseRepeated(post, index, keys)) : null
    if (refused !== null) return refused
    const shared = batch.idempotencyKey === undefined ? {} : { idempotencyKey: batch.idempotencyKey }
    const body = isSchema(post) ? { confirmed: true, ...post, ...shared } : post
    const input: RawRequest = { params: {}, query: {}, queryText: '', body, idempotencyHeader: undefined }
    const again = async () => {
      const entered = await invocation.authenticateAgain()
      return entered && { ...own, caller: entered.caller }
    }
    const own = {
      asked: { ...asked, path: rows.path, input, confirmCaller: null },
      caller: invocation.caller,
      asJson: rowAsJson,
      authenticateAgain: again,
    }
    return own
  })
}

/** What a row must not say, since it is said of the whole batch. */
function refuseField(post: Schema, { idempotencyKey }: Batch): Refusal | null {
  if ('dryRun' in post)
    return refuseAt('/dryRun', 'not_allowed', '`dryRun` is said of the whole batch, beside `posts`.')
  if (idempotencyKey === undefined || !('idempotencyKey' in post)) return null
  const detail = 'The batch has one `idempotencyKey` for all of its rows. Leave out that of the row.'
  return refuseAt('/idempotencyKey', 'not_allowed', detail)
}

function refuseRepeated({ idempotencyKey: key }: Schema, index: number, keys: Map<unknown, number>) {
  const first = keys.get(key)
  if (key === undefined) return null
  if (first === undefined) {
    keys.set(key, index)
    return null
  }
  const detail = `Row ${first} of this batch has the same key. Each row needs its own.`
  return refuseAt('/idempotencyKey', 'repeated', detail)
}

function refuseAt(pointer: string, code: string, detail: string): Refusal {
  return refuse('validation_failed', detail, { errors: [{ pointer, code, detail }] })
}

async function runEach({ row }: BatchParts, rows: readonly Row[]): Promise<Outcome[] | null> {
  const outcomes: Outcome[] = []
  for (const one of rows) {
    const outcome = isRefusal(one) ? one : await runOperation(row, one)
    if (outcome === null) return null
    outcomes.push(outcome)
  }
  return outcomes
}

/** Rolled back where nothing is to be kept: `begin` takes that for a refusal. */
type RolledBack = { readonly refused: null; readonly outcomes: readonly Outcome[] }

/** A row as the write that it asks for; or why it asks for none. */
type RowWrite = { readonly request: Invocation; readonly write: NamedWrite } | Refusal

async function runTogether(
  parts: BatchParts,
  invocation: Invocation,
  batch: Batch,
): Promise<readonly Outcome[] | Refusal> {
  const { row, rows } = parts
  const caller = invocation.caller as Caller
  const writes = readRows(parts, invocation, batch).map((request): RowWrite => {
    const write = isRefusal(request) ? request : checkKeyed(row, request)
    return isRefusal(request) || isRefusal(write) ? (write as Refusal) : { request, write }
  })
  const done = await writeInTransaction(
    row.db.share(caller.workspaceId),
    async (tx): Promise<RolledBack | Refusal | { outcomes: readonly Outcome[] }> => {
      await caller.hold?.(tx)
      const list = await openListOf(parts, tx, invocation, batch, writes)
      if (isRefusal(list)) return list
      await rows.lockTogether(tx, caller, batch.posts)
      const outcomes: Outcome[] = []
      for (const [n, write] of writes.entries())
        outcomes.push(isRefusal(write) ? write : (list?.earlier[n] ?? (await runRow(row, tx, write, list))))
      const isRefused = batch.allOrNothing && outcomes.some(isRefusal)
      if (isRefused) return { refused: null, outcomes: outcomes.map(sparedByOthers) }
      if (batch.dryRun) return { refused: null, outcomes: outcomes.map(rehearsed) }
      await list?.record(outcomes)
      return { outcomes }
    },
  )
  return 'outcomes' in done ? done.outcomes : done
}

/** The list of the batch's key; null where each row has its own. */
async function openListOf(
  { compiled, row }: BatchParts,
  tx: Tx,
  { asked, caller }: Invocation,
  { idempotencyKey: key }: Batch,
  writes: readonly RowWrite[],
): Promise<KeyedList | Refusal | null> {
  if (key === undefined) return null
  return openList(tx, {
    workspaceId: (caller as Caller).workspaceId,
    // Of the same kind as the key of a single row: a key is one call, whichever.
    operation: row.operation.id,
    key,
    status: row.operation.answer.status,
    fingerprints: writes.map((one) =>
      isRefusal(one) ? null : fingerprintOf(compiled.operation.id, asked.path, one.write.checked.body),
    ),
  })
}

/** What was written of the rows before is in the transaction by then, so that limits count it. */
async function runRow(
  row: CompiledOperation,
  tx: Tx,
  { request, write }: Exclude<RowWrite, Refusal>,
  list: KeyedList | null,
): Promise<Outcome> {
  const { tx: own, send } = sendingDeferred(tx)
  const taken = list === null ? await claimKey(own, write.once) : null
  if (taken !== null) return taken
  const outcome = await runWithin(row, own, request, write)
  if (isRefusal(outcome)) return outcome
  if (list === null) recordAnswer(own, write.once, outcome)
  else own.defer(() => write.act.record(own, outcome))
  await send()
  return { ...outcome, replayed: false }
}

/** What becomes of a row that nothing is wrong with, where another one keeps all of them from being stored. */
function sparedByOthers(outcome: Outcome): Outcome {
  if (isRefusal(outcome) || outcome.replayed) return outcome
  return refuse(
    'batch_refused',
    'Nothing was created, since another row was refused. This row can stay as it is.',
  )
}

/** What was not stored is not created: 200 instead of 201. */
function rehearsed(outcome: Outcome): Outcome {
  return isRefusal(outcome) || outcome.replayed ? outcome : { ...outcome, status: 200 }
}

function answerOf(parts: BatchParts, { asked, caller }: Invocation, outcomes: readonly Outcome[]): string {
  const { rows } = parts
  const where = { baseUrl: rows.baseUrl, path: pathOf(asked.path), requestId: asked.id }
  const results = outcomes.map((outcome, index) => {
    if (!isRefusal(outcome)) {
      const replayed = outcome.replayed ? ',"replayed":true' : ''
      return `{"status":${outcome.status}${replayed},"post":${parts.bodyFor(caller, outcome)}}`
    }
    const facts = pointedAt(outcome.facts, rowPointer(index))
    const problem = problemOf({ ...outcome, facts }, where)
    return JSON.stringify({ status: problem.status, problem })
  })
  return `{"results":[${results.join(',')}]}`
}

/** Where a row stands in the body of a batch. */
export function rowPointer(index: number): string {
  return `/posts/${index}`
}

/** The same with pointers into the body of the batch. */
export function pointedAt(facts: RefusalFacts, row: string): RefusalFacts {
  const inRow = <T extends { pointer: string }>(one: T) =>
    /^[@?]/.test(one.pointer) ? one : { ...one, pointer: `${row}${one.pointer}` }
  return {
    ...facts,
    ...(facts.errors === undefined ? {} : { errors: facts.errors.map(inRow) }),
    ...(facts.issues === undefined ? {} : { issues: facts.issues.map(inRow) }),
  }
}
