import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { consentForm } from '../../../test/rigs/oauth-flow.ts'
import { freePort } from '../../../test/rigs/free-port.ts'
import { judges } from '../../../test/rigs/judges.ts'
import { openOAuthWorld, type OAuthWorld } from '../../../test/rigs/oauth-world.ts'

/** Registers the client that the suite is to be, whose answers come back to a port of this machine. */
async function register({ baseUrl }: OAuthWorld, port: number): Promise<string> {
  const answer = await fetch(`${baseUrl}/oauth/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Conformance suite',
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      token_endpoint_auth_method: 'none',
    }),
  })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { client_id: string }).client_id
}

/** Does what the person does to whom the suite shows this address, and brings the answer back to the suite. */
async function authorizeApp({ browser, workspace }: OAuthWorld, address: string): Promise<void> {
  const owner = browser()
  const page = await owner.follow(await owner.get(address))
  const { url } = await owner.follow(await owner.submit(page.url, consentForm({ workspace }, ['posts:read'])))
  await fetch(url)
}

test('the authorization scenarios of the MCP conformance suite pass', { timeout: 600_000 }, async () => {
  const suiteProgram = join(await judges(), '@modelcontextprotocol/conformance/dist/index.js')
  await using world = await openOAuthWorld()
  const port = await freePort()
  const clientId = await register(world, port)
  const issuer = `${world.baseUrl}/oauth`
  const args = [
    '--url',
    issuer,
    '--client-id',
    clientId,
    '--resource',
    world.resource,
    '--port',
    String(port),
  ]
  const suite = spawn(process.execPath, [suiteProgram, 'authorization', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: string[] = []
  const ended = new Promise<number | null>((resolve) => suite.once('close', resolve))
  for await (const line of createInterface({ input: suite.stdout })) {
    said.push(line)
    if (line.startsWith(`${issuer}/auth?`)) await authorizeApp(world, line.trim())
  }
  const output = said.join('\n')
  expect({ exitCode: await ended, output }).toEqual({ exitCode: 0, output })
  // Not one scenario is passed over.
  for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant'])
    expect(output).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
})
