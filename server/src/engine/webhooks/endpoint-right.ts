import { type Permission, roleHas, roleNames } from '@postrider/contract'
import type { Fragment, Sql } from '../../platform/postgres/db.ts'

/** What a credential needs to have endpoints of its own: each gets the events of all posts. */
const NEEDED = ['webhooks:write', 'posts:read'] as const satisfies Permission[]

const ROLES = roleNames.filter((role) => NEEDED.every((right) => roleHas(role, right)))

/**
 * Whether the owner of an `endpoint e` may have the events of all posts now: the credential that made it, by what it and its member
 * may do. An endpoint that a person made is the workspace's.
 */
export function mayHaveEvents(sql: Sql): Fragment {
  return sql`(e.credential_id is null or exists (
    select from ${holder(sql)}
    where  ${acts(sql)} and c.permissions @> ${[...NEEDED]}::text[] and m.role = any(${[...ROLES]}::text[])))`
}

/** Whether the credential that made an `endpoint e` has not ended, and sees all posts, whatever else it may do. */
export function credentialActs(sql: Sql): Fragment {
  return sql`exists (select from ${holder(sql)} where ${acts(sql)})`
}

function holder(sql: Sql): Fragment {
  const columns = sql`workspace_id, id, member_id, permissions, limits, expires_at, revoked_at`
  return sql`
           (select ${columns} from agent_key union all select ${columns} from oauth_grant) c
    join   member m on m.workspace_id = c.workspace_id and m.id = c.member_id`
}

function acts(sql: Sql): Fragment {
  return sql`
           c.workspace_id = e.workspace_id and c.id = e.credential_id and c.revoked_at is null
    and    (c.expires_at is null or c.expires_at > now()) and not c.limits ?| array['channelIds', 'label']
    and    m.removed_at is null`
}
