import { recordAct } from '../../people/audit/audit-store.ts'
import type { ActDetails } from '../../edge/operations/act.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { systemUser } from './operator-access.ts'

/** Writes into the audit log what the operator has changed at the server's shell, in the transaction of the change. */
export function recordOperator(
  tx: Sql,
  workspaceId: string | null,
  action: string,
  details: ActDetails = {},
): Promise<void> {
  const actor = { type: 'operator', id: null, name: systemUser(), personId: null } as const
  return recordAct(tx, { ...details, workspaceId, actor, action, address: null, requestId: null })
}
