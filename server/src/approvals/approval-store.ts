import type { Sql, Tx } from '../platform/db.ts'

/** How long a request for approval stands. */
const STANDS = '7 days'

export type NewApproval = { readonly approvalId: string; readonly digest: Buffer }

/**
 * A common table expression that asks for approval of a post, for the statement that inserts the post;
 * it asks for nothing when `approval` is null.
 */
export function insertApproval(
  tx: Tx,
  { workspaceId, postId }: { workspaceId: string; postId: string },
  approval: NewApproval | null,
) {
  return tx`
    new_approval as (
      insert into approval (workspace_id, id, post_id, content_digest, expires_at)
      select ${workspaceId}::uuid, ${approval?.approvalId ?? null}::uuid, ${postId}::uuid, ${approval?.digest ?? null}::bytea,
             now() + ${STANDS}::interval
      where  ${approval !== null}
    )`
}

/** The latest approval of a `post p`, as `a`, for a lateral join; a pending one whose time is over has expired. */
export function latestApproval(sql: Sql) {
  return sql`
    select a.id as "approvalId",
           case when a.status = 'pending' and a.expires_at <= now() then 'expired' else a.status end as status,
           a.requested_at as "requestedAt", a.decided_at as "decidedAt", a.note
    from   approval a
    where  a.workspace_id = p.workspace_id and a.post_id = p.id
    order  by a.id desc
    limit  1`
}
