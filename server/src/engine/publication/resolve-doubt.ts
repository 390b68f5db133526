import { notKnownToShow } from '../../networks/providers/port/list-shows.ts'
import type { Adapter } from '../../networks/providers/port/port.ts'
import { absenceCountsAfterMs, type CallsMade, callOverAfterMs } from './call-times.ts'
import { attemptContext, decideOutcome, doubtNotLookedUp } from './decide-outcome.ts'
import type { AdapterFault, Engine } from './engine-port.ts'
import type { Conclusion, Doubt, Evidence } from '../queue/work.ts'
import { performProcedure, evidenceOf, exchange, loadAdapter, publishWorkOf } from './adapter-exchange.ts'
import { afterExpiry } from './fresh-authorization.ts'
import { poll } from './poll-processing.ts'
import { keeping, store } from './settle-attempt.ts'
import { uploadsOf } from './upload-part.ts'

type Found = {
  readonly is: 'found'
  readonly conclusion: Conclusion
  readonly evidence: Evidence
  readonly inferred: boolean
}

/**
 * Looks once whether an unproven call left something at the provider. Only a proof settles the destination; without
 * one it stays in `checking`, and the store has already scheduled the next lookup. `askedAt` is the engine's clock from
 * before the doubt was read: a worker that was suspended since then must not repeat a call.
 */
export async function resolveDoubt(engine: Engine, doubt: Doubt, askedAt: number): Promise<void> {
  const loaded = await loadAdapter(engine, doubt)
  if (loaded.is === 'adapter_fault') return engine.store.noteDoubt(doubt, doubtNotLookedUp(doubt.provider))
  const found = await findProof(engine, loaded.value, doubt, askedAt)
  if (found === null) return
  if (found.is === 'adapter_fault') return engine.store.noteDoubt(doubt, doubtNotLookedUp(doubt.provider))

  const { id, partIndex } = doubt.attempt
  const { conclusion, evidence, inferred } = found
  const restored = doubt.attempt.restored === true
  // What became of that one call is no proof about others that the server before the restore may have made.
  if (restored && (conclusion.is !== 'published' || inferred)) return
  const context = {
    ...attemptContext(doubt, partIndex),
    status: 'checking',
    restored,
    rounds: doubt.rounds,
  } as const
  const outcome = decideOutcome(context, conclusion, engine.random())
  const attempt = { id, partIndex, conclusion: conclusion.is, evidence, inferred }
  const { workspaceId, destinationId } = doubt
  const part = doubt.parts[partIndex]
  const kept =
    loaded.value !== undefined && part !== undefined
      ? uploadsOf(loaded.value, part, doubt.attempt.media)
      : null
  const settlement = { workspaceId, destinationId, fence: null, attempt, restored, outcome }
  const settled = await store(engine, { ...settlement, ...keeping(kept, conclusion) })
  engine.observe({ subject: doubt, attempt, outcome, settled })
}

/** Null: nothing is proven yet. */
async function findProof(
  engine: Engine,
  adapter: Adapter | undefined,
  doubt: Doubt,
  askedAt: number,
): Promise<Found | AdapterFault | null> {
  if (adapter === undefined || doubt.authorizationUnreadable === true) return null
  const { handle } = doubt.attempt
  if (handle !== null && adapter.poll !== null) return pollDoubt(engine, adapter, doubt, handle, askedAt)
  const repeats = adapter.repeatable?.ifServerKeepsKeys !== true && mayRepeat(engine, adapter, doubt, askedAt)
  const repeated = repeats ? await repeat(engine, adapter, doubt, askedAt) : null
  return repeated ?? lookUp(engine, adapter, doubt, askedAt, 0)
}

/**
 * Where the provider has forgotten the handle, or is not understood, the post itself is looked up. Then that nothing is
 * there proves something only after any processing is over, and only if the provider knows of none.
 */
async function pollDoubt(
  engine: Engine,
  adapter: Adapter,
  doubt: Doubt,
  handle: string,
  askedAt: number,
): Promise<Found | AdapterFault | null> {
  const polled = await poll(engine, adapter, doubt, handle)
  switch (polled.is) {
    case 'ended':
      return polled.conclusion.is === 'unknown' ? null : { ...polled, is: 'found', inferred: false }
    case 'processing':
      return null
    case 'forgotten':
      return lookUp(engine, adapter, doubt, askedAt, engine.processingMs)
    case 'no_answer':
      return lookUp(engine, adapter, doubt, askedAt, null)
    case 'adapter_fault':
      return polled
  }
}

/**
 * The same call under the same key makes nothing new, while the provider remembers the key. A call that carried files is
 * not repeated: they may be converted again, and would not be the same bytes.
 */
function mayRepeat(engine: Engine, adapter: Adapter, doubt: Doubt, askedAt: number): boolean {
  if (adapter.repeatable === null || doubt.expired || !doubt.connected || engine.stopping.aborted)
    return false
  if (doubt.attempt.restored === true) return false
  if (adapter.sendsFiles && doubt.parts[doubt.attempt.partIndex]?.media.length !== 0) return false
  return (
    doubt.attempt.ageMs > callOverAfterMs(engine) && isInWindow(engine, adapter.repeatable, doubt, askedAt)
  )
}

/** Whether a call that begins now is over while the provider still remembers the key. */
function isInWindow(
  engine: Engine,
  { windowMs }: NonNullable<Adapter['repeatable']>,
  { attempt }: Doubt,
  askedAt: number,
): boolean {
  return attempt.ageMs + (engine.clock() - askedAt) < windowMs - callOverAfterMs(engine)
}

/** Only success proves anything: a refusal of the repeat does not tell what became of the calls before it. */
async function repeat(
  engine: Engine,
  adapter: Adapter,
  doubt: Doubt,
  askedAt: number,
): Promise<Found | AdapterFault | null> {
  const part = doubt.parts[doubt.attempt.partIndex]
  const { repeatable } = adapter
  if (part === undefined || repeatable === null) return null
  const work = publishWorkOf(doubt, part, doubt.attempt.media, doubt.attempt.prepared)
  const context = { adapter, exchange: 'publish', subject: doubt }
  const mayBegin = () => isInWindow(engine, repeatable, doubt, askedAt)
  const reply = await exchange(engine, context, adapter.publish, work, mayBegin)
  if (reply.is === 'adapter_fault') return reply
  if (reply.is === 'unreadable') return reply.fault
  if (reply.is === 'silent' || reply.verdict.is !== 'published') return null
  const { answer, verdict } = reply
  return {
    is: 'found',
    conclusion: verdict,
    evidence: evidenceOf('repeat', answer, verdict),
    inferred: false,
  }
}

/** A lookup that would take more calls than this is left to a person. */
const MAX_CALLS = 50

/**
 * Looks for the call's post, read-only. That nothing is there counts only of a kind of post that is known to be shown, and
 * only once all calls are over and had time to show, and `afterMs` besides; with null it never does. A look that proves
 * nothing is kept with its reason.
 */
async function lookUp(
  engine: Engine,
  adapter: Adapter,
  doubt: Doubt,
  askedAt: number,
  afterMs: number | null,
): Promise<Found | AdapterFault | null> {
  const part = doubt.parts[doubt.attempt.partIndex]
  if (adapter.lookup === null || part === undefined) return null
  const { armedAt, ageMs, media, prepared } = doubt.attempt
  const work = {
    ...publishWorkOf(doubt, part, media, prepared),
    armedAt,
    now: new Date(armedAt.getTime() + ageMs + (engine.clock() - askedAt)),
    knownRemoteIds: doubt.knownRemoteIds,
  }
  const context = { adapter, exchange: 'lookup', subject: doubt }
  const ran = await performProcedure(engine, context, adapter.lookup, work, { maxCalls: MAX_CALLS })
  if (ran.is === 'adapter_fault') return ran
  const noted = async (evidence: Evidence) => {
    await engine.store.noteLook(doubt, evidence)
    return null
  }
  if (ran.is === 'silent') return noted(evidenceOf('lookup', ran.answer, UNAVAILABLE))
  if (ran.is === 'stopped' && ran.why === 'signal') return null
  if (ran.is !== 'done') return noted({ by: 'lookup', verdict: 'unavailable', detail: TOO_MANY_CALLS })
  const { outcome: result, last } = ran
  const evidence = last === null ? { by: 'lookup', verdict: result.is } : evidenceOf('lookup', last, result)
  switch (result.is) {
    case 'found': {
      const { remoteId, url, exact } = result
      return {
        is: 'found',
        conclusion: { is: 'published', remoteId, url },
        evidence: { ...evidence, verdict: 'published' },
        inferred: !exact,
      }
    }
    case 'absent': {
      const unseen = result.seen === 'by key' ? null : notKnownToShow(result.seen, work)
      if (unseen !== null)
        return noted({
          ...evidence,
          verdict: 'unavailable',
          detail: `The list that was read is not known to show ${unseen}.`,
        })
      const calls = callsMade(adapter, doubt, result.keepsKeys)
      const counts = afterMs !== null && ageMs > absenceCountsAfterMs(engine, adapter, calls) + afterMs
      if (!counts) {
        const kept = adapter.repeatable?.ifServerKeepsKeys === true && calls === 'repeated'
        const repeats = kept && mayRepeat(engine, adapter, doubt, askedAt)
        const repeated = repeats ? await repeat(engine, adapter, doubt, askedAt) : null
        return repeated ?? noted({ ...evidence, verdict: 'not_yet' })
      }
      const conclusion = absentAfter(doubt.attempt.answered ?? null)
      return { is: 'found', conclusion, evidence, inferred: conclusion.is === 'absent' }
    }
    case 'out':
    case 'gone':
    case 'unavailable':
      return noted({ ...evidence, verdict: 'unavailable', detail: result.detail })
    case 'reauthorize':
      await engine.store.disconnect(doubt)
      return noted(evidence)
    case 'expired':
      // The next lookup goes with the new access token.
      await afterExpiry(engine, doubt)
      return noted(evidence)
  }
}

/** Which calls a doubt is about, by what a look said of the server. */
function callsMade({ repeatable }: Adapter, { attempt }: Doubt, keepsKeys: boolean): CallsMade {
  if (repeatable?.ifServerKeepsKeys !== true) return 'repeated'
  if (!keepsKeys) return 'once'
  return saysNo(attempt.answered ?? null) ? 'answered' : 'repeated'
}

/** These ask for another try, 401 with another access token; every other answer of 400 to 499 says that the call itself was wrong. */
const TRY_AGAIN: readonly number[] = [401, 408, 425, 429]

function saysNo(answered: number | null): answered is number {
  return answered !== null && answered >= 400 && answered <= 499 && !TRY_AGAIN.includes(answered)
}

/** What follows where a call left nothing: the same again, unless the network said no to it, in words that are not known. */
function absentAfter(answered: number | null): Extract<Conclusion, { is: 'absent' | 'rejected' }> {
  if (!saysNo(answered)) return ABSENT
  const detail = `The network answered with HTTP ${answered}, and a check showed that the post was not published.`
  return { is: 'rejected', code: 'not_published', detail }
}

const ABSENT = { is: 'absent' } as const
const UNAVAILABLE = { is: 'unavailable' } as const
const TOO_MANY_CALLS = 'Comparing everything there would take too many calls.'
