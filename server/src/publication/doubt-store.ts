import type { DestinationKey } from '../destinations/destination-store.ts'
import type { Sql } from '../platform/db.ts'
import type { WorkPart } from './engine-port.ts'

/** What a destination in doubt is, to whoever settles it by what they saw. */
type DoubtRow = {
  readonly destinationId: string
  readonly controlToken: string
  readonly provider: string
  readonly tries: number
  readonly attemptId: string
  readonly partIndex: number
  readonly handle: string | null
  /** How long ago its attempt was armed. */
  readonly ageMs: number
  readonly parts: WorkPart[]
}

/** Null: it is not in doubt. */
export async function findDoubt(
  db: Sql,
  { workspaceId, postId, channelId }: DestinationKey,
): Promise<DoubtRow | null> {
  const [row] = await db<DoubtRow[]>`
    select d.id as "destinationId", d.control_token as "controlToken", d.provider, d.tries, a.id as "attemptId",
           a.part_index as "partIndex", a.handle, extract(epoch from now() - a.armed_at)::float8 * 1000 as "ageMs",
           (select jsonb_agg(jsonb_build_object('index', p.index, 'status', p.status, 'text', p.text,
                                                'remoteId', p.remote_id) order by p.index)
            from   part p
            where  p.workspace_id = d.workspace_id and p.destination_id = d.id) as parts
    from   destination d
    join   attempt a on a.workspace_id = d.workspace_id and a.destination_id = d.id and a.verdict = 'unknown'
    where  d.workspace_id = ${workspaceId} and d.post_id = ${postId} and d.channel_id = ${channelId}
    and    d.status = 'checking'`
  return row ?? null
}

/** Whether a part of ours on the channel is out under this id. */
export async function isKnown(
  db: Sql,
  { workspaceId, channelId }: DestinationKey,
  remoteId: string,
): Promise<boolean> {
  const rows = await db`
    select from part p
    join   destination d on d.workspace_id = p.workspace_id and d.id = p.destination_id
    where  d.workspace_id = ${workspaceId} and d.channel_id = ${channelId} and p.remote_id = ${remoteId}
    limit  1`
  return rows.length > 0
}

/**
 * A part of `destination d` as `mine`, and as `other` each part of its channel with the same text, itself included. The
 * row of that name has the `part_index`.
 */
export function equalParts(sql: Sql, attempt: 'a' | 'e') {
  return sql`
    part mine
    join   destination o on o.workspace_id = d.workspace_id and o.channel_id = d.channel_id
    join   part other on other.workspace_id = o.workspace_id and other.destination_id = o.id and other.text = mine.text
    and    (mine.workspace_id, mine.destination_id, mine.index) = (d.workspace_id, d.id, ${sql(attempt)}.part_index)`
}
