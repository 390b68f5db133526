import type { Adapter, Verdict } from '../providers/port.ts'
import { decideOutcome, inHand } from './decide-outcome.ts'
import type { Conclusion, Intent, Outcome, Subject, Work, WorkPart } from './engine-port.ts'
import { afterExpiry, withFreshGrant } from './fresh-grant.ts'
import { preparePart } from './prepare-part.ts'
import { evidenceOf, originOf, prepare, publishWorkOf, type Reply } from './exchange.ts'
import {
  poll,
  providerWorks,
  store,
  untilStored,
  type Ended,
  type Engine,
  type SettledAttempt,
} from './engine.ts'
import { grantUnreadable, heldBack, notBegun, notConnected, providerDisabled } from './turn-back.ts'
import { uploadPart } from './upload-part.ts'

/**
 * Publishes the parts of a claimed destination in order: upload, arm, call, settle, one after the other. No
 * transaction is open while the provider is being asked. Whoever finds its lease lost stops at once.
 */
export async function publishWork(engine: Engine, work: Work): Promise<void> {
  if (work.orphan) return recover(engine, work)

  const adapter = await engine.providers.get(work.provider)?.load()
  if (adapter === undefined) return turnBack(engine, work, providerDisabled(work))
  if (!work.connected) return turnBack(engine, work, notConnected(work))
  if (work.grantUnreadable === true) return turnBack(engine, work, grantUnreadable(work, engine.random()))

  const granted = await withFreshGrant(engine, adapter, work)
  if ('refused' in granted)
    return turnBack(engine, work, decideOutcome(inHand(work, 0), granted.refused, engine.random()))
  const { subject } = granted
  let parts = work.parts
  for (let next = unpublished(parts); next !== undefined; next = unpublished(parts)) {
    if (engine.stopping.aborted) return turnBack(engine, work, notBegun(parts))
    const ended = await publishPart(engine, adapter, { ...subject, parts }, next)
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
  const attemptId = engine.newId()
  const context = { adapter, exchange: 'publish', subject: work } as const
  const planned = originOf(engine, adapter, work)
  if (planned.is === 'adapter_fault') return holdBack(engine, work, part, ADAPTER_FAULT)
  const origin = planned.value
  const heldMs = engine.breaker.heldMs(origin)
  if (heldMs > 0) {
    await turnBack(engine, work, heldBack(work, heldMs, engine.random()))
    return null
  }

  const uploads = await uploadPart(engine, adapter, work, part)
  if ('refused' in uploads) return holdBack(engine, work, part, uploads.refused)
  if (engine.stopping.aborted) {
    await turnBack(engine, work, notBegun(work.parts))
    return null
  }
  const { media } = uploads
  const made = await preparePart(engine, adapter, work, part, attemptId, media)
  if (engine.stopping.aborted) {
    await turnBack(engine, work, notBegun(work.parts))
    return null
  }
  if ('refused' in made) return holdBack(engine, work, part, made.refused)
  const { prepared } = made
  const intent = { ...leaseOf(work), attemptId, partIndex: part.index, media, prepared }
  const publishing = publishWorkOf(work, part, attemptId, media, prepared)
  const call = prepare(engine, context, adapter.publish, publishing)
  if (call.is === 'adapter_fault') return holdBack(engine, work, part, ADAPTER_FAULT)

  const begun = engine.clock()
  const armed = await engine.store.arm(intent).catch(() => null)
  if (armed === false) return null

  if (armed === null) return settle(engine, work, intent, notSent('arming failed', NOT_REACHED))
  // Nothing is wrong with the provider, so that this is no delay: whoever comes next goes on at once.
  if (engine.stopping.aborted) return settle(engine, work, intent, notSent('stopping', { is: 'absent' }))
  if (engine.clock() - begun > engine.armWindowMs)
    return settle(engine, work, intent, notSent('too late to call', NOT_REACHED))

  const reply = await call.send()
  const verdict = verdictOf(reply)
  if (verdict.is === 'expired') {
    const evidence = evidenceOf('publish', reply.answer, verdict)
    return settle(engine, work, intent, { conclusion: await afterExpiry(engine, work), evidence })
  }
  engine.breaker.told(origin, providerWorks(reply))
  const evidence = evidenceOf('publish', reply.answer, verdict)
  if (verdict.is !== 'accepted') return settle(engine, work, intent, { conclusion: verdict, evidence })

  await untilStored(engine, () => engine.store.hold(intent, verdict.handle))
  return watch(engine, adapter, work, intent, verdict.handle)
}

/** What a publish call proved: whatever is not positively understood is unknown. */
function verdictOf(reply: Reply<Verdict>): Verdict {
  switch (reply.is) {
    case 'judged':
      return reply.verdict
    case 'silent':
      return reply.answer.maybeSent
        ? { is: 'unknown', detail: reply.answer.reason }
        : { is: 'deferred', code: 'not_reached', afterMs: null }
    case 'unreadable':
      return { is: 'unknown', detail: 'the adapter failed over the answer' }
  }
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
    const polled = await poll(engine, adapter, work, handle)
    if (polled !== null && 'conclusion' in polled) return settle(engine, work, intent, polled)
    if (polled?.is === 'forgotten') return settle(engine, work, intent, FORGOTTEN)
    waitMs = Math.min(waitMs * 2, pollAtMostMs)
  }
  const conclusion = { is: 'unknown', detail: 'the provider did not finish' } as const
  return settle(engine, work, intent, { conclusion, evidence: { by: 'poll', verdict: 'unknown' } })
}

/**
 * A worker was lost. Without an armed attempt no call was made, and the work is queued again. With one, the
 * call may have left: unless the provider lets us watch it, the result is unknown.
 */
async function recover(engine: Engine, work: Work): Promise<void> {
  const { attempt } = work
  if (attempt === null) return turnBack(engine, work, notBegun(work.parts))

  const intent = { ...leaseOf(work), attemptId: attempt.id, partIndex: attempt.partIndex }
  const adapter = await engine.providers.get(work.provider)?.load()
  if (adapter !== undefined && attempt.handle !== null && work.grantUnreadable !== true) {
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
  const outcome = decideOutcome(inHand(work, intent.partIndex), conclusion, engine.random())
  const settled = await store(engine, { ...settlingOf(work), attempt, outcome })
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
    { ...inHand(work, attempt.partIndex), status: 'checking' },
    conclusion,
    engine.random(),
  )
  const settled = await store(engine, { ...settlingOf(work), fence: null, attempt, outcome })
  report(engine, work, { ...attempt, outcome, settled })
}

/** Ends the lease before any call for a part: what kept it from one decides what follows. */
async function holdBack(engine: Engine, work: Work, part: WorkPart, reason: Conclusion): Promise<null> {
  await turnBack(engine, work, decideOutcome(inHand(work, part.index), reason, engine.random()), part)
  return null
}

/** Ends the lease without a call. */
async function turnBack(engine: Engine, work: Work, outcome: Outcome, part?: WorkPart): Promise<void> {
  const refusedPart = outcome.part === 'failed' && part !== undefined ? { refusedPart: part.index } : {}
  const settled = await store(engine, { ...settlingOf(work), attempt: null, ...refusedPart, outcome })
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

function unpublished(parts: readonly WorkPart[]): WorkPart | undefined {
  return parts.find((part) => part.status !== 'published')
}

function leaseOf({ workspaceId, destinationId, fence }: Work) {
  return { workspaceId, destinationId, fence }
}

function settlingOf(work: Work) {
  return { ...leaseOf(work), connection: work.connection }
}

const ADAPTER_FAULT = { is: 'deferred', code: 'adapter_fault', afterMs: null } as const
const FORGOTTEN: Ended = {
  conclusion: { is: 'unknown', detail: 'the provider does not know the handle that it gave' },
  evidence: { by: 'poll', verdict: 'forgotten' },
}
const NOT_REACHED = { is: 'deferred', code: 'not_reached', afterMs: 0 } as const

/** The end of an attempt that was armed, and whose call was never made. */
function notSent(why: string, conclusion: Extract<Conclusion, { is: 'deferred' | 'absent' }>): Ended {
  return { conclusion, evidence: { by: 'engine', verdict: conclusion.is, silence: why, maybeSent: false } }
}
