import { ChangedMeanwhile } from '../../edge/operations/changed-meanwhile.ts'
import type { Db, Tx } from '../../platform/postgres/db.ts'
import { isUniqueViolation } from '../../platform/postgres/db.ts'
import {
  keyInProgress,
  keyReused,
  type Answered,
  type KeyRefusal,
  lockKey,
  claimKey,
  recordAnswer,
  type IdempotentRequest,
  type Recorded,
} from '../../edge/operations/idempotency.ts'
import { runPeriodically } from '../../platform/loops/run-periodically.ts'
import type { Log } from '../../platform/process/log.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Hold } from '../../edge/operations/route.ts'
import { commitDespiteRefusal } from '../../edge/operations/write-transaction.ts'
import { type Failure, failureSentence } from './model-client.ts'
import {
  endGeneration,
  findRunning,
  insertGeneration,
  renewLease,
  type GenerationRef,
  type Reserved,
} from './generation-store.ts'

/*
 * The life of a generation. A model call takes too long for a transaction to be held, and costs money each time. So
 * the key is claimed by a row before the call, in a transaction of its own; the row is kept alive by its process while
 * the call runs; and it is settled together with the idempotency record, in a second one. Equal requests meet the row
 * and are told to come back; once it is settled, they get the recorded answer.
 *
 * When a process dies in between, the row's lease ends. It is not known then what the model answered, or whether it was
 * paid for. The first repeat is told just that, as the first request would have been told had it not been lost: `ai_failed`,
 * nothing stored. It also gives the row up, so that the key is free: a client that sends the request once more knows that
 * it may cost a second time. To ask the model again at once would be a second bill without consent.
 */

export type Generation = GenerationRef & {
  /** Aborted when the client has gone, the time is over, or the generation was given up. */
  readonly signal: AbortSignal
}

export type GenerationOptions = {
  readonly db: Db
  readonly log: Log
  readonly timeoutMs: number
  /** After how long without a heartbeat a generation counts as lost. */
  readonly leaseMs: number
}

export type Prepared<Plan> = { readonly plan: Plan; readonly model: string; readonly reserved: Reserved }

export type Work<Plan, Answer, Code extends Refusal['refused']> = {
  /** Refuses whatever can be refused without asking anybody, and says what the first call may use. */
  readonly prepare: (tx: Tx) => Promise<Prepared<Plan> | Refusal<Code>>
  /** Asks the model. */
  readonly run: (plan: Plan, generation: Generation) => Promise<Completed<Answer> | Failed<Code>>
}

/** `store` runs in the transaction that settles; `undo` takes back what was made when nothing came of it. */
export type Completed<Answer> = {
  readonly store: (tx: Tx) => Promise<Answer>
  readonly undo?: () => Promise<void>
}

/** `outcome` says in row and log why it came to nothing, and `vendorMessage` in the log what the vendor said. */
export type Failed<Code extends Refusal['refused']> = {
  readonly outcome: string
  readonly refusal: Refusal<Code>
  readonly vendorMessage?: string | undefined
}

/** What a failure of the vendor is to the asker. */
export function failedBy(failure: Failure, modelId: string): Failed<'ai_failed'> {
  const { code, retryAfterSeconds, vendorMessage } = failure
  const facts = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return {
    outcome: code,
    refusal: refuse('ai_failed', failureSentence(failure, modelId), facts),
    vendorMessage,
  }
}

export type Asked<Answer> = {
  readonly request: IdempotentRequest
  readonly credentialId: string
  /** Holds the caller, in the transaction that claims the key and in the one that settles. */
  readonly hold?: Hold | undefined
  readonly gone: AbortSignal
  readonly render: (answer: Answer) => Recorded
}

/** Carries a generation out once per key. Only a success is recorded; after anything else the key is free. */
export async function generateOnce<Plan, Answer, Code extends Refusal['refused']>(
  options: GenerationOptions,
  asked: Asked<Answer>,
  work: Work<Plan, Answer, Code>,
): Promise<Answered | Refusal<Code | 'ai_failed' | KeyRefusal>> {
  const claimed = await claim(options, asked, work)
  if (!('ref' in claimed)) return claimed
  const { ref, plan } = claimed
  const end = await runWithHeartbeat(options, ref, asked.gone, (signal) => work.run(plan, { ...ref, signal }))
  if ('outcome' in end) {
    await fail(options, ref, end)
    return end.refusal
  }
  const settled = await settle(options, asked, ref, end)
  if (settled === null) {
    await end.undo?.()
    return interrupted()
  }
  options.log.info({ ...ref, ...settled.ended, outcome: 'succeeded' }, 'generation')
  return { ...settled.answer, replayed: false }
}

/** Null where the generation was given up meanwhile. Nothing is kept for a caller who may no longer ask for it. */
async function settle<Answer>(
  options: GenerationOptions,
  asked: Asked<Answer>,
  ref: GenerationRef,
  end: Completed<Answer>,
) {
  try {
    return await options.db.begin((tx) => settleIn(tx, asked, ref, end))
  } catch (fault) {
    if (fault instanceof ChangedMeanwhile) {
      await fail(options, ref, { outcome: 'caller_changed' })
      await end.undo?.()
    }
    throw fault
  }
}

async function settleIn<Answer>(tx: Tx, asked: Asked<Answer>, ref: GenerationRef, end: Completed<Answer>) {
  await asked.hold?.(tx)
  // Repeats look up record and row in two statements: nothing may change between them.
  await lockKey(tx, asked.request)
  const ended = await endGeneration(tx, ref, { status: 'succeeded' })
  if (ended === null) return null
  const answer = asked.render(await end.store(tx))
  recordAnswer(tx, asked.request, answer)
  return { ended, answer }
}

async function fail(
  { db, log }: GenerationOptions,
  ref: GenerationRef,
  { outcome, vendorMessage }: { readonly outcome: string; readonly vendorMessage?: string | undefined },
): Promise<void> {
  const ended = await endGeneration(db, ref, { status: 'failed', failure: outcome })
  if (ended === null) return
  log.warn(
    { ...ref, ...ended, outcome, ...(vendorMessage === undefined ? {} : { vendorMessage }) },
    'generation',
  )
}

type Claimed<Plan> = { readonly ref: GenerationRef; readonly plan: Plan }

async function claim<Plan, Answer, Code extends Refusal['refused']>(
  { db, log, leaseMs }: GenerationOptions,
  { request, credentialId, hold }: Asked<Answer>,
  { prepare }: Work<Plan, Answer, Code>,
): Promise<Claimed<Plan> | Answered | Refusal<Code | 'ai_failed' | KeyRefusal>> {
  try {
    // What is found lost is recorded so, and refused.
    return await commitDespiteRefusal(db, async (tx) => {
      await hold?.(tx)
      const known = (await claimKey(tx, request)) ?? (await lookUpRunning(tx, request, log))
      if (known !== null) return known
      const prepared = await prepare(tx)
      if (isRefusal(prepared)) return prepared
      const { plan, model, reserved } = prepared
      const ref = { workspaceId: request.workspaceId, generationId: uuidv7() }
      await insertGeneration(tx, { ...ref, request, credentialId, model, reserved, leaseMs })
      return { ref, plan }
    })
  } catch (fault) {
    // The lock of the key all but excludes this; were another to run all the same, this one comes back for its answer.
    if (isUniqueViolation(fault, 'ai_generation_running')) return keyInProgress()
    throw fault
  }
}

/** What a generation under this key that has no end yet means to its repeat; null where there is none. */
async function lookUpRunning(
  tx: Tx,
  request: IdempotentRequest,
  log: Log,
): Promise<Refusal<'ai_failed' | KeyRefusal> | null> {
  const running = await findRunning(tx, request)
  if (running === null) return null
  const same = running.fingerprint.equals(request.fingerprint)
  if (running.alive) return same ? keyInProgress() : keyReused()
  const ref = { workspaceId: request.workspaceId, generationId: running.generationId }
  const ended = await endGeneration(tx, ref, { status: 'lost' })
  if (ended !== null) log.warn({ ...ref, ...ended, outcome: 'lost' }, 'generation')
  return same ? interrupted() : null
}

function interrupted(): Refusal<'ai_failed'> {
  return refuse(
    'ai_failed',
    "The server was interrupted while the model was working, so it isn't known whether it answered, or at what cost. Nothing was stored. Sending the request again, with the same key or another, asks the model again.",
  )
}

/** Runs while sending heartbeats. What it does when it throws is a fault of ours, and its generation has failed. */
async function runWithHeartbeat<Result>(
  options: GenerationOptions,
  ref: GenerationRef,
  gone: AbortSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { db, log, timeoutMs, leaseMs } = options
  const givenUp = new AbortController()
  const heartbeat = runPeriodically(
    async () => {
      if (!(await renewLease(db, ref, leaseMs))) givenUp.abort()
    },
    leaseMs / 3,
    (err) => log.warn({ err, ...ref }, 'a generation could not send a heartbeat'),
  )
  try {
    return await run(AbortSignal.any([gone, givenUp.signal, AbortSignal.timeout(timeoutMs)]))
  } catch (fault) {
    await fail(options, ref, { outcome: 'fault' })
    throw fault
  } finally {
    await heartbeat.stop()
  }
}
