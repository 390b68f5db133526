import type { Db } from '../../src/platform/postgres/db.ts'
import { queueChannels } from './fixtures.ts'

/** On each of many channels at once: destinations that are due, some for later, and some that are done. */
export async function plantMany(
  db: Db,
  workspaceId: string,
  of: { channels: number; each: number; later?: number; settled?: number },
): Promise<void> {
  const { channels, each, later = 0, settled = 0 } = of
  // On a busy machine this may take longer than statements have.
  const limit = { statementTimeoutMs: 0 }
  await db.begin(async (tx) => {
    await tx`
      insert into channel (workspace_id, id, provider, remote_account_id, display_name, handle, authorization_sealed)
      select ${workspaceId}, gen_random_uuid(), 'sandbox-short', 'acc ' || n, 'C', 'c', ''
      from   generate_series(1, ${channels}) n`
    await tx`
      with posts as (
        insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
        select ${workspaceId}, gen_random_uuid(), '{"text":"x"}', 't', 'agent_key', 'k'
        from   generate_series(1, ${each + later + settled})
        returning id
      ),
      planned as (
        select id, case when n <= ${each} then interval '-1 hour'
                        when n <= ${each + later} then interval '1 hour' end as ahead
        from   (select id, row_number() over () as n from posts) numbered
      )
      insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at,
                               expires_at, published_at)
      select ${workspaceId}, gen_random_uuid(), p.id, c.id, c.provider,
             case when ahead is null then 'published' else 'scheduled' end, 't', at, at, now() + interval '1 day',
             case when ahead is null then now() end
      from   planned p
      join   channel c on c.workspace_id = ${workspaceId},
      lateral (select now() + p.ahead * (0.1 + 0.9 * random()) as at) t`
    await tx`
      insert into part (workspace_id, destination_id, index, text, folded)
      select workspace_id, id, 0, 'x', 'x' from destination where status = 'scheduled' and workspace_id = ${workspaceId}`
    await queueChannels(tx, workspaceId)
  }, limit)
}
