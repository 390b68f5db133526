import type { CredentialLimits } from '@postrider/contract'
import { noLimits, type Permission } from '@postrider/contract/names'
import { storedLimits, withStoredLimits } from '../../edge/operations/credential-limits.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { stopWrites } from '../../edge/operations/credential-lock.ts'
import { hashAgentKey, hintOfAgentKey, newAgentKey } from './agent-key.ts'

/** An agent key as lists show it; the secret itself is not kept anywhere. */
export type AgentKey = {
  workspaceId: string
  keyId: string
  name: string
  hint: string
  permissions: Permission[]
  limits: CredentialLimits
  owner: string
  expiresAt: Date | null
  revokedAt: Date | null
  /** Since when it waits to be confirmed after a restore; it counts as revoked until then. */
  suspendedAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
}

export type NewKey = {
  memberId: string
  name: string
  permissions: readonly Permission[]
  expiresAt: Date | null
  /** What it is narrowed to besides its permissions; nothing when left out. */
  limits?: CredentialLimits
}

/** Makes a key and gives its secret, which can be read here and never again: only the hash is stored. */
export async function createKey(
  sql: Sql,
  workspaceId: string,
  { memberId, name, permissions, expiresAt, limits = noLimits }: NewKey,
): Promise<{ keyId: string; key: string }> {
  const [keyId, key] = [uuidv7(), newAgentKey()]
  await sql`
    insert into agent_key (workspace_id, id, member_id, name, hint, secret_hash, permissions, expires_at,
                           limits)
    values (${workspaceId}, ${keyId}, ${memberId}, ${name}, ${hintOfAgentKey(key)}, ${hashAgentKey(key)},
            ${[...permissions]}, ${expiresAt}, ${sql.json(storedLimits(limits))})`
  return { keyId, key }
}

function selectKeys(sql: Sql, workspaceId: string) {
  return sql`
    select k.workspace_id as "workspaceId", k.id as "keyId", k.name, k.hint, k.permissions, k.limits, p.name as owner,
           k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.suspended_at as "suspendedAt", k.last_used_at as "lastUsedAt",
           k.created_at as "createdAt"
    from   agent_key k
    join   member m on m.workspace_id = k.workspace_id and m.id = k.member_id
    join   person p on p.id = m.person_id
    where  k.workspace_id = ${workspaceId}`
}

/** The workspace's keys, revoked and expired ones included, oldest first. */
export async function listKeys(sql: Sql, workspaceId: string): Promise<AgentKey[]> {
  return (await sql<AgentKey[]>`${selectKeys(sql, workspaceId)} order by k.id`).map(withStoredLimits)
}

/** One of them; null when the workspace has none such. */
export async function findKey(sql: Sql, workspaceId: string, keyId: string): Promise<AgentKey | null> {
  const [key] = await sql<AgentKey[]>`${selectKeys(sql, workspaceId)} and k.id = ${keyId}`
  return key === undefined ? null : withStoredLimits(key)
}

/** Gives a key other limits; false when the workspace has no such key. */
export async function limitKey(
  sql: Sql,
  workspaceId: string,
  keyId: string,
  limits: CredentialLimits,
): Promise<boolean> {
  await stopWrites(sql, keyId)
  const { count } = await sql`
    update agent_key set limits = ${sql.json(storedLimits(limits))}
    where  workspace_id = ${workspaceId} and id = ${keyId}`
  return count === 1
}

/** Ends a key at once: the next request with it is refused. Repeating it is harmless; null when there is no such key. */
export async function revokeKey(
  sql: Sql,
  workspaceId: string,
  keyId: string,
): Promise<{ name: string; revokedAt: Date } | null> {
  await stopWrites(sql, keyId)
  const [revoked] = await sql<{ name: string; revokedAt: Date }[]>`
    update agent_key
    set    revoked_at = coalesce(revoked_at, now()), suspended_at = null
    where  workspace_id = ${workspaceId} and id = ${keyId}
    returning name, revoked_at as "revokedAt"`
  return revoked ?? null
}

export type KeyUse = { workspaceId: string; keyId: string; agoMs: number }

/** Writes down when keys were used, to the minute. Other ids change nothing. */
export async function recordKeyUses(sql: Sql, uses: readonly KeyUse[]): Promise<void> {
  await sql`update agent_key k ${lastUse(sql, uses)}`
}

/** Sets when credentials `k` were used, for their update: a row that is fresher than a minute is left alone. */
export function lastUse(sql: Sql, uses: readonly KeyUse[]) {
  return sql`
    set    last_used_at = now() - u.ago_ms * interval '1 millisecond'
    from   unnest(${uses.map((use) => use.workspaceId)}::uuid[], ${uses.map((use) => use.keyId)}::uuid[],
                  ${uses.map((use) => use.agoMs)}::int[]) as u (workspace_id, id, ago_ms)
    where  k.workspace_id = u.workspace_id and k.id = u.id
    and    (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')`
}

/** An agent key that a restore has suspended. */
export type SuspendedKey = Pick<
  AgentKey,
  'workspaceId' | 'keyId' | 'name' | 'owner' | 'permissions' | 'limits' | 'lastUsedAt'
> & { readonly workspaceName: string }

/** Has every key that works, or every one of this workspace, wait until it is confirmed: it may have been revoked, or narrowed, after a backup that was restored. */
export async function suspendAllKeys(tx: Tx, workspaceId: string | null = null): Promise<void> {
  await tx`
    update agent_key set revoked_at = now(), suspended_at = now()
    where  revoked_at is null and (expires_at is null or expires_at > now())
    and    (${workspaceId}::uuid is null or workspace_id = ${workspaceId})`
}

/** Has those work again that were suspended at this time, to the microsecond. */
export async function resumeKeys(tx: Tx, workspaceId: string, suspendedAt: string): Promise<void> {
  await tx`
    update agent_key set revoked_at = null, suspended_at = null
    where  workspace_id = ${workspaceId} and suspended_at = ${suspendedAt}::timestamptz`
}

/** The keys that wait to be confirmed, of all workspaces, oldest first. */
export async function listSuspendedKeys(sql: Sql): Promise<SuspendedKey[]> {
  const keys = await sql<SuspendedKey[]>`
    select k.workspace_id as "workspaceId", w.name as "workspaceName", k.id as "keyId", k.name, p.name as owner, k.permissions, k.limits,
           k.last_used_at as "lastUsedAt"
    from   agent_key k
    join   workspace w on w.id = k.workspace_id
    join   member m on m.workspace_id = k.workspace_id and m.id = k.member_id
    join   person p on p.id = m.person_id
    where  k.suspended_at is not null
    order  by k.id`
  return keys.map(withStoredLimits)
}

/** Has a key work again that waits for it; false for any other. */
export async function confirmKey(tx: Tx, workspaceId: string, keyId: string): Promise<boolean> {
  const { count } = await tx`
    update agent_key set revoked_at = null, suspended_at = null
    where  workspace_id = ${workspaceId} and id = ${keyId} and suspended_at is not null`
  return count === 1
}

/** Ends the keys of a member; says how many worked. */
export async function revokeKeysOfMember(tx: Tx, workspaceId: string, memberId: string): Promise<number> {
  await tx`
    update agent_key set suspended_at = null
    where  workspace_id = ${workspaceId} and member_id = ${memberId} and suspended_at is not null`
  const { count } = await tx`
    update agent_key set revoked_at = now()
    where  workspace_id = ${workspaceId} and member_id = ${memberId} and revoked_at is null`
  return count
}

/** The keys of a person that are not revoked, in all workspaces, those that are suspended since a restore included. */
export async function keysOfPerson(
  sql: Sql,
  personId: string,
): Promise<{ workspaceId: string; id: string }[]> {
  return sql<{ workspaceId: string; id: string }[]>`
    select k.workspace_id as "workspaceId", k.id
    from   member m
    join   agent_key k on k.workspace_id = m.workspace_id and k.member_id = m.id
    where  m.person_id = ${personId} and (k.revoked_at is null or k.suspended_at is not null)
    order  by k.id`
}
