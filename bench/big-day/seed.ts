import { sealAuthorization } from '../../server/src/networks/channels/authorization.ts'
import type { Db } from '../../server/src/platform/postgres/db.ts'
import { issueSecret } from '../../server/src/engine/webhooks/endpoint-secrets.ts'
import { insertEndpoint } from '../../server/src/engine/webhooks/endpoint-store.ts'
import { WORDS } from './faults.ts'
import type { Installation } from './installation.ts'
import type { Plan } from './plan.ts'

const ROWS_AT_ONCE = 10_000

/**
 * The workspaces and channels of the plan. Beside the product's tables, a schema of its own says who is who in the plan.
 * What its posts are found by belongs to writing a post and not to publishing it, and is left out.
 */
export async function seedChannels(
  { db, keyring }: Installation,
  { workspaceOf, networkOf }: Plan,
  networkUrls: readonly string[],
): Promise<void> {
  const workspaces = workspaceOf.reduce((most, workspace) => Math.max(most, workspace), 0) + 1
  await db`create schema bench`
  await db`create table bench.workspace (n int primary key, id uuid not null default uuidv7())`
  await db`insert into bench.workspace (n) select generate_series(0, ${workspaces - 1}::int)`
  await db`insert into workspace (id, name) select id, 'workspace ' || n from bench.workspace`
  await db`
    create table bench.channel (n int primary key, workspace_id uuid not null, id uuid not null default uuidv7())`
  await db`
    insert into bench.channel (n, workspace_id)
    select c.n - 1, w.id
    from   unnest(${[...workspaceOf]}::int[]) with ordinality as c (workspace, n)
    join   bench.workspace w on w.n = c.workspace`
  const ids = await db<{ id: string }[]>`select id from bench.channel order by n`
  for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
    const rows = ids.slice(from, from + ROWS_AT_ONCE).map(({ id }, place) => {
      const n = from + place
      const baseUrl = networkUrls[networkOf[n] ?? 0] ?? ''
      const authorization = { baseUrl, accessToken: String(n), accountId: String(n) }
      return {
        n,
        origin: new URL(baseUrl).origin,
        sealed: sealAuthorization(keyring, id, authorization).toString('hex'),
      }
    })
    await db`
      insert into channel (workspace_id, id, provider, remote_account_id, display_name, handle, authorization_sealed, provider_origin)
      select b.workspace_id, b.id, 'sandbox-short', b.n::text, 'channel ' || b.n, 'channel' || b.n, decode(r.sealed, 'hex'), r.origin
      from   jsonb_to_recordset(${db.json(rows)}) as r (n int, origin text, sealed text)
      join   bench.channel b on b.n = r.n`
  }
}

/** Gives every so many-th workspace an endpoint that hears of everything. */
export async function seedEndpoints(
  { db, keyring }: Installation,
  every: number,
  url: string,
): Promise<number> {
  const chosen = await db<{ workspaceId: string; endpointId: string }[]>`
    select id as "workspaceId", uuidv7() as "endpointId" from bench.workspace where n % ${every}::int = 0`
  const eventTypes = [
    'post.published',
    'post.failed',
    'post.delayed',
    'post.reconnect_required',
    'post.recovery_required',
  ] as const
  for (const endpoint of chosen) {
    await insertEndpoint(db, endpoint, { url, description: '', eventTypes, autoReplay: false })
    await issueSecret(db, keyring, endpoint)
  }
  return chosen.length
}

/** Notes who posts at these minutes; the posts themselves come with `seedMinute`. */
export async function seedPlan(
  db: Db,
  { channelOf, minuteOf }: Plan,
  range: { from: number; to: number },
): Promise<void> {
  await db`
    create table bench.post (
      n int primary key, minute int not null, channel int not null,
      post_id uuid not null default uuidv7(), id uuid not null default uuidv7())`
  for (let from = range.from; from < range.to; from += ROWS_AT_ONCE) {
    const to = Math.min(range.to, from + ROWS_AT_ONCE)
    await db`
      insert into bench.post (n, minute, channel)
      select ${from}::int + place - 1, minute, channel
      from   unnest(${[...minuteOf.subarray(from, to)]}::int[], ${[...channelOf.subarray(from, to)]}::int[])
             with ordinality as planned (minute, channel, place)`
  }
  await db`create index on bench.post (minute)`
  await db`analyze bench.post`
}

/** Schedules the posts of one minute, as authors did some time before, and tells the publishers. */
export async function seedMinute(db: Db, minute: number, dueAt: Date): Promise<void> {
  await db.begin(async (tx) => {
    await tx`
      insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
      select c.workspace_id, p.post_id, jsonb_build_object('text', p.n || ${` ${WORDS}`}), 'edit' || p.n, 'agent_key', 'bench'
      from   bench.post p
      join   bench.channel c on c.n = p.channel
      where  p.minute = ${minute}`
    await tx`
      insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at, expires_at)
      select c.workspace_id, p.id, p.post_id, c.id, 'sandbox-short', 'scheduled', 'control' || p.n, ${dueAt}::timestamptz,
             ${dueAt}::timestamptz, ${dueAt}::timestamptz + interval '1 day'
      from   bench.post p
      join   bench.channel c on c.n = p.channel
      where  p.minute = ${minute}`
    await tx`
      insert into part (workspace_id, destination_id, index, text, folded)
      select c.workspace_id, p.id, 0, p.n || ${` ${WORDS}`}, p.n || ${` ${WORDS}`}
      from   bench.post p
      join   bench.channel c on c.n = p.channel
      where  p.minute = ${minute}`
    await tx`
      select queue_channels(array_agg(workspace_id), array_agg(id))
      from   (
        select distinct c.workspace_id, c.id
        from   bench.post p
        join   bench.channel c on c.n = p.channel
        where  p.minute = ${minute}) touched`
    await tx`select pg_notify('postrider_due', '')`
  })
}

/** Events that are past their retention, as many as an hour of such days leaves: housekeeping removes them meanwhile. */
export async function seedPast(db: Db, events: number): Promise<void> {
  await db`
    insert into outbox_event (workspace_id, id, type, post_id, destination_id, body, created_at)
    select w.id, uuidv7(), 'post.published', uuidv7(), uuidv7(), convert_to(repeat('{"past": true}', 30), 'UTF8'),
           now() - interval '31 days'
    from   generate_series(1, ${events}::int) event
    join   bench.workspace w on w.n = event % (select count(*) from bench.workspace)`
}
