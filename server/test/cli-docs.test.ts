import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { startSandboxNetwork, type SandboxNetwork } from '@postrider/sandbox-network'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Postrider } from '../../sdk/src/index.ts'
import { buildCli } from './rigs/cli.ts'
import { aChannel } from './rigs/fixtures.ts'
import { root } from './rigs/product.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'

/* The code blocks of docs/cli.md and docs/plan.md, as they stand there, with bash against the real server. */

/** The year that the pages plan for, and one that is to come. */
const YEAR = '2027'
const nextYear = String(new Date().getFullYear() + 1)

let network: SandboxNetwork
let app: RunningApp
let client: Postrider
let built: Awaited<ReturnType<typeof buildCli>>
let folder: string

beforeAll(async () => {
  built = await buildCli()
  network = await startSandboxNetwork({ memory: true })
  app = await openRunningApp({ roles: 'api,publisher', sandboxUrl: network.url })
  await aSandboxChannel('ada', 'short')
  await aSandboxChannel('bob', 'professional')
  client = new Postrider({ key: app.key, baseUrl: app.baseUrl })
  folder = await mkdtemp(join(tmpdir(), 'postrider-cli-docs-'))
  const program = join(folder, 'bin/postrider')
  await mkdir(join(folder, 'bin'))
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${built.folder}/postrider.js" "$@"\n`)
  await chmod(program, 0o755)
  await writeFile(join(folder, 'key.txt'), app.key)
})
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await network?.close()
  await built?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function aSandboxChannel(handle: string, profile: string): Promise<void> {
  const response = await fetch(`${network.url}/control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle, profile }),
  })
  const account = (await response.json()) as { id: string; token: string }
  const authorization = { baseUrl: network.url, accessToken: account.token, accountId: account.id }
  const wish = { provider: `sandbox-${profile}`, authorization, keyring: app.keyring, displayName: handle }
  const id = await aChannel(app.db, app.workspace.workspaceId, wish)
  await app.db`update channel set handle = ${handle} where id = ${id}`
}

/** The blocks of a page in one language, at times to come and for this server. */
async function blocks(page: string, language: string): Promise<string[]> {
  const text = await readFile(join(root, 'docs', page), 'utf8')
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter(([, of]) => of === language)
    .map(([, , block = '']) =>
      block
        .replaceAll(`${YEAR}-`, `${nextYear}-`)
        .replaceAll('https://posts.example.com', app.baseUrl)
        .replaceAll('pr_…', app.key),
    )
}

async function bash(script: string, env: Record<string, string> = {}): Promise<string> {
  const PATH = [join(folder, 'bin'), process.env['PATH']].join(delimiter)
  const { stdout } = await promisify(execFile)('bash', ['-ec', script], {
    cwd: folder,
    env: { PATH, POSTRIDER_CONFIG_DIR: join(folder, 'config'), ...env },
  })
  return stdout
}

test('the lines of docs/cli.md log in, list channels, and publish a post', async () => {
  const [first = '', withKey = ''] = await blocks('cli.md', 'sh')
  expect(await bash(withKey)).toContain('No posts.')
  // The first block logs in by the browser, as cli-login.test.ts does; here the login of the second one stays.
  const [login, ...lines] = first.trim().split('\n')
  expect(login).toBe(`postrider login ${app.baseUrl}`)
  const said = await bash(lines.join('\n').replace('+10m', '+1s'))
  expect(said).toMatch(/ada[^]*bob/)
  const [post] = await Array.fromAsync(client.posts.list({}))
  expect(post).toMatchObject({ destinations: [{ status: 'published' }] })
})

test('the plans of docs/plan.md are shown as there, and applied', async () => {
  const env = { POSTRIDER_URL: app.baseUrl, POSTRIDER_KEY: app.key }
  const [plan = ''] = await blocks('plan.md', 'yaml')
  const [lines = ''] = await blocks('plan.md', 'sh')
  const [shown = '', markdown = ''] = await blocks('plan.md', 'text')
  await mkdir(join(folder, 'pictures'))
  await cp(join(root, 'docs/examples/rider.jpg'), join(folder, 'pictures/rider.jpg'))
  await writeFile(join(folder, 'plan.yaml'), plan)
  expect(await bash(lines, env)).toBe(shown + shown)
  expect(await bash('postrider plan plan.yaml', env)).toContain('2 as they are')

  await mkdir(join(folder, 'notes'))
  await writeFile(join(folder, 'notes/plan.yaml'), 'plan: notes\ntimeZone: Europe/Berlin\nchannels: [ada]\n')
  await writeFile(join(folder, 'notes/second.md'), markdown)
  await bash('postrider apply notes', env)
  const { items } = await client.posts.list({ reference: 'notes/second' })
  expect((await client.posts.read(items[0]?.postId ?? '')).content).toMatchObject({
    text: 'The text of the post.',
    thread: [{ text: 'And its follow-up.' }],
  })
})
