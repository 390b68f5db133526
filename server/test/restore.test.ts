import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Post } from '@postrider/contract'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ListedDestination } from '../src/content/listing/destination-list-store.ts'
import { commandLineWith } from './rigs/command-line.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'
import { openEmptyWorld } from './rigs/world.ts'

/*
 * An installation goes on publishing after its backup was made, and then the backup is restored beside the network that it
 * published on. The sandbox network counts what it was told to create, and its count is the judge.
 */

const secretKeys = randomBytes(32).toString('base64')
let folder: string
let network: Awaited<ReturnType<typeof startSandboxNetwork>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-restore-'))
  network = await startSandboxNetwork({ memory: true })
})
afterAll(async () => {
  await network.close()
  await rm(folder, { recursive: true })
})

type Installation = {
  readonly app: RunningApp
  readonly dataDir: string
  readonly workspaceId: string
  readonly postrider: (...args: string[]) => Promise<any>
  /** The same for commands that have to be told the workspace. */
  readonly inWorkspace: (...args: string[]) => Promise<any>
}

function install(app: RunningApp, dataDir: string, workspaceId: string): Installation {
  const postrider = commandLineWith({
    ...app.env,
    DATABASE_URL: app.world.databaseUrl,
    DATA_DIR: dataDir,
    SANDBOX_URL: network.url,
    SECRET_KEYS: secretKeys,
  })
  async function run(...args: string[]): Promise<any> {
    const { exitCode, said, errors } = await postrider(...args, '--json')
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
    return JSON.parse(said)
  }
  return {
    app,
    dataDir,
    workspaceId,
    postrider: run,
    inWorkspace: (...args) => run(...args, '--workspace', workspaceId),
  }
}

/** An installation with a channel, whose publisher is started later. */
async function openOld(opened: AsyncDisposableStack) {
  const app = opened.use(await openRunningApp({ secretKeys, sandboxUrl: network.url }))
  const old = install(app, app.dataDir, app.workspace.workspaceId)
  const handle = `a${randomBytes(4).toString('hex')}`
  const { channelId } = await old.postrider(
    'channel',
    'add',
    'sandbox',
    '--handle',
    handle,
    '--profile',
    'short',
  )
  return { ...old, channelId: channelId as string, path: join(folder, `${handle}.backup`) }
}

async function plan(app: RunningApp, key: string, channelId: string, content: object): Promise<Post> {
  const { status, body } = await app.ask('POST', '/agent/v1/posts', {
    key,
    body: {
      confirmed: true,
      idempotencyKey: randomBytes(9).toString('hex'),
      state: 'scheduled',
      publishAt: new Date(Date.now() + 3_600_000).toISOString(),
      channelIds: [channelId],
      ...content,
    },
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  return body as Post
}

/** Starts the publisher of an installation beside it, which lets the time of everything come. */
async function publishAll(opened: AsyncDisposableStack, { app, dataDir }: Installation): Promise<void> {
  const { db, world } = app
  const shared = { ...world, [Symbol.asyncDispose]: () => Promise.resolve() }
  opened.use(
    await openRunningApp({
      world: shared,
      secretKeys,
      sandboxUrl: network.url,
      roles: 'publisher',
      env: { DATA_DIR: dataDir },
    }),
  )
  await db`
    update destination set publish_at = now(), due_at = now(), expires_at = now() + interval '1 day'
    where  status in ('scheduled', 'delayed', 'partially_published') and due_at is not null`
  await db.notify('postrider_due', '')
}

/** How often each text was created at the network, below this channel's account. */
async function created(...texts: string[]): Promise<number[]> {
  const answer = await fetch(`${network.url}/control/creates`)
  const { byText } = (await answer.json()) as { byText: { text: string; count: number }[] }
  return texts.map((text) => byText.find((each) => each.text === text)?.count ?? 0)
}

const statusOf = async (app: RunningApp, key: string, { postId }: Post) =>
  (await app.ask('GET', `/agent/v1/posts/${postId}`, { key })).body.destinations[0].status as string

async function restored(
  opened: AsyncDisposableStack,
  { path, workspaceId }: { path: string; workspaceId: string },
) {
  const world = opened.use(await openEmptyWorld())
  const dataDir = await mkdtemp(join(folder, 'restored-'))
  const postrider = commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: dataDir })
  const { exitCode, errors, said } = await postrider('restore', path, '--json')
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
  expect(await postrider('access', 'confirm', '--all')).toMatchObject({ exitCode: 0 })
  // What is held is listed before the server starts, too.
  const held = await postrider('restored', 'list', '--workspace', workspaceId, '--json')
  const app = opened.use(
    await openRunningApp({
      world: { ...world, [Symbol.asyncDispose]: () => Promise.resolve() },
      secretKeys,
      sandboxUrl: network.url,
      env: { DATA_DIR: dataDir },
    }),
  )
  return { ...install(app, dataDir, workspaceId), said: JSON.parse(said), held: JSON.parse(held.said) }
}

test('what the old server published after the backup does not go out again, also once its channel is connected again', async () => {
  await using opened = new AsyncDisposableStack()
  const old = await openOld(opened)
  const { key } = old.app
  const id = randomBytes(4).toString('hex')
  const texts = ['single', 'first', 'second'].map((text) => `${text} ${id}`) as [string, string, string]
  const single = await plan(old.app, key, old.channelId, { text: texts[0] })
  const thread = await plan(old.app, key, old.channelId, { text: texts[1], thread: [{ text: texts[2] }] })
  await old.postrider('backup', old.path)

  await publishAll(opened, old)
  for (const post of [single, thread])
    await expect.poll(() => statusOf(old.app, key, post), { timeout: 20_000 }).toBe('published')
  expect(await created(...texts)).toEqual([1, 1, 1])

  const next = await restored(opened, old)
  const { app, postrider } = next
  await postrider('channel', 'reconnect', old.channelId)
  await publishAll(opened, next)
  const later = await plan(app, key, old.channelId, { text: `later ${id}` })
  await app.db`update destination set publish_at = now(), due_at = now() where post_id = ${later.postId}`
  await app.db.notify('postrider_due', '')
  await expect.poll(() => statusOf(app, key, later), { timeout: 20_000 }).toBe('published')
  expect(await created(...texts, `later ${id}`)).toEqual([1, 1, 1, 1])
})

test('what is held is listed, told by doctor and settled in bulk, and each post is out once at the end', async () => {
  await using opened = new AsyncDisposableStack()
  const old = await openOld(opened)
  const { key } = old.app
  const id = randomBytes(4).toString('hex')
  const out = await plan(old.app, key, old.channelId, { text: `out ${id}` })
  const unsent = await Promise.all(
    ['late', 'left', 'later'].map((text) => plan(old.app, key, old.channelId, { text: `${text} ${id}` })),
  )
  const [late, left, later] = unsent as [Post, Post, Post]
  for (const [{ postId }, days] of [
    [late, 3],
    [left, 9],
  ] as const)
    await old.app
      .db`update destination set publish_at = now() - ${days} * interval '1 day' where post_id = ${postId}`
  await old.postrider('backup', old.path)
  for (const { postId } of unsent)
    await old.app.db`update destination set status = 'draft' where post_id = ${postId}`
  await publishAll(opened, old)
  await expect.poll(() => statusOf(old.app, key, out), { timeout: 20_000 }).toBe('published')

  const next = await restored(opened, old)
  const { app, postrider, inWorkspace } = next
  expect(next.said.heldChannels).toMatchObject([{ channelId: old.channelId, unfinished: 4 }])
  const held: ListedDestination[] = await inWorkspace('restored', 'list')
  expect(held).toEqual(next.held)
  expect(held.map(({ text }) => text.split(' ')[0])).toEqual(['later', 'out', 'late', 'left'])
  const warning = { name: 'restore', status: 'warn', detail: expect.stringMatching(/^4 posts are held/) }
  expect(await postrider('doctor')).toContainEqual(expect.objectContaining(warning))

  const { controlToken = '' } = held.find(({ postId }) => postId === out.postId) ?? {}
  const about = [out.postId, '--channel-id', old.channelId, '--control-token', controlToken]
  await postrider('resolve', ...about, '--finding', 'published', '--remote-id', randomUUID())
  const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString()
  const bulk = (...options: string[]) => inWorkspace('restored', 'resolve', ...options)
  // A call that the old server made just before may still come out.
  await app.db`update destination set status_since = now() where status = 'checking'`
  const early = { settled: 0, left: 3, retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds > 0) }
  expect(await bulk('--absent')).toEqual(early)
  await app.db`update destination set status_since = status_since - interval '5 minutes' where status = 'checking'`
  expect(await bulk('--failed', '--to', weekAgo)).toEqual({ settled: 1, left: 0, retryAfterSeconds: null })
  expect(await bulk('--absent')).toEqual({ settled: 2, left: 0, retryAfterSeconds: null })
  expect(await inWorkspace('restored', 'list')).toEqual([])
  expect((await postrider('doctor')).map(({ name }: { name: string }) => name)).not.toContain('restore')
  const statuses = await Promise.all([out, left, later].map((post) => statusOf(app, key, post)))
  expect(statuses).toEqual(['published', 'failed', 'scheduled'])

  await publishAll(opened, next)
  for (const post of [late, later])
    await expect.poll(() => statusOf(app, key, post), { timeout: 20_000 }).toBe('published')
  expect(await created(`out ${id}`, `late ${id}`, `left ${id}`, `later ${id}`)).toEqual([1, 1, 0, 1])
})

test('what is out is settled by a file with the ids, the parts of a thread one after the other', async () => {
  await using opened = new AsyncDisposableStack()
  const old = await openOld(opened)
  const { key } = old.app
  const content = { text: 'one', thread: [{ text: 'two' }] }
  const [thread, single, another] = [
    await plan(old.app, key, old.channelId, content),
    await plan(old.app, key, old.channelId, { text: 'single' }),
    await plan(old.app, key, old.channelId, { text: 'another' }),
  ]
  await old.postrider('backup', old.path)
  const { app, inWorkspace } = await restored(opened, old)
  const file = join(folder, 'out.txt')
  const line = ({ postId }: Post, remoteId: string, url = '') =>
    `${postId} ${old.channelId} ${remoteId} ${url}`
  const address = 'https://example.com/7'
  const lines = [
    line(thread, '7', address),
    line(thread, '8'),
    line(single, '9'),
    '',
    line(another, '9'),
    line(single, '10'),
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  const said = await inWorkspace('restored', 'resolve', '--published', file)
  // Two posts have no id in common, and what is settled is not settled again.
  expect(said).toEqual({ settled: 3, left: 2, retryAfterSeconds: null })
  expect(await statusOf(app, key, thread)).toBe('published')
  const [destination] = (await app.ask('GET', `/agent/v1/posts/${thread.postId}`, { key })).body.destinations
  expect(destination).toMatchObject({
    releaseUrl: address,
    parts: [{ releaseUrl: address }, { releaseUrl: null }],
  })
  const held = await inWorkspace('restored', 'list')
  expect(held.map(({ postId }: Post) => postId)).toEqual([another.postId])
})

test.each([
  ['a post', ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', '--absent']],
  ['no finding', []],
  ['two findings', ['--absent', '--failed']],
  ['what is out without its file', ['--published']],
  ['what is out by a time', ['--published', 'a', '--to', '2026-11-22T09:00Z']],
])('restored resolve is not understood with %s', async (_, args) => {
  const { exitCode } = await commandLineWith({})('restored', 'resolve', ...args)
  expect(exitCode).toBe(2)
})
