import type { RefusalCode } from './refusals.ts'

/** What can be made to go wrong with one call. Each says whether a create is stored before it strikes. */
export type Fault =
  | { kind: 'latency'; ms: number }
  | { kind: 'refuse'; status: number; code: string }
  | { kind: 'rate_limit'; retryAfterSeconds: number }
  | { kind: 'unauthorized' }
  | { kind: 'revoke' }
  | { kind: 'accept_then_drop' }
  | { kind: 'drop_before' }
  | { kind: 'accept_then_500' }
  | { kind: 'error_500_before' }
  | { kind: 'garbage' }
  | { kind: 'slow_processing'; ms: number; thenFail?: boolean }
  | { kind: 'outage'; retryAfterSeconds?: number }
  | { kind: 'hang' }
  | { kind: 'truncate' }

/** Which calls a plan strikes: creates, reads (everything else of the API), or both. */
export type Calls = 'create' | 'read' | 'every'
export type Match = { accountId?: string; textIncludes?: string; calls?: Calls }
export type Times = number | 'always'
export type FaultPlan = { id: string; match: Match; fault: Fault; times: Times; fired: number }

export type Call = { kind: 'create' | 'read'; accountId: string | null; text: string | null }

/** Processing after acceptance: how long the post stays hidden, and whether it then fails. */
export type Processing = { ms: number; thenFail: boolean }

/** What the client gets in place of the ordinary answer. */
export type FaultyAnswer =
  | { is: 'none' }
  | { is: 'refusal'; code: RefusalCode; retryAfterSeconds?: number }
  | { is: 'custom_refusal'; httpStatus: number; code: string }
  | { is: 'drop' }
  | { is: 'hang' }
  | { is: 'truncate' }
  | { is: 'garbage' }

/** A fault reduced to what the server does: wait, perhaps revoke, perhaps store, then answer or not. */
export type Effect = {
  delayMs: number
  revokes: boolean
  stores: boolean
  processing: Processing | null
  faultyAnswer: FaultyAnswer
}

const ordinary: Effect = {
  delayMs: 0,
  revokes: false,
  stores: true,
  processing: null,
  faultyAnswer: { is: 'none' },
}

function refusing(code: RefusalCode, retryAfterSeconds?: number): Effect {
  const faultyAnswer: FaultyAnswer = {
    is: 'refusal',
    code,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
  return { ...ordinary, stores: false, faultyAnswer }
}

/** The whole meaning of every fault. No fault means the ordinary course. */
export function effectOf(fault: Fault | null): Effect {
  if (fault === null) return ordinary
  switch (fault.kind) {
    case 'latency':
      return { ...ordinary, delayMs: fault.ms }
    case 'refuse':
      return {
        ...ordinary,
        stores: false,
        faultyAnswer: { is: 'custom_refusal', httpStatus: fault.status, code: fault.code },
      }
    case 'rate_limit':
      return refusing('rate_limited', fault.retryAfterSeconds)
    case 'unauthorized':
      return refusing('invalid_token')
    case 'revoke':
      return { ...refusing('invalid_token'), revokes: true }
    case 'accept_then_drop':
      return { ...ordinary, faultyAnswer: { is: 'drop' } }
    case 'drop_before':
      return { ...ordinary, stores: false, faultyAnswer: { is: 'drop' } }
    case 'accept_then_500':
      return { ...ordinary, faultyAnswer: { is: 'refusal', code: 'internal_error' } }
    case 'error_500_before':
      return refusing('internal_error')
    case 'garbage':
      return { ...ordinary, faultyAnswer: { is: 'garbage' } }
    case 'slow_processing':
      return { ...ordinary, processing: { ms: fault.ms, thenFail: fault.thenFail ?? false } }
    case 'outage':
      return refusing('outage', fault.retryAfterSeconds)
    case 'hang':
      return { ...ordinary, faultyAnswer: { is: 'hang' } }
    case 'truncate':
      return { ...ordinary, faultyAnswer: { is: 'truncate' } }
    default:
      return fault satisfies never
  }
}

/** The first plan, in the order they were added, that matches the call and is not used up. */
export function planFor(plans: readonly FaultPlan[], call: Call): FaultPlan | null {
  return plans.find((plan) => !isSpent(plan) && matches(plan, call)) ?? null
}

function isSpent({ times, fired }: FaultPlan): boolean {
  return times !== 'always' && fired >= times
}

function matches({ match, fault }: FaultPlan, call: Call): boolean {
  const calls = match.calls ?? (fault.kind === 'outage' ? 'every' : 'create')
  if (calls !== 'every' && calls !== call.kind) return false
  if (fault.kind === 'slow_processing' && call.kind === 'read') return false
  if (match.accountId !== undefined && match.accountId !== call.accountId) return false
  return match.textIncludes === undefined || (call.text?.includes(match.textIncludes) ?? false)
}
