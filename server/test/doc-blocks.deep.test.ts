import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startSandboxNetwork, type SandboxNetwork } from '@postrider/sandbox-network'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Block, faultOf, readBlocks, root } from '../../tools/doc-blocks.ts'
import { CLIENT_COMMANDS } from '../src/operate/commands/client-commands.ts'
import { openSession, programOf, type Session, SIGNED_REQUEST } from './rigs/block-session.ts'
import { buildCli } from './rigs/cli.ts'
import { aChannel, aWorkspace } from './rigs/fixtures.ts'
import { freePort } from './rigs/free-port.ts'
import { aKey, openRunningApp, type RunningApp } from './rigs/running-app.ts'

/* Every code block of the documents that can be run, as it stands there: see tools/doc-blocks.ts. */

const blocks = readBlocks()
const isRun = ({ way: { is } }: Block) => ['run', 'stays', 'file', 'printed'].includes(is)

/** What each reader runs in one shell; first those who wait longest. */
const readings = [...Map.groupBy(blocks.filter(isRun), ({ page }) => page)]
  .flatMap(([page, all]) => {
    const apart = new Set(all.flatMap(({ isApart, section }) => (isApart ? [section] : [])))
    const rest = all.filter(({ section }) => !apart.has(section))
    const first = all.filter(({ section }) => section === all[0]?.section)
    const others = Array.from(apart, (name) => ({
      name: `${page} ${name}`,
      read: [...first, ...all.filter(({ section }) => section === name)],
    }))
    return [{ name: page, read: rest }, ...others]
  })
  .toSorted((one, other) => sleepsIn(other.read) - sleepsIn(one.read))

function sleepsIn(read: readonly Block[]): number {
  return read
    .flatMap(({ code }) => [...code.matchAll(/^sleep (\d+)/gm)])
    .reduce((sum, [, seconds]) => sum + Number(seconds), 0)
}
const secretKeys = randomBytes(32).toString('base64')
const nextYear = String(new Date().getFullYear() + 1)

let app: RunningApp
/** The sandbox network of the server. */
let ownNetwork: SandboxNetwork
let built: Awaited<ReturnType<typeof buildCli>>
const opened = new AsyncDisposableStack()

beforeAll(async () => {
  built = opened.use(await buildCli())
  ownNetwork = await startSandboxNetwork({ memory: true })
  opened.defer(() => ownNetwork.close())
  app = opened.use(
    await openRunningApp({
      roles: 'api,publisher,webhooks',
      sandboxUrl: ownNetwork.url,
      secretKeys,
      env: { TRUSTED_ORIGINS: 'any' },
    }),
  )
}, 120_000)
afterAll(() => opened[Symbol.asyncDispose]())

test('every block is of a known kind, and run or excused', () => {
  const faults = blocks.flatMap((block) => {
    const fault = faultOf(block)
    return fault === null ? [] : [`${block.page}:${block.line}: ${fault}`]
  })
  expect(faults).toEqual([])
})

test('those in TypeScript compile, strictly', { timeout: 120_000 }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'postrider-block-types-'))
  for (const name of ['node_modules', 'docs']) await symlink(join(root, name), join(folder.path, name))
  await writeFile(join(folder.path, 'signed-request.ts'), SIGNED_REQUEST)
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  const programs = blocks.filter(
    ({ language, way: { is } }) => language === 'ts' && ['run', 'file'].includes(is),
  )
  for (const [place, block] of programs.entries()) {
    const file = join(folder.path, `${place}-${block.page.replaceAll('/', '-')}.ts`)
    await writeFile(file, `${programOf(block)}export {}\n`)
  }
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    allowImportingTsExtensions: true,
  }
  const target = {
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
  }
  await writeFile(
    join(folder.path, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, ...target } }),
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder.path]).catch(
    (error) => error,
  )
  expect(stdout).toBe('')
})

describe.concurrent('the blocks of', { timeout: 300_000 }, () => {
  test.for(readings)('$name', async ({ read }) => {
    await using reader = await aReader(read)
    const ran: string[] = []
    for (const block of read) {
      const failure = await reader.run(block).catch((error: unknown) => String(error))
      expect(failure, `${block.page}:${block.line}`).toBeUndefined()
      ran.push(block.code)
    }
    expect(ran).toHaveLength(read.length)
  })
})

/** Somebody with a workspace and a sandbox network, as the first start makes them, a key, and a terminal. */
async function aReader(read: readonly Block[]): Promise<Session> {
  await using readers = new AsyncDisposableStack()
  // What the server asks for accounts has to be its own; else each reader has one, since what is ordered there is for all.
  const asksServer = read.some(({ code }) => /\bpostrider channel (add sandbox|reconnect)\b/.test(code))
  const network = asksServer ? ownNetwork : await startSandboxNetwork({ memory: true })
  if (!asksServer) readers.defer(() => network.close())
  const workspace = await aWorkspace(app.db)
  for (const profile of ['short', 'professional'])
    await aSandboxChannel(network, workspace.workspaceId, profile)
  const key = await aKey(app.db, workspace)
  const [receiverPort, sandboxPort] = [await freePort(), await freePort()]
  const session = readers.use(
    await openSession({
      env: {
        PATH: process.env['PATH'] ?? '',
        DATABASE_URL: app.world.databaseUrl,
        DATA_DIR: app.dataDir,
        SECRET_KEYS: secretKeys,
        POSTRIDER_WORKSPACE: workspace.workspaceId,
        POSTRIDER_KEY: key,
        POSTRIDER_URL: app.baseUrl,
        PORT: new URL(app.baseUrl).port,
        SANDBOX_PORT: new URL(network.url).port,
        SANDBOX_URL: network.url,
        RECEIVER_PORT: String(receiverPort),
        CLI: built.folder,
        CLI_COMMANDS: ['post', ...CLIENT_COMMANDS].join(' '),
      },
      replace: [
        ['http://localhost:4000', app.baseUrl],
        ['https://posts.example.com', app.baseUrl],
        ['http://127.0.0.1:4001', network.url],
        ['http://127.0.0.1:3000', `http://127.0.0.1:${receiverPort}`],
        ['--port 4001', `--port ${sandboxPort}`],
        [/\b20\d\d(?=-\d\d-\d\dT)/g, nextYear],
      ],
    }),
  )
  const ends = readers.move()
  return { run: (block) => session.run(block), [Symbol.asyncDispose]: () => ends.disposeAsync() }
}

async function aSandboxChannel(network: SandboxNetwork, workspaceId: string, profile: string): Promise<void> {
  const response = await fetch(`${network.url}/control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle: `${profile}-${randomBytes(4).toString('hex')}`, profile }),
  })
  const account = (await response.json()) as { id: string; token: string }
  const authorization = { baseUrl: network.url, accessToken: account.token, accountId: account.id }
  const requested = {
    provider: `sandbox-${profile}`,
    remoteAccountId: account.id,
    authorization,
    keyring: app.keyring,
  }
  const id = await aChannel(app.db, workspaceId, { ...requested, displayName: `My ${profile} account` })
  await app.db`update channel set handle = ${`my-${profile}`} where id = ${id}`
}
