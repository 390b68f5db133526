import {
  noApprovalPolicy,
  noLimits,
  type Operation,
  permissionNames,
  rightNames,
  type Role,
  roleHas,
} from '@postrider/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Gate } from '../../../edge/api/operation/operation-route.ts'
import type { SendProblem } from '../../../edge/api/documents/problem.ts'
import type { RateLimit } from '../../../edge/api/http/rate-limits.ts'
import { findMembership, holdMembership } from '../../members/member-store.ts'
import { ChangedMeanwhile } from '../../../edge/operations/changed-meanwhile.ts'
import type { Db, Sql } from '../../../platform/postgres/db.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { remoteParty } from '../../../platform/outbound/remote-party.ts'
import type { Caller, PersonalCaller } from '../../../edge/operations/route.ts'
import { isUuid } from '../../../platform/text/uuid.ts'
import { type Browser, browserOf } from './browser.ts'
import { crossSite } from './cross-site.ts'
import { findSession, holdSession, type SignedIn } from './session-store.ts'
import { isOwnPage, type Site } from '../../../platform/outbound/site.ts'
import { operatorGate, type OperatorParts } from './operator-gate.ts'
import { operatorTokenIn } from './operator-token.ts'
import { refuseUnlessFresh } from '../write-with-proof.ts'

export type PeopleGateOptions = {
  readonly db: Db
  readonly site: Site
  /** Requests per session. */
  readonly requests: RateLimit
  /** Requests per address of those who are not signed in. */
  readonly entries: RateLimit
  readonly sendProblem: SendProblem
  readonly operator: OperatorParts
  /** The database's time: the same in all processes. */
  readonly now: () => Date
}

/** A person who acts for themselves, or a visitor who is about to sign in. */
export type Individual = PersonalCaller & { readonly signedIn: SignedIn | null; readonly browser: Browser }

/** What a page of another site cannot send without our consent, which no site gets. */
export const APP_HEADER = 'x-postrider-app'
/** A tab says by it that it was not touched for minutes: what it asks by itself is no use of the session. */
const IDLE_HEADER = 'x-postrider-idle'
/** Answers tell the time by it, in milliseconds, and a write until when it may come: one that was held up on its way is not carried out. */
const NOW_HEADER = 'x-postrider-now'
const UNTIL_HEADER = 'x-postrider-until'

/**
 * Gates that ask for a session. A write must come from a page of ours, by what the browser says of it and by a header that
 * other sites' forms cannot carry. Then: who it is, whether they are a member, what their role may do, and whether they
 * have shown just before who they are. The operator of the server's machine comes with a token, which no browser sends by itself.
 */
export function peopleGates(options: PeopleGateOptions): (operation: Operation) => Gate {
  const { db, site, requests, entries, sendProblem, now } = options
  const admitOperator = operatorGate(options)

  async function admit(
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Refusal | null> {
    const token = operatorTokenIn(request.headers)
    if (token !== null) {
      const late = await countRequest(reply, requests, `operator ${remoteParty(request.ip)}`)
      return late ?? admitOperator(operation, request, token)
    }
    const isUse = request.headers[IDLE_HEADER] !== '1'
    const isWrite = operation.idempotency !== undefined
    if (isWrite && !(isOwnPage(site, request.headers) && request.headers[APP_HEADER] === '1'))
      return crossSite(site)
    if (isWrite && now().getTime() > Number(request.headers[UNTIL_HEADER] ?? Infinity)) return arrivedLate()
    const browser = browserOf(request, reply, site)
    if (operation.asks === 'anyone') {
      const late = await countRequest(reply, entries, remoteParty(request.ip))
      request.caller = individual(null, browser)
      return late
    }
    const signedIn = browser.session === null ? null : await findSession(db, browser.session, { isUse })
    if (signedIn === null) return refuse('not_signed_in', 'Sign in, then repeat the request.')
    request.caller = individual(signedIn, browser)
    const late = await countRequest(reply, requests, signedIn.sessionId)
    if (late !== null) return late
    const refusal = operation.asks === 'person' ? null : await enterWorkspace(operation, request, signedIn)
    if (refusal !== null) return refusal
    return operation.fresh === true ? refuseUnlessFresh(signedIn) : null
  }

  async function enterWorkspace(
    { permission, fresh }: Operation,
    request: FastifyRequest,
    signedIn: SignedIn,
  ): Promise<Refusal | null> {
    const { workspaceId = '' } = request.params as { workspaceId?: string }
    const membership = isUuid(workspaceId) ? await findMembership(db, workspaceId, signedIn.personId) : null
    if (membership === null) return noSuchWorkspace()
    const { memberId, role } = membership
    request.caller = callerOf(signedIn, { workspaceId, memberId, role }, { fresh: fresh === true })
    return refuseRole(role, permission)
  }

  return (operation) => async (request, reply) => {
    request.operationId = operation.id
    reply.header('cross-origin-resource-policy', 'same-origin').header(NOW_HEADER, now().getTime())
    const refusal = await admit(operation, request, reply)
    if (refusal !== null) return sendProblem(request, reply, refusal)
  }
}

function arrivedLate(): Refusal<'arrived_late'> {
  return refuse('arrived_late', 'This was on its way for too long, and nothing was changed. Try again.')
}

function individual(signedIn: SignedIn | null, browser: Browser): Individual {
  return {
    workspaceId: null,
    credential: signedIn === null ? null : { id: signedIn.sessionId },
    signedIn,
    browser,
  }
}

/** Throws where the session is over, or the proof of identity that the operation needs is no longer fresh. */
async function holdSignedIn(sql: Sql, signedIn: SignedIn, needs: { fresh: boolean }): Promise<void> {
  const session = await holdSession(sql, signedIn)
  if (needs.fresh && !session.fresh) throw new ChangedMeanwhile()
}

const notNarrowed = { limits: noLimits, approval: noApprovalPolicy }

/** A member as the operations of a workspace know their caller. */
function callerOf(
  signedIn: SignedIn,
  { workspaceId, memberId, role }: { workspaceId: string; memberId: string; role: Role },
  needs: { fresh: boolean },
): Caller {
  const { sessionId, personId, name, email } = signedIn
  const permissions = permissionNames.filter((name) => roleHas(role, name))
  return {
    workspaceId,
    credential: { id: sessionId, type: 'person', name, permissions, expiresAt: null, ...notNarrowed },
    member: { id: memberId, personId, name, email, role },
    hold: async (sql) => {
      const [, present] = await Promise.all([
        holdSignedIn(sql, signedIn, needs),
        holdMembership(sql, workspaceId, memberId),
      ])
      if (present !== role) throw new ChangedMeanwhile()
    },
  }
}

function refuseRole(role: Role, permission: Operation['permission']): Refusal<'missing_permission'> | null {
  if (permission === null || roleHas(role, permission)) return null
  return refuse(
    'missing_permission',
    `Your role here is ${role}, which lacks \`${permission}\`. Ask an owner for another role.`,
    {
      requiredPermission: permission,
      grantedPermissions: rightNames.filter((right) => roleHas(role, right)),
    },
  )
}

function noSuchWorkspace(): Refusal<'not_found'> {
  return refuse('not_found', "This workspace doesn't exist, or you are not a member of it.")
}

/** Says what is left of a limit; the refusal when nothing is. */
async function countRequest(
  reply: FastifyReply,
  { policy, take }: RateLimit,
  name: string,
): Promise<Refusal<'rate_limited'> | null> {
  const left = await take(name)
  reply.header('ratelimit-policy', policy).header('ratelimit', left.field)
  if (left.allowed) return null
  const { resetSeconds } = left
  const detail = `Too many requests. Wait ${resetSeconds} second${resetSeconds === 1 ? '' : 's'}, then retry.`
  return refuse('rate_limited', detail, { retryAfterSeconds: resetSeconds })
}
