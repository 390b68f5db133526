/** Where one event stands on its way to one endpoint. */
export const deliveryStatuses = {
  pending: { settled: false, meaning: 'Waiting for its time: the first try, or the next one.' },
  sending: { settled: false, meaning: 'A dispatcher has it under a lease; the request may have left.' },
  delivered: { settled: true, meaning: 'The receiver answered with an HTTP status from 200 to 299.' },
  failed: { settled: true, meaning: 'Given up: refused for good, or tried as often as allowed.' },
} as const

export type DeliveryStatus = keyof typeof deliveryStatuses

type Move = { readonly from: readonly DeliveryStatus[]; readonly to: DeliveryStatus; readonly cause: string }

/**
 * The life of a delivery. Doubt is harmless here, because a receiver knows an event by its id: whatever cannot be
 * proven delivered is tried again, up to five times. The attempt is counted by `claim`, before anything is sent, so
 * that a dispatcher that dies in the middle cannot make a sixth.
 */
export const deliveryMoves = {
  claim: { from: ['pending'], to: 'sending', cause: 'due, and taken by a dispatcher; counts an attempt' },
  confirm: { from: ['sending'], to: 'delivered', cause: 'acknowledged' },
  defer: {
    from: ['sending'],
    to: 'pending',
    cause: 'not acknowledged, or the dispatcher was lost; tries are left',
  },
  release: { from: ['sending'], to: 'pending', cause: 'handed back unsent by a dispatcher that stops' },
  exhaust: { from: ['sending'], to: 'failed', cause: 'refused for good, or no try is left' },
  abandon: { from: ['pending'], to: 'failed', cause: 'the endpoint was disabled' },
  resend: {
    from: ['pending', 'delivered', 'failed'],
    to: 'pending',
    cause: 'asked for by a person, or replayed automatically; a new round begins',
  },
} as const satisfies Record<string, Move>

/** Whether an endpoint is owed the events that are recorded. */
export const endpointStatuses = {
  active: 'New events of the chosen types are delivered.',
  disabled: 'Nothing is delivered, and events recorded meanwhile are not owed; replay sends them later.',
} as const

export type EndpointStatus = keyof typeof endpointStatuses

export const disabledReasons = {
  by_hand: 'A person disabled it.',
  failing: 'It failed for five days without one success, and deliveries were lost.',
  secret_lost: 'The key that encrypted its signing secret was lost: rotate the secret, then enable it.',
} as const

export type DisabledReason = keyof typeof disabledReasons
