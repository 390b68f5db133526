import type { Answer, Input, Operation, RefusalCode } from '@postrider/contract'
import type { Refusal } from '../../edge/operations/refusal.ts'
import type { Route } from '../../edge/operations/route.ts'
import type { Browser } from './session/browser.ts'
import type { Individual } from './session/people-gate.ts'
import type { SignedIn } from './session/session-store.ts'

/** The refusals that the gate gives, and that a handler may give as well. */
type SharedRefusal =
  | 'rate_limited'
  | 'not_found'
  | 'validation_failed'
  | 'fresh_proof_required'
  | 'missing_permission'

type Answered<O extends Operation> = Promise<Answer<O> | Refusal<RefusalCode<O> | SharedRefusal>>

/** Joins an operation that a person does for themselves with its handler, which answers for its own transactions. */
export function personalRoute<O extends Operation & { asks: 'person' }>(
  operation: O,
  handle: (input: Input<O>, who: { signedIn: SignedIn; browser: Browser }) => Answered<O>,
): Route {
  return entryRoute(operation, (input, { signedIn, browser }) => {
    if (signedIn === null) throw new Error(`${operation.id} was reached without a session`)
    return handle(input, { signedIn, browser })
  })
}

/** The same for an operation of those who are yet to sign in. */
export function entryRoute<O extends Operation & { asks: 'person' | 'anyone' }>(
  operation: O,
  handle: (input: Input<O>, caller: Individual) => Answered<O>,
): Route {
  return { operation, handle: (input: Input<O>, { caller }: { caller: Individual }) => handle(input, caller) }
}
