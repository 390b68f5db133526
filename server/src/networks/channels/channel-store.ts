import type { LinkTags } from '@postrider/contract'
import type { Fragment, Sql, Tx } from '../../platform/postgres/db.ts'
import type { Limits } from '../providers/port/port.ts'
import { groupsJson } from './group-store.ts'
import type { WeekMinutes } from './posting-times.ts'

/** A channel, as it is named. */
export type ChannelKey = { readonly workspaceId: string; readonly channelId: string }

export type ConnectionStatus = 'connected' | 'reconnect_required'

/** A connected account, without its authorization. */
export type ChannelRow = {
  readonly channelId: string
  readonly provider: string
  readonly displayName: string
  readonly handle: string
  readonly avatarUrl: string | null
  readonly enabled: boolean
  /** An authorization whose time is over has to be renewed, whether the network was asked since or not. */
  readonly connectionStatus: ConnectionStatus
  /** Whether the key that sealed its authorization was lost; only while it has to be reconnected. */
  readonly authorizationLost: boolean
  /** The account's tier at the provider; null while it is not known. */
  readonly subscription: string | null
  /** What the account's server takes, where servers of the network differ; null: the provider's own limits hold. */
  readonly limits: Limits | null
  /** When the provider ends the authorization for good; null where it named no such time. */
  readonly authorizationEndsAt: Date | null
  readonly postingTimes: WeekMinutes
}

export type NewChannel = {
  readonly channelId: string
  readonly workspaceId: string
  readonly provider: string
  readonly remoteAccountId: string
  readonly displayName: string
  readonly handle: string
  readonly avatarUrl: string | null
  readonly authorizationSealed: Buffer
  /** The account's tier, as the provider told it just now; unknown when left out. */
  readonly subscription?: string | null
  /** What the account's server takes, as it told just now; left out where servers do not differ. */
  readonly limits?: Limits | null
  /** When the provider ends this authorization, as it told just now; unknown when left out. */
  readonly authorizationEndsAt?: Date | null
  /** When its access token ends, where a refresh gets another. */
  readonly accessEndsAt?: Date | null
}

/** A channel in a list, with the groups that it is in, by name. */
export type ListedChannelRow = ChannelRow & {
  readonly groups: readonly { readonly groupId: string; readonly name: string }[]
}

/** The enabled channels of the workspace, by name. */
export async function enabledChannels(sql: Sql, workspaceId: string): Promise<ListedChannelRow[]> {
  return sql<ListedChannelRow[]>`
    select ${channelColumns(sql)}, ${groupsJson(sql)} as groups
    from   channel c
    where  c.workspace_id = ${workspaceId} and c.enabled
    order  by lower(c.display_name), c.id`
}

/** All channels of a workspace, disabled ones included, by name. */
export async function allChannels(sql: Sql, workspaceId: string): Promise<ChannelRow[]> {
  return sql<ChannelRow[]>`
    select ${channelColumns(sql)}
    from   channel c
    where  c.workspace_id = ${workspaceId} and c.removed_at is null
    order  by lower(c.display_name), c.id`
}

/** A channel with what tells how it fares. */
export type ManagedChannelRow = ListedChannelRow & {
  /** When a post last went out there; null for never. */
  readonly lastPublishedAt: Date | null
  /** The end of a pause that the provider asked for; null for none now. */
  readonly pausedUntil: Date | null
  /** How many posts are still to be published there. */
  readonly planned: number
  /** Whether a person gave it its name. */
  readonly renamed: boolean
}

/** All channels of a workspace with what tells how they fare, by name; with `channelId` that one alone. */
export async function managedChannels(
  sql: Sql,
  workspaceId: string,
  channelId: string | null = null,
): Promise<ManagedChannelRow[]> {
  return sql<ManagedChannelRow[]>`
    select ${channelColumns(sql)}, ${groupsJson(sql)} as groups, latest.published_at as "lastPublishedAt",
           case when c.paused_until > now() then c.paused_until end as "pausedUntil", c.renamed, planned.count as planned
    from   channel c
    cross  join lateral (
      select count(*)::int as count
      from   destination d
      where  d.workspace_id = c.workspace_id and d.channel_id = c.id and d.status in ('scheduled', 'delayed', 'reconnect_required')) planned
    left   join lateral (
      select d.published_at
      from   destination d
      where  d.workspace_id = c.workspace_id and d.channel_id = c.id and d.published_at is not null
      order  by d.published_at desc
      limit  1) latest on true
    where  c.workspace_id = ${workspaceId} and c.removed_at is null and (${channelId}::uuid is null or c.id = ${channelId})
    order  by lower(c.display_name), c.id`
}

/** Where the network has the picture of the account, null where it has none; undefined for no such channel. */
export async function findAvatar(
  sql: Sql,
  { workspaceId, channelId }: { workspaceId: string; channelId: string },
): Promise<string | null | undefined> {
  const [row] = await sql<{ avatarUrl: string | null }[]>`
    select avatar_url as "avatarUrl"
    from   channel
    where  workspace_id = ${workspaceId} and id = ${channelId} and removed_at is null`
  return row?.avatarUrl
}

/** Those of the channels that the workspace has, by id, the database's time, and how long after its own a post may go out. */
export async function findChannels(
  sql: Sql,
  workspaceId: string,
  channelIds: readonly string[],
): Promise<FoundChannels> {
  return findChannelsAmong(sql, workspaceId, sql`${[...channelIds]}::uuid[]`)
}

export type FoundChannels = {
  readonly now: Date
  readonly allowedMs: number
  /** What is added to the links of posts; null for nothing. */
  readonly linkTags: LinkTags | null
  readonly channels: ReadonlyMap<string, ChannelRow>
}

/** The same for the ids in an array, which is a piece of SQL: a set to join would be planned anew each time. */
export async function findChannelsAmong(
  sql: Sql,
  workspaceId: string,
  channelIds: Fragment,
): Promise<FoundChannels> {
  type Row = Pick<FoundChannels, 'now' | 'allowedMs' | 'linkTags'> & (ChannelRow | { channelId: null })
  const rows = await sql<Row[]>`
    select w.*, ${channelColumns(sql)}
    from   (
      select clock_timestamp() as now, extract(epoch from allowed_time)::float8 * 1000 as "allowedMs",
             link_tags as "linkTags"
      from   workspace
      where  id = ${workspaceId}) w
    left   join channel c on c.workspace_id = ${workspaceId} and c.id = any(${channelIds})`
  const [first] = rows
  if (first === undefined) throw new Error('The workspace of a request is missing.')
  const { now, allowedMs, linkTags } = first
  const channels = rows.flatMap(({ now: _, allowedMs: __, linkTags: ___, ...row }) =>
    row.channelId === null ? [] : [row],
  )
  return { now, allowedMs, linkTags, channels: new Map(channels.map((row) => [row.channelId, row])) }
}

/** The channel of this account in the workspace, kept from others until the end of the transaction; null for none. */
export async function lockChannelOf(
  sql: Sql,
  {
    workspaceId,
    provider,
    remoteAccountId,
  }: Pick<NewChannel, 'workspaceId' | 'provider' | 'remoteAccountId'>,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id
    from   channel
    where  workspace_id = ${workspaceId} and provider = ${provider} and remote_account_id = ${remoteAccountId}
    for    update`
  return row?.id ?? null
}

/** False when the workspace has a channel for this account already. */
export async function insertChannel(sql: Sql, channel: NewChannel): Promise<boolean> {
  const { count } = await sql`
    insert into channel (workspace_id, id, provider, remote_account_id, display_name, handle, avatar_url, authorization_sealed,
                         subscription, limits, authorization_ends_at, access_ends_at, refresh_due_at, profile_due_at)
    values (${channel.workspaceId}, ${channel.channelId}, ${channel.provider}, ${channel.remoteAccountId},
            ${channel.displayName}, ${channel.handle}, ${channel.avatarUrl}, ${channel.authorizationSealed},
            ${channel.subscription ?? null}, ${jsonOrNull(sql, channel.limits)}, ${channel.authorizationEndsAt ?? null},
            ${channel.accessEndsAt ?? null}, ${refreshDue(sql, channel.accessEndsAt)}, ${nextDay(sql)})
    on     conflict (workspace_id, provider, remote_account_id) do nothing`
  return count === 1
}

/** Gives a channel its new authorization with all that the provider told of it; it is connected and enabled from now on. */
export async function reconnectChannel(sql: Sql, channel: NewChannel): Promise<void> {
  await sql`
    update channel
    set    display_name = case when renamed then display_name else ${channel.displayName} end, handle = ${channel.handle}, avatar_url = ${channel.avatarUrl},
           authorization_sealed = ${channel.authorizationSealed}, subscription = ${channel.subscription ?? null},
           limits = ${jsonOrNull(sql, channel.limits)}, authorization_ends_at = ${channel.authorizationEndsAt ?? null},
           authorization_revision = authorization_revision + 1, access_ends_at = ${channel.accessEndsAt ?? null},
           refresh_due_at = ${refreshDue(sql, channel.accessEndsAt)}, profile_due_at = ${nextDay(sql)},
           connection_status = 'connected', authorization_lost = false, enabled = true, removed_at = null,
           updated_at = now()
    where  workspace_id = ${channel.workspaceId} and id = ${channel.channelId}`
}

/** Says that a channel must be reconnected, unless that was done since the connection of this name. */
export async function disconnectChannel(
  sql: Sql,
  {
    workspaceId,
    channelId,
    connection,
  }: Pick<NewChannel, 'workspaceId' | 'channelId'> & { readonly connection: string },
): Promise<void> {
  await sql`
    update channel c
    set    connection_status = 'reconnect_required', updated_at = now()
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and ${connectionOf(sql)} = ${connection}`
}

/** Switches a channel on or off, and gives it as it is then; null when the workspace has none such. */
export async function switchChannel(
  sql: Sql,
  { workspaceId, channelId }: Pick<NewChannel, 'workspaceId' | 'channelId'>,
  { enabled }: { readonly enabled: boolean },
): Promise<ChannelRow | null> {
  const [row] = await sql<ChannelRow[]>`
    update channel c
    set    enabled = ${enabled}, updated_at = now()
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and c.removed_at is null
    returning ${channelColumns(sql)}`
  return row ?? null
}

/**
 * Gives a channel a name, or with null that of its account again, as soon as its profile is read: the name before this, or null
 * when the workspace has no such channel.
 */
export async function renameChannel(
  sql: Sql,
  { workspaceId, channelId }: ChannelKey,
  name: string | null,
): Promise<string | null> {
  const [row] = await sql<{ before: string }[]>`
    update channel c
    set    display_name = coalesce(${name}, c.display_name), renamed = ${name !== null},
           profile_due_at = case when ${name === null} then now() else c.profile_due_at end, updated_at = now()
    from   channel before
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and c.removed_at is null
    and    before.workspace_id = c.workspace_id and before.id = c.id
    returning before.display_name as before`
  return row?.before ?? null
}

/** Gives a channel other posting times, and says which it had; null when the workspace has no such channel. */
export async function setPostingTimes(
  tx: Tx,
  { workspaceId, channelId }: ChannelKey,
  minutes: WeekMinutes,
): Promise<WeekMinutes | null> {
  const [row] = await tx<{ before: number[] }[]>`
    update channel c
    set    posting_times = ${[...minutes]}::smallint[], updated_at = now()
    from   channel before
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and c.removed_at is null
    and    before.workspace_id = c.workspace_id and before.id = c.id
    returning before.posting_times as before`
  return row?.before ?? null
}

/**
 * Ends the authorization of a channel and takes it out of every list, unless something is being published there or is in doubt:
 * its name then, or null. What was published there goes on to name it; connecting the account again brings it back. It is
 * disabled first, which waits for a claim under way: the statement after that sees what was claimed.
 */
export async function removeChannel(tx: Tx, { workspaceId, channelId }: ChannelKey): Promise<string | null> {
  const [, [row]] = await Promise.all([
    tx`
      update channel c
      set    enabled = false, updated_at = now()
      where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and c.removed_at is null`,
    tx<{ name: string }[]>`
      update channel c
      set    removed_at = now(), connection_status = 'reconnect_required', authorization_sealed = '',
             authorization_revision = c.authorization_revision + 1, authorization_ends_at = null, access_ends_at = null,
             refresh_due_at = null, updated_at = now()
      where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and c.removed_at is null
      and    not exists (
        select from destination d
        where  d.workspace_id = c.workspace_id and d.channel_id = c.id
        and    (d.status in ('publishing', 'checking') or (d.status = 'partially_published' and d.expires_at is not null)))
      returning c.display_name as name`,
  ])
  return row?.name ?? null
}

/** The workspace that has a channel; null when none has. For people at the server, and never for a caller of the API. */
export async function workspaceOfChannel(sql: Sql, channelId: string): Promise<string | null> {
  const [row] = await sql<{ workspaceId: string }[]>`
    select workspace_id as "workspaceId" from channel where id = ${channelId}`
  return row?.workspaceId ?? null
}

/** Which account a channel is connected to; null when the workspace has no such channel. */
export async function findAccount(
  sql: Sql,
  { workspaceId, channelId }: Pick<NewChannel, 'workspaceId' | 'channelId'>,
): Promise<Pick<NewChannel, 'provider' | 'remoteAccountId' | 'handle'> | null> {
  const [row] = await sql<Pick<NewChannel, 'provider' | 'remoteAccountId' | 'handle'>[]>`
    select provider, remote_account_id as "remoteAccountId", handle
    from   channel
    where  workspace_id = ${workspaceId} and id = ${channelId}`
  return row ?? null
}

/** The accounts of a network that the workspace has channels of, by the network's own ids. */
export async function accountsOf(
  sql: Sql,
  { workspaceId, provider }: Pick<NewChannel, 'workspaceId' | 'provider'>,
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ remoteAccountId: string }[]>`
    select remote_account_id as "remoteAccountId"
    from   channel
    where  workspace_id = ${workspaceId} and provider = ${provider} and removed_at is null`
  return new Set(rows.map(({ remoteAccountId }) => remoteAccountId))
}

/** What tells one authorization of a `channel c` from the next. */
export function connectionOf(sql: Sql) {
  return sql`c.authorization_revision::text`
}

/**
 * When an authorization is refreshed although it is not needed: a refresh token that is never used ends sooner or later. A caller that
 * needs the access token before that refreshes it then. SQL: a time, or null.
 */
export function refreshDue(sql: Sql, accessEndsAt: Date | null | undefined) {
  if (accessEndsAt == null) return sql`null`
  return sql`now() + least(greatest((${accessEndsAt}::timestamptz - now()) * 0.75, interval '1 day'), interval '30 days')`
}

/** A day from now and up to two hours more, so that what was connected together is not read together for ever. */
export function nextDay(sql: Sql) {
  return sql`now() + interval '1 day' + random() * interval '2 hours'`
}

export function jsonOrNull(sql: Sql, value: Limits | null | undefined) {
  return value == null ? sql`null` : sql`${sql.json(value)}`
}

/** The connection status of a `channel c`, by what is known of the end of its authorization. */
function connectionStatusNow(sql: Sql) {
  return sql`case when c.authorization_ends_at <= now() then 'reconnect_required' else c.connection_status end`
}

export type ConnectionCounts = {
  readonly channels: number
  /** By name. */
  readonly lapsed: readonly string[]
  /** Those whose authorization ends within a week. */
  readonly ending: readonly string[]
}

/** How the enabled channels of all workspaces are connected. For people at the server. */
export async function countConnections(sql: Sql): Promise<ConnectionCounts> {
  const [row] = await sql<[ConnectionCounts]>`
    with each as (
      select c.display_name as name, ${connectionStatusNow(sql)} = 'reconnect_required' as lapsed,
             coalesce(c.authorization_ends_at <= now() + interval '7 days', false) as ending
      from   channel c
      where  c.enabled
    )
    select count(*)::int as channels, coalesce(array_agg(name order by name) filter (where lapsed), '{}') as lapsed,
           coalesce(array_agg(name order by name) filter (where ending and not lapsed), '{}') as ending
    from   each`
  return row
}

function channelColumns(sql: Sql) {
  return sql`
    c.id as "channelId", c.provider, c.display_name as "displayName", c.handle, c.avatar_url as "avatarUrl",
    c.enabled, ${connectionStatusNow(sql)} as "connectionStatus", c.authorization_lost as "authorizationLost", c.subscription, c.limits,
    c.authorization_ends_at as "authorizationEndsAt", c.posting_times as "postingTimes"`
}

/** Has nothing claimed on a channel until then. A pause never ends sooner by another one. */
export async function pauseChannel(
  sql: Sql,
  { workspaceId, channelId }: ChannelKey,
  forMs: number,
): Promise<void> {
  await sql`
    update channel c
    set    paused_until = greatest(c.paused_until, now() + ${forMs} * interval '1 ms'), updated_at = now()
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId}`
}

/** Notes where a `channel c` has its provider, for a statement that says which and what it gives back. */
export function originLearned(sql: Sql, origin: string) {
  return sql`
    update channel c
    set    provider_origin = ${origin}`
}
