import { limitsOf } from '../../networks/channels/channel.ts'
import type {
  Adapter,
  Limits,
  Made,
  PublishWork,
  RemoteMedia,
  Verdict,
} from '../../networks/providers/port/port.ts'
import { addressPart } from './address-media.ts'
import { callKey } from './call-key.ts'
import {
  attemptContext,
  awaitProvider,
  awaitReconnect,
  awaitSecretKey,
  decideOutcome,
  pollInMs,
  requeueUnstarted,
  unlessParentIsNew,
} from './decide-outcome.ts'
import { isNetworkWait } from '../queue/waits.ts'
import { TOO_LATE } from '../../platform/outbound/may-begin.ts'
import { isRefusedTarget } from '../../platform/outbound/outbound-http.ts'
import { ADAPTER_FAULT, MEDIA_UNAVAILABLE, PROVIDER_UNAVAILABLE, unsent } from './deferrals.ts'
import type { Engine, PartRefusal } from './engine-port.ts'
import type { Conclusion, Intent, LatePost, Outcome, WaitingUpload, Work, WorkPart } from '../queue/work.ts'
import {
  evidenceOf,
  excessOf,
  loadAdapter,
  originOf,
  performProcedure,
  prepare,
  publishWorkOf,
  type Reply,
} from './adapter-exchange.ts'
import { afterExpiry, withFreshAuthorization } from './fresh-authorization.ts'
import { madeBy, noteDrafts } from './leftovers.ts'
import { openAllMedia } from './open-media.ts'
import { pollProcessing } from './poll-processing.ts'
import { preparePart } from './prepare-part.ts'
import { askFormerCalls, askIfRefused } from './refused-calls.ts'
import { holdWhileSpent, watchBudget } from './rate-budget.ts'
import { keeping, proofBy, releaseUnsent, settleAttempt, untilStored, type Ended } from './settle-attempt.ts'
import { isOf, type Paused, uploadPart, uploadsOf, type PartContext } from './upload-part.ts'

/**
 * Resumes a claimed destination in whatever state it was left. No transaction is open during a call. A worker that finds
 * its lease lost stops at once.
 */
export async function publishWork(engine: Engine, work: Work): Promise<void> {
  const { attempt, orphan } = work
  if (attempt === null) return orphan ? requeue(engine, work, work.upload) : publishParts(engine, work)

  const { handle } = attempt
  if (handle === null) return loseAttempt(engine, work, attempt.id, attempt.partIndex)
  const outcome = await pollProcessing(engine, work, { ...attempt, handle })
  if (outcome !== null) await publishParts(engine, withPublished(work, attempt.partIndex, outcome))
}

/** Publishes the parts that are left, in order: upload, arm, call, settle, one after the other. */
async function publishParts(engine: Engine, claimed: Work): Promise<void> {
  let { probe } = claimed
  try {
    const ready = await readyAdapter(engine, claimed)
    if (ready === null) return
    const { adapter, origin, limits } = ready

    const authorized = await withFreshAuthorization(engine, adapter, claimed)
    const begun = adapter.keepsUploads ? claimed.upload : null
    if ('refused' in authorized) {
      await deferUnsent(engine, claimed, unpublished(claimed), authorized.refused, begun)
      if (isNetworkFailure(authorized.refused)) {
        await recordReachability(engine, { ...claimed, probe }, { origin, reached: false })
        probe = null
      }
      return
    }
    let work = authorized.subject
    const context = { adapter, limits, budget: watchBudget(engine, adapter, work) }
    for (let part = unpublished(work); part !== undefined; part = unpublished(work)) {
      if (engine.stopping.aborted) return await requeue(engine, work, begun)
      const late = lateProofOf(work, part)
      if (late !== null) {
        const proven = await settleAttempt(engine, work, late, provenBy(late))
        if (proven === null) return
        work = withPublished(work, part.index, proven)
        continue
      }
      const spent = context.budget.spent()
      if (spent !== null) return await deferUnsent(engine, work, part, spent, begun)
      const { outcome, reached } = await publishPart(engine, context, work, part)
      if (reached !== null) {
        await recordReachability(engine, { ...work, probe }, { origin, reached })
        probe = null
      }
      if (outcome === null) return
      work = withPublished(work, part.index, outcome)
    }
  } finally {
    if (probe !== null) await returnProbe(engine, probe)
  }
}

/** A former call for the part has made it, as it is written now: nothing is sent any more. */
function lateProofOf(work: Work, part: WorkPart): LatePost | null {
  const { late = null } = work
  return late?.partIndex === part.index && late.key === callKey(work, part) ? late : null
}

function provenBy(late: LatePost): Ended {
  const { remoteId, url } = late
  return { conclusion: { is: 'published', remoteId, url }, evidence: proofBy(late) }
}

type Ready = { readonly adapter: Adapter; readonly origin: string; readonly limits: Limits }

/**
 * The adapter, where its calls go, and the limits that what is left keeps within; null when nothing is to be published
 * now, and the lease has ended.
 */
async function readyAdapter(engine: Engine, work: Work): Promise<Ready | null> {
  const release = async (outcome: Outcome, part?: WorkPart) => {
    await releaseUnsent(engine, work, outcome, part)
    return null
  }
  const context = attemptContext(work, unpublished(work)?.index ?? 0)
  const loaded = await loadAdapter(engine, work)
  if (loaded.is === 'adapter_fault') return release(decideOutcome(context, ADAPTER_FAULT, engine.random()))
  const adapter = loaded.value
  if (adapter === undefined) return release(awaitProvider(context))
  if (!work.connected) return release(awaitReconnect(context))
  if (work.authorizationUnreadable === true) return release(awaitSecretKey(context, engine.random()))
  const limits = limitsOf(work, engine.providers)
  const checked = excessOf(engine, adapter, limits, work)
  if (checked.is === 'adapter_fault') return release(decideOutcome(context, ADAPTER_FAULT, engine.random()))
  if (checked.value !== null) {
    const { part, conclusion } = checked.value
    return release(decideOutcome(attemptContext(work, part.index), conclusion, engine.random()), part)
  }
  const origin = originOf(engine, adapter, work)
  if (origin.is === 'adapter_fault') return release(decideOutcome(context, ADAPTER_FAULT, engine.random()))
  const ready = { adapter, origin: origin.value, limits }
  if (origin.value === work.origin) return ready
  // The claim did not know which network it is, and so not whether that is away.
  const held = await untilStored(engine, () => engine.outages.learnOrigin(work, origin.value))
  return held ? release(decideOutcome(context, PROVIDER_UNAVAILABLE, engine.random())) : ready
}

/** The outcome is null when the lease has ended. */
type PartEnd = {
  readonly outcome: Outcome | null
  /** Whether the network was reached and works; null when no call showed it. */
  readonly reached: boolean | null
}

const UNSENT: PartEnd = { outcome: null, reached: null }

async function publishPart(
  engine: Engine,
  context: PartContext,
  work: Work,
  part: WorkPart,
): Promise<PartEnd> {
  const { adapter, limits } = context
  const attemptId = engine.newId()
  const key = callKey(work, part)
  const refuse = async (refused: PartRefusal, upload: WaitingUpload | null = null): Promise<PartEnd> => {
    await deferUnsent(engine, work, part, refused, upload)
    return isNetworkFailure(refused) ? { outcome: null, reached: false } : UNSENT
  }

  const note = (made: Partial<Made>) => noteDrafts(engine, adapter, { ...leaseOf(work), attemptId }, made)

  const asked = await askFormerCalls(engine, adapter, work, part)
  if (asked !== null) {
    if ('refused' in asked) return refuse(asked.refused, adapter.keepsUploads ? work.upload : null)
    // The call before is in doubt again: a look for it says which post is out.
    await settleAttempt(engine, work, { attemptId: asked.out.id, partIndex: part.index }, asked.ended)
    return { outcome: null, reached: true }
  }
  const uploads = await uploadPart(engine, context, work, part)
  await note('media' in uploads ? uploads : madeBy('waiting' in uploads ? uploads.waiting : uploads.upload))
  if ('refused' in uploads) return refuse(uploads.refused, uploads.upload)
  if ('waiting' in uploads) return leaveToNetwork(engine, work, uploads)
  const { media } = uploads
  if (engine.stopping.aborted) {
    await requeue(engine, work, cutOff(adapter, work, part, media))
    return UNSENT
  }
  const addressed = await addressPart(engine, context, work, part)
  if ('refused' in addressed) return refuse(addressed.refused)
  const made = await preparePart(engine, context, work, part, {
    media,
    mediaAddresses: addressed.mediaAddresses,
    former:
      work.formers.find((one) => one.partIndex === part.index && one.key === key && !one.discarded) ?? null,
  })
  if (!('refused' in made))
    await note('waiting' in made ? madeBy(made.waiting) : { media, prepared: made.prepared })
  const kept = uploadsOf(adapter, part, media)
  if (engine.stopping.aborted) {
    await requeue(engine, work, kept)
    return UNSENT
  }
  if ('waiting' in made) return leaveToNetwork(engine, work, made)
  if ('refused' in made) return refuse(made.refused, kept)
  const taker = { provider: adapter, limits, settings: work.settings }
  const sent = await openAllMedia(engine, taker, adapter.sendsFiles ? part.media : [])
  if ('refused' in sent) return refuse(sent.refused, kept)
  try {
    const { prepared } = made
    const publishing = publishWorkOf(work, part, media, prepared, sent.files)
    const evidence = made.lacks.map((lack) => ({ by: 'card', ...lack }))
    const intent = { ...leaseOf(work), attemptId, partIndex: part.index, key, media, prepared, evidence }
    return await callPart(engine, context, work, { intent, publishing, filesFailed: sent.failed, kept })
  } finally {
    await sent.release()
  }
}

/** What is kept of the uploads that a stop cut off: those that ended, and what was kept before. */
function cutOff(
  adapter: Adapter,
  work: Work,
  part: WorkPart,
  media: readonly RemoteMedia[],
): WaitingUpload | null {
  const begun = adapter.keepsUploads && isOf(part, work.upload) ? work.upload : null
  return begun !== null && media.length <= begun.uploaded.length ? begun : uploadsOf(adapter, part, media)
}

/** Ends the lease while the network processes what it was given. */
async function leaveToNetwork(engine: Engine, work: Work, { waiting, afterMs }: Paused): Promise<PartEnd> {
  await untilStored(engine, () => engine.store.awaitUpload(work, waiting, afterMs))
  return { outcome: null, reached: true }
}

type PartCall = {
  readonly intent: Intent
  readonly publishing: PublishWork
  /** The files that the call carried could not be read to their end: the provider had no whole request. */
  readonly filesFailed: () => boolean
  /** What the next try takes of the uploads, where this one leaves nothing. */
  readonly kept: WaitingUpload | null
}

/** Arms, calls and settles. */
async function callPart(
  engine: Engine,
  { adapter, budget }: PartContext,
  work: Work,
  { intent, publishing, filesFailed, kept }: PartCall,
): Promise<PartEnd> {
  const context = { adapter, exchange: 'publish', subject: work } as const
  const call = prepare(engine, context, adapter.publish, publishing)
  if (call.is === 'adapter_fault') {
    await deferUnsent(engine, work, work.parts[intent.partIndex], ADAPTER_FAULT, kept)
    return UNSENT
  }
  const begun = engine.clock()
  const refusal = await arm(engine, intent)
  if (refusal === 'lost') return UNSENT
  const endUnsent = async (ended: Ended) => {
    await settleAttempt(engine, work, intent, ended, kept)
    return UNSENT
  }
  if (refusal !== null) return endUnsent(refusal)

  const reply = await call.send(() => engine.clock() - begun <= engine.armWindowMs)
  if (reply.is === 'silent' && !reply.answer.maybeSent && reply.answer.reason === TOO_LATE)
    return endUnsent(notSent('too late to call', RETRY_NOW))
  budget.note('publish')(reply.answer)
  await holdWhileSpent(engine, work, budget)
  const unread = reply.is === 'silent' && filesFailed()
  const judged = unread ? MEDIA_UNAVAILABLE : verdictOf(reply)
  const { proven, noted } =
    reply.is === 'judged'
      ? await askIfRefused(engine, adapter, work, publishing, reply)
      : { proven: judged, noted: {} }
  const verdict = proven.is === 'published' ? await withAddress(engine, adapter, work, proven) : proven
  const reached = unread ? null : providerWorks(reply)
  const evidence = { ...evidenceOf('publish', reply.answer, verdict), ...noted }
  if (verdict.is === 'expired') {
    const conclusion = await afterExpiry(engine, work)
    return { outcome: await settleAttempt(engine, work, intent, { conclusion, evidence }, kept), reached }
  }
  if (verdict.is === 'accepted') {
    const wait = { handle: verdict.handle, pollInMs: pollInMs(0), error: null }
    await untilStored(engine, () => engine.store.awaitProcessing(intent, wait))
    return { outcome: null, reached }
  }
  const ended = { conclusion: verdict, evidence }
  return { outcome: await settleAttempt(engine, work, intent, ended, kept), reached }
}

/** Opens the attempt. Null: the call may be made, in its time. Otherwise the lease was lost, or the attempt ends without a call. */
async function arm(engine: Engine, intent: Intent): Promise<'lost' | Ended | null> {
  const armed = await engine.store.arm(intent).catch(() => null)
  if (armed === false) return 'lost'
  if (armed === null) return notSent('arming failed', RETRY_NOW)
  // Nothing is wrong with the provider, so that this is no delay: the next worker continues at once.
  return engine.stopping.aborted ? notSent('stopping', ABSENT) : null
}

/** Records what a call showed of the network, where that is news. The destination is settled even if this fails. */
async function recordReachability(
  engine: Engine,
  work: Work,
  { origin, reached }: { readonly origin: string; readonly reached: boolean },
): Promise<void> {
  const { workspaceId, channelId, probe, suspected } = work
  try {
    if (!reached) await engine.outages.recordFailure({ origin, workspaceId, channelId, probe })
    else if (suspected || probe !== null) await engine.outages.recordSuccess(origin)
  } catch (fault) {
    engine.onFault(fault, 'network')
  }
}

type Published = Extract<Verdict, { is: 'published' }>

/** The verdict with the address of the post, where the answer to the call did not have it and the network tells it now. */
async function withAddress(
  engine: Engine,
  adapter: Adapter,
  work: Work,
  verdict: Published,
): Promise<Published> {
  const { findAddress } = adapter
  if (findAddress === null || verdict.url !== null) return verdict
  const { authorization } = work
  const { remoteId } = verdict
  const context = { adapter, exchange: 'findAddress', subject: work }
  const asked = { authorization, remoteId }
  // Whatever comes of it, the post is out.
  const ran = await performProcedure(engine, context, findAddress, asked, { maxCalls: MAX_ADDRESS_CALLS })
  return ran.is === 'done' ? { ...verdict, url: ran.outcome } : verdict
}

const MAX_ADDRESS_CALLS = 2

async function returnProbe(engine: Engine, probe: string): Promise<void> {
  try {
    await engine.outages.returnProbe(probe)
  } catch (fault) {
    engine.onFault(fault, 'network')
  }
}

/** What a publish call proved: whatever is not positively understood is unknown. */
function verdictOf(reply: Reply<Verdict>): Verdict | ReturnType<typeof unsent> {
  switch (reply.is) {
    case 'judged':
      return reply.verdict
    case 'silent':
      if (!reply.answer.maybeSent) return unsent(reply.answer)
      if (reply.answer.unfinished === true) return PROVIDER_UNAVAILABLE
      return { is: 'unknown', detail: reply.answer.reason }
    case 'unreadable':
      return { is: 'unknown', detail: 'the adapter failed over the answer' }
  }
}

/** Whether a publish call showed that the provider answers as it should, whatever it said; null when it was not asked. */
function providerWorks(reply: Reply<Verdict>): boolean | null {
  if (reply.is === 'silent' && isRefusedTarget(reply.answer.reason)) return null
  if (reply.is === 'silent' || reply.answer.response.status >= 500) return false
  return reply.is !== 'judged' || reply.verdict.is !== 'deferred' || !isNetworkWait(reply.verdict.code)
}

function isNetworkFailure(reason: Conclusion): boolean {
  return reason.is === 'deferred' && isNetworkWait(reason.code)
}

/** A worker was lost after arming, so that its call may have been sent, with an unknown result. */
async function loseAttempt(engine: Engine, work: Work, attemptId: string, partIndex: number): Promise<void> {
  const conclusion = { is: 'unknown', detail: 'the worker was lost after arming' } as const
  const evidence = { by: 'recovery', verdict: 'unknown' }
  await settleAttempt(engine, work, { attemptId, partIndex }, { conclusion, evidence })
}

/** Ends the lease before any call for a part; the reason decides what follows. */
function deferUnsent(
  engine: Engine,
  work: Work,
  part: WorkPart | undefined,
  because: Conclusion,
  upload: WaitingUpload | null = null,
): Promise<void> {
  const reason = unlessParentIsNew(work.parts, part?.index ?? 0, because)
  const outcome = decideOutcome(attemptContext(work, part?.index ?? 0), reason, engine.random())
  return releaseUnsent(engine, work, outcome, part, keeping(upload, reason))
}

function requeue(engine: Engine, work: Work, upload: WaitingUpload | null = null): Promise<void> {
  return releaseUnsent(engine, work, requeueUnstarted(work.parts), undefined, keeping(upload, ABSENT))
}

function leaseOf({ workspaceId, destinationId, fence }: Work) {
  return { workspaceId, destinationId, fence }
}

function unpublished({ parts }: Work): WorkPart | undefined {
  return parts.find((part) => part.status !== 'published')
}

function withPublished(work: Work, index: number, { remoteId }: Outcome): Work {
  const parts = work.parts.map((part): WorkPart =>
    part.index === index ? { ...part, status: 'published', remoteId, publishedMsAgo: 0 } : part,
  )
  return { ...work, parts }
}

const ABSENT = { is: 'absent' } as const
/** Nothing is wrong with the network: the next try may go at once. */
const RETRY_NOW = { is: 'deferred', code: 'not_recorded', afterMs: 0 } as const

/** The end of an attempt that was armed, and whose call was never made. */
function notSent(why: string, conclusion: Extract<Conclusion, { is: 'deferred' | 'absent' }>): Ended {
  return { conclusion, evidence: { by: 'engine', verdict: conclusion.is, silence: why, maybeSent: false } }
}
