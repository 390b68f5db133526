import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'

/* The package as it is published: what `npm pack` makes of it, in a project that has nothing else. */

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')
const LARGEST_BYTES = 12_000

const PROGRAM = `
import { isProblem, Postrider, type Post, verifyWebhook } from '@postrider/sdk'

const client = new Postrider({ key: 'pr_test', baseUrl: process.argv[2] ?? '' })
const post: Post = await client.posts.create({ state: 'draft', channelIds: ['c'], text: 'Hello' })
const status: 'draft' | 'checking' | undefined | string = post.destinations[0]?.status
const missing: unknown = await client.posts.read('none').catch((error: unknown) => {
  if (isProblem(error, 'not_found')) return error.code satisfies 'not_found'
  throw error
})
// @ts-expect-error A field that no operation knows.
const typo = () => client.posts.create({ state: 'draft', channelIds: ['c'], txt: 'Hello' })
console.log(JSON.stringify({ status, missing, verifies: typeof verifyWebhook, typo: typeof typo }))
`

let project: string
let api: Server
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'postrider-sdk-'))
  const { stdout } = await run(
    'npm',
    ['pack', '--workspace', 'sdk', '--json', '--pack-destination', project],
    { cwd: ROOT },
  )
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  const place = join(project, 'node_modules/@postrider/sdk')
  await mkdir(place, { recursive: true })
  await run('tar', ['-xzf', join(project, filename), '-C', place, '--strip-components', '1'])
  await writeFile(join(project, 'package.json'), '{"type":"module"}')
  await writeFile(join(project, 'program.ts'), PROGRAM)
  api = createServer((request, response) => {
    const isCreate = request.method === 'POST' && request.headers['idempotency-key'] !== undefined
    const problem = {
      title: 'Not found',
      detail: 'No such post.',
      status: 404,
      code: 'not_found',
      requestId: 'r',
    }
    response.writeHead(isCreate ? 201 : 404, {
      'content-type': isCreate ? 'application/json' : 'application/problem+json',
    })
    response.end(JSON.stringify(isCreate ? { destinations: [{ status: 'draft' }] } : problem))
  })
  await new Promise<void>((listening) => api.listen(0, '127.0.0.1', listening))
}, 120_000)
afterAll(async () => {
  api?.close()
  await rm(project, { recursive: true, force: true })
})

test('type-checks strictly in a project of its own, and runs there', async () => {
  const strict = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--skipLibCheck',
    'false',
  ]
  const target = [
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--lib',
    'es2022,dom,dom.iterable',
    '--types',
    'node',
  ]
  const typeRoots = ['--typeRoots', join(ROOT, 'node_modules/@types')]
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, ...strict, ...target, ...typeRoots, 'program.ts'], { cwd: project })
  const { port } = api.address() as { port: number }
  const { stdout } = await run(process.execPath, ['program.js', `http://127.0.0.1:${port}`], { cwd: project })
  expect(JSON.parse(stdout)).toEqual({
    ...{ status: 'draft', missing: 'not_found', verifies: 'function', typo: 'function' },
  })
})

test(`is at most ${LARGEST_BYTES} bytes, bundled, minified and compressed, and holds no test`, async () => {
  const bundle = join(project, 'bundle.js')
  const rolldown = join(ROOT, 'node_modules/.bin/rolldown')
  const entry = join(project, 'node_modules/@postrider/sdk/dist/index.js')
  await run(rolldown, [entry, '--file', bundle, '--minify', '--format', 'esm'], { cwd: project })
  expect(gzipSync(await readFile(bundle)).length).toBeLessThanOrEqual(LARGEST_BYTES)
  const { stdout } = await run('find', [join(project, 'node_modules'), '-name', '*test*'])
  expect(stdout).toBe('')
})
