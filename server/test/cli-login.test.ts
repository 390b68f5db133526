import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildCli, runCli } from './rigs/cli.ts'
import { consentForm } from './rigs/oauth-flow.ts'
import { openOAuthWorld } from './rigs/oauth-world.ts'

/* `postrider login` in the browser: what a person allows there, the terminal may do, until it logs out. */

const world = await openOAuthWorld()
let built: Awaited<ReturnType<typeof buildCli>>
let folder: string
beforeAll(async () => {
  built = await buildCli()
  folder = await mkdtemp(join(tmpdir(), 'postrider-login-'))
})
afterAll(async () => {
  await built?.[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const path = () => join(folder, 'credentials.json')
const stored = async () => {
  const { logins } = JSON.parse(await readFile(path(), 'utf8')) as { logins: Record<string, any> }
  return Object.values(logins)[0]
}
const cli = (args: readonly string[], onError?: (text: string) => void) =>
  runCli(built.folder, args, {
    env: { POSTRIDER_CONFIG_DIR: folder },
    ...(onError === undefined ? {} : { onError }),
  })

/** Logs in as a person does who allows these permissions, or denies it. */
async function logIn(form: [string, string][]) {
  const asked = Promise.withResolvers<string>()
  const ended = cli(['login', world.baseUrl, '--no-browser'], (text) => {
    const address = /http:\S+\/oauth\/auth\S+/.exec(text)?.[0]
    if (address !== undefined) asked.resolve(address)
  })
  const owner = world.browser()
  const page = await owner.follow(await owner.get(await asked.promise))
  const { url } = await owner.follow(await owner.submit(page.url, form))
  expect(url.hostname).toBe('127.0.0.1')
  // Pages of others can send a browser there, too.
  expect((await fetch(`${url.origin}/callback?code=stolen&state=guessed`)).status).toBe(404)
  expect((await fetch(url)).status).toBe(200)
  return ended
}

test('what a person allows in the browser is stored, renewed once by many processes, and ended', async () => {
  expect(await logIn(consentForm(world, ['posts:read', 'channels:read']))).toMatchObject({
    code: 0,
    out: expect.stringContaining('as Ada'),
  })
  const first = await stored()
  expect((await cli(['whoami', '--json'])).json.credential).toMatchObject({
    type: 'oauth',
    permissions: ['channels:read', 'posts:read'],
  })

  // The token is for the Agent API, and not for the tools.
  expect(await cli(['mcp'])).toMatchObject({
    ...{ code: 3, out: '', err: expect.stringMatching(/^`postrider mcp` needs an agent key.*\n$/) },
  })

  const text = await readFile(path(), 'utf8')
  await writeFile(path(), text.replace(/"expiresAt": \d+/, '"expiresAt": 0'))
  const ended = await Promise.all(Array.from({ length: 6 }, () => cli(['whoami'])))
  expect(ended.map(({ code }) => code)).toEqual(Array(6).fill(0))
  const renewed = await stored()
  expect(renewed.refreshToken).not.toBe(first.refreshToken)
  const tokens = await world.world.db<{ n: number }[]>`
    select count(*)::int as n from oauth_artifact where model = 'RefreshToken'`
  expect(tokens).toEqual([{ n: 2 }])

  expect((await cli(['logout'])).code).toBe(0)
  expect((await cli(['whoami'])).code).toBe(3)
  const again = await fetch(`${world.baseUrl}/agent/v1/me`, {
    headers: { authorization: `Bearer ${renewed.accessToken}` },
  })
  expect(again.status).toBe(401)
})

test('a login that a person denies is told, and stores nothing', async () => {
  expect(await logIn([['decision', 'deny']])).toMatchObject({
    code: 3,
    err: expect.stringContaining('The login was not allowed'),
  })
  expect((await cli(['whoami'])).code).toBe(3)
})
