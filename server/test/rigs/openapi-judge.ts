import {
  agentApiDescription,
  openApiDocument,
  type Operation,
  operations as contractOperations,
  type ProblemCode,
  problems,
  problemsOf,
} from '@postrider/contract'
import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parseInstant } from '../../src/platform/text/instant.ts'
import { isUuid } from '../../src/platform/text/uuid.ts'

type Json = { [name: string]: unknown }

export type OpenApiJudge = {
  /** Throws, with every reason, when this answer is not what the document promises for the operation. */
  judge: (operationId: string, httpStatus: number, body: unknown) => void
  /** Throws when the body would not be a documented request of the operation. */
  judgeRequest: (operationId: string, body: unknown) => void
  /** The document, with all answers of an operation in its place. */
  document: Json
}

/** The same with the shared responses and examples where they are referred to. */
export function inPlace(document: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => inPlace(document, each))
  if (typeof value !== 'object' || value === null) return value
  const ref = '$ref' in value && typeof value.$ref === 'string' ? value.$ref : ''
  if (/^#\/components\/(?:responses|examples|parameters)\//.test(ref))
    return inPlace(document, at(document, ref.split('/').slice(1)))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inPlace(document, each)]))
}

/** The same, where objects have no further fields unless they say so: what a later release may add is not in the answers of this one. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([name, each]) => [name, closed(each)])
  const isObject = 'type' in node && node.type === 'object' && 'properties' in node
  return { ...(isObject ? { additionalProperties: false } : {}), ...(Object.fromEntries(entries) as Json) }
}

/**
 * Holds real answers against the OpenAPI document: the operation documents the HTTP status, the body has every
 * required field and no undocumented one, and times are in UTC with milliseconds.
 */
export function openApiJudge(operations: readonly Operation[] = contractOperations): OpenApiJudge {
  const shared: Json = openApiDocument({
    baseUrl: 'https://postrider.test',
    version: '0.0.0',
    operations,
    about: agentApiDescription,
  })
  const document = closed({ ...shared, paths: inPlace(shared, shared['paths']) }) as Json
  const answers = validatorOf(document, INSTANT_IN_ANSWERS)
  const requests = validatorOf(document, (text) => parseInstant(text) !== null)

  const places = new Map(
    operations.map(({ id, at }) => {
      const [method = '', path = ''] = at.split(' ')
      return [id, ['paths', path, method.toLowerCase()]]
    }),
  )

  function check(ajv: Ajv2020, operationId: string, below: string[], value: unknown, what: string): void {
    const place = places.get(operationId)
    if (place === undefined) throw new Error(`No operation is called ${operationId}.`)
    const steps = [...place, ...below]
    if (at(document, steps) === undefined) throw new Error(`${what} is not documented.`)
    const pointer = steps
      .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    const fits = ajv.getSchema(`openapi#/${pointer}`)
    if (fits === undefined) throw new Error(`${what} has no schema.`)
    if (fits(value) === true) return
    const reasons = (fits.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
    throw new Error(`${what} is not as documented:\n${reasons.join('\n')}\n${JSON.stringify(value, null, 2)}`)
  }

  return {
    document,
    judge(operationId, httpStatus, body) {
      const what = `The answer ${httpStatus} of ${operationId}`
      const type = httpStatus < 400 ? 'application/json' : 'application/problem+json'
      const status = httpStatus < 400 ? String(httpStatus) : 'default'
      const operation = operations.find(({ id }) => id === operationId)
      if (operation !== undefined && status === 'default') {
        const problem = body as Partial<ProblemBody>
        if (!travelsUnder(problem, httpStatus) || !problemsOf(operation).includes(problem.code))
          throw new Error(`${what} is not documented.`)
      }
      check(answers, operationId, ['responses', status, 'content', type, 'schema'], body, what)
    },
    judgeRequest(operationId, body) {
      check(
        requests,
        operationId,
        ['requestBody', 'content', 'application/json', 'schema'],
        body,
        `The request of ${operationId}`,
      )
    },
  }
}

type ProblemBody = { readonly status: number; readonly code: ProblemCode }

/** Whether the code of a problem is documented for this HTTP status, and the body says the same one. */
function travelsUnder(problem: Partial<ProblemBody>, httpStatus: number): problem is ProblemBody {
  const { status, code } = problem
  if (code === undefined || !(code in problems)) return false
  const facts = problems[code]
  const statuses: readonly number[] = [facts.status, ...('also' in facts ? facts.also : [])]
  return status === httpStatus && statuses.includes(httpStatus)
}

const INSTANT_IN_ANSWERS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A validator of this document's schemas, which reads times as strictly as told. */
function validatorOf(document: Json, instant: RegExp | ((text: string) => boolean)): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat('date-time', instant)
  ajv.addFormat('uuid', isUuid)
  // A name for readers: what it leaves out is for the server to say.
  ajv.addFormat('line', true)
  ajv.addSchema(document, 'openapi')
  return ajv
}

function at(node: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((found, step) => (found as Json | undefined)?.[step], node)
}
