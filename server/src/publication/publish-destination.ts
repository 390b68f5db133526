import type { Adapter, Verdict } from '../providers/port.ts'
import {
  attemptContext,
  awaitProvider,
  awaitReconnect,
  awaitSecretKey,
  decideOutcome,
  pollInMs,
  requeueUnstarted,
} from './decide-outcome.ts'
import type { Conclusion, Engine, Outcome, Work, WorkPart } from './engine-port.ts'
import { evidenceOf, originOf, prepare, publishWorkOf, type Reply } from './exchange.ts'
import { afterExpiry, withFreshGrant } from './fresh-grant.ts'
import { pollProcessing } from './poll-processing.ts'
import { preparePart } from './prepare-part.ts'
import { releaseUnsent, settleAttempt, untilStored, type Ended } from './settle-attempt.ts'
import { uploadPart } from './upload-part.ts'

/**
 * Goes on with a claimed destination, in whatever state it was left. No transaction is open while the provider is
 * being asked. Whoever finds its lease lost stops at once.
 */
export async function publishWork(engine: Engine, work: Work): Promise<void> {
  const { attempt, orphan } = work
  if (attempt === null) return orphan ? requeue(engine, work) : publishParts(engine, work)

  const { handle } = attempt
  if (handle === null) return loseAttempt(engine, work, attempt.id, attempt.partIndex)
  const outcome = await pollProcessing(engine, work, { ...attempt, handle })
  if (outcome !== null) await publishParts(engine, withPublished(work, attempt.partIndex, outcome))
}

/** Publishes the parts that are left, in order: upload, arm, call, settle, one after the other. */
async function publishParts(engine: Engine, claimed: Work): Promise<void> {
  const adapter = await engine.providers.get(claimed.provider)?.load()
  const context = attemptContext(claimed, 0)
  if (adapter === undefined) return releaseUnsent(engine, claimed, awaitProvider(context))
  if (!claimed.connected) return releaseUnsent(engine, claimed, awaitReconnect(context))
  if (claimed.grantUnreadable === true)
    return releaseUnsent(engine, claimed, awaitSecretKey(context, engine.random()))

  const granted = await withFreshGrant(engine, adapter, claimed)
  if ('refused' in granted)
    return releaseUnsent(engine, claimed, decideOutcome(context, granted.refused, engine.random()))
  let work = granted.subject
  for (let part = unpublished(work); part !== undefined; part = unpublished(work)) {
    if (engine.stopping.aborted) return requeue(engine, work)
    const outcome = await publishPart(engine, adapter, work, part)
    if (outcome === null) return
    work = withPublished(work, part.index, outcome)
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
  const origin = originOf(engine, adapter, work)
  if (origin.is === 'adapter_fault') return putOff(engine, work, part, ADAPTER_FAULT)
  const retryAfterMs = engine.breaker.retryAfterMs(origin.value)
  if (retryAfterMs > 0) {
    const reason = { is: 'deferred', code: 'provider_unavailable', afterMs: retryAfterMs } as const
    return putOff(engine, work, part, reason)
  }

  const uploads = await uploadPart(engine, adapter, work, part)
  if ('refused' in uploads) return putOff(engine, work, part, uploads.refused)
  if (engine.stopping.aborted) {
    await requeue(engine, work)
    return null
  }
  const { media } = uploads
  const made = await preparePart(engine, adapter, work, part, attemptId, media)
  if (engine.stopping.aborted) {
    await requeue(engine, work)
    return null
  }
  if ('refused' in made) return putOff(engine, work, part, made.refused)
  const { prepared } = made
  const publishing = publishWorkOf(work, part, attemptId, media, prepared)
  const call = prepare(engine, context, adapter.publish, publishing)
  if (call.is === 'adapter_fault') return putOff(engine, work, part, ADAPTER_FAULT)

  const { workspaceId, destinationId, fence } = work
  const intent = { workspaceId, destinationId, fence, attemptId, partIndex: part.index, media, prepared }
  const begun = engine.clock()
  const armed = await engine.store.arm(intent).catch(() => null)
  if (armed === false) return null
  if (armed === null) return settleAttempt(engine, work, intent, notSent('arming failed', NOT_REACHED))
  // Nothing is wrong with the provider, so that this is no delay: whoever comes next goes on at once.
  if (engine.stopping.aborted)
    return settleAttempt(engine, work, intent, notSent('stopping', { is: 'absent' }))
  if (engine.clock() - begun > engine.armWindowMs)
    return settleAttempt(engine, work, intent, notSent('too late to call', NOT_REACHED))

  const reply = await call.send()
  const verdict = verdictOf(reply)
  const evidence = evidenceOf('publish', reply.answer, verdict)
  if (verdict.is === 'expired')
    return settleAttempt(engine, work, intent, { conclusion: await afterExpiry(engine, work), evidence })
  engine.breaker.record(origin.value, providerWorks(reply))
  if (verdict.is === 'accepted') {
    const wait = { handle: verdict.handle, pollInMs: pollInMs(0), error: null }
    await untilStored(engine, () => engine.store.awaitProcessing(intent, wait))
    return null
  }
  return settleAttempt(engine, work, intent, { conclusion: verdict, evidence })
}

/** What a publish call proved: whatever is not positively understood is unknown. */
function verdictOf(reply: Reply<Verdict>): Verdict {
  switch (reply.is) {
    case 'judged':
      return reply.verdict
    case 'silent':
      return reply.answer.maybeSent ? { is: 'unknown', detail: reply.answer.reason } : NOT_SENT
    case 'unreadable':
      return { is: 'unknown', detail: 'the adapter failed over the answer' }
  }
}

/** Whether a publish call showed that the provider answers as it should, whatever it said. */
function providerWorks(reply: Reply<Verdict>): boolean {
  if (reply.is === 'silent' || reply.answer.response.status >= 500) return false
  return reply.is !== 'judged' || reply.verdict.is !== 'deferred' || reply.verdict.code === 'rate_limited'
}

/** A worker was lost after arming, so that its call may have left: nobody knows what became of it. */
async function loseAttempt(engine: Engine, work: Work, attemptId: string, partIndex: number): Promise<void> {
  const conclusion = { is: 'unknown', detail: 'the worker was lost after arming' } as const
  const evidence = { by: 'recovery', verdict: 'unknown' }
  await settleAttempt(engine, work, { attemptId, partIndex }, { conclusion, evidence })
}

/** Ends the lease before any call for a part: what kept it from one decides what follows. */
async function putOff(engine: Engine, work: Work, part: WorkPart, reason: Conclusion): Promise<null> {
  const outcome = decideOutcome(attemptContext(work, part.index), reason, engine.random())
  await releaseUnsent(engine, work, outcome, part)
  return null
}

function requeue(engine: Engine, work: Work): Promise<void> {
  return releaseUnsent(engine, work, requeueUnstarted(work.parts))
}

function unpublished({ parts }: Work): WorkPart | undefined {
  return parts.find((part) => part.status !== 'published')
}

function withPublished(work: Work, index: number, { remoteId }: Outcome): Work {
  const parts = work.parts.map((part): WorkPart =>
    part.index === index ? { ...part, status: 'published', remoteId } : part,
  )
  return { ...work, parts }
}

const ADAPTER_FAULT = { is: 'deferred', code: 'adapter_fault', afterMs: null } as const
const NOT_SENT = { is: 'deferred', code: 'not_reached', afterMs: null } as const
const NOT_REACHED = { is: 'deferred', code: 'not_reached', afterMs: 0 } as const

/** The end of an attempt that was armed, and whose call was never made. */
function notSent(why: string, conclusion: Extract<Conclusion, { is: 'deferred' | 'absent' }>): Ended {
  return { conclusion, evidence: { by: 'engine', verdict: conclusion.is, silence: why, maybeSent: false } }
}
