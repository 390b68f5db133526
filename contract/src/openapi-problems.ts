import { type Components, headers, type JsonObject } from './openapi-components.ts'
import { isForAgents, type Operation, problemsOf } from './operation.ts'
import { type ProblemCode, problems } from './problems.ts'
import { ProblemDocument } from './problem-document.ts'

/**
 * One response per HTTP status, with the codes that travel under it, and `default` for what any operation of its kind may answer.
 * Responses are shared by all operations with the same codes. What a code means stands once, in the schema of problems; an
 * example has each code's page.
 */
export function problemResponses(operation: Operation, shared: SharedProblems): JsonObject {
  const found = problemsOf(operation).flatMap((code) =>
    httpStatusesOf(code, operation).map((status) => ({ code, status })),
  )
  const byStatus = [...Map.groupBy(found, ({ status }) => status)].toSorted(([a], [b]) => a - b)
  const isCommon = ([, those]: (typeof byStatus)[number]) => those.every((one) => COMMON.has(keyOf(one)))
  const refer = (status: number | 'default', those: readonly Answered[]) =>
    shared.refer(status, [...new Set(those.map(({ code }) => code))].toSorted(), isForAgents(operation))
  return {
    ...Object.fromEntries(
      byStatus.filter((one) => !isCommon(one)).map(([status, those]) => [status, refer(status, those)]),
    ),
    default: refer(
      'default',
      byStatus.filter(isCommon).flatMap(([, those]) => those),
    ),
  }
}

type Answered = { readonly code: ProblemCode; readonly status: number }

function keyOf({ code, status }: Answered): string {
  return `${status} ${code}`
}

/** What comes before an operation, or in spite of it. */
const COMMON = new Set([
  '401 invalid_credential',
  '401 not_signed_in',
  '403 missing_permission',
  '403 credential_limit',
  '403 cross_site_request',
  '403 fresh_proof_required',
  '413 malformed_request',
  '415 malformed_request',
  '429 rate_limited',
  '500 internal_error',
  '503 not_ready',
])

/** Collects the problem responses of a document. */
export type SharedProblems = {
  readonly refer: (
    status: number | 'default',
    codes: readonly ProblemCode[],
    forAgents: boolean,
  ) => JsonObject
  readonly responses: () => JsonObject
}

export function sharedProblems(components: Components): SharedProblems {
  const names = new Map<string, string>()
  const responses = new Map<string, JsonObject>()
  return {
    refer(status, codes, forAgents) {
      const all = [status, ...codes].join(' ')
      const name = names.get(all) ?? newName(status, [...names.values()])
      if (!names.has(all)) responses.set(name, problemResponse(status, codes, forAgents, components))
      names.set(all, name)
      return { $ref: `#/components/responses/${name}` }
    },
    responses: () => Object.fromEntries(responses),
  }
}

/** `E409`, `E409b`, `E409c` and so on: each operation refers to several, so that the names are short. */
function newName(status: number | 'default', taken: readonly string[]): string {
  const begin = status === 'default' ? 'Any' : `E${status}`
  const count = taken.filter((name) => name.startsWith(begin)).length
  return `${begin}${count === 0 ? '' : String.fromCodePoint(97 + count)}`
}

/** What a code travels under besides its own status is about bodies. */
function httpStatusesOf(code: ProblemCode, { body }: Operation): number[] {
  const facts = problems[code]
  return [facts.status, ...('also' in facts && body !== undefined ? facts.also : [])]
}

function problemResponse(
  status: number | 'default',
  codes: readonly ProblemCode[],
  forAgents: boolean,
  components: Components,
): JsonObject {
  const waits = codes.some((code) => WAITS.includes(code))
  const challenges = forAgents && codes.includes('invalid_credential')
  const own = headers(...(waits ? ['Retry-After'] : []), ...(challenges ? ['WWW-Authenticate'] : []))
  return {
    description: status === 'default' ? 'What any operation may answer.' : (REASONS[status] ?? 'Refused'),
    ...(Object.keys(own).length === 0 ? {} : { headers: own }),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            components.refer(ProblemDocument),
            {
              type: 'object',
              properties: { code: { type: 'string', enum: codes } },
            },
          ],
        },
      },
    },
  }
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition failed',
  413: 'Too large',
  415: 'Unsupported media type',
  416: 'Range not satisfiable',
  422: 'Cannot be done as it is',
  502: 'Bad gateway',
  503: 'Unavailable',
}

const WAITS: readonly ProblemCode[] = ['rate_limited', 'idempotency_in_progress', 'ai_failed', 'not_ready']
