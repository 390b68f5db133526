import type { DestinationKey } from '../destinations/destination-store.ts'
import type { Db, Tx } from '../platform/db.ts'
import { within } from '../operations/write-transaction.ts'
import type { ProviderFacts, Providers } from '../providers/port.ts'
import { absenceCountsAfterMs, type CallTimes } from './call-times.ts'
import { decideOutcome } from './decide-outcome.ts'
import { findDoubt, isKnown, lockNaming } from './doubt-store.ts'
import type { Conclusion, Outcome } from './engine-port.ts'
import { settle } from './settle-store.ts'

/** What a person found when they looked for a part whose result is not known. */
export type Finding =
  /** `remoteId` may be the address, where that tells the id. */
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
   * `another`: the id is that of another part; `no_id`: it is an address, which does not tell the id.
   */
  | { readonly done: false; readonly why: 'settled' | 'changed' | 'another' | 'no_id' }
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
  const provider = providers.get(doubt.provider)
  const finding = withId(decision.finding, doubt, provider)
  if (finding === null) return { done: false, why: 'no_id' }
  const facts = provider ?? { repeatable: null }
  const processedMs = doubt.handle === null ? 0 : times.processingMs
  const waitMs = absenceCountsAfterMs(times, facts) + processedMs - doubt.ageMs
  // What a restore holds, and no call is known of, was not sent by this server.
  if (finding.is !== 'published' && waitMs > 0 && (doubt.called || !doubt.restored))
    return { done: false, why: 'too_early', waitMs }
  if (finding.is === 'published') {
    await lockNaming(tx, decision)
    if (await isKnown(tx, decision, finding.remoteId)) return { done: false, why: 'another' }
  }

  const conclusion = conclusionOf(finding, doubt)
  const { destinationId, parts, tries, attemptId, partIndex, restored } = doubt
  const context = { status: 'checking', provider: doubt.provider, parts, partIndex, tries, restored } as const
  const outcome = decideOutcome(context, conclusion, 0)
  const evidence = {
    by: 'person',
    name: decision.memberName,
    note: decision.note,
    verdict: finding.is,
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

/**
 * The finding with an id of the network: parts are told apart by it, and the next part of a thread is a reply to it. Null: an
 * address that does not tell it.
 */
function withId(
  finding: Finding,
  doubt: { readonly remoteAccountId: string },
  provider: Pick<ProviderFacts, 'idAt'> | undefined,
): Finding | null {
  if (finding.is !== 'published' || !/^https?:/i.test(finding.remoteId)) return finding
  const address = URL.parse(finding.remoteId)
  const remoteId = address === null ? undefined : provider?.idAt(address, doubt)
  return remoteId == null ? null : { ...finding, remoteId }
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
