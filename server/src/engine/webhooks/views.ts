import type { app } from '@postrider/contract'
import type { DeliveryAttempt, DeliverySummary } from './delivery-log-store.ts'
import type { Endpoint } from './endpoint-store.ts'
import { maskedUrl } from './masked-url.ts'

/** An endpoint as people see it: what looks like a secret in its address is masked. */
export function viewEndpoint(endpoint: Endpoint): app.EndpointView {
  const { url, statusSince, failingSince, createdAt, ...rest } = endpoint
  return {
    ...rest,
    url: maskedUrl(url),
    statusSince: statusSince.toISOString(),
    failingSince: failingSince?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}

export function viewDelivery(delivery: DeliverySummary): app.DeliveryView {
  const { nextAt, settledAt, createdAt, ...rest } = delivery
  return {
    ...rest,
    nextAt: nextAt?.toISOString() ?? null,
    settledAt: settledAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}

export function viewAttempt({ endedAt, ...attempt }: DeliveryAttempt) {
  return { ...attempt, endedAt: endedAt.toISOString() }
}
