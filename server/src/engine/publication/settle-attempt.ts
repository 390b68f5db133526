import { attemptContext, decideOutcome, unlessParentIsNew } from './decide-outcome.ts'
import type { Engine } from './engine-port.ts'
import type {
  Conclusion,
  Evidence,
  Intent,
  LatePost,
  Outcome,
  SettledAttempt,
  Settlement,
  WaitingUpload,
  Work,
  WorkPart,
} from '../queue/work.ts'

/** The end of an attempt, and what shows it. */
export type Ended = { readonly conclusion: Conclusion; readonly evidence: Evidence }

/** Ends an attempt under its lease. Null unless the part is out and the next one is ours to publish. */
export async function settleAttempt(
  engine: Engine,
  work: Work,
  { attemptId, partIndex }: Pick<Intent, 'attemptId' | 'partIndex'>,
  { conclusion: concluded, evidence }: Ended,
  upload: WaitingUpload | null = null,
): Promise<Outcome | null> {
  const conclusion = unlessParentIsNew(work.parts, partIndex, concluded)
  const attempt = {
    id: attemptId,
    partIndex,
    conclusion: conclusion.is,
    evidence,
    inferred: false,
    ...(conclusion.is === 'rejected' && conclusion.keepsDraft === true ? { keepsDraft: true as const } : {}),
  }
  const outcome = decideOutcome(attemptContext(work, partIndex), conclusion, engine.random())
  const settled = await store(engine, {
    ...settlingOf(work),
    ...keeping(upload, conclusion),
    attempt,
    outcome,
  })
  engine.observe({ subject: work, attempt, outcome, settled })
  if (!settled && conclusion.is !== 'unknown') await settleLate(engine, work, attempt, conclusion)
  return settled && outcome.move === null ? outcome : null
}

/**
 * The lease was lost during the call. If the destination is in doubt because of this very call, its answer still
 * counts; but where calls are repeated in doubt, a refusal of the first one proves nothing about a repeat.
 */
async function settleLate(
  engine: Engine,
  work: Work,
  attempt: SettledAttempt,
  conclusion: Conclusion,
): Promise<void> {
  const repeatable = engine.providers.get(work.provider)?.repeatable ?? null
  if (repeatable !== null && conclusion.is !== 'published') return
  const context = { ...attemptContext(work, attempt.partIndex), status: 'checking' } as const
  const outcome = decideOutcome(context, conclusion, engine.random())
  const settled = await store(engine, { ...settlingOf(work), fence: null, attempt, outcome })
  engine.observe({ subject: work, attempt, outcome, settled })
  if (!settled && conclusion.is === 'published') await noteLate(engine, work, attempt, conclusion)
}

/**
 * The destination has gone on without a call that made a post after all. That is kept; where the same part is in doubt over another call,
 * it ends the doubt: the part is out.
 */
async function noteLate(
  engine: Engine,
  work: Work,
  { id: attemptId, partIndex }: SettledAttempt,
  conclusion: Extract<Conclusion, { is: 'published' }>,
): Promise<void> {
  const { remoteId, url } = conclusion
  const post = { attemptId, partIndex, remoteId, url }
  const doubtId = await untilStored(engine, () => engine.store.noteLatePost(work, post))
  if (doubtId === null) return
  const context = { ...attemptContext(work, partIndex), status: 'checking' } as const
  const outcome = decideOutcome(context, conclusion, engine.random())
  const evidence = proofBy(post)
  const attempt = { id: doubtId, partIndex, conclusion: conclusion.is, evidence, inferred: false }
  const settled = await store(engine, { ...settlingOf(work), fence: null, attempt, outcome })
  engine.observe({ subject: work, attempt, outcome, settled })
}

/** A call that was given up before has published the part. */
export function proofBy({ remoteId }: LatePost): Evidence {
  return { by: 'late_post', verdict: 'published', remoteId }
}

/** Ends the lease without a call. */
export async function releaseUnsent(
  engine: Engine,
  work: Work,
  outcome: Outcome,
  part?: WorkPart,
  kept: Pick<Settlement, 'upload'> = {},
): Promise<void> {
  const refusedPart = outcome.part === 'failed' && part !== undefined ? { refusedPart: part.index } : {}
  const settled = await store(engine, {
    ...settlingOf(work),
    attempt: null,
    ...refusedPart,
    ...kept,
    outcome,
  })
  engine.observe({ subject: work, attempt: null, outcome, settled })
}

/** What is uploaded stays for the next try, unless the network says that it has it no longer. */
export function keeping(upload: WaitingUpload | null, conclusion: Conclusion): Pick<Settlement, 'upload'> {
  if (upload === null) return {}
  const lasts =
    conclusion.is === 'absent' || (conclusion.is === 'deferred' && conclusion.code !== 'media_unavailable')
  return lasts ? { upload } : {}
}

function settlingOf({ workspaceId, destinationId, fence, connection }: Work) {
  return { workspaceId, destinationId, fence, connection }
}

/** Stores a settlement, however long the database is away: what a call showed is known nowhere else. */
export function store(engine: Engine, settlement: Settlement): Promise<boolean> {
  return untilStored(engine, () => engine.store.settle(settlement))
}

const STORE_RETRY_MS = 200
const MAX_STORE_TRIES = 150
/** As many tries as a second has: a fault that lasts is told while it does. */
const TOLD_AT_TRY = 5

/** Repeats a write until the store takes it. It has to be one that may be repeated. */
export async function untilStored<T>(engine: Engine, write: () => Promise<T>): Promise<T> {
  const never = new AbortController().signal
  for (let tries = 1; ; tries++) {
    try {
      return await write()
    } catch (cause) {
      if (tries >= MAX_STORE_TRIES) throw new Error('a settlement could not be stored', { cause })
      if (tries === TOLD_AT_TRY) engine.onFault(cause, 'publish')
      await engine.wait(STORE_RETRY_MS, never)
    }
  }
}
