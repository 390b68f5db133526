import type { Outcome } from '../../operations/idempotency.ts'
import { isRefusal, type Refusal } from '../../operations/refusal.ts'
import type { ReadRows } from '../../operations/route.ts'
import { type CompiledOperation, type Invocation, runOperation } from './answer-operation.ts'
import { pointedAt, rowPointer } from './batch.ts'
import { pathOf, problemOf } from '../documents/problem.ts'
import { compileRequestCheck } from '../request/request-check.ts'

/** Reads each row as a request of its own, has all of them answered together, and shows what became of each. */
export function readRowsRunner(
  compiled: CompiledOperation,
  { operation, as, baseUrl }: ReadRows,
): (invocation: Invocation) => Promise<Outcome | null> {
  const check = compileRequestCheck(operation)
  const rowIn = (body: unknown): unknown => {
    const row = check({ params: {}, query: {}, queryText: '', body, idempotencyHeader: undefined })
    return isRefusal(row) ? row : row.body
  }
  const answerRows = compiled.handle as unknown as (
    rows: readonly unknown[],
    context: Parameters<CompiledOperation['handle']>[1],
  ) => Promise<readonly unknown[]>

  return (invocation) => {
    const { asked } = invocation
    const where = { baseUrl, path: pathOf(asked.path), requestId: asked.id }
    const shown = (answer: unknown, index: number): object => {
      if (!isRefusal(answer)) return { status: operation.answer.status, [as]: answer }
      const facts = pointedAt(answer.facts, rowPointer(index))
      const problem = problemOf({ ...answer, facts } satisfies Refusal, where)
      return { status: problem.status, problem }
    }
    const handle: CompiledOperation['handle'] = async ({ body }, context) => {
      const { posts } = body as { posts: readonly unknown[] }
      const answers = await answerRows(posts.map(rowIn), context)
      return { results: answers.map(shown) }
    }
    return runOperation({ ...compiled, handle }, invocation)
  }
}
