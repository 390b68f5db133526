import { decideApproval } from '../../src/attention/reviews/decide-approval.ts'
import { undoDecision } from '../../src/attention/reviews/undo-decision.ts'
import type { BulkParts } from '../../src/content/bulk/work-runs.ts'
import { providers } from '../../src/networks/providers/registry.ts'
import { recordAct } from '../../src/people/audit/audit-store.ts'
import type { Db } from '../../src/platform/postgres/db.ts'

/** What does the posts of bulk runs, as a server has it. */
export function bulkPartsOf(db: Db, onFault: (fault: unknown) => void): BulkParts {
  return {
    db,
    providers,
    baseUrl: 'https://postrider.test',
    decide: decideApproval,
    undecide: undoDecision,
    recordAct,
    onFault,
  }
}
