import { isRefusedTarget } from '../../platform/outbound/outbound-http.ts'
import type { CallAnswer } from '../../networks/providers/port/calls.ts'
import type { Ran } from '../../networks/providers/port/procedure.ts'
import type { AdapterFault } from './engine-port.ts'

/*
 * Why a part is deferred where no answer of its provider says so. `afterMs` is null for the next growing wait.
 */

export const ADAPTER_FAULT = { is: 'deferred', code: 'adapter_fault', afterMs: null } as const
export const MEDIA_UNAVAILABLE = { is: 'deferred', code: 'media_unavailable', afterMs: null } as const
export const TARGET_REFUSED = { is: 'deferred', code: 'target_refused', afterMs: null } as const
const NOT_REACHED = { is: 'deferred', code: 'not_reached', afterMs: null } as const
export const PROVIDER_UNAVAILABLE = { is: 'deferred', code: 'provider_unavailable', afterMs: null } as const

/** The deferral of a part of which a procedure did not finish. */
export function deferralOf(ran: Exclude<Ran<unknown>, { is: 'done' | 'fault' }> | AdapterFault) {
  if (ran.is === 'adapter_fault') return ADAPTER_FAULT
  return ran.is === 'silent' && !ran.answer.maybeSent ? unsent(ran.answer) : PROVIDER_UNAVAILABLE
}

/** The deferral of a call of which not one byte has left. */
export function unsent({ reason }: Extract<CallAnswer, { arrived: false }>) {
  return isRefusedTarget(reason) ? TARGET_REFUSED : NOT_REACHED
}
