import { agentApiDescription, operations as contractOperations, type Operation } from '@postrider/contract'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Route } from '../../operations/route.ts'
import { type Authenticate, bearerGates } from './gate.ts'
import type { OperationFamily } from './operation-family.ts'
import { problemSender } from '../documents/problem.ts'
import type { SharedCounts } from '../http/rate-count-store.ts'
import { ownRateLimit, type OwnRateLimit, type RateLimit, sharedRateLimit } from '../http/rate-limits.ts'
import { resourceMetadataUrl, resources } from '../documents/resources.ts'

export type AgentApiParts = {
  readonly db: Db
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  /** The address clients use, without a slash at its end. */
  readonly baseUrl: string
  readonly counts: BearerCounts
  /** What may be set for each provider, by its name, as JSON Schema. */
  readonly settings: Readonly<Record<string, unknown>>
  /** What must be routed; the contract's operations when left out. */
  readonly operations?: readonly Operation[]
}

export type AgentApiLimits = {
  /** Requests per minute and credential. */
  readonly perMinute: number
  /** How many of these may be writes; as many as there may be requests, when left out. */
  readonly writesPerMinute?: number
  /** Failed authentications per minute and remote address, in each process; 300 when left out. */
  readonly failedAuthenticationsPerMinute?: number
}

/** What bearers of credentials are counted by, whichever way they enter. */
export type BearerCounts = {
  /** Requests per credential. */
  readonly requests: RateLimit
  /** Those of them that are writes; null when not limited on their own. */
  readonly writes: RateLimit | null
  /** Failed authentications per remote address. */
  readonly failures: OwnRateLimit
}

export function bearerCounts(limits: AgentApiLimits, shared: SharedCounts): BearerCounts {
  const { perMinute, writesPerMinute, failedAuthenticationsPerMinute = 300 } = limits
  return {
    requests: sharedRateLimit('default', perMinute, shared),
    writes: writesPerMinute === undefined ? null : sharedRateLimit('writes', writesPerMinute, shared),
    // Who guesses must not keep the database busy, not even with being counted.
    failures: ownRateLimit('failures', failedAuthenticationsPerMinute),
  }
}

/** The operations below `/agent/v1`, entered with a bearer credential and described at `/openapi`. */
export function agentApi(parts: AgentApiParts): OperationFamily {
  const { db, routes, authenticate, baseUrl, counts, settings } = parts
  return {
    operations: parts.operations ?? contractOperations,
    routes,
    gateFor: bearerGates({
      db,
      authenticate,
      ...counts,
      metadataUrl: resourceMetadataUrl(baseUrl, resources.agentApi),
      sendProblem: problemSender(baseUrl),
    }),
    reference: { at: '/openapi', about: agentApiDescription, settings },
  }
}
