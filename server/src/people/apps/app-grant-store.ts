import type { ApprovalPolicy, CredentialLimits } from '@postrider/contract'
import { noLimits, type Permission, type Role } from '@postrider/contract/names'
import { stopWrites } from '../../edge/operations/credential-lock.ts'
import { storedLimits, withStoredLimits } from '../../edge/operations/credential-limits.ts'
import { type KeyUse, lastUse } from '../keys/key-store.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { revokeGrantArtifacts } from './artifact-store.ts'
import { hashSecret } from '../../platform/sealing/bearer-secret.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'

/** A client that a member has let into a workspace. */
export type ConnectedApp = {
  readonly grantId: string
  readonly clientId: string
  readonly clientName: string
  /** The host at which the client gets its codes, or an application's own scheme. */
  readonly clientOrigin: string
  readonly permissions: readonly Permission[]
  readonly limits: CredentialLimits
  readonly connectedBy: string
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

export type NewGrant = {
  readonly workspaceId: string
  readonly memberId: string
  /** The authorization server's id of it, a secret: only its hash is stored. */
  readonly artifactGrantId: string
  readonly clientId: string
  readonly clientName: string
  readonly clientOrigin: string
  readonly permissions: readonly Permission[]
  /** What it is narrowed to besides its permissions; nothing when left out. */
  readonly limits?: CredentialLimits
  /** For how long; no longer than the authorization server's own grant when left out. */
  readonly days?: number
}

/** Keeps in which workspace, and with which permissions, the tokens of a grant work; of two decisions, the later one. */
export async function putGrant(sql: Sql, grant: NewGrant): Promise<{ grantId: string }> {
  const { workspaceId, memberId, artifactGrantId, clientId, clientName, clientOrigin, permissions } = grant
  const { limits = noLimits, days = null } = grant
  const [row] = await sql<[{ grantId: string }]>`
    insert into oauth_grant (workspace_id, id, member_id, grant_hash, client_id, client_name, client_origin, permissions,
                             limits, expires_at)
    values (${workspaceId}, ${uuidv7()}, ${memberId}, ${hashSecret(artifactGrantId)}, ${clientId}, ${clientName},
            ${clientOrigin}, ${[...permissions]}, ${sql.json(storedLimits(limits))},
            now() + ${days}::int * interval '1 day')
    on     conflict (grant_hash) do update
    set    workspace_id = excluded.workspace_id, member_id = excluded.member_id, permissions = excluded.permissions,
           limits = excluded.limits, expires_at = excluded.expires_at
    returning id as "grantId"`
  return row
}

function selectGrants(sql: Sql, workspaceId: string) {
  return sql`
    select g.id as "grantId", g.client_id as "clientId", g.client_name as "clientName",
           g.client_origin as "clientOrigin", g.permissions, g.limits, p.name as "connectedBy",
           g.created_at as "createdAt", g.expires_at as "expiresAt", g.last_used_at as "lastUsedAt", g.revoked_at as "revokedAt"
    from   oauth_grant g
    join   member m on m.workspace_id = g.workspace_id and m.id = g.member_id
    join   person p on p.id = m.person_id
    where  g.workspace_id = ${workspaceId}`
}

/** Whether a person has let a client in, in whatever workspace, and that has not ended. */
export async function hasLetIn(sql: Sql, personId: string, clientId: string): Promise<boolean> {
  const rows = await sql`
    select from oauth_grant g
    join   member m on m.workspace_id = g.workspace_id and m.id = g.member_id
    where  m.person_id = ${personId} and m.removed_at is null and g.client_id = ${clientId}
    and    g.revoked_at is null and (g.expires_at is null or g.expires_at > now())
    limit  1`
  return rows.length === 1
}

/** The workspace's connected apps, the revoked ones included, newest first. */
export async function listGrants(sql: Sql, workspaceId: string): Promise<ConnectedApp[]> {
  return (await sql<ConnectedApp[]>`${selectGrants(sql, workspaceId)} order by g.id desc`).map(
    withStoredLimits,
  )
}

/** One of them; null when the workspace has none such. */
export async function findGrant(
  sql: Sql,
  workspaceId: string,
  grantId: string,
): Promise<ConnectedApp | null> {
  const [grant] = await sql<ConnectedApp[]>`${selectGrants(sql, workspaceId)} and g.id = ${grantId}`
  return grant === undefined ? null : withStoredLimits(grant)
}

/** Gives an app other limits; false when the workspace has no such app. */
export async function limitGrant(
  sql: Sql,
  workspaceId: string,
  grantId: string,
  limits: CredentialLimits,
): Promise<boolean> {
  await stopWrites(sql, grantId)
  const { count } = await sql`
    update oauth_grant set limits = ${sql.json(storedLimits(limits))}
    where  workspace_id = ${workspaceId} and id = ${grantId}`
  return count === 1
}

/** Cuts an app off at once. Repeating it is harmless; null when there is no such app in the workspace. */
export async function revokeGrant(
  sql: Sql,
  workspaceId: string,
  grantId: string,
): Promise<{ clientName: string; revokedAt: Date } | null> {
  await stopWrites(sql, grantId)
  const [grant] = await sql<{ grantHash: Buffer; clientName: string; revokedAt: Date }[]>`
    update oauth_grant
    set    revoked_at = coalesce(revoked_at, now())
    where  workspace_id = ${workspaceId} and id = ${grantId}
    returning grant_hash as "grantHash", client_name as "clientName", revoked_at as "revokedAt"`
  if (grant === undefined) return null
  await revokeGrantArtifacts(sql, grant.grantHash)
  return { clientName: grant.clientName, revokedAt: grant.revokedAt }
}

/** Cuts off all apps that a member has let in, with what the authorization server keeps of them. */
export async function revokeGrantsOfMember(tx: Tx, workspaceId: string, memberId: string): Promise<void> {
  await tx`
    with revoked as (
      update oauth_grant set revoked_at = now()
      where  workspace_id = ${workspaceId} and member_id = ${memberId} and revoked_at is null
      returning grant_hash
    )
    delete from oauth_artifact
    where  grant_hash = any (array(select grant_hash from revoked))
    or     (model = 'Grant' and id_hash = any (array(select grant_hash from revoked)))`
}

/** The apps that a person has let in and that are not cut off, in all workspaces. */
export async function grantsOfPerson(
  sql: Sql,
  personId: string,
): Promise<{ workspaceId: string; id: string }[]> {
  return sql<{ workspaceId: string; id: string }[]>`
    select g.workspace_id as "workspaceId", g.id
    from   member m
    join   oauth_grant g on g.workspace_id = m.workspace_id and g.member_id = m.id
    where  m.person_id = ${personId} and g.revoked_at is null
    order  by g.id`
}

/** Cuts every app off, in every workspace; what clients have registered stays. */
export async function revokeAllGrants(tx: Tx): Promise<void> {
  await tx`delete from oauth_artifact where model <> 'Client'`
  await tx`update oauth_grant set revoked_at = now() where revoked_at is null`
}

/** Ends all access that apps were given in a workspace, with what the authorization server keeps of it. */
export async function revokeGrantsOf(tx: Tx, workspaceId: string): Promise<void> {
  await tx`
    with revoked as (
      update oauth_grant set revoked_at = coalesce(revoked_at, now())
      where  workspace_id = ${workspaceId}
      returning grant_hash
    )
    delete from oauth_artifact
    where  grant_hash = any (array(select grant_hash from revoked))
    or     (model = 'Grant' and id_hash = any (array(select grant_hash from revoked)))`
}

/** Writes down when apps were used, as for keys. */
export async function recordGrantUses(sql: Sql, uses: readonly KeyUse[]): Promise<void> {
  await sql`update oauth_grant k ${lastUse(sql, uses)}`
}

export type TokenHolder = {
  readonly workspaceId: string
  readonly grantId: string
  readonly clientName: string
  readonly permissions: readonly Permission[]
  readonly limits: Partial<CredentialLimits>
  readonly approvalPolicy: Partial<ApprovalPolicy>
  /** The scope of the token, which may be less than the grant's permissions. */
  readonly scope: string
  readonly expiresAt: Date | null
  readonly memberId: string
  readonly personId: string
  readonly memberName: string
  readonly memberEmail: string
  readonly role: Role
}

/** The caller with the access token of this hash for the resource; null when it is unknown, expired, revoked or for another resource. */
export async function findTokenHolder(
  sql: Sql,
  tokenHash: Buffer,
  resource: string,
): Promise<TokenHolder | null> {
  const [holder] = await sql<TokenHolder[]>`
    select g.workspace_id as "workspaceId", g.id as "grantId", g.client_name as "clientName", g.permissions, g.limits,
           w.approval_policy as "approvalPolicy", coalesce(t.payload ->> 'scope', '') as scope,
           least(t.expires_at, g.expires_at) as "expiresAt", m.id as "memberId", p.id as "personId", p.name as "memberName", p.email as "memberEmail", m.role
    from   oauth_artifact t
    join   oauth_grant g on g.grant_hash = t.grant_hash
    join   member m on m.workspace_id = g.workspace_id and m.id = g.member_id
    join   person p on p.id = m.person_id
    join   workspace w on w.id = g.workspace_id
    where  t.model = 'AccessToken' and t.id_hash = ${tokenHash}
    and    t.expires_at > now() and t.payload ->> 'aud' = ${resource}
    and    g.revoked_at is null and (g.expires_at is null or g.expires_at > now()) and m.removed_at is null`
  return holder ?? null
}

/** The same for what was begun with a token of this grant: all that it may do, as long as it is not revoked. */
export async function findGrantHolder(sql: Sql, grantId: string): Promise<TokenHolder | null> {
  const [holder] = await sql<TokenHolder[]>`
    select g.workspace_id as "workspaceId", g.id as "grantId", g.client_name as "clientName", g.permissions, g.limits,
           w.approval_policy as "approvalPolicy", array_to_string(g.permissions, ' ') as scope,
           g.expires_at as "expiresAt", m.id as "memberId", p.id as "personId", p.name as "memberName", p.email as "memberEmail", m.role
    from   oauth_grant g
    join   member m on m.workspace_id = g.workspace_id and m.id = g.member_id
    join   person p on p.id = m.person_id
    join   workspace w on w.id = g.workspace_id
    where  g.id = ${grantId}
    and    g.revoked_at is null and (g.expires_at is null or g.expires_at > now()) and m.removed_at is null`
  return holder ?? null
}
