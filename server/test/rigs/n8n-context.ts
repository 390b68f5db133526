import type { IncomingHttpHeaders } from 'node:http'

/* What n8n gives to a node that it runs, as far as ours use it. */

export type Credentials = { readonly baseUrl: string; readonly apiKey: string }
export type Parameters = Readonly<Record<string, unknown>>

type Request = {
  readonly method: string
  readonly url: string
  readonly headers?: Record<string, string>
  readonly qs?: Record<string, unknown>
  readonly body?: object | Buffer
  readonly json?: boolean
}

/** Every request carries the credential as the credential type says; HTTP errors are answers (`ignoreHttpStatusErrors`). */
function requester({ apiKey }: Credentials) {
  return async (_type: string, { method, url, headers, qs = {}, body, json }: Request) => {
    const address = new URL(url)
    for (const [name, value] of Object.entries(qs)) address.searchParams.set(name, String(value))
    const response = await fetch(address, {
      method,
      headers: {
        ...(json === true && body !== undefined ? { 'content-type': 'application/json' } : {}),
        ...headers,
        authorization: `Bearer ${apiKey}`,
      },
      ...(body === undefined
        ? {}
        : { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
      redirect: 'manual',
    })
    const text = await response.text()
    return { statusCode: response.status, body: json === true ? (JSON.parse(text) as unknown) : text }
  }
}

type Given = {
  readonly credentials: Credentials
  readonly parameters?: Parameters
  readonly staticData?: object
  readonly webhookUrl?: string
}

function shared({ credentials, staticData = {}, webhookUrl, parameters = {} }: Given) {
  const request = requester(credentials)
  return {
    getCredentials: async () => credentials,
    getNode: () => ({ id: 'a-node', name: 'Postrider', type: 'postrider', typeVersion: 1 }),
    getWorkflow: () => ({ id: 'a-workflow', name: 'A workflow', active: true }),
    getWorkflowStaticData: () => staticData,
    getNodeWebhookUrl: () => webhookUrl,
    getTimezone: () => 'Europe/Berlin',
    getNodeParameter: (name: string) => parameters[name],
    helpers: {
      httpRequestWithAuthentication: async function (type: string, options: Request) {
        return request(type, options)
      },
      returnJsonArray: (json: object | object[]) => [json].flat().map((one) => ({ json: one })),
    },
  }
}

/** For the hooks that make and remove a trigger's endpoint, and for lists to choose from. */
export const hookContext = (given: Given) => shared(given)

/** For one run of a node over items. */
export function executeContext(
  given: Given & {
    readonly items?: readonly Parameters[]
    readonly executionId?: string
    readonly runIndex?: number
    readonly continueOnFail?: boolean
    readonly binary?: Buffer
  },
) {
  const { items = [given.parameters ?? {}], executionId = 'e1', runIndex = 0 } = given
  const base = shared(given)
  return {
    ...base,
    getInputData: () => items.map(() => ({ json: {} })),
    getNodeParameter: (name: string, item: number, otherwise?: unknown) => {
      const found = name
        .split('.')
        .reduce<unknown>((value, key) => (value as Parameters | undefined)?.[key], items[item])
      if (found === undefined && otherwise === undefined) throw new Error(`Could not get parameter: ${name}`)
      return found ?? otherwise
    },
    getExecutionId: () => executionId,
    evaluateExpression: (expression: string) => (expression === '{{ $runIndex }}' ? runIndex : null),
    continueOnFail: () => given.continueOnFail ?? false,
    helpers: { ...base.helpers, getBinaryDataBuffer: async () => given.binary },
  }
}

/** For one request that comes in at the address of a trigger; `answered` is what it answered by itself. */
export function webhookContext(given: Given, headers: IncomingHttpHeaders, rawBody: Buffer | undefined) {
  const answered: { status: number | null } = { status: null }
  const response = {
    status(code: number) {
      answered.status = code
      return response
    },
    send: () => response,
    end: () => response,
  }
  return {
    ...shared(given),
    getRequestObject: () => ({ rawBody, headers }),
    getHeaderData: () => headers,
    getResponseObject: () => response,
    answered,
  }
}
