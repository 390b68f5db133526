import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { EndpointRefusal } from './manage-endpoints.ts'

/** How many deliveries a list has when nobody says. */
export const DELIVERIES_PAGE = 20

export function refuseEndpoint(
  refusal: EndpointRefusal,
): Refusal<'not_found' | 'validation_failed' | 'invalid_state'> {
  return refusal.unknown === true ? noSuchEndpoint() : refuseNew(refusal)
}

/** Why an endpoint is not created. */
export function refuseNew(refusal: EndpointRefusal): Refusal<'validation_failed' | 'invalid_state'> {
  if (refusal.ofTarget !== true) return refuse('invalid_state', refusal.refused)
  return refuse('validation_failed', refusal.refused, {
    errors: [{ pointer: '/url', code: 'refused_address', detail: refusal.refused }],
  })
}

export function refuseState({ refused, unknown }: EndpointRefusal): Refusal<'not_found' | 'invalid_state'> {
  return unknown === true ? noSuchEndpoint() : refuse('invalid_state', refused)
}

export function noSuchEndpoint(): Refusal<'not_found'> {
  return refuse('not_found', 'Endpoint not found in this workspace.')
}
