import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { fixtureOffers, fixtureSession } from '../../../test/rigs/conformance-fixture.ts'
import { judges } from '../../../test/rigs/judges.ts'
import { openRunningApp } from '../../../test/rigs/running-app.ts'
import { openMcpServer } from './mcp-server.ts'

/*
 * The official conformance suite, with what each revision requires: on our handler, which is given the tools of the suite, and on
 * the real server, whose own tools it knows nothing of. What fails is named, with the reason: whatever passes besides is an error, too.
 */

const app = await openRunningApp()
const { port } = new URL(app.baseUrl)

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { server, port: (server.address() as AddressInfo).port }
}

/** The real server. The suite knows no credentials, so what it sends gets ours on its way. */
const real = await listen((request, response) => {
  const ours = (name: string | undefined) => name?.replace(`:${real.port}`, `:${port}`)
  const { host, origin, ...sent } = request.headers
  const named = { host: ours(host), ...(origin === undefined ? {} : { origin: ours(origin) }) }
  const headers = { ...sent, ...named, authorization: `Bearer ${app.key}` }
  const to = { host: '127.0.0.1', port, path: request.url, method: request.method, headers }
  request.pipe(
    forward(to, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    }),
  )
})
/** The handler alone, with the table of fixtures. */
const answerMcp = openMcpServer(() => undefined, fixtureOffers)
const alone = await listen((request, response) => void answerAlone(request, response))
async function answerAlone(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
  const { host = '', origin } = request.headers
  const isForeign = [host, origin === undefined ? host : new URL(origin).host].some(
    (name) => !/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(name),
  )
  if (isForeign) return void response.writeHead(403).end()
  const body = (await json(request)) as Record<string, unknown>
  const headers = Object.entries(request.headers).filter(
    (one): one is [string, string] => typeof one[1] === 'string',
  )
  const asked = new Request('http://mcp.test/mcp', { method: 'POST', headers })
  const answer = await answerMcp(asked, body, fixtureSession(body))
  const type = answer.headers.get('content-type')
  response.writeHead(answer.status, type === null ? {} : { 'content-type': type })
  response.end(await answer.text())
}
afterAll(async () => {
  for (const { server } of [real, alone]) {
    server.closeAllConnections()
    server.close()
  }
  await app[Symbol.asyncDispose]()
})

async function run(...options: string[]): Promise<string> {
  const suite = join(await judges(), '@modelcontextprotocol/conformance/dist/index.js')
  const limits = { cwd: app.dataDir, maxBuffer: 64 * 1_048_576 }
  const ended = promisify(execFile)(process.execPath, [suite, 'server', ...options], limits)
  const { stdout, stderr } = await ended.catch((failure: { stdout: string; stderr: string }) => failure)
  return `${stdout}\n${stderr}`
}

/** What becomes of the scenarios that a revision requires. */
async function failing(at: number, revision: string): Promise<{ passed: number; failed: string[] }> {
  const said = await run('--url', `http://127.0.0.1:${at}/mcp`, '--requirements', revision)
  const summary = said.slice(said.indexOf('=== SUMMARY ==='))
  const optional = new Set([...summary.matchAll(/^ {2}\S+ ([\w-]+) \(\w/gm)].map(([, name]) => name))
  const scenarios = [...summary.matchAll(/([✓✗]) ([\w-]+): \d+ passed, (\d+) failed/g)].filter(
    ([, , name]) => !optional.has(name),
  )
  return {
    passed: scenarios.filter(([, mark]) => mark === '✓').length,
    failed: scenarios.filter(([, mark]) => mark === '✗').map(([, , name]) => name!),
  }
}

/** What asks for a stream, which no answer of ours is: a write would be lost with it. */
const NEED_STREAMS = {
  both: ['tools-call-with-progress'],
  of2025: [
    'tools-call-with-logging',
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
  ],
}
/** What asks for a capability that is not announced. */
const NOT_OFFERED = {
  both: ['completion-complete'],
  of2025: ['logging-set-level', 'resources-subscribe', 'resources-unsubscribe'],
}
/** What asks for a tool, a resource or a prompt of the suite by its name. */
const OF_THE_SUITE = {
  both: [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-error',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ],
  of2026: [
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-non-tool-request',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
  ],
}
/** Four of its 28 checks ask for a tool that streams, logs, or needs what the client cannot; see below. */
const IN_PART = ['server-stateless']

const everywhere = [...NEED_STREAMS.both, ...NOT_OFFERED.both]
const in2025 = [...everywhere, ...NEED_STREAMS.of2025, ...NOT_OFFERED.of2025]
const expected = {
  '2026-07-28': {
    alone: { passed: 34, failed: [...everywhere, ...IN_PART] },
    real: {
      passed: 11,
      failed: [...everywhere, ...IN_PART, ...OF_THE_SUITE.both, ...OF_THE_SUITE.of2026],
    },
  },
  '2025-11-25': {
    alone: { passed: 20, failed: in2025 },
    real: { passed: 7, failed: [...in2025, ...OF_THE_SUITE.both] },
  },
} as const

const sorted = (names: readonly string[]) => names.toSorted((a, b) => (a < b ? -1 : 1))

describe.each(Object.entries(expected))('what %s requires', (revision, { alone: ours, real: product }) => {
  test('is met by our handler, given the tools of the suite', { timeout: 300_000 }, async () => {
    const { passed, failed } = await failing(alone.port, revision)
    expect({ passed, failed: sorted(failed) }).toEqual({ ...ours, failed: sorted(ours.failed) })
  })

  test('is met by the real server, where it knows what to ask for', { timeout: 300_000 }, async () => {
    const { passed, failed } = await failing(real.port, revision)
    expect({ passed, failed: sorted(failed) }).toEqual({ ...product, failed: sorted(product.failed) })
  })
})

async function judge(scenario: string): Promise<string> {
  return run('--url', `http://127.0.0.1:${real.port}/mcp`, '--scenario', scenario)
}

test('headers are checked as the newest revision wants it', { timeout: 300_000 }, async () => {
  expect(await judge('http-header-validation')).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/)
})

test('statelessness is held, but for what needs tools of a test', { timeout: 300_000 }, async () => {
  const said = await judge('server-stateless')
  const failed = [...said.matchAll(/\[([\w-]+) *\] (?:\u001B\[31m)?FAILURE/g)].map(([, check]) => check)
  expect(new Set(failed)).toEqual(
    new Set([
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-missing-capability-http-400',
      'sep-2575-server-no-log-without-loglevel',
      'sep-2575-server-rejects-undeclared-capability',
    ]),
  )
  expect(said).toMatch(/Passed: 24\/28/)
})
