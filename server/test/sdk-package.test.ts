import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installPackages } from '../../tools/installed-packages.ts'
import { openBrowser } from './dashboard/browser.ts'
import { aChannel } from './rigs/fixtures.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'

/*
 * The package as it is published: what `npm pack` makes of it, installed in a project that has nothing else. With SDK_READERS=all it is
 * compiled and run by everything that sdk/README.md names, which are installed for that (600 MB); otherwise by what is there.
 */

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')
const LARGEST_BYTES = 12_000
const EVERYTHING = process.env['SDK_READERS'] === 'all'

/** A program as a customer writes it: compiled strictly, and the same for every runtime. */
const PROGRAM = `
import { ConnectionError, EditConflictError, isProblem, Postrider, type Post, verifyWebhook } from '@postrider/sdk'

type Vector = { secret: string; body: string; signature: string | null; now: number; toleranceSeconds: number; valid: boolean }

export async function prove(key: string, baseUrl: string, channelId: string, vectors: readonly Vector[]) {
  const client = new Postrider({ key, baseUrl })
  const post: Post = await client.posts.create({ state: 'draft', channelIds: [channelId], text: 'Hello' })
  const status: 'draft' | 'checking' | undefined | string = post.destinations[0]?.status
  const edited = await client.posts.edit(post, { text: 'Better' })
  const conflict = await client.posts.edit(post, { text: 'Worse' }).catch((error: unknown) => {
    if (error instanceof EditConflictError) return error.fields
    throw error
  })
  let listed = 0
  for await (const { postId } of client.posts.list({ limit: 1 })) if (postId === post.postId) listed += 1
  const waited = await client.posts.waitFor(post.postId)
  const missing: unknown = await client.posts.read(channelId).catch((error: unknown) => {
    if (isProblem(error, 'not_found')) return error.code satisfies 'not_found'
    throw error
  })
  const page = await client.media.upload(new TextEncoder().encode('no picture')).catch((error: unknown) => {
    if (isProblem(error, 'unsupported_media')) return error.code
    throw error
  })
  // Nothing listens on port 9.
  const nowhere = new Postrider({ key, baseUrl: 'http://127.0.0.1:9', maxRetries: 0 })
  const unreachable = await nowhere.me().catch((error: unknown) => error instanceof ConnectionError)
  const verified = await Promise.all(
    vectors.map(async ({ secret, body, signature, now, toleranceSeconds, valid }) => {
      const headers = new Headers(signature === null ? {} : { 'x-service-signature': signature })
      const event = await verifyWebhook(body, headers, secret, { now: () => now, toleranceSeconds }).catch(() => null)
      return (event !== null) === valid
    }),
  )
  // @ts-expect-error A field that no operation knows.
  const typo = () => client.posts.create({ state: 'draft', channelIds: ['c'], txt: 'Hello' })
  return {
    ...{ status, text: edited.content?.text, conflict, listed, waited: waited.destinations[0]?.status },
    ...{ missing, page, unreachable, verified: verified.every(Boolean), typo: typeof typo },
  }
}
`
const PROVEN = {
  status: 'draft',
  text: 'Better',
  conflict: ['text'],
  listed: 1,
  waited: 'draft',
  missing: 'not_found',
  page: 'unsupported_media',
  unreachable: true,
  typo: 'function',
  verified: true,
}

let project: string
let app: RunningApp
let channelId: string

beforeAll(async () => {
  app = await openRunningApp()
  channelId = await aChannel(app.db, app.workspace.workspaceId)
  project = await mkdtemp(join(tmpdir(), 'postrider-sdk-'))
  const packed = await run('npm', ['pack', '--workspace', 'sdk', '--json', '--pack-destination', project], {
    cwd: ROOT,
  })
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
  await writeFile(join(project, 'package.json'), '{"type":"module"}')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`], { cwd: project })
  await writeFile(join(project, 'program.ts'), PROGRAM)
  await writeFile(
    join(project, 'main.js'),
    `import process from 'node:process'
     import { prove } from './program.js'
     import all from './node_modules/@postrider/sdk/vectors/webhook-signatures.json' with { type: 'json' }
     console.log(JSON.stringify(await prove(...process.argv.slice(2), all.vectors)))`,
  )
  await compile(join(ROOT, 'node_modules/typescript'))
}, 120_000)
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await rm(project, { recursive: true, force: true })
})

async function compile(typescript: string): Promise<void> {
  const { bin } = JSON.parse(await readFile(join(typescript, 'package.json'), 'utf8')) as {
    bin: { tsc: string }
  }
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        lib: ['es2022', 'dom', 'dom.iterable'],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
      },
      files: ['program.ts'],
    }),
  )
  await run(process.execPath, [join(typescript, bin.tsc), '-p', '.'], { cwd: project }).catch(
    (error: { stdout: string }) => {
      throw new Error(error.stdout)
    },
  )
}

/** What the program found in a runtime. */
async function runIn(runtime: string, ...options: string[]): Promise<unknown> {
  const { stdout } = await run(runtime, [...options, 'main.js', app.key, app.baseUrl, channelId], {
    cwd: project,
    timeout: 60_000,
  })
  return JSON.parse(stdout)
}

/** The Node that npm runs on: often older than the one that we bring. */
function olderNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((one) => !one.includes('node_modules'))
  return globSync(folders.map((folder) => join(folder, 'node'))).at(0)
}

describe('is compiled strictly, and works', () => {
  test('in the Node that we bring', async () => {
    expect(await runIn(process.execPath)).toEqual(PROVEN)
  })

  test.skipIf(olderNode() === undefined)('in the Node of the machine', async () => {
    expect(await runIn(olderNode()!)).toEqual(PROVEN)
  })

  test('bundled by Vite, in a page of a browser', async () => {
    await writeFile(
      join(project, 'page.js'),
      `import { prove } from './program.js'
       import { vectors } from '@postrider/sdk/vectors'
       window.prove = (...given) => prove(...given, vectors)`,
    )
    const built = await build({
      root: project,
      configFile: false,
      logLevel: 'warn',
      build: { lib: { entry: join(project, 'page.js'), formats: ['iife'], name: 'page' }, write: false },
    })
    const [{ output }] = built as unknown as [{ output: [{ code: string }] }]
    await using browser = await openBrowser(app.baseUrl)
    const profile = await browser.profile()
    const page = await profile.newPage()
    // The server allows no page of another origin: this is one of its own.
    await page.route('**/a-page', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>SDK</title>' }),
    )
    await page.goto(`${app.baseUrl}/a-page`)
    await page.addScriptTag({ content: output[0].code })
    const given = JSON.stringify([app.key, app.baseUrl, channelId])
    expect(await page.evaluate(`window.prove(...${given})`)).toEqual(PROVEN)
  })
})

test(`is at most ${LARGEST_BYTES} bytes, bundled, minified and compressed, and holds no test`, async () => {
  const bundle = join(project, 'bundle.js')
  const rolldown = join(ROOT, 'node_modules/.bin/rolldown')
  const entry = join(project, 'node_modules/@postrider/sdk/dist/index.js')
  await run(rolldown, [entry, '--file', bundle, '--minify', '--format', 'esm'], { cwd: project })
  expect(gzipSync(await readFile(bundle)).length).toBeLessThanOrEqual(LARGEST_BYTES)
  expect(globSync('node_modules/**/*test*', { cwd: project })).toEqual([])
})

describe.runIf(EVERYTHING)('with everything that it is said to work with', () => {
  let readers: string
  beforeAll(async () => {
    readers = join(await installPackages(join(import.meta.dirname, 'rigs/sdk-readers')), 'node_modules')
  }, 600_000)

  test.each(['5.5', '5.6', '5.7', '5.8', '5.9', '6.0'])('is compiled by TypeScript %s', async (release) => {
    await compile(join(readers, `typescript-${release}`))
    expect(await runIn(process.execPath)).toEqual(PROVEN)
  })

  test.each([20, 22])('runs in Node %d', async (major) => {
    expect(await runIn(join(readers, `node-${major}/bin/node`))).toEqual(PROVEN)
  })

  test('runs in Deno, which is allowed to read its files and to call the server', async () => {
    const [deno = ''] = globSync(join(readers, '@deno/*/deno'))
    const allowed = ['--allow-read', '--allow-net=localhost,127.0.0.1']
    expect(await runIn(deno, 'run', '--no-prompt', ...allowed)).toEqual(PROVEN)
  })

  test('runs in Bun', async () => {
    const [bun = ''] = globSync(join(readers, '@oven/*/bin/bun'))
    expect(await runIn(bun)).toEqual(PROVEN)
  })
})
