import type { Adapter, LookupWork } from '../providers/port.ts'
import { absenceCountsAfterMs, callOverAfterMs } from './call-times.ts'
import { decideOutcome, doubtNotLookedUp } from './decide-outcome.ts'
import type { Conclusion, Doubt, Evidence } from './engine-port.ts'
import { poll, store, type Engine } from './engine.ts'
import { evidenceOf, exchange, publishWorkOf, type AdapterFault } from './exchange.ts'

type Found = { readonly conclusion: Conclusion; readonly evidence: Evidence; readonly inferred: boolean }

/**
 * Looks once whether an unproven call left something at the provider. Only a proof settles the destination;
 * without one it stays in `checking`, and the store has already put off the next look. `askedAt` is the engine's
 * clock from before the doubt was read: a worker that slept since then must not repeat a call.
 */
export async function resolveDoubt(engine: Engine, doubt: Doubt, askedAt: number): Promise<void> {
  const adapter = engine.providers.get(doubt.provider)
  if (adapter === undefined) return
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
  if (mayRepeat(engine, adapter, doubt, askedAt)) return repeat(engine, adapter, doubt)
  return lookUp(engine, adapter, doubt)
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
  const work = publishWorkOf(doubt, part, doubt.attempt.id, doubt.attempt.media)
  const context = { adapter, exchange: 'publish', subject: doubt }
  const reply = await exchange(engine, context, adapter.publish, work)
  if (reply.is === 'adapter_fault') return reply
  if (reply.is === 'unreadable') return reply.fault
  if (reply.is === 'silent' || reply.verdict.is !== 'published') return null
  const { answer, verdict } = reply
  return { conclusion: verdict, evidence: evidenceOf('repeat', answer, verdict), inferred: false }
}

/** A look that would take more pages than this is left to a person. */
const pagesAtMost = 50

/**
 * Reads the provider's list, page by page, back to before the call. What is seen is the call's own if it is not known
 * to be another part's. That nothing is there counts only once all calls are over and had time to show, and only when
 * the list was read to its end.
 */
async function lookUp(engine: Engine, adapter: Adapter, doubt: Doubt): Promise<Found | AdapterFault | null> {
  const part = doubt.parts[doubt.attempt.partIndex]
  if (adapter.lookup === null || part === undefined) return null
  const conclusive = doubt.attempt.ageMs > absenceCountsAfterMs(engine, adapter)
  const { armedAt } = doubt.attempt
  let page: string | null = null
  for (let pages = 0; pages < pagesAtMost; pages++) {
    const publishing = publishWorkOf(doubt, part, doubt.attempt.id, doubt.attempt.media)
    const work: LookupWork = { ...publishing, armedAt, page }
    const reply = await exchange(
      engine,
      { adapter, exchange: 'lookup', subject: doubt },
      adapter.lookup,
      work,
    )
    if (reply.is === 'adapter_fault') return reply
    if (reply.is === 'unreadable') return reply.fault
    if (reply.is === 'silent') return null
    const { answer, verdict: result } = reply
    if (result.is === 'reauthorize') await engine.store.disconnect(doubt)
    if (result.is !== 'page') return null

    const seen = result.candidates.find(({ remoteId }) => !doubt.knownRemoteIds.includes(remoteId))
    const found = seen === undefined ? ABSENT : ({ is: 'published', ...seen } as const)
    if (seen !== undefined || (result.more === null && conclusive)) {
      return { conclusion: found, evidence: evidenceOf('lookup', answer, found), inferred: true }
    }
    if (result.more === null) return null
    page = result.more
  }
  return null
}

const ABSENT = { is: 'absent' } as const
