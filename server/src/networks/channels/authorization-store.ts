import type { Db, Sql, Tx } from '../../platform/postgres/db.ts'
import type { Account, Limits } from '../providers/port/port.ts'
import { type ChannelKey, connectionOf, jsonOrNull, nextDay, refreshDue } from './channel-store.ts'

/** A channel with the authorization that it has now. `connection` names that authorization. */
export type AuthorizationRow = ChannelKey & {
  readonly provider: string
  readonly connected: boolean
  readonly connection: string
  readonly authorizationSealed: Buffer
}

/** The authorization of a channel as it is now; null when the workspace has no such channel. */
export async function findAuthorization(
  sql: Sql,
  { workspaceId, channelId }: ChannelKey,
): Promise<AuthorizationRow | null> {
  const [row] = await sql<AuthorizationRow[]>`
    select ${authorizationColumns(sql)}
    from   channel c
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId}`
  return row ?? null
}

/** A channel with all that a check of its connection needs. */
export type ConnectionRow = AuthorizationRow & {
  readonly displayName: string
  readonly subscription: string | null
  readonly limits: Limits | null
  readonly authorizationEndsAt: Date | null
  /** When its access token ends, where a refresh gets another. */
  readonly accessEndsAt: Date | null
}

/** The channels to check, disabled ones included: that one alone, or all of them, by workspace and name. */
export async function connectionsToCheck(sql: Sql, only: ChannelKey | null): Promise<ConnectionRow[]> {
  return sql<ConnectionRow[]>`
    select ${authorizationColumns(sql)}, c.display_name as "displayName", c.subscription, c.limits,
           c.authorization_ends_at as "authorizationEndsAt", c.access_ends_at as "accessEndsAt"
    from   channel c
    where  c.removed_at is null
    and    (${only?.channelId ?? null}::uuid is null or (c.workspace_id = ${only?.workspaceId ?? null} and c.id = ${only?.channelId ?? null}))
    order  by c.workspace_id, lower(c.display_name), c.id`
}

/**
 * Keeps other processes from refreshing this authorization until the end of the transaction. False: another one does it now.
 * The lock is no row's, so that nothing else about the channel waits for a network.
 */
export async function tryLockRefresh(tx: Tx, { channelId }: ChannelKey): Promise<boolean> {
  const [row] = await tx<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended('refresh:' || ${channelId}, 0)) as locked`
  return row?.locked === true
}

/** Gives the channel a refreshed authorization in place of the one it was got with. Null: it has another by now. */
export async function storeAuthorization(
  sql: Sql,
  { workspaceId, channelId, connection }: AuthorizationRow,
  fresh: { authorizationSealed: Buffer; accessEndsAt: Date | null; authorizationEndsAt: Date | null },
): Promise<string | null> {
  const [row] = await sql<{ connection: string }[]>`
    update channel c
    set    authorization_sealed = ${fresh.authorizationSealed}, authorization_revision = c.authorization_revision + 1,
           access_ends_at = ${fresh.accessEndsAt}, authorization_ends_at = coalesce(${fresh.authorizationEndsAt}, c.authorization_ends_at),
           refresh_due_at = ${refreshDue(sql, fresh.accessEndsAt)}, updated_at = now()
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and ${connectionOf(sql)} = ${connection}
    returning ${connectionOf(sql)} as connection`
  return row?.connection ?? null
}

/** The authorizations of all connected channels of a provider. */
export async function authorizationsOfProvider(sql: Sql, provider: string): Promise<AuthorizationRow[]> {
  return sql<AuthorizationRow[]>`
    select ${authorizationColumns(sql)}
    from   channel c
    where  c.provider = ${provider} and c.connection_status = 'connected'`
}

/** Gives the channel an authorization that differs in nothing but where its network is. False: it has another by now. */
export async function replaceAuthorization(
  sql: Sql,
  { workspaceId, channelId, connection }: AuthorizationRow,
  authorizationSealed: Buffer,
): Promise<boolean> {
  const { count } = await sql`
    update channel c
    set    authorization_sealed = ${authorizationSealed}, authorization_revision = c.authorization_revision + 1, provider_origin = null, updated_at = now()
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and ${connectionOf(sql)} = ${connection}`
  return count === 1
}

/** The network ended this authorization: the owner has to reconnect the channel, unless it has another authorization by now. */
export async function endAuthorization(
  sql: Sql,
  { workspaceId, channelId, connection }: AuthorizationRow,
): Promise<boolean> {
  const { count } = await sql`
    update channel c
    set    connection_status = 'reconnect_required', updated_at = now()
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and ${connectionOf(sql)} = ${connection}
    and    c.connection_status = 'connected'`
  return count === 1
}

/** `due`: connected channels for which one of these times has come, locked against others who look for them. */
function dueBy(sql: Sql, column: 'refresh_due_at' | 'profile_due_at', limit: number) {
  return sql`
    due as (
      select workspace_id, id
      from   channel
      where  connection_status = 'connected' and ${sql(column)} <= now()
      order  by ${sql(column)}
      limit  ${limit}
      for    no key update skip locked
    )`
}

/** Takes channels whose authorization is to be refreshed, and puts the next try off: that alone keeps others from them. */
export async function claimRefreshes(db: Db, limit: number): Promise<AuthorizationRow[]> {
  return db<AuthorizationRow[]>`
    with ${dueBy(db, 'refresh_due_at', limit)}
    update channel c
    set    refresh_due_at = now() + interval '1 hour'
    from   due
    where  due.workspace_id = c.workspace_id and due.id = c.id
    returning ${authorizationColumns(db)}`
}

/** A channel whose profile is to be read, with what is warned of once a day. */
export type ProfileDue = AuthorizationRow & { readonly authorizationEndsAt: Date | null }

/** Takes channels whose profile is to be read, and puts the next time off. */
export async function claimProfiles(db: Db, limit: number): Promise<ProfileDue[]> {
  return db<ProfileDue[]>`
    with ${dueBy(db, 'profile_due_at', limit)}
    update channel c
    set    profile_due_at = ${nextDay(db)}
    from   due
    where  due.workspace_id = c.workspace_id and due.id = c.id
    returning ${authorizationColumns(db)}, c.authorization_ends_at as "authorizationEndsAt"`
}

/** Stores what the network tells of the account now. */
export async function storeProfile(
  sql: Sql,
  { workspaceId, channelId }: ChannelKey,
  { displayName, handle, avatarUrl, subscription, limits }: Account,
): Promise<void> {
  await sql`
    update channel
    set    display_name = case when renamed then display_name else ${displayName} end, handle = ${handle}, avatar_url = ${avatarUrl},
           subscription = ${subscription}, limits = ${jsonOrNull(sql, limits)}, updated_at = now()
    where  workspace_id = ${workspaceId} and id = ${channelId}
    and    (display_name, handle, avatar_url, subscription, limits) is distinct from
           (case when renamed then display_name else ${displayName} end, ${handle}, ${avatarUrl}, ${subscription}, ${jsonOrNull(sql, limits)})`
}

function authorizationColumns(sql: Sql) {
  return sql`
    c.workspace_id as "workspaceId", c.id as "channelId", c.provider, c.connection_status = 'connected' as connected,
    ${connectionOf(sql)} as connection, c.authorization_sealed as "authorizationSealed"`
}
