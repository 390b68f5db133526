import { type Operation, presetPermissions } from '@postrider/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuseBeyond } from '../../operations/credential-limits.ts'
import type { Db, Sql } from '../../../platform/postgres/db.ts'
import { refuse, type Refusal } from '../../operations/refusal.ts'
import { refuseWithout } from '../../operations/refuse-without.ts'
import type { Caller } from '../../operations/route.ts'
import { countedAuthentication, type CountedAuthentication } from './counted-authentication.ts'
import type { Gate } from './operation-route.ts'
import type { SendProblem } from '../documents/problem.ts'
import type { Allowance, OwnRateLimit, RateLimit } from '../http/rate-limits.ts'

/** What is entered by a gate: an operation, or something that leads to several. */
export type Entrance = Pick<Operation, 'id' | 'permission' | 'idempotency'>

/** Tells whose credential this is; null when it is unknown, expired or revoked. */
export type Authenticate = (sql: Sql, bearerSecret: string) => Promise<Caller | null>

export type GateOptions = {
  db: Db
  authenticate: Authenticate
  /** Where the protected-resource metadata is (RFC 9728). */
  metadataUrl: string
  /** Requests per credential. */
  requests: RateLimit
  /** Those of them that are writes; null when not limited on their own. */
  writes: RateLimit | null
  /** Failed authentications per remote address. */
  failures: OwnRateLimit
  sendProblem: SendProblem
}

/** RFC 6750's b64token; longer ones than any we issue are not worth a look-up. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]{1,4096}=*) *$/i

/**
 * Gates that ask for a bearer credential, then for the rate limits, for the network that the credential may be used from,
 * and for the operation's permission.
 */
export function bearerGates(options: GateOptions): (entrance: Entrance) => Gate {
  const { db, authenticate, failures } = options
  const authentication = countedAuthentication(db, authenticate, failures)
  return (entrance) => bearerGate(entrance, authentication, options)
}

function bearerGate(
  operation: Entrance,
  { authenticate, recall }: CountedAuthentication,
  options: GateOptions,
): Gate {
  const { sendProblem, requests } = options
  const { permission } = operation
  const writes = operation.idempotency === undefined ? null : options.writes
  const policy = writes === null ? requests.policy : `${requests.policy}, ${writes.policy}`

  /** What the caller may not do here, besides the rate limits; null where nothing is in the way. */
  function refuseCaller(
    { credential }: Caller,
    { ip }: FastifyRequest,
  ): Refusal<'credential_limit' | 'missing_permission'> | null {
    return refuseBeyond(credential.limits, { address: ip }) ?? refuseWithout(permission, credential)
  }

  return async (request, reply, { mayRecall = false } = {}) => {
    request.operationId = operation.id
    const secret = BEARER.exec(request.headers.authorization ?? '')?.[1]
    const remembered = mayRecall ? recall(secret) : null
    // A caller who would be refused is looked up first: what is remembered may no longer be the reason.
    const recalled =
      remembered !== null && refuseCaller(remembered.caller, request) === null ? remembered : null
    const found = recalled ?? (await authenticate(secret, request.ip))
    if (found.caller === null) return refuseCredential(request, reply, found.left, options)

    const { caller } = found
    request.caller = caller
    request.confirmCaller = recalled === null ? null : recalled.confirm
    const { id } = caller.credential
    const [left, leftToWrite] = await Promise.all([requests.take(id), writes?.take(id) ?? null])
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', leftToWrite === null ? left.field : `${left.field}, ${leftToWrite.field}`)
    request.countWrites =
      writes === null
        ? null
        : async (count) => {
            const { field } = await writes.take(id, count)
            reply.header('ratelimit', `${left.field}, ${field}`)
          }
    const beyond = refuseBeyondRate(left, leftToWrite)
    if (beyond !== null) {
      const confirmed = recalled === null ? found : await authenticate(secret, request.ip)
      return confirmed.caller === null
        ? refuseCredential(request, reply, confirmed.left, options)
        : sendProblem(request, reply, beyond)
    }

    const refusal = recalled === null ? refuseCaller(caller, request) : null
    if (refusal === null) return
    if (refusal.refused === 'missing_permission') {
      reply.header('www-authenticate', scopeChallenge(options, permission ?? ''))
    }
    return sendProblem(request, reply, refusal)
  }
}

/** Tells a client of OAuth which scope to ask for (RFC 6750, section 3.1). */
export function scopeChallenge(options: Pick<GateOptions, 'metadataUrl'>, scope: string): string {
  return challenge(options, `error="insufficient_scope", scope="${scope}"`)
}

function refuseCredential(
  request: FastifyRequest,
  reply: FastifyReply,
  left: Allowance,
  options: GateOptions,
): FastifyReply {
  if (!left.allowed)
    return options.sendProblem(request, reply, tooMany('failed authentications from this address', left))

  const absent = request.headers.authorization === undefined
  const scope = `scope="${presetPermissions.join(' ')}"`
  reply.header('www-authenticate', challenge(options, absent ? scope : `error="invalid_token", ${scope}`))
  const detail = absent
    ? 'Send your agent key or access token in the header `Authorization: Bearer <credential>`.'
    : 'This credential is malformed, unknown, expired, revoked or suspended since a restore. Check it, or issue a new one.'
  return options.sendProblem(request, reply, refuse('invalid_credential', detail))
}

function challenge({ metadataUrl }: Pick<GateOptions, 'metadataUrl'>, more: string): string {
  return `Bearer resource_metadata="${metadataUrl}"${more === '' ? '' : `, ${more}`}`
}

export function refuseBeyondRate(left: Allowance, leftToWrite: Allowance | null) {
  if (!left.allowed) return tooMany('requests with this credential', left)
  return leftToWrite?.allowed === false ? tooMany('writes with this credential', leftToWrite) : null
}

function tooMany(what: string, { resetSeconds }: Allowance) {
  const detail = `Too many ${what}. Wait ${resetSeconds} second${resetSeconds === 1 ? '' : 's'}, then retry.`
  return refuse('rate_limited', detail, { retryAfterSeconds: resetSeconds })
}
