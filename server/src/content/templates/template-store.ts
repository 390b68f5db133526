import type { Content, CredentialLimits } from '@postrider/contract'
import { labelKeys } from '../../edge/operations/credential-limits.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { nameKey } from '../../platform/text/name-key.ts'

export type TemplateKey = { readonly workspaceId: string; readonly templateId: string }

export type TemplateRow = {
  readonly templateId: string
  readonly name: string
  readonly content: Content
  /** Channels, or groups of them. */
  readonly channelIds: readonly string[]
  readonly labels: readonly string[]
  readonly editToken: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What is written of a template. */
export type TemplateState = Pick<TemplateRow, 'name' | 'content' | 'channelIds' | 'labels' | 'editToken'>

/** Has those wait until the end of the transaction who write templates of the workspace: names are of a kind, and counted. */
export async function lockTemplates(tx: Tx, workspaceId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} templates`}, 0))`
}

/** How many templates there are, and whether another one than `exceptId` has the name. */
export async function countTemplates(
  tx: Tx,
  workspaceId: string,
  { name, exceptId }: { readonly name: string; readonly exceptId: string | null },
): Promise<{ count: number; isTaken: boolean }> {
  const [row] = await tx<{ count: number; isTaken: boolean }[]>`
    select count(*)::int as count,
           coalesce(bool_or(name_key = ${nameKey(name)} and id is distinct from ${exceptId}::uuid), false) as "isTaken"
    from   template
    where  workspace_id = ${workspaceId}`
  return row ?? { count: 0, isTaken: false }
}

export async function insertTemplate(
  tx: Tx,
  { workspaceId, templateId }: TemplateKey,
  { name, content, channelIds, labels, editToken }: TemplateState,
): Promise<Date> {
  const [row] = await tx<{ at: Date }[]>`
    insert into template (workspace_id, id, name, name_key, content, channel_ids, labels, label_keys, media_ids, edit_token)
    values (${workspaceId}, ${templateId}, ${name}, ${nameKey(name)}, ${tx.json(content)}, ${[...channelIds]}::uuid[],
            ${[...labels]}, ${labels.map(nameKey)}, ${mediaIdsOf(content)}::uuid[], ${editToken})
    returning created_at as at`
  if (row === undefined) throw new Error('a template was not inserted')
  return row.at
}

/** Changes a template that its writer has locked. Says when. */
export async function updateTemplate(
  tx: Tx,
  { workspaceId, templateId }: TemplateKey,
  { name, content, channelIds, labels, editToken }: TemplateState,
): Promise<Date> {
  const [row] = await tx<{ at: Date }[]>`
    update template
    set    name = ${name}, name_key = ${nameKey(name)}, content = ${tx.json(content)},
           channel_ids = ${[...channelIds]}::uuid[], labels = ${[...labels]}, label_keys = ${labels.map(nameKey)},
           media_ids = ${mediaIdsOf(content)}::uuid[], edit_token = ${editToken}, updated_at = now()
    where  workspace_id = ${workspaceId} and id = ${templateId}
    returning updated_at as at`
  if (row === undefined) throw new Error('a template vanished under its lock')
  return row.at
}

/** Deletes a template that its writer has locked. Says when. */
export async function removeTemplate(tx: Tx, { workspaceId, templateId }: TemplateKey): Promise<Date> {
  const [row] = await tx<{ at: Date }[]>`
    delete from template where workspace_id = ${workspaceId} and id = ${templateId} returning now() as at`
  if (row === undefined) throw new Error('a template vanished under its lock')
  return row.at
}

/** The template, where its reader sees it; null for none. */
export async function findTemplate(
  sql: Sql,
  { workspaceId, templateId }: TemplateKey,
  limits: CredentialLimits,
): Promise<TemplateRow | null> {
  const [row] = await sql<TemplateRow[]>`
    select ${columns(sql)}
    from   template t
    where  t.workspace_id = ${workspaceId} and t.id = ${templateId} ${isSeen(sql, limits)}`
  return row ?? null
}

/** The templates that a credential with these limits sees, by name. */
export async function listTemplateRows(
  sql: Sql,
  workspaceId: string,
  limits: CredentialLimits,
): Promise<TemplateRow[]> {
  return sql<TemplateRow[]>`
    select ${columns(sql)}
    from   template t
    where  t.workspace_id = ${workspaceId} ${isSeen(sql, limits)}
    order  by t.name_key`
}

/** The media of a content, each once. */
export function mediaIdsOf({ mediaIds = [], thread = [] }: Content): string[] {
  return [...new Set([...mediaIds, ...thread.flatMap((part) => part.mediaIds ?? [])])]
}

/** What a narrowed credential does not see: what is for other channels alone, or for posts with other labels. */
function isSeen(sql: Sql, limits: CredentialLimits) {
  const labels = labelKeys(limits)
  const channels =
    limits.channelIds === null
      ? sql``
      : sql`and (t.channel_ids = '{}' or t.channel_ids && ${[...limits.channelIds]}::uuid[] or exists (
              select from channel_group g
              where  g.workspace_id = t.workspace_id and g.id = any(t.channel_ids)
              and    g.channel_ids && ${[...limits.channelIds]}::uuid[]))`
  return sql`${channels} ${labels === null ? sql`` : sql`and (t.label_keys = '{}' or t.label_keys @> ${labels})`}`
}

/** The columns of a `template t` (`TemplateRow`). */
function columns(sql: Sql) {
  return sql`
    t.id as "templateId", t.name, t.content, t.channel_ids as "channelIds", t.labels, t.edit_token as "editToken",
    t.created_at as "createdAt", t.updated_at as "updatedAt"`
}
