import type { Adapter } from '../../networks/providers/port/port.ts'
import { awaitPolling, notPolled, pollAfterFaultMs, pollInMs } from './decide-outcome.ts'
import type { AdapterFault, Engine } from './engine-port.ts'
import type { OpenAttempt, Outcome, ProcessingWait, Subject, Work } from '../queue/work.ts'
import { ANY_TIME, evidenceOf, exchange, loadAdapter } from './adapter-exchange.ts'
import { afterExpiry } from './fresh-authorization.ts'
import { settleAttempt, untilStored, type Ended } from './settle-attempt.ts'

/** An accepted call that its provider is processing. */
export type Processing = OpenAttempt & { readonly handle: string }

/** What a poll of an accepted call showed. */
export type Polled =
  | (Ended & { readonly is: 'ended' })
  | { readonly is: 'processing' }
  /** The provider says that it knows no such handle. */
  | { readonly is: 'forgotten' }
  /** It could not be asked, or its answer was not understood. */
  | { readonly is: 'no_answer' }
  | AdapterFault

/**
 * Polls, once, an accepted call that is leased for it; while it is not finished, the lease ends and the row alone says
 * when to poll next. Null unless the part is out and the next one is ours to publish.
 */
export async function pollProcessing(
  engine: Engine,
  work: Work,
  attempt: Processing,
): Promise<Outcome | null> {
  const loaded = await loadAdapter(engine, work)
  if (loaded.is === 'adapter_fault') {
    const wait = { pollInMs: pollAfterFaultMs(attempt.ageMs), error: notPolled(work.provider) }
    return waitOn(engine, work, attempt, wait)
  }
  const adapter = loaded.value
  if (adapter === undefined)
    return waitOn(engine, work, attempt, awaitPolling(work.provider, 'provider_disabled'))
  if (work.authorizationUnreadable === true)
    return waitOn(engine, work, attempt, awaitPolling(work.provider, 'secret_unreadable'))

  const ref = { attemptId: attempt.id, partIndex: attempt.partIndex }
  const polled = await poll(engine, adapter, work, attempt.handle)
  if (polled.is === 'ended') return settleAttempt(engine, work, ref, polled)
  if (polled.is === 'forgotten') return settleAttempt(engine, work, ref, unproven('forgotten'))
  if (attempt.ageMs > engine.processingMs) return settleAttempt(engine, work, ref, unproven('not finished'))
  if (polled.is === 'adapter_fault') {
    const wait = { pollInMs: pollAfterFaultMs(attempt.ageMs), error: notPolled(work.provider) }
    return waitOn(engine, work, attempt, wait)
  }
  return waitOn(engine, work, attempt, { pollInMs: pollInMs(attempt.ageMs), error: null })
}

async function waitOn(
  engine: Engine,
  { workspaceId, destinationId, fence }: Work,
  { id: attemptId, partIndex, handle }: Processing,
  wait: Omit<ProcessingWait, 'handle'>,
): Promise<null> {
  const intent = { workspaceId, destinationId, fence, attemptId, partIndex }
  await untilStored(engine, () => engine.store.awaitProcessing(intent, { handle, ...wait }))
  return null
}

function unproven(what: 'forgotten' | 'not finished'): Ended {
  const detail = `the provider's processing of an accepted call: ${what}`
  return { conclusion: { is: 'unknown', detail }, evidence: { by: 'poll', verdict: what } }
}

/**
 * Polls an accepted call: a poll changes nothing, so it may be repeated. Where the authorization is no longer accepted, the
 * channel is told so, and the end is unknown.
 */
export async function poll(
  engine: Engine,
  adapter: Adapter,
  subject: Subject,
  handle: string,
): Promise<Polled> {
  if (adapter.poll === null) return { is: 'no_answer' }
  const work = { authorization: subject.authorization, handle }
  const reply = await exchange(engine, { adapter, exchange: 'poll', subject }, adapter.poll, work, ANY_TIME)
  if (reply.is === 'adapter_fault') return reply
  if (reply.is === 'unreadable') return reply.fault
  if (reply.is === 'silent') return { is: 'no_answer' }

  const { answer, verdict } = reply
  switch (verdict.is) {
    case 'published':
    case 'rejected':
      return { is: 'ended', conclusion: verdict, evidence: evidenceOf('poll', answer, verdict) }
    case 'expired':
      await afterExpiry(engine, subject)
      return { is: 'no_answer' }
    case 'reauthorize': {
      await engine.store.disconnect(subject)
      const unknown = { is: 'unknown', detail: 'the provider no longer accepts the authorization' } as const
      return { is: 'ended', conclusion: unknown, evidence: evidenceOf('poll', answer, verdict) }
    }
    case 'accepted':
      return { is: 'processing' }
    case 'forgotten':
      return verdict
    case 'unknown':
      return { is: 'no_answer' }
  }
}
