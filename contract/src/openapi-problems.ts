import { type Components, headers, type JsonObject } from './openapi-components.ts'
import { isForAgents, type Operation, sharedProblems } from './operation.ts'
import { ProblemDocument } from './problem-document.ts'

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
