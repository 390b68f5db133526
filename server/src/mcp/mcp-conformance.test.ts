import { execFile } from 'node:child_process'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { judges } from '../../test/rigs/judges.ts'
import { openRunningApp } from '../../test/rigs/running-app.ts'

/*
 * The conformance suite of the protocol, as far as it judges any server and not one with tools of its own. It knows no
 * credentials, so what it sends gets ours on its way.
 */

const app = await openRunningApp()
const { port } = new URL(app.baseUrl)
const door = createServer((request, response) => {
  const ours = (name: string | undefined) => name?.replace(`:${doorPort}`, `:${port}`)
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
await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening))
const { port: doorPort } = door.address() as AddressInfo
afterAll(async () => {
  door.closeAllConnections()
  door.close()
  await app[Symbol.asyncDispose]()
})

/** What the suite wants to see of tools that only a server for tests has. */
const NEED_FIXTURES = [
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-rejects-undeclared-capability',
]

async function judge(scenario: string): Promise<string> {
  const suite = join(await judges(), '@modelcontextprotocol/conformance/dist/index.js')
  const args = [suite, 'server', '--url', `http://127.0.0.1:${doorPort}/mcp`, '--scenario', scenario]
  const run = promisify(execFile)(process.execPath, args, { cwd: app.dataDir })
  const { stdout, stderr } = await run.catch((failure: { stdout: string; stderr: string }) => failure)
  return `${stdout}\n${stderr}`
}

test.each([
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'sep-2164-resource-not-found',
  'dns-rebinding-protection',
  'caching',
  'http-header-validation',
])('%s', { timeout: 300_000 }, async (scenario) => {
  const said = await judge(scenario)
  expect(said).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/)
})

test('server-stateless, but for what needs tools of a test', { timeout: 300_000 }, async () => {
  const said = await judge('server-stateless')
  const failed = [...said.matchAll(/\[([\w-]+) *\] (?:\u001B\[31m)?FAILURE/g)].map(([, check]) => check)
  expect(new Set(failed)).toEqual(new Set(NEED_FIXTURES))
  expect(said).toMatch(/Passed: 24\/28/)
})
