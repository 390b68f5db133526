import type { Db, Tx } from '../../server/src/platform/postgres/db.ts'

const EVENTS_PER_POST = 10
/** Every text has five of these words. */
const WORDS = `time year people way day man thing woman life child world school state family student group country problem
  hand part place case week company system program question work government number night point home water room mother area
  money story fact month lot right study book eye job word business issue side kind head house service friend father power
  hour game line end member law car city community name president team minute idea kid body information back parent face`
const TABLES = ['post', 'destination', 'part', 'post_search', 'approval', 'outbox_event']

/**
 * So many posts of one workspace, a minute apart, the last ones for the weeks to come, and ten events of each. All texts have
 * "common" and "abc bc bcd", those of the older half "formerly", a hundred "seldom", and the 17th alone "needle17x". Most are
 * published; three of the oldest failed, and none is delayed or in doubt.
 */
export async function fillWorkspace(db: Db, workspaceId: string, posts: number): Promise<void> {
  await db.begin(
    async (tx) => {
      // Neither triggers nor foreign keys: what they look after is written here as they would.
      await tx`set local session_replication_role = replica`
      await tx`set local maintenance_work_mem = '1GB'`
      // At once, since to reindex one while the server writes into another could end in a deadlock.
      await tx.script(`lock table ${TABLES.join()} in share row exclusive mode`)
      await pauseIndexes(tx)
      await insertPosts(tx, workspaceId, posts)
      await insertEvents(tx, workspaceId, posts)
      for (const table of TABLES) await tx.script(`reindex table ${table}`)
    },
    { statementTimeoutMs: 0 },
  )
  const connection = await db.reserve({ statementTimeoutMs: 0 })
  // While a commit of about then may not be on disk yet, vacuum marks no page as visible to all, and plans differ.
  await connection.script('set synchronous_commit = on')
  await connection.script('vacuum analyze')
  connection.release()
}

/** Has rows written without index entries, until the tables are reindexed. */
async function pauseIndexes(tx: Tx): Promise<void> {
  await tx`
    update pg_index set indisready = false, indisvalid = false
    where  indrelid in (select oid from pg_class where relname = any(${TABLES}) and relnamespace = 'public'::regnamespace)`
}

async function insertPosts(tx: Tx, workspaceId: string, posts: number): Promise<void> {
  const ahead = Math.ceil(posts / 20)
  await tx`
    create temporary table planned on commit drop as
    select n, uuidv7((n - ${posts}) * interval '1 minute') as id, uuidv7() as destination_id,
           c.ids[1 + n % cardinality(c.ids)] as channel_id,
           now() + (n - ${posts - ahead}) * interval '1 minute' + interval '1 hour' as at,
           case when n <= 3 then 'failed'
                when n % 50 = 0 then 'draft'
                when n % 50 = 1 then 'cancelled'
                when n > ${posts - ahead} then 'scheduled'
                when n % 50 = 2 then 'expired'
                else 'published' end as status,
           (select string_agg(w.words[1 + abs(hashint4(n * 16 + place)) % cardinality(w.words)], ' ') from generate_series(1, 5) place)
           || ' common abc bc bcd' || case when n <= ${posts / 2} then ' formerly' else '' end
           || case when n % ${posts / 100} = 9 then ' seldom' else '' end || case when n = 17 then ' needle17x' else '' end as text
    from   generate_series(1, ${posts}) n,
           (select array_agg(id) as ids from channel where workspace_id = ${workspaceId} and provider = 'sandbox-short') c,
           (select regexp_split_to_array(${WORDS}, '\\s+') as words) w`
  await tx`
    insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name, created_at, updated_at)
    select ${workspaceId}, id, jsonb_build_object('text', text), 'edit-' || n, 'agent_key', 'scale',
           least(at, now()), least(at, now())
    from   planned
    order  by n`
  await tx`
    insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at,
                             expires_at, published_at, release_url)
    select ${workspaceId}, destination_id, id, channel_id, 'sandbox-short', status, 'control-' || n,
           case when status <> 'draft' then at end, case when status = 'scheduled' then at end,
           case when status <> 'draft' then at + interval '1 day' end, case when status = 'published' then at end,
           case when status = 'published' then 'https://example.com/' || n end
    from   planned
    order  by n`
  await tx`
    insert into part (workspace_id, destination_id, index, text, folded, status, remote_id, release_url, published_at)
    select ${workspaceId}, destination_id, 0, text, text,
           case status when 'published' then 'published' when 'failed' then 'failed'
                       when 'cancelled' then 'skipped' when 'expired' then 'skipped' else 'pending' end,
           case when status = 'published' then 'r' || n end, case when status = 'published' then 'https://example.com/' || n end,
           case when status = 'published' then at end
    from   planned
    order  by n`
  await tx`insert into post_search (workspace_id, post_id, folded) select ${workspaceId}, id, array[text] from planned order by n`
  await tx`
    insert into approval (workspace_id, id, post_id, content_digest, status, requested_at, expires_at)
    select ${workspaceId}, uuidv7(), id, sha256(''), case when n % 100 = 0 then 'pending' else 'superseded' end,
           least(at, now()), now() + interval '7 days'
    from   planned
    where  status = 'draft'`
  await tx`
    insert into channel_queue (workspace_id, channel_id, look_at)
    select workspace_id, id, '-infinity' from channel where workspace_id = ${workspaceId}
    on     conflict (workspace_id, channel_id) do update set look_at = excluded.look_at`
}

async function insertEvents(tx: Tx, workspaceId: string, posts: number): Promise<void> {
  const body = JSON.stringify({
    id: '%s',
    type: 'post.published',
    createdAt: '2026-11-01T09:00:00.000Z',
    data: {
      post: { postId: '%s' },
      destination: {
        channelId: '%s',
        provider: 'sandbox-short',
        publishAt: '2026-11-01T09:00:00.000Z',
        releaseUrl: 'https://example.com/%s',
        status: 'published',
      },
    },
  })
  for (let round = 0; round < EVENTS_PER_POST; round++) {
    await tx`
      insert into outbox_event (workspace_id, id, type, post_id, destination_id, body, created_at)
      select ${workspaceId}, event_id, 'post.published', id, destination_id,
             convert_to(format(${body}, event_id, id, channel_id, n), 'UTF8'),
             now() - (${(EVENTS_PER_POST - round) * posts} - n) * interval '50 milliseconds'
      from   (select p.*, uuidv7() as event_id from planned p offset 0) p`
  }
}
