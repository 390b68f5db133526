import type { EventType } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { sealAuthorization } from '../server/src/networks/channels/authorization.ts'
import type { Db } from '../server/src/platform/postgres/db.ts'
import { writeInTransaction } from '../server/src/edge/operations/write-transaction.ts'
import type { Keyring } from '../server/src/platform/sealing/sealing.ts'
import { issueSecret } from '../server/src/engine/webhooks/endpoint-secrets.ts'
import { insertEndpoint } from '../server/src/engine/webhooks/endpoint-store.ts'

export type Place = { workspaceId: string; channelId: string }

/** So many channels, spread evenly over so many new workspaces, all of them on this network. */
export async function seedChannels(
  db: Db,
  keyring: Keyring,
  networkUrl: string,
  { workspaces, channels }: { workspaces: number; channels: number },
): Promise<Place[]> {
  const ids = await newIds(db, workspaces)
  await db`insert into workspace (id, name) select id, 'bench' from unnest(${ids}::uuid[]) id`
  return connectChannels(db, keyring, networkUrl, { workspaceIds: ids, channels })
}

/** The same in workspaces that exist. */
export async function connectChannels(
  db: Db,
  keyring: Keyring,
  networkUrl: string,
  { workspaceIds, channels }: { workspaceIds: readonly string[]; channels: number },
): Promise<Place[]> {
  const channelIds = await newIds(db, channels)
  const places = channelIds.map((channelId, n) => ({
    workspaceId: workspaceIds[n % workspaceIds.length] ?? '',
    channelId,
  }))
  const rows = places.map((place) => {
    const account = `acc_${place.channelId}`
    const authorization = { baseUrl: networkUrl, accessToken: account, accountId: account }
    const sealed = sealAuthorization(keyring, place.channelId, authorization).toString('hex')
    return { ...place, account, sealed }
  })
  await db`
    insert into channel (workspace_id, id, provider, remote_account_id, display_name, handle, authorization_sealed)
    select "workspaceId", "channelId", 'sandbox-short', account, 'bench', 'bench', decode(sealed, 'hex')
    from   jsonb_to_recordset(${db.json(rows)}) as r ("workspaceId" uuid, "channelId" uuid, account text, sealed text)`
  return places
}

/** An active endpoint of a workspace with its secret. */
export async function seedEndpoint(
  db: Db,
  keyring: Keyring,
  { workspaceId, url, eventTypes }: { workspaceId: string; url: string; eventTypes: readonly EventType[] },
): Promise<void> {
  const key = { workspaceId, endpointId: uuidv7() }
  await insertEndpoint(db, key, { url, description: '', eventTypes, autoReplay: false })
  await issueSecret(db, keyring, key)
}

export type SeededPost = Place & {
  postId: string
  destinationId: string
  editToken: string
  controlToken: string
}

export type Options = {
  count: number
  status: 'scheduled' | 'delayed'
  dueAt: Date
  /** What every text begins with. */
  word: string
}

/** Posts with one part each, on one channel after the other, written straight into the tables. */
export async function seedPosts(db: Db, places: readonly Place[], options: Options): Promise<SeededPost[]> {
  const { count, status, dueAt, word } = options
  const postIds = await newIds(db, count)
  const destinationIds = await newIds(db, count)
  const posts = postIds.map((postId, n) => ({
    ...(places[n % places.length] ?? { workspaceId: '', channelId: '' }),
    postId,
    destinationId: destinationIds[n] ?? '',
    editToken: `edit-${n}`,
    controlToken: `control-${n}`,
    text: `${word} ${n}`,
  }))
  const checkAgainAt = status === 'delayed' ? dueAt : null
  for (let from = 0; from < count; from += 5_000) {
    const rows = db.json(posts.slice(from, from + 5_000))
    await db`
      with item as materialized (
        select * from jsonb_to_recordset(${rows}) as i (
          "workspaceId" uuid, "channelId" uuid, "postId" uuid, "destinationId" uuid, "editToken" text,
          "controlToken" text, text text)
      ),
      posted as (
        insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
        select "workspaceId", "postId", jsonb_build_object('text', text), "editToken", 'agent_key', 'bench' from item
      ),
      placed as (
        insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at,
                                 due_at, expires_at, check_again_at)
        select "workspaceId", "destinationId", "postId", "channelId", 'sandbox-short', ${status}, "controlToken",
               ${dueAt}::timestamptz, ${dueAt}::timestamptz, ${dueAt}::timestamptz + interval '1 day',
               ${checkAgainAt}::timestamptz
        from   item
      ),
      searched as (
        insert into post_search (workspace_id, post_id, folded) select "workspaceId", "postId", array[text] from item
      )
      insert into part (workspace_id, destination_id, index, text, folded)
      select "workspaceId", "destinationId", 0, text, text from item`
  }
  await db`select queue_channels(array_agg(workspace_id), array_agg(id)) from channel where id = any(${places.map(({ channelId }) => channelId)}::uuid[])`
  return posts
}

export async function newIds(db: Db, count: number): Promise<string[]> {
  const rows = await db<{ id: string }[]>`select uuidv7()::text as id from generate_series(1, ${count})`
  return rows.map(({ id }) => id)
}

/** Tells the publishers that something is due; writers of the product do so by themselves. */
export async function announceDue(db: Db): Promise<void> {
  await db`select pg_notify('postrider_due', '')`
}

/** Takes every post away: the next measurement starts from tables that were never analyzed, as those of a new database. */
export async function forgetPosts(db: Db): Promise<void> {
  await emptyTables(db, ['post', 'idempotency_record'], ['post_id', 'destination_id'])
}

/** Takes every endpoint away, with all that was sent to it or is to be. */
export async function forgetEndpoints(db: Db): Promise<void> {
  await emptyTables(db, ['endpoint'], ['endpoint_id'])
}

/** Empties these tables, all that have one of these columns, and all that refer to them: whichever there are by now. */
async function emptyTables(db: Db, named: readonly string[], columns: readonly string[]): Promise<void> {
  const found = await db<{ name: string }[]>`
    select distinct c.table_name as name
    from   information_schema.columns c
    join   information_schema.tables t using (table_schema, table_name)
    where  c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name = any(${[...columns]}::text[])`
  const names = [...new Set([...named, ...found.map(({ name }) => name)])]
  // The server reads these tables meanwhile: of two that wait for each other, PostgreSQL ends one, which is tried again.
  await writeInTransaction(db, (tx) => tx.script(`truncate ${names.join(', ')} cascade`))
}
