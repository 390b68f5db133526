import { type Components, headers, type JsonObject } from './openapi-components.ts'
import { isForAgents, type Operation, problemsOf, sharedProblems } from './operation.ts'
import { describeCodes, ProblemDocument } from './problem-document.ts'
import { type ProblemCode, problemCodes } from './problems.ts'

/** The name of the response that every operation refers to where it refuses. */
export const PROBLEM = 'Problem'

/**
 * What any of these operations refuses with. The codes that operations share stand here, those of one operation in its
 * description, and what a code means, with its HTTP status, once in the schema.
 */
export function problemResponse(operations: readonly Operation[], components: Components): JsonObject {
  const shared = sharedProblems
    .filter(({ has }) => operations.some(has))
    .map(({ where, codes }) => `${where} ${codes.map((code) => `\`${code}\``).join(', ')}`)
  const challenges = operations.some(isForAgents)
  return {
    description: `A problem. ${shared.join('; ')}; and those that its description names.`,
    headers: headers('Retry-After', ...(challenges ? ['WWW-Authenticate'] : [])),
    content: { 'application/problem+json': { schema: components.refer(ProblemDocument) } },
  }
}

/** What answers where no operation does, and for one row of many. */
const BESIDE: readonly ProblemCode[] = ['not_found', 'method_not_allowed', 'batch_refused']

/** The schema of a problem with the codes that these operations answer with. */
export function problemSchema(schema: unknown, operations: readonly Operation[]): JsonObject {
  const answered = new Set([...BESIDE, ...operations.flatMap(problemsOf)])
  const codes = problemCodes.filter((code) => answered.has(code))
  const { properties, ...rest } = schema as { properties: JsonObject }
  const code = { ...(properties['code'] as JsonObject), enum: codes, description: describeCodes(codes) }
  return { ...rest, properties: { ...properties, code } }
}
