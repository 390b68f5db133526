import type { ApprovalPolicy, CredentialLimits, Permission } from '@postrider/contract'
import type { Sql } from '../../platform/postgres/db.ts'
import type { Act } from './act.ts'
import type { Caller } from './route.ts'

/** Who reads or changes something, and what they may do. The engine, which acts for no one, is not among them. */
export type Actor = {
  readonly type: 'agent_key' | 'oauth' | 'person'
  readonly name: string
  readonly permissions: readonly Permission[]
  /** The id of the key or the grant; null for a person. */
  readonly credentialId: string | null
  readonly limits: CredentialLimits
  readonly approval: ApprovalPolicy
}

/** Who is named as the author of a post or of a change. */
export type Author = Pick<Actor, 'type' | 'name'>

/** Who gives a destination its time. */
export type Planner = Pick<Actor, 'type' | 'name' | 'credentialId'>

/** The assignments that say whose change a row of posts or destinations has last seen, by default just now. */
export function changedBy(sql: Sql, { type, name }: Author, at: Date | null = null) {
  return sql`changed_at = coalesce(${at}::timestamptz, clock_timestamp()), changed_by_type = ${type}, changed_by_name = ${name}`
}

/** The latest change of a row, for its reader; null for one that has not changed since it was created. */
export type LatestChange = {
  readonly at: string
  readonly by: { readonly type: Author['type'] | 'service'; readonly name: string }
  readonly fields: readonly string[]
}

/** The same of a `post p` or a `destination d` as JSON. */
export function latestChangeJson(sql: Sql, row: 'p' | 'd') {
  const of = sql(row)
  return sql`
    case when ${of}.changed_at is not null then json_build_object(
      'at', ${of}.changed_at, 'by', json_build_object('type', ${of}.changed_by_type, 'name', ${of}.changed_by_name),
      'fields', ${of}.changed) end`
}

export function actorOf({ credential }: Pick<Caller, 'credential'>): Actor {
  const { id, type, name, permissions, limits, approval } = credential
  return { type, name, permissions, limits, approval, credentialId: type === 'person' ? null : id }
}

/** Whose act it is what a caller does. */
export function actorIn({ credential, member, operator }: Caller): Act['actor'] {
  if (operator !== undefined) return { type: 'operator', id: null, name: operator, personId: null }
  return {
    type: credential.type,
    // A session is soon gone, and does not tell whose it was.
    id: credential.type === 'person' ? member.personId : credential.id,
    name: credential.name,
    personId: member.personId,
  }
}
