import type { ApprovalPolicy, LinkTags } from '@postrider/contract'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import type { EmailAddress } from '../../platform/text/email-address.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { stopWrites } from '../../edge/operations/credential-lock.ts'
import { upsertPerson } from './person-store.ts'

export type Workspace = {
  workspaceId: string
  name: string
  timeZone: string
  /** How many hours after its time a post may still go out. */
  allowedHours: number
  /** What of the posts of credentials waits for a person. */
  approvalPolicy: ApprovalPolicy
  /** What is added to the links of posts; null for nothing. */
  linkTags: LinkTags | null
  createdAt: Date
}

export type NewWorkspace = {
  name: string
  timeZone: string
  /** How long after its time a post of the workspace may still go out; a day when left out. */
  allowedHours?: number
  owner: { name: string; email: EmailAddress }
}

const DEFAULT_ALLOWED_HOURS = 24

function workspaceColumns(sql: Sql) {
  return sql`
    id as "workspaceId", name, time_zone as "timeZone",
    extract(epoch from allowed_time)::float8 / 3600 as "allowedHours",
    '{"all": false, "withinMinutes": null, "firstPosts": null}' || approval_policy as "approvalPolicy", link_tags as "linkTags",
    created_at as "createdAt"`
}

/**
 * Creates a workspace and its owner, both or neither. An owner who is known by the e-mail address is the person of that
 * address, under the name they have.
 */
export async function createWorkspace(
  sql: Sql,
  { name, timeZone, allowedHours = DEFAULT_ALLOWED_HOURS, owner }: NewWorkspace,
): Promise<{ workspaceId: string; memberId: string }> {
  const [workspaceId, memberId] = [uuidv7(), uuidv7()]
  await sql`
    with created as (
      insert into workspace (id, name, time_zone, allowed_time)
      values (${workspaceId}, ${name}, ${timeZone}, ${allowedHours}::float8 * interval '1 hour')
      returning id
    ),
    owner as (${upsertPerson(sql, owner)})
    insert into member (workspace_id, id, person_id, role)
    select created.id, ${memberId}, owner.id, 'owner' from created, owner`
  return { workspaceId, memberId }
}

export type WorkspaceChange = {
  readonly name?: string
  readonly timeZone?: string
  readonly allowedHours?: number
  readonly approvalPolicy?: ApprovalPolicy
  readonly linkTags?: LinkTags | null
}

/** Gives a workspace another name, time zone, allowed time, approval policy or link tags; what is left out stays. Posts that have their time keep the old one. */
export async function updateWorkspace(
  sql: Sql,
  workspaceId: string,
  { name, timeZone, allowedHours, approvalPolicy, linkTags }: WorkspaceChange,
): Promise<void> {
  if (approvalPolicy !== undefined) await stopWrites(sql, workspaceId)
  await sql`
    update workspace
    set    name = coalesce(${name ?? null}, name), time_zone = coalesce(${timeZone ?? null}, time_zone),
           allowed_time = coalesce(${allowedHours ?? null}::float8 * interval '1 hour', allowed_time),
           approval_policy = coalesce(${approvalPolicy === undefined ? null : sql.json(approvalPolicy)}::jsonb, approval_policy),
           link_tags = case when ${linkTags === undefined} then link_tags
                            else ${linkTags == null ? null : sql.json(linkTags)}::jsonb end
    where  id = ${workspaceId}`
}

/** Every workspace, oldest first. */
export async function listWorkspaces(sql: Sql): Promise<Workspace[]> {
  return sql<Workspace[]>`
    select ${workspaceColumns(sql)}
    from   workspace
    order  by id`
}

export async function findWorkspace(sql: Sql, workspaceId: string): Promise<Workspace | null> {
  const [workspace] = await sql<Workspace[]>`
    select ${workspaceColumns(sql)}
    from   workspace
    where  id = ${workspaceId}`
  return workspace ?? null
}

/** The same, kept from other changes until the transaction ends. */
export async function lockWorkspace(tx: Tx, workspaceId: string): Promise<Workspace | null> {
  const [workspace] = await tx<Workspace[]>`
    select ${workspaceColumns(tx)}
    from   workspace
    where  id = ${workspaceId}
    for    no key update`
  return workspace ?? null
}
