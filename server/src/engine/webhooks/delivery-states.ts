/**
 * Where one event stands on its way to one endpoint. Doubt is harmless here, because a receiver knows an event by its id:
 * whatever cannot be proven delivered is tried again, up to five times. The attempt is counted by the claim, before anything
 * is sent, so that a dispatcher that dies in the middle cannot make a sixth.
 */
export const deliveryStatuses = {
  pending: { settled: false, meaning: 'Waiting for its time: the first try, or the next one.' },
  sending: { settled: false, meaning: 'A dispatcher has it under a lease; the request may have left.' },
  delivered: { settled: true, meaning: 'The receiver answered with an HTTP status from 200 to 299.' },
  failed: { settled: true, meaning: 'Given up: refused for good, or tried as often as allowed.' },
} as const

export type DeliveryStatus = keyof typeof deliveryStatuses

/** Whether an endpoint is owed the events that are recorded. */
export const endpointStatuses = {
  active: 'New events of the chosen types are delivered.',
  disabled: 'Nothing is delivered, and events recorded meanwhile are not owed; replay sends them later.',
} as const

export type EndpointStatus = keyof typeof endpointStatuses

export const disabledReasons = {
  by_hand: 'A person disabled it.',
  failing: 'It failed for five days without one success, and deliveries were lost.',
  credential_ended:
    'The agent key or app that created it was revoked, has expired, or was limited to some posts.',
  right_lost:
    'The agent key or app that created it, or its member, may no longer have the events of posts. Enable it to take it over.',
  secret_lost: 'The key that encrypted its signing secret was lost: rotate the secret, then enable it.',
} as const

export type DisabledReason = keyof typeof disabledReasons

/** Why the credential that created an endpoint has it no longer: whoever enables it takes it over for the workspace. */
export const ownerless: readonly DisabledReason[] = ['credential_ended', 'right_lost']
