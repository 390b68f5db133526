import {
  app,
  noApprovalPolicy,
  noLimits,
  type Operation,
  permissionNames,
  type Role,
  roleHas,
} from '@postrider/contract'
import type { FastifyRequest } from 'fastify'
import { chooseWorkspace, isChosen } from '../../members/choose-workspace.ts'
import { findMember, findOwner, holdMembership } from '../../members/member-store.ts'
import { ChangedMeanwhile } from '../../../edge/operations/changed-meanwhile.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { Caller } from '../../../edge/operations/route.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { NIL_UUID } from '../../../platform/text/nil-uuid.ts'
import type { Keyring } from '../../../platform/sealing/sealing.ts'
import { isUuid } from '../../../platform/text/uuid.ts'
import { isFromThisMachine, type OperatorClaim, readOperatorToken } from './operator-token.ts'

/** What proves the operator of the server's machine, and finds what they mean. */
export type OperatorParts = {
  readonly keyring: Pick<Keyring, 'unseal'>
  /** The workspace that has what this id names; null for none. */
  readonly workspaceOf: (db: Db, id: string) => Promise<string | null>
}

type OperatorGate = (operation: Operation, request: FastifyRequest, token: string) => Promise<Refusal | null>

const operations = new Set(app.operatorOperations.map(({ id }) => id))

/**
 * Lets the operator of the server's machine do what the command line does there: in the workspace that the token names, in the
 * name of its owner or of the member that the token names. The path names that workspace, too, or none by the nil UUID.
 */
export function operatorGate({ db, operator }: { db: Db; operator: OperatorParts }): OperatorGate {
  return async (operation, request, token) => {
    if (!operations.has(operation.id)) return notForOperators()
    if (!isFromThisMachine(request.raw)) return elsewhere()
    const claim = readOperatorToken(operator.keyring, token, Date.now())
    if (claim === null) return over()
    const chosen = await chooseWorkspace(db, claim.workspace ?? (await holderOf(db, operator, claim)))
    if (!isChosen(chosen)) return refuse('not_found', chosen.sentence)
    const { workspaceId, name } = chosen
    const params = request.params as { workspaceId: string }
    if (params.workspaceId !== NIL_UUID && params.workspaceId !== workspaceId)
      return refuse('not_found', 'The token of the operator is for another workspace.')
    params.workspaceId = workspaceId
    const member = await memberFor(db, workspaceId, claim.as)
    if (member === null) return claim.as === null ? ownerIsOut(name) : noSuchMember(name, claim.as)
    if (operation.permission !== null && !roleHas(member.role, operation.permission))
      return refuse(
        'missing_permission',
        `${member.name} is ${member.role} of the workspace "${name}", and that role lacks \`${operation.permission}\`.`,
        { requiredPermission: operation.permission },
      )
    request.caller = callerOf(workspaceId, member, claim.user)
    return null
  }
}

async function holderOf(db: Db, { workspaceOf }: OperatorParts, { about }: OperatorClaim) {
  return about !== null && isUuid(about) ? workspaceOf(db, about) : null
}

/** The member in whose name it is done; null where there is none who has not been suspended. */
async function memberFor(db: Db, workspaceId: string, as: string | null): ReturnType<typeof findMember> {
  const id = as ?? (await findOwner(db, workspaceId))?.memberId
  return id === undefined ? null : findMember(db, workspaceId, id)
}

function callerOf(
  workspaceId: string,
  { memberId, name, email, role, personId }: NonNullable<Awaited<ReturnType<typeof findMember>>>,
  operator: string,
): Caller {
  return {
    workspaceId,
    operator,
    credential: {
      id: NIL_UUID,
      type: 'person',
      name: 'operator',
      expiresAt: null,
      permissions: permissionsOf(role),
      limits: noLimits,
      approval: noApprovalPolicy,
    },
    member: { id: memberId, personId, name, email, role },
    hold: async (sql) => {
      if ((await holdMembership(sql, workspaceId, memberId)) !== role) throw new ChangedMeanwhile()
    },
  }
}

function permissionsOf(role: Role) {
  return permissionNames.filter((permission) => roleHas(role, permission))
}

function notForOperators(): Refusal<'not_signed_in'> {
  return refuse(
    'not_signed_in',
    'A person does this for themselves: sign in. The operator of the machine cannot.',
  )
}

function elsewhere(): Refusal<'not_signed_in'> {
  return refuse(
    'not_signed_in',
    'The token of the operator counts only on the machine of the server, and not through a proxy.',
  )
}

function over(): Refusal<'not_signed_in'> {
  return refuse(
    'not_signed_in',
    'The token of the operator is over, or was made with other secret keys than this server has. Run the command again, with the settings of the server; if the keys were changed, restart the server first.',
  )
}

function ownerIsOut(name: string): Refusal<'not_found'> {
  return refuse(
    'not_found',
    `The workspace "${name}" has no owner who is not suspended. After a restore, run \`postrider access confirm\` first; \`postrider access list\` shows the id. Where it was frozen, to be moved or deleted, nothing of it goes on here.`,
  )
}

function noSuchMember(name: string, as: string): Refusal<'not_found'> {
  return refuse('not_found', `The workspace "${name}" has no member "${as}".`)
}
