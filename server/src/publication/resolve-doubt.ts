import type { Adapter } from '../providers/port.ts'
import { absenceCountsAfterMs, callOverAfterMs } from './call-times.ts'
import { decideOutcome, doubtNotLookedUp } from './decide-outcome.ts'
import type { Conclusion, Doubt, Evidence } from './engine-port.ts'
import { poll, store, type Engine } from './engine.ts'
import { afterExpiry } from './fresh-grant.ts'
import { converse, evidenceOf, exchange, publishWorkOf, type AdapterFault } from './exchange.ts'

type Found = { readonly conclusion: Conclusion; readonly evidence: Evidence; readonly inferred: boolean }

/**
 * Looks once whether an unproven call left something at the provider. Only a proof settles the destination;
 * without one it stays in `checking`, and the store has already put off the next look. `askedAt` is the engine's
 * clock from before the doubt was read: a worker that slept since then must not repeat a call.
 */
export async function resolveDoubt(engine: Engine, doubt: Doubt, askedAt: number): Promise<void> {
  const adapter = await engine.providers.get(doubt.provider)?.load()
  if (adapter === undefined || doubt.grantUnreadable === true) return
  const found = await look(engine, adapter, doubt, askedAt)
  if (found === null) return
  if ('is' in found) return engine.store.noteDoubt(doubt, doubtNotLookedUp(doubt.provider))

  const { attempt } = doubt
  const standing = {
    status: 'checking',
    provider: doubt.provider,
    parts: doubt.parts,
    partIndex: attempt.partIndex,
    tries: doubt.tries,
  } as const
  const outcome = decideOutcome(standing, found.conclusion, engine.random())
  const told = {
    id: attempt.id,
    partIndex: attempt.partIndex,
    conclusion: found.conclusion.is,
    evidence: found.evidence,
    inferred: found.inferred,
  }
  const settled = await store(engine, {
    workspaceId: doubt.workspaceId,
    destinationId: doubt.destinationId,
    fence: null,
    attempt: told,
    outcome,
  })
  engine.observe({ subject: doubt, attempt: told, outcome, settled })
}

/** Null: nothing is proven yet. */
async function look(
  engine: Engine,
  adapter: Adapter,
  doubt: Doubt,
  askedAt: number,
): Promise<Found | AdapterFault | null> {
  const { attempt } = doubt
  if (attempt.handle !== null && adapter.poll !== null) {
    const polled = await poll(engine, adapter, doubt, attempt.handle)
    if (polled !== null && 'conclusion' in polled)
      return polled.conclusion.is === 'unknown' ? null : { ...polled, inferred: false }
    return polled?.is === 'adapter_fault' ? polled : null
  }
  const repeated = mayRepeat(engine, adapter, doubt, askedAt) ? await repeat(engine, adapter, doubt) : null
  return repeated ?? lookUp(engine, adapter, doubt)
}

/** The same call under the same key makes nothing new, while the provider remembers the key. */
function mayRepeat(engine: Engine, adapter: Adapter, doubt: Doubt, askedAt: number): boolean {
  if (adapter.repeatable === null || doubt.expired || !doubt.connected || engine.stopping.aborted)
    return false
  const ageAtMostMs = doubt.attempt.ageMs + (engine.clock() - askedAt)
  const lastMs = adapter.repeatable.windowMs - callOverAfterMs(engine)
  return doubt.attempt.ageMs > callOverAfterMs(engine) && ageAtMostMs < lastMs
}

/** Only success proves anything: a refusal of the repeat does not tell what became of the calls before it. */
async function repeat(engine: Engine, adapter: Adapter, doubt: Doubt): Promise<Found | AdapterFault | null> {
  const part = doubt.parts[doubt.attempt.partIndex]
  if (part === undefined) return null
  const work = publishWorkOf(doubt, part, doubt.attempt.id, doubt.attempt.media, doubt.attempt.prepared)
  const context = { adapter, exchange: 'publish', subject: doubt }
  const reply = await exchange(engine, context, adapter.publish, work)
  if (reply.is === 'adapter_fault') return reply
  if (reply.is === 'unreadable') return reply.fault
  if (reply.is === 'silent' || reply.verdict.is !== 'published') return null
  const { answer, verdict } = reply
  return { conclusion: verdict, evidence: evidenceOf('repeat', answer, verdict), inferred: false }
}

/** A lookup that would take more calls than this is left to a person. */
const MAX_CALLS = 50

/**
 * Looks for the call's post, read-only. That nothing is there counts only once all calls are over and had time to show.
 */
async function lookUp(engine: Engine, adapter: Adapter, doubt: Doubt): Promise<Found | AdapterFault | null> {
  const part = doubt.parts[doubt.attempt.partIndex]
  if (adapter.lookup === null || part === undefined) return null
  const conclusive = doubt.attempt.ageMs > absenceCountsAfterMs(engine, adapter)
  const { armedAt, id, media, prepared } = doubt.attempt
  const work = {
    ...publishWorkOf(doubt, part, id, media, prepared),
    armedAt,
    knownRemoteIds: doubt.knownRemoteIds,
  }
  const context = { adapter, exchange: 'lookup', subject: doubt }
  const ran = await converse(engine, context, adapter.lookup, work, MAX_CALLS)
  if (ran.is === 'adapter_fault') return ran
  if (ran.is !== 'done' || ran.last === null) return null
  const { outcome: result, last } = ran
  if (result.is === 'reauthorize') await engine.store.disconnect(doubt)
  // The next look goes with the new access token.
  if (result.is === 'expired') await afterExpiry(engine, doubt)
  if (result.is === 'found') {
    const { remoteId, url, exact } = result
    const published = { is: 'published', remoteId, url } as const
    return { conclusion: published, evidence: evidenceOf('lookup', last, published), inferred: !exact }
  }
  if (result.is !== 'absent' || !conclusive) return null
  return { conclusion: ABSENT, evidence: evidenceOf('lookup', last, ABSENT), inferred: true }
}

const ABSENT = { is: 'absent' } as const
