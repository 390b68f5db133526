import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import type { Act, AuditValue, RecordAct } from '../../edge/operations/act.ts'

/** Appends to the audit log. Rows are never changed; a trigger holds that. */
export const recordAct: RecordAct = async (tx, act) => {
  const entry = tx`new_audit_entry as (${insertEntry(tx, act)})`
  if ('deferPart' in tx) tx.deferPart('new_audit_entry', entry)
  else await tx`with ${entry} select`
}

function insertEntry(tx: Sql, act: Act) {
  const { workspaceId, actor, action, subject = {}, before, after, address, requestId } = act
  return tx`
    insert into audit_entry (workspace_id, id, actor_type, actor_id, actor_name, person_id, action, subject, before, after,
                             address, request_id)
    values (${workspaceId}, ${uuidv7()}, ${actor.type}, ${actor.id}, ${actor.name}, ${actor.personId}, ${action},
            ${tx.json(subject)}, ${before === undefined ? null : tx.json(before)},
            ${after === undefined ? null : tx.json(after)}, ${address}, ${requestId})`
}

/** An act as it is kept; `seq` says its place. */
export type RecordedAct = {
  readonly seq: string
  readonly auditId: string
  readonly at: Date
  readonly actorType: Act['actor']['type']
  readonly actorId: string | null
  readonly actorName: string
  readonly action: string
  readonly subject: Readonly<Record<string, string>>
  readonly before: AuditValue | null
  readonly after: AuditValue | null
  readonly address: string | null
  readonly requestId: string | null
}

/**
 * The acts in a workspace, the latest first; `before` is the place of the last one of the page before. They are compared and
 * ordered by both, so that no plan walks through those of other workspaces.
 */
export async function listActs(
  sql: Sql,
  workspaceId: string,
  {
    who,
    actions,
    before,
    limit,
  }: { who: string | null; actions: readonly string[] | null; before: string | null; limit: number },
): Promise<RecordedAct[]> {
  return sql<RecordedAct[]>`
    select seq, id as "auditId", at, actor_type as "actorType", actor_id as "actorId", actor_name as "actorName",
           action, subject, before, after, address, request_id as "requestId"
    from   audit_entry
    where  (workspace_id, seq) < (${workspaceId}, coalesce(${before}::bigint, 9223372036854775807))
    and    workspace_id >= ${workspaceId}
    and    (${who}::text is null or actor_name = ${who}) and (${actions}::text[] is null or action = any(${actions}))
    order  by workspace_id desc, seq desc
    limit  ${limit}`
}

/** Removes acts older than `days`, at most `limit` at once, and says how many. */
export async function pruneAudit(tx: Tx, days: number, limit: number): Promise<number> {
  await tx`set local postrider.audit_retention = 'on'`
  const { count } = await tx`
    delete from audit_entry
    where  ctid = any (array(
      select ctid from audit_entry where at < now() - ${days} * interval '1 day' limit ${limit}))`
  return count
}
