import type { Profile } from './counting.ts'
import type { Fault, Match, Times } from './faults.ts'
import { startSandboxNetwork } from './network.ts'

export type Member = { id: string; handle: string; token: string }
/** What a client saw: an answer, or a connection that broke before one was whole. */
export type Seen = { httpStatus: number; body: any; headers: Headers } | { broken: true }

/** A network in memory for one test, with a clock that the test moves. Closed by `await using`. */
export async function openNetwork() {
  let nowMs = Date.parse('2026-01-01T12:00:00Z')
  const network = await startSandboxNetwork({ memory: true, now: () => nowMs })

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(network.url + path, {
      method,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return { httpStatus: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
  }

  async function post(
    member: Member,
    content: string | { text: string; inReplyTo?: string; mediaIds?: string[] },
    headers: Record<string, string> = {},
  ): Promise<Seen> {
    const body = typeof content === 'string' ? { text: content } : content
    return call('POST', '/api/v1/posts', body, { ...as(member), ...headers }).catch((error: unknown) => {
      if (error instanceof TypeError) return { broken: true }
      throw error
    })
  }

  return {
    url: network.url,
    call,
    post,
    as,
    moveClock(ms: number): void {
      nowMs += ms
    },
    async aMember(
      handle = 'ada',
      settings: { profile?: Profile; idempotency?: 'none' | 'key'; authorizedSeconds?: number } = {},
    ) {
      const { body } = await call('POST', '/control/accounts', { handle, profile: 'short', ...settings })
      return body as Member
    },
    async orderFault(fault: Fault, match: Match = {}, times: Times = 1) {
      const { body } = await call('POST', '/control/faults', { fault, match, times })
      return body as { id: string }
    },
    async storedTexts(): Promise<string[]> {
      const { body } = await call('GET', '/control/creates')
      return body.byText.flatMap(({ text, count }: { text: string; count: number }) =>
        Array.from({ length: count }, () => text),
      )
    },
    async publicTexts(member: Member): Promise<string[]> {
      const { body } = await call('GET', `/api/v1/accounts/${member.id}/posts`, undefined, as(member))
      return body.items.map(({ text }: { text: string }) => text)
    },
    close: () => network.close(),
    [Symbol.asyncDispose]: () => network.close(),
  }
}

function as({ token }: Member) {
  return { authorization: `Bearer ${token}` }
}
