import type { Operation } from '@postrider/contract'
import type { ActDetails, RecordAct } from '../../operations/act.ts'
import { actorIn } from '../../operations/actor.ts'
import { answerIn, type Recorded } from '../../operations/idempotency.ts'
import type { Caller } from '../../operations/route.ts'
import type { Sql, Tx } from '../../../platform/postgres/db.ts'

/** One act on its way into the audit log. */
export type AuditedAct = {
  /** What the handler says of it; the last word counts, since a transaction may be tried again. */
  readonly say: (details: ActDetails) => void
  readonly record: (sql: Sql | Tx, answered: Recorded) => Promise<void>
}

/** An act that names its caller, its operation, and the ids in its path and at the top of its answer. */
export function auditedAct(
  operation: Operation,
  request: { readonly id: string; readonly ip: string },
  { caller, params, recordAct }: { caller: Caller; params: unknown; recordAct: RecordAct },
): AuditedAct {
  let details: ActDetails = {}
  const { workspaceId } = caller
  const actor = actorIn(caller)
  return {
    say: (said) => (details = said),
    record: (tx, answered) => {
      const subject = { ...idsIn(params), ...idsIn(answerIn(answered)), ...details.subject }
      const where = { address: request.ip, requestId: request.id }
      return recordAct(tx, { ...details, subject, workspaceId, actor, action: operation.id, ...where })
    },
  }
}

/** What stands under names that end in `Id`. */
function idsIn(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => entry[0].endsWith('Id') && typeof entry[1] === 'string',
    ),
  )
}
