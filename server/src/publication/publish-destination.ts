import type { Adapter, Providers, PublishWork, Verdict } from '../providers/port.ts'
import type { Breaker } from './breaker.ts'
import { decideOutcome } from './decide-outcome.ts'
import type {
  Call,
  CallAnswer,
  Conclusion,
  EngineStore,
  Evidence,
  Intent,
  Outcome,
  Settlement,
  Subject,
  Work,
  WorkPart,
} from './engine-port.ts'

/** What the engine runs on. Times are in milliseconds. */
export type Engine = {
  readonly store: EngineStore
  readonly providers: Providers
  readonly call: Call
  /** A monotonic clock: it measures, and tells no time of day. */
  readonly clock: () => number
  /** Waits; ends early, without an error, when the signal does. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
  readonly newId: () => string
  /** A call may begin at most this long after its arming was asked for. */
  readonly armWindowMs: number
  /** The time limit of one call, from its first byte to its last. */
  readonly callTimeoutMs: number
  /** How long a provider may take to show what it accepted. */
  readonly settlingMs: number
  readonly breaker: Breaker
  /** From now on no new call is begun. */
  readonly stopping: AbortSignal
  readonly observe: (told: AttemptReport) => void
}

type SettledAttempt = NonNullable<Settlement['attempt']>

/** One settlement, as it is logged and counted. */
export type AttemptReport = {
  readonly subject: Subject
  /** Null when no call was made. */
  readonly attempt: SettledAttempt | null
  readonly outcome: Outcome
  /** False: somebody else owns the destination by now, and nothing was changed. */
  readonly settled: boolean
}

type Ended = { readonly conclusion: Conclusion; readonly evidence: Evidence }

/**
 * Publishes the parts of a claimed destination in order: arm, call, settle, one after the other. No
 * transaction is open while the provider is being asked. Whoever finds its lease lost stops at once.
 */
export async function publishWork(engine: Engine, work: Work): Promise<void> {
  if (work.orphan) return recover(engine, work)

  const adapter = engine.providers.get(work.provider)
  if (adapter === undefined) return turnBack(engine, work, providerDisabled(work))
  if (!work.connected)
    return turnBack(engine, work, decideOutcome(standing(work, 0), { is: 'reauthorize' }, 0))

  let parts = work.parts
  for (let next = unpublished(parts); next !== undefined; next = unpublished(parts)) {
    if (engine.stopping.aborted) return turnBack(engine, work, notBegun(parts))
    const ended = await publishPart(engine, adapter, { ...work, parts }, next)
    if (ended === null) return
    parts = parts.map((part) =>
      part === next ? { ...part, status: 'published', remoteId: ended.remoteId } : part,
    )
  }
}

/** Null when the destination is no longer ours to go on with. */
async function publishPart(
  engine: Engine,
  adapter: Adapter,
  work: Work,
  part: WorkPart,
): Promise<Outcome | null> {
  const intent = { ...leaseOf(work), attemptId: engine.newId(), partIndex: part.index }
  const request = adapter.publish.request(publishWorkOf(work, part, intent.attemptId))

  const heldMs = engine.breaker.heldMs(request.url.origin)
  if (heldMs > 0) {
    await turnBack(engine, work, heldBack(work, heldMs, engine.random()))
    return null
  }

  const begun = engine.clock()
  const armed = await engine.store.arm(intent).catch(() => null)
  if (armed === false) return null

  const mayCall = armed === true && engine.clock() - begun <= engine.armWindowMs && !engine.stopping.aborted
  if (!mayCall)
    return settle(engine, work, intent, notSent(armed === null ? 'arming failed' : 'too late to call'))

  const answer = await engine.call(request)
  const verdict = judge(adapter, answer, publishWorkOf(work, part, intent.attemptId))
  engine.breaker.told(request.url.origin, providerWorks(answer, verdict))
  const evidence = evidenceOf('publish', answer, verdict)
  if (verdict.is !== 'accepted') return settle(engine, work, intent, { conclusion: verdict, evidence })

  await untilStored(engine, () => engine.store.hold(intent, verdict.handle))
  return watch(engine, adapter, work, intent, verdict.handle)
}

const pollAfterMs = 1_000
const pollAtMostMs = 30_000
const watchAtMostMs = 30 * 60_000

/** Asks, read-only, until the provider has finished what it accepted. */
async function watch(
  engine: Engine,
  adapter: Adapter,
  work: Work,
  intent: Intent,
  handle: string,
): Promise<Outcome | null> {
  const begun = engine.clock()
  let waitMs = pollAfterMs
  while (adapter.poll !== null && engine.clock() - begun < watchAtMostMs) {
    await engine.wait(waitMs, engine.stopping)
    if (engine.stopping.aborted) {
      await engine.store.release(leaseOf(work))
      return null
    }
    const ended = await poll(engine, adapter, work, handle)
    if (ended !== null) return settle(engine, work, intent, ended)
    waitMs = Math.min(waitMs * 2, pollAtMostMs)
  }
  const conclusion = { is: 'unknown', detail: 'the provider did not finish' } as const
  return settle(engine, work, intent, { conclusion, evidence: { by: 'poll', verdict: 'unknown' } })
}

/** Null while the provider is not finished, or cannot be asked: a look changes nothing, so it may be repeated. */
export async function poll(
  engine: Engine,
  adapter: Adapter,
  subject: Subject,
  handle: string,
): Promise<Ended | null> {
  if (adapter.poll === null) return null
  const work = { grant: subject.grant, handle }
  const answer = await engine.call(adapter.poll.request(work))
  if (!answer.arrived) return null
  const conclusion = adapter.poll.judge(answer.response, work)
  if (conclusion.is !== 'published' && conclusion.is !== 'rejected') return null
  return { conclusion, evidence: evidenceOf('poll', answer, conclusion) }
}

/**
 * A worker was lost. Without an armed attempt no call was made, and the work is queued again. With one, the
 * call may have left: unless the provider lets us watch it, the result is unknown.
 */
async function recover(engine: Engine, work: Work): Promise<void> {
  const { attempt } = work
  if (attempt === null) return turnBack(engine, work, notBegun(work.parts))

  const intent = { ...leaseOf(work), attemptId: attempt.id, partIndex: attempt.partIndex }
  const adapter = engine.providers.get(work.provider)
  if (adapter !== undefined && attempt.handle !== null) {
    await watch(engine, adapter, work, intent, attempt.handle)
    return
  }
  const conclusion = { is: 'unknown', detail: 'the worker was lost after arming' } as const
  await settle(engine, work, intent, { conclusion, evidence: { by: 'recovery', verdict: 'unknown' } })
}

/** Null unless the part is out and the next one is ours to publish. */
async function settle(engine: Engine, work: Work, intent: Intent, ended: Ended): Promise<Outcome | null> {
  const { conclusion, evidence } = ended
  const attempt = {
    id: intent.attemptId,
    partIndex: intent.partIndex,
    conclusion: conclusion.is,
    evidence,
    inferred: false,
  }
  const outcome = decideOutcome(standing(work, intent.partIndex), conclusion, engine.random())
  const settled = await store(engine, { ...leaseOf(work), attempt, outcome })
  report(engine, work, { ...attempt, outcome, settled })
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
  const outcome = decideOutcome(
    { ...standing(work, attempt.partIndex), status: 'checking' },
    conclusion,
    engine.random(),
  )
  const settled = await store(engine, { ...leaseOf(work), fence: null, attempt, outcome })
  report(engine, work, { ...attempt, outcome, settled })
}

/** Ends the lease without a call. */
async function turnBack(engine: Engine, work: Work, outcome: Outcome): Promise<void> {
  const settled = await store(engine, { ...leaseOf(work), attempt: null, outcome })
  engine.observe({ subject: work, attempt: null, outcome, settled })
}

function report(
  engine: Engine,
  subject: Subject,
  told: SettledAttempt & { outcome: Outcome; settled: boolean },
): void {
  const { outcome, settled, ...attempt } = told
  engine.observe({ subject, attempt, outcome, settled })
}

/** Stores a settlement, however long the database is away: what a call told is known nowhere else. */
export function store(engine: Engine, settlement: Settlement): Promise<boolean> {
  return untilStored(engine, () => engine.store.settle(settlement))
}

const storeAgainAfterMs = 200
const storeAtMost = 150

async function untilStored<T>(engine: Engine, write: () => Promise<T>): Promise<T> {
  const never = new AbortController().signal
  for (let tries = 1; ; tries++) {
    try {
      return await write()
    } catch (cause) {
      if (tries >= storeAtMost) throw new Error('a settlement could not be stored', { cause })
      await engine.wait(storeAgainAfterMs, never)
    }
  }
}

/** What the adapter makes of the answer; whatever it does not positively understand is unknown. */
export function judge(adapter: Adapter, answer: CallAnswer, work: PublishWork): Verdict {
  if (!answer.arrived) {
    return answer.maybeSent
      ? { is: 'unknown', detail: answer.reason }
      : { is: 'deferred', code: 'not_reached', afterMs: null }
  }
  try {
    return adapter.publish.judge(answer.response, work)
  } catch (fault) {
    return {
      is: 'unknown',
      detail: `the adapter could not judge it: ${fault instanceof Error ? fault.name : 'fault'}`,
    }
  }
}

/** What is kept of an exchange: enough to prove what happened, never what the provider said in its own words. */
export function evidenceOf(by: string, answer: CallAnswer, verdict: { readonly is: string }): Evidence {
  const proof =
    'remoteId' in verdict && typeof verdict.remoteId === 'string' ? { remoteId: verdict.remoteId } : {}
  return answer.arrived
    ? { by, verdict: verdict.is, httpStatus: answer.response.status, durationMs: answer.durationMs, ...proof }
    : {
        by,
        verdict: verdict.is,
        silence: answer.reason,
        maybeSent: answer.maybeSent,
        durationMs: answer.durationMs,
      }
}

/** The work of one part, with the parts it answers to. */
export function publishWorkOf(subject: Subject, part: WorkPart, idempotencyKey: string): PublishWork {
  return {
    grant: subject.grant,
    settings: subject.settings,
    text: part.text,
    parent: remotePart(subject.parts[part.index - 1]),
    root: remotePart(part.index === 0 ? undefined : subject.parts[0]),
    idempotencyKey,
  }
}

function remotePart(part: WorkPart | undefined): { remoteId: string } | null {
  return part?.remoteId == null ? null : { remoteId: part.remoteId }
}

function unpublished(parts: readonly WorkPart[]): WorkPart | undefined {
  return parts.find((part) => part.status !== 'published')
}

function leaseOf({ workspaceId, destinationId, fence }: Work) {
  return { workspaceId, destinationId, fence }
}

function standing(subject: Subject, partIndex: number) {
  return {
    status: 'publishing',
    provider: subject.provider,
    parts: subject.parts,
    partIndex,
    tries: subject.tries,
  } as const
}

function notSent(why: string): Ended {
  return {
    conclusion: { is: 'deferred', code: 'not_reached', afterMs: 0 },
    evidence: { by: 'engine', verdict: 'deferred', silence: why, maybeSent: false },
  }
}

const unchanged = {
  part: 'pending',
  remoteId: null,
  releaseUrl: null,
  dueInMs: 0,
  error: null,
  disconnects: false,
  pausesChannel: false,
} as const

function notBegun(parts: readonly WorkPart[]): Outcome {
  return { ...unchanged, move: parts.some((part) => part.status === 'published') ? 'interrupt' : 'requeue' }
}

/** The provider is down: the work waits, spread over some time, so that it does not all return at once. */
function heldBack(work: Work, heldMs: number, jitter: number): Outcome {
  const conclusion = { is: 'deferred', code: 'provider_unavailable', afterMs: heldMs } as const
  return decideOutcome(standing(work, 0), conclusion, jitter)
}

function providerWorks(answer: CallAnswer, verdict: Verdict): boolean {
  if (!answer.arrived || answer.response.status >= 500) return false
  return verdict.is !== 'deferred' || verdict.code === 'rate_limited'
}

const providerDisabledAgainAfterMs = 5 * 60_000

function providerDisabled(work: Work): Outcome {
  return {
    ...unchanged,
    move: work.parts.some((part) => part.status === 'published') ? 'interrupt' : 'defer',
    dueInMs: providerDisabledAgainAfterMs,
    error: {
      code: 'provider_disabled',
      message: 'The provider is not enabled on this server; publishing goes on once it is.',
      provider: work.provider,
      retryable: false,
    },
  }
}
