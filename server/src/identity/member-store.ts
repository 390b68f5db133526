import type { Role } from '@postrider/contract'
import type { Sql } from '../platform/db.ts'

export type Member = { memberId: string; name: string; email: string; role: Role }

function memberColumns(sql: Sql) {
  return sql`m.id as "memberId", p.name, p.email, m.role`
}

/** The workspace's first owner, in whose name a key is made when nobody else is named. */
export async function findOwner(sql: Sql, workspaceId: string): Promise<Member | null> {
  const [owner] = await sql<Member[]>`
    select ${memberColumns(sql)}
    from   member m
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.role = 'owner' and m.removed_at is null
    order  by m.id
    limit  1`
  return owner ?? null
}

/** The member of the workspace with this id or, whatever its case, this e-mail address. */
export async function findMember(sql: Sql, workspaceId: string, idOrEmail: string): Promise<Member | null> {
  const [member] = await sql<Member[]>`
    select ${memberColumns(sql)}
    from   member m
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.removed_at is null
    and    (m.id::text = lower(${idOrEmail}) or lower(p.email) = lower(${idOrEmail}))`
  return member ?? null
}
