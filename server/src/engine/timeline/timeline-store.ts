import type { Sql } from '../../platform/postgres/db.ts'
import type { Happened } from './timeline.ts'

export type PostRef = { readonly workspaceId: string; readonly postId: string }

/** Everything that is kept of what happened to a post; null when there is no such post in the workspace. */
export async function readHappened(
  sql: Sql,
  { workspaceId, postId }: PostRef,
  { withDeliveries }: { withDeliveries: boolean },
): Promise<Happened | null> {
  const [row] = await sql<Happened[]>`
    select jsonb_build_object('at', p.created_at, 'by', p.created_by_name) as created,
           (select time_zone from workspace where id = p.workspace_id) as "timeZone",
           (select coalesce(jsonb_agg(jsonb_build_object(
                     'at', e.created_at, 'data', convert_from(e.body, 'UTF8')::jsonb -> 'data') order by e.seq), '[]')
            from   outbox_event e
            where  e.workspace_id = p.workspace_id and e.post_id = p.id and e.type = 'post.edited') as edits,
           (select coalesce(jsonb_agg(jsonb_build_object(
                     'at', a.requested_at, 'decidedAt', a.decided_at, 'status', a.status, 'note', a.note,
                     'by', (select person.name
                            from   member
                            join   person on person.id = member.person_id
                            where  member.workspace_id = a.workspace_id and member.id = a.decided_by))
                     order by a.id), '[]')
            from   approval a
            where  a.workspace_id = p.workspace_id and a.post_id = p.id) as approvals,
           (select coalesce(jsonb_agg(jsonb_build_object(
                     'at', a.armed_at, 'endedAt', a.settled_at, 'channelId', d.channel_id, 'part', a.part_index,
                     'firstComment', exists (
                       select from part t
                       where  t.workspace_id = a.workspace_id and t.destination_id = a.destination_id
                       and    t.index = a.part_index and t.first_comment),
                     'verdict', a.verdict, 'evidence', a.evidence)
                     order by a.armed_at), '[]')
            from   destination d
            join   attempt a on a.workspace_id = d.workspace_id and a.destination_id = d.id
            where  d.workspace_id = p.workspace_id and d.post_id = p.id) as attempts,
           (select coalesce(jsonb_agg(jsonb_build_object(
                     'at', n.ended_at, 'channelId', d.channel_id, 'kind', split_part(n.name, ':', 1),
                     'outcome', n.outcome, 'remoteId', substr(n.name, strpos(n.name, ':') + 1))
                     order by n.ended_at), '[]')
            from   destination d
            join   network_draft n on n.workspace_id = d.workspace_id and n.destination_id = d.id and n.outcome is not null
            where  d.workspace_id = p.workspace_id and d.post_id = p.id) as leftovers,
           (select coalesce(jsonb_agg(jsonb_build_object(
                     'at', e.created_at, 'type', e.type, 'channelId', d.channel_id,
                     'body', convert_from(e.body, 'UTF8')::jsonb,
                     'deliveries', ${withDeliveries ? deliveriesOf(sql) : sql`'[]'::jsonb`})
                     order by e.seq), '[]')
            from   destination d
            join   outbox_event e on e.workspace_id = d.workspace_id and e.destination_id = d.id
            where  d.workspace_id = p.workspace_id and d.post_id = p.id) as events
    from   post p
    where  p.workspace_id = ${workspaceId} and p.id = ${postId}`
  return row ?? null
}

function deliveriesOf(sql: Sql) {
  return sql`
    (select coalesce(jsonb_agg(jsonb_build_object(
              'url', endpoint.url, 'status', w.status, 'attempts', w.attempts,
              'httpStatus', w.http_status, 'error', w.error) order by w.created_at), '[]')
     from   endpoint
     join   delivery w on  w.workspace_id = endpoint.workspace_id
                       and w.endpoint_id = endpoint.id and w.event_id = e.id
     where  endpoint.workspace_id = p.workspace_id)`
}
