import { app, appApiDescription } from '@postrider/contract'
import type { OperationFamily } from '../../../edge/api/operation/operation-family.ts'
import { problemSender } from '../../../edge/api/documents/problem.ts'
import type { SharedCounts } from '../../../edge/api/http/rate-count-store.ts'
import { sharedRateLimit } from '../../../edge/api/http/rate-limits.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Route } from '../../../edge/operations/route.ts'
import type { OperatorParts } from './operator-gate.ts'
import { peopleGates } from './people-gate.ts'
import { siteOf } from '../../../platform/outbound/site.ts'

/** Requests per minute: of a session, and of an address whose requests come without one. */
const SESSION_PER_MINUTE = 1_200
const ENTRIES_PER_MINUTE = 120

/** The operations below `/app/api`, entered with a session and described at `/app/openapi`. */
export function peopleApi({
  db,
  routes,
  baseUrl,
  operator,
  now,
  counts,
}: {
  db: Db
  /** The database's time. */
  now: () => Date
  operator: OperatorParts
  routes: readonly Route[]
  baseUrl: string
  counts: SharedCounts
}): OperationFamily {
  return {
    operations: app.appOperations,
    routes,
    gateFor: peopleGates({
      db,
      operator,
      now,
      site: siteOf(baseUrl),
      requests: sharedRateLimit('people', SESSION_PER_MINUTE, counts),
      entries: sharedRateLimit('entries', ENTRIES_PER_MINUTE, counts),
      sendProblem: problemSender(baseUrl),
    }),
    reference: { at: '/app/openapi', about: appApiDescription },
  }
}
