import { type Role, roleHas } from '@postrider/contract/names'
import type { ActDetails } from '../../edge/operations/act.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { type EndCredentials, endMembership, lockMembers, setRole, type Member } from './member-store.ts'

/** The member who does something to the members of their workspace. */
export type Acting = { readonly workspaceId: string; readonly memberId: string }

export type Changed = { readonly member: Member; readonly details: ActDetails }
type Refused = Refusal<'not_found' | 'missing_permission' | 'last_owner'>

/** Whether a member with this role may make others that: only owners make owners. */
export function mayGrant(granter: Role, role: Role): boolean {
  return roleHas(granter, role === 'owner' ? 'owners:manage' : 'members:manage')
}

/** Gives a member another role. What they are is judged under a lock, and not as it was when the request came in. */
export async function changeRole(
  tx: Tx,
  acting: Acting,
  memberId: string,
  role: Role,
): Promise<Changed | Refused> {
  const members = await lockMembers(tx, acting.workspaceId)
  const [actor, member] = [members.get(acting.memberId), members.get(memberId)]
  if (actor === undefined || member === undefined) return noSuchMember()
  if (!mayGrant(actor.role, role) || !mayGrant(actor.role, member.role)) return ownersOnly()
  if (role !== 'owner' && isLastOwner(members, member))
    return lastOwner('Make another member an owner first.')
  await setRole(tx, acting.workspaceId, memberId, role)
  return {
    member: { ...member, role },
    details: { before: { role: member.role }, after: { role } },
  }
}

/** Makes another member the owner, and the one who was it an admin. */
export async function transferOwnership(
  tx: Tx,
  acting: Acting,
  memberId: string,
): Promise<Changed | Refused> {
  const members = await lockMembers(tx, acting.workspaceId)
  const [actor, member] = [members.get(acting.memberId), members.get(memberId)]
  if (actor === undefined || member === undefined) return noSuchMember()
  if (!roleHas(actor.role, 'owners:manage')) return ownersOnly()
  if (memberId !== acting.memberId) {
    await setRole(tx, acting.workspaceId, memberId, 'owner')
    await setRole(tx, acting.workspaceId, acting.memberId, 'admin')
  }
  return {
    member: { ...member, role: 'owner' },
    details: { before: { owner: actor.name }, after: { owner: member.name } },
  }
}

/** Takes a member out of the workspace; their agent keys and connected apps end with it. */
export async function removeMember(
  tx: Tx,
  acting: Acting,
  memberId: string,
  endCredentials: EndCredentials,
): Promise<(Changed & { keysEnded: number }) | Refused> {
  const members = await lockMembers(tx, acting.workspaceId)
  const [actor, member] = [members.get(acting.memberId), members.get(memberId)]
  if (actor === undefined || member === undefined) return noSuchMember()
  if (memberId !== acting.memberId && !mayGrant(actor.role, member.role)) return ownersOnly()
  if (isLastOwner(members, member)) return lastOwner('Make another member an owner first, then leave.')
  const keysEnded = await endMembership(tx, acting.workspaceId, memberId, endCredentials)
  return {
    member,
    keysEnded,
    details: { before: { name: member.name, email: member.email, role: member.role }, after: { keysEnded } },
  }
}

function isLastOwner(members: ReadonlyMap<string, Member>, { memberId, role }: Member): boolean {
  return (
    role === 'owner' &&
    ![...members.values()].some((one) => one.role === 'owner' && one.memberId !== memberId)
  )
}

function noSuchMember(): Refusal<'not_found'> {
  return refuse('not_found', 'Member not found in this workspace.')
}

function ownersOnly(): Refusal<'missing_permission'> {
  return refuse('missing_permission', 'Only owners can add, change or remove owners. Ask one of them.', {
    requiredPermission: 'owners:manage',
  })
}

function lastOwner(remedy: string): Refusal<'last_owner'> {
  return refuse('last_owner', `This is the last owner of the workspace. ${remedy}`)
}
