import type { Sql } from '../../../platform/postgres/db.ts'
import type { Caller, PersonalCaller } from '../../operations/route.ts'
import type { RequestSpan } from '../../../platform/process/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; null before authentication, and where none is needed. */
    caller: Caller | PersonalCaller | null
    /** Whether the caller is still who they were when they were last looked up; null where they have just been. */
    confirmCaller: ((sql: Sql) => Promise<boolean>) | null
    /** Counts more writes than the one that the gate has counted; null where writes are not limited. */
    countWrites: ((count: number) => Promise<void>) | null
    /** The name that metrics and logs know this request by. Never a path. */
    operationId: string
    /** The code of the problem it was answered with. */
    problemCode: string | null
    idempotentReplay: boolean
    /** What was thrown, where that was our doing. */
    fault: unknown
    span: RequestSpan | null
  }
}
