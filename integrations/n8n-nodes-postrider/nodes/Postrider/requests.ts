import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  JsonObject,
} from 'n8n-workflow'
import { NodeApiError, NodeOperationError } from 'n8n-workflow'

type Functions = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions

type Problem = {
  title?: string
  detail?: string
  code?: string
  requestId?: string
  errors?: Array<{ pointer: string; detail: string }>
}

export type Asked = {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below /agent/v1. */
  path: string
  qs?: IDataObject
  body?: IDataObject | Buffer
  /** Of a body that is no JSON. */
  contentType?: string
  idempotencyKey?: string
  /** What that key was made from: with it, the node makes the same key again. */
  itemKey?: string
  /** HTTP statuses, and codes of problems, that are an answer here, and no error; gives null for them. */
  absent?: Array<number | string>
  itemIndex?: number
}

/** Sends one request. A refusal becomes an error that says what the server says; the lost answer of a write one that says so. */
export async function ask(functions: Functions, asked: Asked): Promise<IDataObject | IDataObject[] | null> {
  const { baseUrl } = await functions.getCredentials('postriderApi')
  const options: IHttpRequestOptions = {
    method: asked.method,
    url: `${String(baseUrl).replace(/\/+$/, '')}/agent/v1${asked.path}`,
    headers: {
      ...(asked.idempotencyKey === undefined ? {} : { 'idempotency-key': asked.idempotencyKey }),
      ...(asked.contentType === undefined ? {} : { 'content-type': asked.contentType }),
    },
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    json: asked.contentType === undefined,
  }
  if (asked.qs !== undefined) options.qs = asked.qs
  if (asked.body !== undefined) options.body = asked.body
  let answer: { statusCode: number; body: unknown }
  try {
    answer = (await functions.helpers.httpRequestWithAuthentication.call(
      functions,
      'postriderApi',
      options,
    )) as typeof answer
  } catch (error) {
    throw new NodeApiError(functions.getNode(), error as JsonObject, {
      message: `No answer from ${String(baseUrl)}`,
      description: unknownOutcome(asked),
      itemIndex: asked.itemIndex,
    })
  }
  const body = parsed(answer.body)
  if (answer.statusCode >= 200 && answer.statusCode < 300) return body as IDataObject | IDataObject[]
  const { code = '' } = (body ?? {}) as Problem
  if (asked.absent?.some((one) => one === answer.statusCode || one === code) === true) return null
  throw refusal(functions, asked, answer.statusCode, body as Problem | string)
}

function refusal(functions: Functions, asked: Asked, status: number, body: Problem | string): NodeApiError {
  const problem = typeof body === 'object' && body !== null ? body : {}
  const fields = (problem.errors ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`)
  const unknown = status >= 500 || problem.code === 'idempotency_in_progress' ? [unknownOutcome(asked)] : []
  const request = problem.requestId === undefined ? [] : [`Request ${problem.requestId}`]
  const error = new NodeApiError(functions.getNode(), problem as JsonObject, {
    message: problem.title ?? `The server answered ${status}: is this the address of Postrider?`,
    description: [problem.detail ?? '', ...fields, ...unknown, ...request].filter(Boolean).join('\n'),
    httpCode: String(status),
    itemIndex: asked.itemIndex,
  })
  error.context.code = problem.code
  return error
}

function unknownOutcome({ method, idempotencyKey, itemKey = idempotencyKey }: Asked): string {
  if (method === 'GET') return 'Nothing was changed.'
  return itemKey === undefined
    ? 'The result is unknown.'
    : `The result is unknown. Run it again with the idempotency key ${itemKey}: it has no second effect.`
}

function parsed(body: unknown): unknown {
  if (typeof body !== 'string') return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** A write: it is confirmed, and carries its key. */
export async function write(
  functions: IExecuteFunctions,
  itemIndex: number,
  path: string,
  body: IDataObject,
  idempotencyKey: string,
): Promise<IDataObject> {
  const asked: Asked = { method: 'POST', path, body: { ...body, confirmed: true }, idempotencyKey, itemIndex }
  return (await ask(functions, asked)) as IDataObject
}

/** The items of a list, page after page, until there are `limit`. */
export async function listAll(
  functions: IExecuteFunctions,
  itemIndex: number,
  path: string,
  qs: IDataObject,
  limit: number,
): Promise<IDataObject[]> {
  const found: IDataObject[] = []
  let cursor: string | null = null
  do {
    const page = (await ask(functions, {
      method: 'GET',
      path,
      qs: { ...qs, limit: Math.min(100, limit - found.length), ...(cursor === null ? {} : { cursor }) },
      itemIndex,
    })) as { items: IDataObject[]; nextCursor: string | null }
    found.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null && found.length < limit)
  return found
}

/**
 * The key of one effect: the same for every attempt at this item of this run of this node ("Retry On Fail"), and another for all else.
 */
export function idempotencyKeyOf(functions: IExecuteFunctions, itemIndex: number): string {
  const own = functions.getNodeParameter('options.idempotencyKey', itemIndex, '') as string
  if (own !== '') return own
  const run = functions.evaluateExpression('{{ $runIndex }}', itemIndex)
  const execution = functions.getExecutionId()
  if (!execution) {
    throw new NodeOperationError(
      functions.getNode(),
      'This run has no execution ID: set the Idempotency Key.',
      {
        itemIndex,
      },
    )
  }
  return ['n8n', functions.getWorkflow().id, execution, functions.getNode().id, run, itemIndex].join(':')
}

/** The time that a post is given: one of the clock, or one in the queue. */
export function whenOf(functions: IExecuteFunctions, item: number): string | IDataObject {
  const when = functions.getNodeParameter('when', item, 'time') as string
  if (when === 'time') return timeOf(functions, functions.getNodeParameter('publishAt', item))
  return { queue: when === 'slot' ? (functions.getNodeParameter('postingTime', item) as string) : when }
}

/** An instant as it is, or a time of day in the workflow's time zone. */
function timeOf(functions: IExecuteFunctions, given: unknown): string | IDataObject {
  const time =
    typeof given === 'string' ? given : String((given as { toISO?: () => string }).toISO?.() ?? given)
  return /(Z|[+-]\d\d:?\d\d)$/i.test(time)
    ? time
    : { local: time.replace(' ', 'T').replace(/\.\d+$/, ''), timeZone: functions.getTimezone() }
}

export function idsOf(given: unknown): string[] {
  const all = Array.isArray(given) ? given.map(String) : String(given ?? '').split(',')
  return all.map((id) => id.trim()).filter((id) => id !== '')
}
