import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Post } from '@postrider/contract'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLineWith } from './command-line.ts'
import { openRunningApp, type RunningApp } from './running-app.ts'
import { openEmptyWorld, type World } from './world.ts'

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
}

function install(app: RunningApp, dataDir: string, workspaceId: string): Installation {
  const postrider = commandLineWith({
    ...{ DATABASE_URL: app.world.databaseUrl, DATA_DIR: dataDir, SANDBOX_URL: network.url },
    ...{ SECRET_KEYS: secretKeys, POSTRIDER_WORKSPACE: workspaceId },
  })
  return {
    ...{ app, dataDir, workspaceId },
    async postrider(...args) {
      const { exitCode, said, errors } = await postrider(...args, '--json')
      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
      return JSON.parse(said)
    },
  }
}

/** An installation with a channel, whose publisher is started later. */
async function openOld(opened: AsyncDisposableStack) {
  const app = opened.use(await openRunningApp({ secretKeys, sandboxUrl: network.url }))
  const old = install(app, app.dataDir, app.workspace.workspaceId)
  const handle = `a${randomBytes(4).toString('hex')}`
  const { channelId } = await old.postrider('channel', 'add', 'sandbox', '--handle', handle, '--profile', 'short')
  return { ...old, channelId: channelId as string, path: join(folder, `${handle}.backup`) }
}

async function plan(app: RunningApp, key: string, channelId: string, content: object): Promise<Post> {
  const { status, body } = await app.ask('POST', '/agent/v1/posts', {
    key,
    body: {
      ...{ confirmed: true, idempotencyKey: randomBytes(9).toString('hex'), state: 'scheduled' },
      ...{ publishAt: new Date(Date.now() + 3_600_000).toISOString(), channelIds: [channelId], ...content },
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
      ...{ world: shared, secretKeys, sandboxUrl: network.url, roles: 'publisher' },
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

async function restored(opened: AsyncDisposableStack, { path, workspaceId }: { path: string; workspaceId: string }) {
  const world = opened.use(await openEmptyWorld())
  const dataDir = await mkdtemp(join(folder, 'restored-'))
  const postrider = commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: dataDir })
  const { exitCode, errors, said } = await postrider('restore', path, '--json')
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
  const app = opened.use(
    await openRunningApp({
      ...{ world: { ...world, [Symbol.asyncDispose]: () => Promise.resolve() }, secretKeys },
      ...{ sandboxUrl: network.url, env: { DATA_DIR: dataDir } },
    }),
  )
  return { ...install(app, dataDir, workspaceId), said: JSON.parse(said) }
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
}, 90_000)
