import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import { announce } from '../outbox/outbox-store.ts'
import type { PostChange } from '../outbox/envelope.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/db.ts'
import { placeOfLatePost, type PartNow } from './late-post.ts'
import type { EngineStore, Lease } from './work.ts'

/**
 * Keeps that a call made a post whose destination had gone on without it, and tells of it where the part is out under another id. Gives the
 * attempt whose doubt it ends; null for none. What it reads is read behind the lock that settlements take, too.
 */
export function noteLatePost(
  db: Db,
  { workspaceId, destinationId }: Parameters<EngineStore['noteLatePost']>[0],
  { attemptId, partIndex, remoteId, url }: Parameters<EngineStore['noteLatePost']>[1],
): Promise<string | null> {
  return writeInTransaction(db, async (tx) => {
    await tx`
      select from destination d where d.workspace_id = ${workspaceId} and d.id = ${destinationId} for no key update`
    const [part] = await tx<(PartNow & { doubtId: string | null })[]>`
      select p.status, p.remote_id as "remoteId", doubt.id as "doubtId", coalesce(doubt.key = a.key, false) as "sameDoubt"
      from   part p
      join   attempt a on a.workspace_id = p.workspace_id and a.destination_id = p.destination_id and a.part_index = p.index
      left   join attempt doubt on doubt.workspace_id = p.workspace_id and doubt.destination_id = p.destination_id
                               and doubt.part_index = p.index and doubt.verdict = 'unknown'
      where  p.workspace_id = ${workspaceId} and p.destination_id = ${destinationId} and p.index = ${partIndex} and a.id = ${attemptId}`
    const place = part === undefined ? 'known' : placeOfLatePost(part, remoteId)
    if (place === 'known') return null
    await tx`
      with late as (
        insert into late_post (workspace_id, destination_id, part_index, attempt_id, remote_id, release_url)
        values (${workspaceId}, ${destinationId}, ${partIndex}, ${attemptId}, ${remoteId}, ${url})
        on conflict do nothing
        returning 1
      )
      update attempt a
      set    evidence = a.evidence || jsonb_build_object(
               'by', 'late', 'verdict', 'published', 'remoteId', ${remoteId}::text, 'at', now())
      from   late
      where  a.workspace_id = ${workspaceId} and a.destination_id = ${destinationId} and a.part_index = ${partIndex} and a.id = ${attemptId}`
    if (place === 'second') await announce(tx, await takeSecondPosts(tx, [{ workspaceId, destinationId }]))
    return place === 'proof' ? (part?.doubtId ?? null) : null
  })
}

/** Whether late posts of `destination d` may have become second ones. */
export function hasUntoldPost(sql: Sql) {
  return sql`
    exists (
      select from late_post l
      where  l.workspace_id = d.workspace_id and l.destination_id = d.id and l.told_at is null)`
}

/** The late posts of these destinations that have become second ones, each once: the transaction has to announce them. */
export async function takeSecondPosts(
  tx: Tx,
  destinations: readonly Pick<Lease, 'workspaceId' | 'destinationId'>[],
): Promise<PostChange[]> {
  if (destinations.length === 0) return []
  const told = await tx<(Omit<PostChange, 'type' | 'by' | 'channelIds'> & { channelId: string })[]>`
    update late_post l
    set    told_at = now()
    from   unnest(${destinations.map(({ workspaceId }) => workspaceId)}::uuid[],
                  ${destinations.map(({ destinationId }) => destinationId)}::uuid[]) as settled (workspace_id, destination_id)
    join   destination d on d.workspace_id = settled.workspace_id and d.id = settled.destination_id
    join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id
    where  l.workspace_id = d.workspace_id and l.destination_id = d.id and l.part_index = p.index
    and    l.told_at is null and p.status = 'published' and p.remote_id <> l.remote_id
    returning l.workspace_id as "workspaceId", d.post_id as "postId", d.channel_id as "channelId", now() as at,
              jsonb_build_object('channelId', d.channel_id, 'part', l.part_index, 'remoteId', l.remote_id, 'releaseUrl', l.release_url,
                                 'firstRemoteId', p.remote_id, 'firstReleaseUrl', p.release_url) as duplicate`
  const by = { type: 'service', name: 'Postrider' } as const
  return told.map(({ channelId, ...change }) => ({
    ...change,
    type: 'post.duplicate_found',
    by,
    channelIds: [channelId],
  }))
}

/** The late post of `destination d` that may be the proof of a part that is still to be sent. */
export function latePostColumn(sql: Sql) {
  return sql`
    (select jsonb_build_object('attemptId', l.attempt_id, 'partIndex', l.part_index, 'remoteId', l.remote_id,
                               'url', l.release_url, 'key', a.key)
     from   late_post l
     join   attempt a on a.workspace_id = l.workspace_id and a.destination_id = l.destination_id
                     and a.part_index = l.part_index and a.id = l.attempt_id
     join   part p on p.workspace_id = l.workspace_id and p.destination_id = l.destination_id and p.index = l.part_index
     where  l.workspace_id = d.workspace_id and l.destination_id = d.id and p.status <> 'published'
     order  by l.part_index, l.found_at
     limit  1) as late`
}
