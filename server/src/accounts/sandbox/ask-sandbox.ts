import { text } from 'node:stream/consumers'
import { request as requestPlain } from '../../platform/outbound/node-http.ts'

export type SandboxAnswer = { readonly httpStatus: number; readonly body: unknown }

type SandboxRequest = {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: object | undefined
}

const TIMEOUT_MS = 5_000

/**
 * Asks the sandbox network for JSON. Not by `fetch`: a server that starts would keep 10 MB of it, and may never need it
 * again. Throws where no JSON comes back, or another address is named.
 */
export async function askSandbox(
  url: URL,
  { method = 'GET', headers = {}, json }: SandboxRequest = {},
): Promise<SandboxAnswer> {
  const request = url.protocol === 'https:' ? (await import('node:https')).request : requestPlain
  const answered = Promise.withResolvers<SandboxAnswer>()
  const content = json === undefined ? null : Buffer.from(JSON.stringify(json))
  const asked = request(
    url,
    {
      method,
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...headers,
        ...(content === null ? {} : { 'content-type': 'application/json', 'content-length': content.length }),
      },
    },
    (response) => {
      const httpStatus = response.statusCode ?? 0
      const body = text(response).then((said): unknown => {
        if (httpStatus >= 300 && httpStatus < 400)
          throw new Error('the sandbox network names another address')
        return JSON.parse(said)
      })
      body.then((read) => answered.resolve({ httpStatus, body: read }), answered.reject)
    },
  )
  asked.on('error', answered.reject).end(content)
  return answered.promise
}
