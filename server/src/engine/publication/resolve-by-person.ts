import type { DestinationKey } from '../destinations/destination-store.ts'
import type { Db, Tx } from '../../platform/postgres/db.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { within } from '../../edge/operations/write-transaction.ts'
import type { ProviderFacts, Providers } from '../../networks/providers/port/port.ts'
import { absenceCountsAfterMs, type CallTimes } from './call-times.ts'
import { decideOutcome } from './decide-outcome.ts'
import { findDoubt, isKnown, lockNaming } from '../queue/doubt-store.ts'
import type { Conclusion, Outcome } from '../queue/work.ts'
import { settle } from '../queue/settle-store.ts'

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

/** What a person's word has led to. */
export type Resolution = {
  readonly outcome: Outcome
  /** It was held since a restore. */
  readonly restored: boolean
}

type Unresolved = Refusal<'stale_control_token' | 'invalid_state' | 'validation_failed'>

/**
 * Settles a destination in `checking` by a person's word, which is kept as evidence with their name. That something is
 * not out counts, from a person as from a look, only once the call is over and had time to show.
 */
export function resolveByPerson(
  db: Db | Tx,
  times: CallTimes,
  providers: Providers,
  decision: PersonsDecision,
): Promise<Resolution | Unresolved> {
  return within(db, (tx) => resolveIn(tx, times, providers, decision))
}

async function resolveIn(
  tx: Tx,
  times: CallTimes,
  providers: Providers,
  decision: PersonsDecision,
): Promise<Resolution | Unresolved> {
  const doubt = await findDoubt(tx, decision)
  if (doubt === null) return settledMeanwhile()
  if (doubt.controlToken !== decision.controlToken) {
    return refuse(
      'stale_control_token',
      'The post changed after you looked and is being checked again. Look again.',
    )
  }
  const provider = providers.get(doubt.provider)
  const finding = withId(decision.finding, doubt, provider)
  if (finding === null) return noId()
  const facts = provider ?? { repeatable: null }
  const processedMs = doubt.handle === null ? 0 : times.processingMs
  const waitMs = absenceCountsAfterMs(times, facts) + processedMs - doubt.ageMs
  if (finding.is !== 'published' && waitMs > 0) return tooEarly(waitMs)
  if (finding.is === 'published') {
    await lockNaming(tx, decision)
    if (await isKnown(tx, decision, finding.remoteId)) {
      return refuse(
        'invalid_state',
        'Another post of this channel is published under this ID. Look for the ID of this one.',
      )
    }
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
  return settled === true ? { outcome, restored } : settledMeanwhile()
}

/** It is not in `checking`, or something else has settled it meanwhile. */
function settledMeanwhile() {
  return refuse('invalid_state', 'Only a post that is `checking` can be resolved.', {
    allowedStatuses: ['checking'],
  })
}

function noId() {
  const detail = "This address doesn't contain the post's ID on the network. Give the ID."
  return refuse('validation_failed', detail, {
    errors: [{ pointer: '/remoteId', code: 'malformed', detail }],
  })
}

/** What is not to be seen yet may still come out. */
function tooEarly(waitMs: number) {
  const seconds = Math.ceil(waitMs / 1_000)
  const detail = `The call may still arrive, so its absence counts only in ${seconds} seconds. Look again then.`
  return refuse('invalid_state', detail, { currentStatus: 'checking', retryAfterSeconds: seconds })
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
  const found = 'A person checked the network and found that it was not published.'
  const detail = unapproved
    ? `${found} It was never approved, so a retry requests approval where needed.`
    : found
  return { is: 'rejected', code: 'not_published', detail }
}
