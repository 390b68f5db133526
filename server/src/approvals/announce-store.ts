import { roleHas, roleNames } from '@postrider/contract'
import type { Sql, Tx } from '../platform/db.ts'
import type { EmailAddress } from '../platform/email-address.ts'

/** A request for approval that nobody was told of by mail. */
export type Unannounced = {
  readonly approvalId: string
  readonly workspaceId: string
  readonly postId: string
  readonly workspaceName: string
  readonly expiresAt: Date
  /** Hours until then. */
  readonly hours: number
}

const DECIDING = roleNames.filter((role) => roleHas(role, 'approvals:decide'))

/** Takes the open requests that nobody was told of, at most so many, and notes that they are told of now. */
export async function takeUnannounced(tx: Tx, limit: number): Promise<Unannounced[]> {
  return tx<Unannounced[]>`
    update approval a
    set    announced_at = now()
    from   workspace w
    where  w.id = a.workspace_id and (a.workspace_id, a.id) in (
      select workspace_id, id from approval
      where  status = 'pending' and announced_at is null and expires_at > now()
      order  by expires_at
      limit  ${limit}
      for    no key update skip locked)
    returning a.id as "approvalId", a.workspace_id as "workspaceId", a.post_id as "postId", w.name as "workspaceName",
              a.expires_at as "expiresAt", extract(epoch from a.expires_at - now())::float8 / 3600 as hours`
}

/** Those who may decide in a workspace and have a way to sign in. */
export async function listApprovers(
  sql: Sql,
  workspaceId: string,
): Promise<{ personId: string; name: string; email: EmailAddress }[]> {
  return sql<{ personId: string; name: string; email: EmailAddress }[]>`
    select p.id as "personId", p.name, p.email
    from   member m
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.removed_at is null and m.role = any(${DECIDING}::text[])
    and    (p.password_hash is not null or exists (select from passkey k where k.person_id = p.id)
            or exists (select from person_identity i where i.person_id = p.id))
    order  by m.id`
}
