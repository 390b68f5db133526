import type { Db } from '../platform/db.ts'

/**
 * Disables the endpoints of agent keys and apps that have expired; says how many. A credential that is revoked, or limited to some
 * posts, takes its endpoints with it in the transaction of that (`end_endpoints_of_credential`): here nothing is written at the moment.
 */
export async function disableEnded(db: Db, limit: number): Promise<number> {
  const { count } = await db`
    update endpoint
    set    status = 'disabled', disabled_reason = 'credential_ended', status_since = now(), updated_at = now()
    where  id = any (array(
      select e.id from endpoint e
      where  e.credential_id is not null and e.status = 'active'
      and    not exists (
        select from agent_key k
        where  k.workspace_id = e.workspace_id and k.id = e.credential_id and k.revoked_at is null
        and    (k.expires_at is null or k.expires_at > now()) and not k.limits ?| array['channelIds', 'label'])
      and    not exists (
        select from oauth_grant g
        where  g.workspace_id = e.workspace_id and g.id = e.credential_id and g.revoked_at is null
        and    (g.expires_at is null or g.expires_at > now()) and not g.limits ?| array['channelIds', 'label'])
      limit  ${limit}
      for    no key update skip locked))`
  return count
}
