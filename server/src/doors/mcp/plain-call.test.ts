import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { type Revision, revisions } from '../../../test/rigs/mcp-client.ts'
import { MCP_HEADERS, message } from '../../../test/rigs/mcp-message.ts'
import { openMcpServer } from './mcp-server.ts'
import { plainAnswer, plainCallIn } from './plain-call.ts'
import { resultOf, type ToolAnswer } from './tool-result.ts'

type Sent = { readonly body: Record<string, unknown>; readonly headers: Record<string, string> }

const json = JSON.stringify({ a: 'ü \u2028 "quoted"' })
const answers: ToolAnswer[] = [
  { json, isError: false, replayed: false },
  { json, isError: true, replayed: false },
  { json: '{}', isError: false, replayed: true },
]

/** What the official client sends to call a tool, and what the library answers. */
async function exchange(revision: Revision, given: ToolAnswer, capabilities = {}) {
  const library = openMcpServer(() => undefined)
  const session = { tools: [], guide: '', call: () => Promise.resolve(resultOf(given)) }
  const calls: (Sent & { answer: string })[] = []
  const transport = new StreamableHTTPClientTransport(new URL('http://mcp.test/mcp'), {
    fetch: async (url, init) => {
      if (init?.method !== 'POST') return new Response(null, { status: 405 })
      const body = JSON.parse(init.body as string) as Record<string, unknown>
      const request = new Request(url, init)
      const headers = Object.fromEntries(request.headers)
      const answered = await library(request, body, session)
      if (body['method'] === 'tools/call')
        calls.push({ body, headers, answer: await answered.clone().text() })
      return answered
    },
  })
  const client = new Client(
    { name: 'a', version: '1' },
    { capabilities, versionNegotiation: { mode: revisions[revision] } },
  )
  await client.connect(transport)
  await client.callTool({ name: 'get_me', arguments: { a: 1 } })
  await client.close()
  const [call] = calls
  if (call === undefined || calls.length > 1) throw new Error('the client has not called once')
  return call
}

test.each(Object.keys(revisions) as Revision[])(
  'a call as the official client of %s sends it is answered as the library does',
  async (revision) => {
    for (const [index, given] of answers.entries()) {
      const capabilities = index === 0 ? { elicitation: { url: {} }, roots: {} } : {}
      const { body, headers, answer } = await exchange(revision, given, capabilities)
      const plain = plainCallIn(body, headers)
      expect(plain).not.toBeNull()
      expect(JSON.parse(plainAnswer(plain!, given))).toEqual(JSON.parse(answer))
    }
  },
)

test('whatever is not exactly so is left to the library', async () => {
  const { body, headers } = await exchange('2026-07-28', answers[0]!)
  const params = body['params'] as Record<string, unknown>
  const without = (name: string) =>
    Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name))
  const others: [Record<string, unknown>, Record<string, string>][] = [
    [body, { ...headers, 'mcp-name': 'other' }],
    [body, { ...headers, 'mcp-method': 'tools/list' }],
    [body, { ...headers, 'mcp-protocol-version': '2025-11-25' }],
    [body, { ...headers, 'mcp-session-id': 'a' }],
    [body, { ...headers, accept: 'text/event-stream' }],
    [body, { ...headers, 'content-type': 'text/plain' }],
    [body, without('mcp-name')],
    [body, without('mcp-protocol-version')],
    [{ ...body, id: null }, headers],
    [{ ...body, jsonrpc: '1.0' }, headers],
    [{ ...body, more: 1 }, headers],
    [{ ...body, method: 'tools/list' }, headers],
    [{ ...body, params: { ...params, name: 1 } }, headers],
    [{ ...body, params: { ...params, arguments: [] } }, headers],
    [{ ...body, params: { ...params, task: {} } }, headers],
    [{ ...body, params: { ...params, _meta: {} } }, headers],
    [{ ...body, params: { ...params, _meta: { ...(params['_meta'] as object), more: 1 } } }, headers],
    [
      message('tools/call', { name: 'get_me' }) as Record<string, unknown>,
      { ...MCP_HEADERS, 'mcp-protocol-version': '2024-11-05' },
    ],
  ]
  expect(plainCallIn(body, headers)).not.toBeNull()
  for (const [sent, named] of others)
    expect([sent, named, plainCallIn(sent, named)]).toEqual([sent, named, null])
})

test('a thousand sessions side by side are answered, and none of them stays', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const library = openMcpServer(() => undefined)
  const session = { tools: [], guide: '', call: () => null }
  const ask = async (body: object) => {
    const sent = new Request('http://mcp.test/mcp', { method: 'POST', headers: MCP_HEADERS })
    const answered = await library(sent, body, session)
    return ((await answered.json()) as { result?: object }).result !== undefined
  }
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
  const heapAfterThousand = async () => {
    const opened = Array.from({ length: 1_000 }, async (_, n) => {
      if (!(await ask(message('initialize', hello, n)))) return false
      return ask(message('tools/list', {}, n))
    })
    expect((await Promise.all(opened)).filter(Boolean)).toHaveLength(1_000)
    collect()
    return process.memoryUsage().heapUsed
  }
  const first = await heapAfterThousand()
  // A session that stayed would be some kilobytes.
  expect(((await heapAfterThousand()) - first) / 1_000).toBeLessThan(3_000)
})
