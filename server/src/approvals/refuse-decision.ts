import { refuse } from '../operations/refusal.ts'
import type { Decided } from './decide-approval.ts'

export function noSuchRequest() {
  return refuse('not_found', 'There is no such request for approval in this workspace.')
}

/** Why nothing was decided, in words. */
export function refuseDecision({ why, request }: Extract<Decided, { done: false }>) {
  switch (why) {
    case 'not_found':
      return noSuchRequest()
    case 'changed':
      return refuse(
        'invalid_state',
        'What would be published is no longer what you saw, so nothing was decided. Look at it again.',
      )
    case 'cancelled':
      return refuse(
        'invalid_state',
        'All of the post was cancelled, so that there is nothing left to decide.',
      )
    case 'closed':
      return refuse('invalid_state', 'This request is closed: it was decided, replaced or has expired.', {
        ...(request === null ? {} : { currentStatus: request.status }),
      })
    default:
      return why satisfies never
  }
}
