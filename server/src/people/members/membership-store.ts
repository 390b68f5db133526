import type { Role } from '@postrider/contract'
import type { Sql } from '../../platform/postgres/db.ts'

/** A workspace that a person is a member of. */
export type WorkspaceOf = {
  readonly workspaceId: string
  readonly name: string
  readonly timeZone: string
  readonly memberId: string
  readonly role: Role
}

/** The workspaces of a person, by name. */
export async function listWorkspacesOf(sql: Sql, personId: string): Promise<WorkspaceOf[]> {
  return sql<WorkspaceOf[]>`
    select w.id as "workspaceId", w.name, w.time_zone as "timeZone", m.id as "memberId", m.role
    from   member m
    join   workspace w on w.id = m.workspace_id
    where  m.person_id = ${personId} and m.removed_at is null
    order  by lower(w.name), w.id`
}
