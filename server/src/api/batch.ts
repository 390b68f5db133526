import { claimKey, type Outcome, recordAnswer } from '../operations/idempotency.ts'
import { isRefusal, refuse, type Refusal, type RefusalFacts } from '../operations/refusal.ts'
import type { Caller, RowsOf } from '../operations/route.ts'
import { writeInTransaction } from '../operations/write-transaction.ts'
import { sendingDeferred, type Tx } from '../platform/db.ts'
import {
  checkKeyed,
  type CompiledOperation,
  type Invocation,
  runOperation,
  runWithin,
} from './answer-operation.ts'
import { pathOf, problemOf } from './problem.ts'
import type { RawRequest } from './request-check.ts'
import { isSchema } from './schema-shape.ts'

type Batch = {
  readonly posts: readonly unknown[]
  readonly allOrNothing?: boolean
  readonly dryRun?: boolean
}

/** A row as the request that it stands for; or why it stands for none. */
type Row = Invocation | Refusal

export type BatchParts = {
  readonly compiled: CompiledOperation
  /** The operation that each row is a request of. */
  readonly row: CompiledOperation
  readonly rows: RowsOf
  /** The answer of a row as its caller may see it. */
  readonly bodyFor: (caller: Invocation['caller'], answered: Exclude<Outcome, Refusal>) => string
  readonly rowAsJson: Invocation['asJson']
}

/**
 * Carries out each row as a request of its own, with its own key, in its own transaction; or all of them in one. A row that
 * is sent again, by whichever way, is answered with its first result. Null where the gate has answered.
 */
export async function runBatch(parts: BatchParts, invocation: Invocation): Promise<Outcome | null> {
  const checked = parts.compiled.check(invocation.asked.input)
  if (isRefusal(checked)) return checked
  const { posts, allOrNothing = false, dryRun = false } = checked.body as Batch
  const rows = readRows(parts, invocation, posts)
  const outcomes =
    allOrNothing || dryRun
      ? await runTogether(parts, invocation, rows, { posts, allOrNothing, dryRun })
      : await runEach(parts, rows)
  return outcomes && { status: 200, body: answerOf(parts, invocation, outcomes), replayed: false }
}

function readRows({ rows, rowAsJson }: BatchParts, invocation: Invocation, posts: readonly unknown[]) {
  const { asked } = invocation
  const keys = new Map<unknown, number>()
  return posts.map((post, index): Row => {
    const key = isSchema(post) ? post['idempotencyKey'] : undefined
    const first = keys.get(key)
    if (first === undefined) keys.set(key, index)
    const detail = `Row ${first} of this batch has the same key. Each row needs its own.`
    if (key !== undefined && first !== undefined) return refuseField('/idempotencyKey', 'repeated', detail)
    if (isSchema(post) && 'dryRun' in post) return refuseField('/dryRun', 'not_allowed', ONE_DRY_RUN)
    const body = isSchema(post) ? { confirmed: true, ...post } : post
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

const ONE_DRY_RUN = '`dryRun` is said of the whole batch, beside `posts`.'

function refuseField(pointer: string, code: string, detail: string): Refusal {
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
type RolledBack = { readonly refused: null; readonly outcomes: Outcome[] }

async function runTogether(
  { row, rows: { lockTogether } }: BatchParts,
  { caller }: Invocation,
  rows: readonly Row[],
  { posts, allOrNothing, dryRun }: Required<Batch>,
): Promise<Outcome[]> {
  const done = await writeInTransaction(
    row.db.share(caller.workspaceId),
    async (tx): Promise<RolledBack | { outcomes: Outcome[] }> => {
      await (caller as Caller).hold?.(tx)
      await lockTogether(tx, caller as Caller, posts)
      const outcomes: Outcome[] = []
      for (const one of rows) outcomes.push(isRefusal(one) ? one : await runRow(row, tx, one))
      const isRefused = allOrNothing && outcomes.some(isRefusal)
      if (isRefused) return { refused: null, outcomes: outcomes.map(sparedByOthers) }
      return dryRun ? { refused: null, outcomes: outcomes.map(rehearsed) } : { outcomes }
    },
  )
  return done.outcomes
}

/** What was written of the rows before is in the transaction by then, so that limits count it. */
async function runRow(row: CompiledOperation, tx: Tx, invocation: Invocation): Promise<Outcome> {
  const write = checkKeyed(row, invocation)
  if (isRefusal(write)) return write
  const { tx: own, send } = sendingDeferred(tx)
  const taken = await claimKey(own, write.once)
  if (taken !== null) return taken
  const outcome = await runWithin(row, own, invocation, write)
  if (isRefusal(outcome)) return outcome
  recordAnswer(own, write.once, outcome)
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
    const facts = pointedAt(outcome.facts, `/posts/${index}`)
    const problem = problemOf({ ...outcome, facts }, where)
    return JSON.stringify({ status: problem.status, problem })
  })
  return `{"results":[${results.join(',')}]}`
}

/** The same with pointers into the body of the batch. */
function pointedAt(facts: RefusalFacts, row: string): RefusalFacts {
  const inRow = <T extends { pointer: string }>(one: T) =>
    /^[@?]/.test(one.pointer) ? one : { ...one, pointer: `${row}${one.pointer}` }
  return {
    ...facts,
    ...(facts.errors === undefined ? {} : { errors: facts.errors.map(inRow) }),
    ...(facts.issues === undefined ? {} : { issues: facts.issues.map(inRow) }),
  }
}
