import type { Permission } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import type { Sql } from '../platform/db.ts'
import type { Caller } from '../platform/route.ts'
import { hashAgentKey, hintOfAgentKey, looksLikeAgentKey, newAgentKey } from './agent-key.ts'

export type Workspace = { workspaceId: string; name: string; timeZone: string; createdAt: Date }
export type Member = { memberId: string; name: string; email: string }

/** An agent key as lists show it; the secret itself is not kept anywhere. */
export type AgentKey = {
  workspaceId: string
  keyId: string
  name: string
  hint: string
  permissions: Permission[]
  owner: string
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
}

export type NewWorkspace = {
  name: string
  timeZone: string
  /** How long after its time a post of the workspace may still go out. */
  allowedHours: number
  owner: { name: string; email: string }
}
export type NewKey = {
  memberId: string
  name: string
  permissions: readonly Permission[]
  expiresAt: Date | null
}

/** Creates a workspace and its owner, both or neither. */
export async function createWorkspace(
  sql: Sql,
  { name, timeZone, allowedHours, owner }: NewWorkspace,
): Promise<{ workspaceId: string; memberId: string }> {
  const [workspaceId, memberId] = [uuidv7(), uuidv7()]
  await sql`
    with created as (
      insert into workspace (id, name, time_zone, allowed_time)
      values (${workspaceId}, ${name}, ${timeZone}, ${allowedHours}::float8 * interval '1 hour')
      returning id
    )
    insert into member (workspace_id, id, name, email, role)
    select id, ${memberId}, ${owner.name}, ${owner.email}, 'owner' from created`
  return { workspaceId, memberId }
}

/** Gives a workspace another name or allowed time; what is left out stays. Posts that have their time keep the old one. */
export async function updateWorkspace(
  sql: Sql,
  workspaceId: string,
  { name, allowedHours }: { readonly name?: string; readonly allowedHours?: number },
): Promise<void> {
  await sql`
    update workspace
    set    name = coalesce(${name ?? null}, name),
           allowed_time = coalesce(${allowedHours ?? null}::float8 * interval '1 hour', allowed_time)
    where  id = ${workspaceId}`
}

/** Every workspace, oldest first. */
export async function listWorkspaces(sql: Sql): Promise<Workspace[]> {
  return sql<Workspace[]>`
    select id as "workspaceId", name, time_zone as "timeZone", created_at as "createdAt"
    from   workspace
    order  by id`
}

export async function findWorkspace(sql: Sql, workspaceId: string): Promise<Workspace | null> {
  const [workspace] = await sql<Workspace[]>`
    select id as "workspaceId", name, time_zone as "timeZone", created_at as "createdAt"
    from   workspace
    where  id = ${workspaceId}`
  return workspace ?? null
}

/** The workspace's first owner, in whose name a key is made when nobody else is named. */
export async function findOwner(sql: Sql, workspaceId: string): Promise<Member | null> {
  const [owner] = await sql<Member[]>`
    select id as "memberId", name, email
    from   member
    where  workspace_id = ${workspaceId} and role = 'owner'
    order  by id
    limit  1`
  return owner ?? null
}

/** Those members of the workspace who have this id or, whatever its case, this e-mail address. */
export async function findMembers(sql: Sql, workspaceId: string, idOrEmail: string): Promise<Member[]> {
  return sql<Member[]>`
    select id as "memberId", name, email
    from   member
    where  workspace_id = ${workspaceId} and lower(${idOrEmail}) in (id::text, lower(email))
    order  by id`
}

/** Makes a key and gives its secret, which can be read here and never again: only the hash is stored. */
export async function createKey(
  sql: Sql,
  workspaceId: string,
  { memberId, name, permissions, expiresAt }: NewKey,
): Promise<{ keyId: string; key: string }> {
  const [keyId, key] = [uuidv7(), newAgentKey()]
  await sql`
    insert into agent_key (workspace_id, id, member_id, name, hint, secret_hash, permissions, expires_at)
    values (${workspaceId}, ${keyId}, ${memberId}, ${name}, ${hintOfAgentKey(key)}, ${hashAgentKey(key)},
            ${[...permissions]}, ${expiresAt})`
  return { keyId, key }
}

/** The workspace's keys, revoked and expired ones included, oldest first. */
export async function listKeys(sql: Sql, workspaceId: string): Promise<AgentKey[]> {
  return sql<AgentKey[]>`
    select k.workspace_id as "workspaceId", k.id as "keyId", k.name, k.hint, k.permissions, m.name as owner,
           k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt",
           k.created_at as "createdAt"
    from   agent_key k
    join   member m on m.workspace_id = k.workspace_id and m.id = k.member_id
    where  k.workspace_id = ${workspaceId}
    order  by k.id`
}

/** Ends a key at once: the next request with it is refused. Repeating it is harmless; null when there is no such key. */
export async function revokeKey(
  sql: Sql,
  workspaceId: string,
  keyId: string,
): Promise<{ name: string; revokedAt: Date } | null> {
  const [revoked] = await sql<{ name: string; revokedAt: Date }[]>`
    update agent_key
    set    revoked_at = coalesce(revoked_at, now())
    where  workspace_id = ${workspaceId} and id = ${keyId}
    returning name, revoked_at as "revokedAt"`
  return revoked ?? null
}

type KeyRow = {
  workspaceId: string
  id: string
  name: string
  permissions: Permission[]
  expiresAt: Date | null
  memberId: string
  memberName: string
  memberEmail: string
}

/**
 * Whoever holds this credential; null when it is malformed, unknown, expired or revoked. It is looked up each time
 * and never remembered, so that a revoked key is refused from the next request on, in every process.
 */
export async function authenticate(sql: Sql, credential: string): Promise<Caller | null> {
  if (!looksLikeAgentKey(credential)) return null
  const [row] = await sql<KeyRow[]>`
    select k.workspace_id as "workspaceId", k.id, k.name, k.permissions, k.expires_at as "expiresAt",
           m.id as "memberId", m.name as "memberName", m.email as "memberEmail"
    from   agent_key k
    join   member m on m.workspace_id = k.workspace_id and m.id = k.member_id
    where  k.secret_hash = ${hashAgentKey(credential)}
    and    k.revoked_at is null
    and    (k.expires_at is null or k.expires_at > now())`
  if (row === undefined) return null
  const { workspaceId, id, name, permissions, expiresAt, memberId, memberName, memberEmail } = row
  return {
    workspaceId,
    credential: { id, type: 'agent_key', name, permissions, expiresAt },
    member: { id: memberId, name: memberName, email: memberEmail },
  }
}

export type KeyUse = { workspaceId: string; keyId: string; agoMs: number }

/** Writes down when keys were used, to the minute: a row that is fresher than that is left alone. */
export async function recordKeyUses(sql: Sql, uses: readonly KeyUse[]): Promise<void> {
  await sql`
    update agent_key k
    set    last_used_at = now() - u.ago_ms * interval '1 millisecond'
    from   unnest(${uses.map((use) => use.workspaceId)}::uuid[], ${uses.map((use) => use.keyId)}::uuid[],
                  ${uses.map((use) => use.agoMs)}::int[]) as u (workspace_id, id, ago_ms)
    where  k.workspace_id = u.workspace_id and k.id = u.id
    and    (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')`
}
