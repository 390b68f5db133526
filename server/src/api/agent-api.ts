import { agentApiDescription, operations as contractOperations, type Operation } from '@postrider/contract'
import type { Db } from '../platform/db.ts'
import type { Route } from '../operations/route.ts'
import { type Authenticate, bearerGates, resourceMetadataUrl } from './gate.ts'
import type { OperationFamily } from './operation-family.ts'
import { problemSender } from './problem.ts'
import { rateLimit } from './rate-limits.ts'

export type AgentApiParts = {
  readonly db: Db
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  /** The address clients use, without a slash at its end. */
  readonly baseUrl: string
  readonly limits: AgentApiLimits
  /** What must be routed; the contract's operations when left out. */
  readonly operations?: readonly Operation[]
}

/** Each counted in this process. */
export type AgentApiLimits = {
  /** Requests per minute and credential. */
  readonly perMinute: number
  /** How many of these may be writes; as many as there may be requests, when left out. */
  readonly writesPerMinute?: number
  /** Failed authentications per minute and remote address; 300 when left out. */
  readonly failedAuthenticationsPerMinute?: number
}

/** The operations below `/agent/v1`, entered with a bearer credential and described at `/openapi`. */
export function agentApi(parts: AgentApiParts): OperationFamily {
  const { db, routes, authenticate, baseUrl, limits } = parts
  const { writesPerMinute } = limits
  return {
    operations: parts.operations ?? contractOperations,
    routes,
    gateFor: bearerGates({
      db,
      authenticate,
      metadataUrl: resourceMetadataUrl(baseUrl),
      requests: rateLimit('default', limits.perMinute),
      writes: writesPerMinute === undefined ? null : rateLimit('writes', writesPerMinute),
      failures: rateLimit('failures', limits.failedAuthenticationsPerMinute ?? 300),
      sendProblem: problemSender(baseUrl),
    }),
    reference: { at: '/openapi', about: agentApiDescription },
  }
}
