import type { Adapter, Providers, PublishWork, RemoteMedia, Verdict } from '../providers/port.ts'
import type { Breaker } from './breaker.ts'
import type { CallTimes } from './call-times.ts'
import type {
  Call,
  CallAnswer,
  Conclusion,
  EngineStore,
  Evidence,
  MediaSource,
  Outcome,
  Settlement,
  Subject,
  WorkPart,
} from './engine-port.ts'

/** What the engine runs on. Times are in milliseconds. */
export type Engine = CallTimes & {
  readonly store: EngineStore
  readonly providers: Providers
  readonly call: Call
  readonly media: MediaSource
  /** A monotonic clock: it measures, and tells no time of day. */
  readonly clock: () => number
  /** Waits; ends early, without an error, when the signal does. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
  readonly newId: () => string
  readonly breaker: Breaker
  /** From now on no new call is begun. */
  readonly stopping: AbortSignal
  readonly observe: (told: AttemptReport) => void
}

export type SettledAttempt = NonNullable<Settlement['attempt']>

/** One settlement, as it is logged and counted. */
export type AttemptReport = {
  readonly subject: Subject
  /** Null when no call was made. */
  readonly attempt: SettledAttempt | null
  readonly outcome: Outcome
  /** False: somebody else owns the destination by now, and nothing was changed. */
  readonly settled: boolean
}

/** The end of an attempt, and what shows it. */
export type Ended = { readonly conclusion: Conclusion; readonly evidence: Evidence }

/** Stores a settlement, however long the database is away: what a call told is known nowhere else. */
export function store(engine: Engine, settlement: Settlement): Promise<boolean> {
  return untilStored(engine, () => engine.store.settle(settlement))
}

const storeAgainAfterMs = 200
const storeAtMost = 150

/** Repeats a write until the store takes it. It has to be one that may be repeated. */
export async function untilStored<T>(engine: Engine, write: () => Promise<T>): Promise<T> {
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
export function publishWorkOf(
  subject: Subject,
  part: WorkPart,
  idempotencyKey: string,
  media: readonly RemoteMedia[],
): PublishWork {
  return {
    grant: subject.grant,
    settings: subject.settings,
    text: part.text,
    media,
    parent: remotePart(subject.parts[part.index - 1]),
    root: remotePart(part.index === 0 ? undefined : subject.parts[0]),
    idempotencyKey,
  }
}

function remotePart(part: WorkPart | undefined): { remoteId: string } | null {
  return part?.remoteId == null ? null : { remoteId: part.remoteId }
}

/**
 * Null while the provider is not finished, or cannot be asked: a look changes nothing, so it may be repeated. Where the
 * grant is no longer accepted, the channel is told so, and the end is unknown.
 */
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
  if (conclusion.is === 'reauthorize') {
    await engine.store.disconnect(subject)
    const unknown = { is: 'unknown', detail: 'the provider no longer accepts the grant' } as const
    return { conclusion: unknown, evidence: evidenceOf('poll', answer, conclusion) }
  }
  if (conclusion.is !== 'published' && conclusion.is !== 'rejected') return null
  return { conclusion, evidence: evidenceOf('poll', answer, conclusion) }
}

/** Whether a call showed that the provider answers as it should, whatever it said. */
export function providerWorks(answer: CallAnswer, verdict: Verdict): boolean {
  if (!answer.arrived || answer.response.status >= 500) return false
  return verdict.is !== 'deferred' || verdict.code === 'rate_limited'
}
