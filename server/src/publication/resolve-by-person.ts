import type { DestinationKey } from '../destinations/destination-store.ts'
import type { Db, Tx } from '../platform/db.ts'
import { within } from '../platform/write-transaction.ts'
import type { Providers } from '../providers/port.ts'
import { absenceCountsAfterMs, type CallTimes } from './call-times.ts'
import { decideOutcome } from './decide-outcome.ts'
import { findDoubt, isKnown, lockNaming } from './doubt-store.ts'
import type { Conclusion, Outcome } from './engine-port.ts'
import { settle } from './settle-store.ts'

/** What a person found when they looked for a part whose result is not known. */
export type Finding =
  | { readonly is: 'published'; readonly remoteId: string; readonly url: string | null }
  /** It is not out, and is to be published again. */
  | { readonly is: 'absent' }
  /** It is not out, and is not to be published by itself: the retry command may. */
  | { readonly is: 'failed' }

export type PersonsDecision = DestinationKey & {
  /** What the destination had when they looked: their word is about that doubt, and about no later one. */
  readonly controlToken: string
  /** Whose word this is: kept as evidence. */
  readonly memberName: string
  readonly note: string | null
  readonly finding: Finding
}

export type Resolved =
  | { readonly done: true; readonly outcome: Outcome; readonly restored: boolean }
  /**
   * `settled`: it is not in `checking`, or something else has settled it meanwhile; `changed`: it is in doubt again;
   * `another`: the id is that of another part.
   */
  | { readonly done: false; readonly why: 'settled' | 'changed' | 'another' }
  /** `too_early`: what is not to be seen yet may still come out. */
  | { readonly done: false; readonly why: 'too_early'; readonly waitMs: number }

/**
 * Settles a destination in `checking` by a person's word, which is kept as evidence with their name. That something is
 * not out counts, from a person as from a look, only once the call is over and had time to show.
 */
export function resolveByPerson(
  db: Db | Tx,
  times: CallTimes,
  providers: Providers,
  decision: PersonsDecision,
): Promise<Resolved> {
  return within(db, (tx) => resolveIn(tx, times, providers, decision))
}

async function resolveIn(
  tx: Tx,
  times: CallTimes,
  providers: Providers,
  decision: PersonsDecision,
): Promise<Resolved> {
  const doubt = await findDoubt(tx, decision)
  if (doubt === null) return { done: false, why: 'settled' }
  if (doubt.controlToken !== decision.controlToken) return { done: false, why: 'changed' }
  const facts = providers.get(doubt.provider) ?? { repeatable: null }
  const processedMs = doubt.handle === null ? 0 : times.processingMs
  const waitMs = absenceCountsAfterMs(times, facts) + processedMs - doubt.ageMs
  // No call of this server is meant by what was restored.
  if (decision.finding.is !== 'published' && waitMs > 0 && !doubt.restored)
    return { done: false, why: 'too_early', waitMs }
  if (decision.finding.is === 'published') {
    await lockNaming(tx, decision)
    if (await isKnown(tx, decision, decision.finding.remoteId)) return { done: false, why: 'another' }
  }

  const conclusion = conclusionOf(decision.finding, doubt)
  const { destinationId, provider, parts, tries, attemptId, partIndex, restored } = doubt
  const context = { status: 'checking', provider, parts, partIndex, tries, restored } as const
  const outcome = decideOutcome(context, conclusion, 0)
  const evidence = {
    by: 'person',
    name: decision.memberName,
    note: decision.note,
    verdict: decision.finding.is,
    ...(conclusion.is === 'published' ? { remoteId: conclusion.remoteId } : {}),
  }
  const attempt = { id: attemptId, partIndex, conclusion: conclusion.is, evidence, inferred: false }
  const { workspaceId } = decision
  const by = { type: 'person', name: decision.memberName } as const
  const [settled] = await settle(tx, [
    { workspaceId, destinationId, fence: null, by, attempt, restored, outcome },
  ])
  return settled === true ? { done: true, outcome, restored } : { done: false, why: 'settled' }
}

function conclusionOf(finding: Finding, { unapproved }: { readonly unapproved: boolean }): Conclusion {
  if (finding.is === 'published') return { is: 'published', remoteId: finding.remoteId, url: finding.url }
  if (finding.is === 'absent' && !unapproved) return { is: 'absent' }
  const found = 'A person looked at the provider, and found that it was not published.'
  const detail = unapproved
    ? `${found} It was never approved: a retry asks for approval where one is needed.`
    : found
  return { is: 'rejected', code: 'not_published', detail }
}
