import { v7 as uuidv7 } from 'uuid'
import type { RecordAct } from '../platform/act.ts'

/** Appends to the audit log. Rows are never changed; a trigger holds that. */
export const recordAct: RecordAct = async (tx, act) => {
  const { workspaceId, actor, action, subject = {}, before, after, address, requestId } = act
  await tx`
    insert into audit_entry (workspace_id, id, actor_type, actor_id, actor_name, person_id, action, subject, before, after,
                             address, request_id)
    values (${workspaceId}, ${uuidv7()}, ${actor.type}, ${actor.id}, ${actor.name}, ${actor.personId}, ${action},
            ${tx.json(subject)}, ${before === undefined ? null : tx.json(before)},
            ${after === undefined ? null : tx.json(after)}, ${address}, ${requestId})`
}
