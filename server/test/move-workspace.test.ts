import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Post } from '@postrider/contract'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStorage } from '../src/media/open-media.ts'
import { movedTables } from '../src/operate/workspaces/workspace-tables.ts'
import type { Db } from '../src/platform/postgres/db.ts'
import { commandLineWith } from './rigs/command-line.ts'
import { snapshotOf } from './rigs/fixtures.ts'
import { aPhoto } from './rigs/media-files.ts'
import { filesIn } from './rigs/media-server.ts'
import { openReceiver } from './rigs/receiver.ts'
import { dumpTables, openRunningApp, type RunningApp } from './rigs/running-app.ts'

/*
 * A workspace goes from one installation to another while the servers of both run, with keys, databases and storages of their own. Both
 * publish on one sandbox network, whose count of what it was told to create is the judge.
 */

let folder: string
let network: Awaited<ReturnType<typeof startSandboxNetwork>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-move-'))
  network = await startSandboxNetwork({ memory: true })
})
afterAll(async () => {
  await network.close()
  await rm(folder, { recursive: true })
})

type Installation = {
  readonly app: RunningApp
  readonly run: (...args: string[]) => Promise<any>
  readonly refused: (...args: string[]) => Promise<string>
}

/** A server in all roles on a database, a storage and keys of its own. */
async function install(
  opened: AsyncDisposableStack,
  env: Record<string, string> = {},
): Promise<Installation> {
  const app = opened.use(
    await openRunningApp({
      sandboxUrl: network.url,
      roles: 'api,publisher,webhooks',
      env,
    }),
  )
  const postrider = commandLineWith(app.env)
  return {
    app,
    async run(...args) {
      const { exitCode, said, errors } = await postrider(...args, '--json')
      expect({ args, exitCode, errors: exitCode === 0 ? '' : errors }).toEqual({
        args,
        exitCode: 0,
        errors: '',
      })
      return JSON.parse(said)
    },
    async refused(...args) {
      const { exitCode, errors } = await postrider(...args)
      expect({ args, failed: exitCode !== 0 }).toEqual({ args, failed: true })
      return errors
    },
  }
}

async function aSandboxChannel({ app, run }: Installation): Promise<string> {
  const handle = `a${randomBytes(4).toString('hex')}`
  const workspace = ['--workspace', app.workspace.workspaceId]
  return (await run('channel', 'add', 'sandbox', '--handle', handle, '--profile', 'short', ...workspace))
    .channelId
}

const keyOf = (text: string) => text.replaceAll(' ', '-')

async function plan(app: RunningApp, channelId: string, text: string, more: object = {}): Promise<Post> {
  const { status, body } = await app.ask('POST', '/agent/v1/posts', {
    body: {
      confirmed: true,
      idempotencyKey: keyOf(text),
      state: 'scheduled',
      publishAt: new Date(Date.now() + 3_600_000).toISOString(),
      channelIds: [channelId],
      text,
      ...more,
    },
  })
  expect({ status, detail: body.detail }).toEqual({ status: 201 })
  return body as Post
}

async function upload(app: RunningApp): Promise<string> {
  const form = new FormData()
  form.set('confirmed', 'true')
  form.set('altText', 'a photo')
  form.set('file', new Blob([new Uint8Array(await aPhoto())]), 'a.jpg')
  const { status, body } = await app.ask('POST', '/agent/v1/media', {
    body: form,
    headers: { 'idempotency-key': randomBytes(6).toString('hex') },
  })
  expect(status).toBe(201)
  return body.mediaId as string
}

/** Lets the time of everything come, in a database. */
async function comeDue(db: Db): Promise<void> {
  await db`
    update destination set publish_at = now(), due_at = now(), expires_at = now() + interval '1 day'
    where  status in ('scheduled', 'delayed') and due_at is not null`
  await db.notify('postrider_due', '')
}

async function created(...texts: string[]): Promise<number[]> {
  const answer = await fetch(`${network.url}/control/creates`)
  const { byText } = (await answer.json()) as { byText: { text: string; count: number }[] }
  return texts.map((text) => byText.find((each) => each.text === text)?.count ?? 0)
}

const statusOf = async (db: Db, { postId }: Post) => {
  const [row] = await db<{ status: string }[]>`select status from destination where post_id = ${postId}`
  return row?.status
}

test('a workspace that is moved goes on in the other installation, and each of its posts is out once', async () => {
  await using opened = new AsyncDisposableStack()
  const receiver = opened.use(await openReceiver())
  const env = { TRUSTED_ORIGINS: receiver.origin }
  const [from, to] = [await install(opened, env), await install(opened, env)]
  const { workspaceId } = from.app.workspace
  const channelId = await aSandboxChannel(from)
  const id = randomBytes(4).toString('hex')
  const texts = ['one', 'two', 'three'].map((text) => `${text} ${id}`)
  const mediaId = await upload(from.app)
  const posts = [
    await plan(from.app, channelId, texts[0]!, { mediaIds: [mediaId] }),
    await plan(from.app, channelId, texts[1]!),
    await plan(from.app, channelId, texts[2]!, { labels: ['launch'] }),
  ]
  await from.run('webhook', 'create', '--url', `${receiver.origin}/hook`, '--workspace', workspaceId)
  expect((await from.app.ask('GET', `/agent/v1/media/${mediaId}/content?width=16`)).status).toBe(200)
  const before = await snapshotOf(from.app.db, workspaceId)

  const file = join(folder, `${id}.workspace`)
  expect(await from.run('workspace', 'export', workspaceId, file, '--move')).toMatchObject({
    frozen: true,
    mediaFiles: 1,
    missing: [],
  })
  // The publisher of the old one runs, and has everything due; its keys are refused, and its channels stay off.
  await comeDue(from.app.db)
  expect((await from.app.ask('GET', '/agent/v1/posts')).status).toBe(401)
  expect(await from.refused('channel', 'enable', channelId, '--workspace', workspaceId)).toContain(
    'Where it was frozen',
  )
  await expect(from.app.db`update channel set enabled = true where id = ${channelId}`).rejects.toThrow(
    'frozen',
  )

  const done = await to.run('workspace', 'import', file)
  expect(done).toMatchObject({
    moved: true,
    mediaFiles: 1,
    heldChannels: [],
    suspended: { members: [], keys: [] },
  })
  // The rows are those of before: ids of people, names of files, places in the order of all, and what a freeze stops are others.
  const after = await snapshotOf(to.app.db, workspaceId)
  for (const table of movedTables)
    if (table !== 'workspace')
      expect({ table, rows: plainly(after[table]) }).toEqual({ table, rows: plainly(before[table]) })

  // An agent repeats what it has sent, and gets the answer that it had.
  const again = await to.app.ask('POST', '/agent/v1/posts', {
    key: from.app.key,
    body: {
      confirmed: true,
      idempotencyKey: keyOf(texts[1]!),
      state: 'scheduled',
      publishAt: posts[1]!.destinations[0]!.publishAt,
      channelIds: [channelId],
      text: texts[1],
    },
  })
  expect(again.body).toMatchObject({ postId: posts[1]!.postId })

  await comeDue(to.app.db)
  for (const post of posts)
    await expect.poll(() => statusOf(to.app.db, post), { timeout: 20_000 }).toBe('published')
  expect(await created(...texts)).toEqual([1, 1, 1])
  for (const post of posts) expect(await statusOf(from.app.db, post)).toBe('scheduled')
  await expect
    .poll(() => receiver.received.filter(({ body }) => String(body).includes('post.published')).length)
    .toBe(3)

  // What was moved is deleted where it was.
  const counts = await from.run('workspace', 'delete', workspaceId)
  expect(counts).toMatchObject({ deleted: false, mediaFiles: 1, rows: { post: 3, channel: 1 } })
  expect(await from.refused('workspace', 'delete', workspaceId, '--yes', 'Another')).toContain('--yes')
  expect(await from.run('workspace', 'delete', workspaceId, '--yes', workspaceId)).toMatchObject({
    deleted: true,
  })
  await expectNothingOf(from.app, workspaceId)
  const content = await to.app.ask('GET', `/agent/v1/media/${mediaId}/content`, { key: from.app.key })
  expect(content.status).toBe(200)
})

test('a file of a move that has gone on here once is held the next time, and nothing of it is out twice', async () => {
  await using opened = new AsyncDisposableStack()
  const [from, to] = [await install(opened), await install(opened)]
  const { workspaceId } = from.app.workspace
  const channelId = await aSandboxChannel(from)
  const id = randomBytes(4).toString('hex')
  const texts = [`moved once ${id}`, `moved back ${id}`]
  const post = await plan(from.app, channelId, texts[0]!)
  const [file, second, back] = [1, 2, 3].map((nth) => join(folder, `${id}-${nth}.workspace`))
  await from.run('workspace', 'export', workspaceId, file!, '--move')
  // Another file of the same freeze.
  await from.run('workspace', 'export', workspaceId, second!, '--move')
  const goesOn = async ({ app, run }: Installation, path: string) => {
    expect(await run('workspace', 'import', path)).toMatchObject({ moved: true, wentOnBefore: false })
    await comeDue(app.db)
  }
  const isHeld = async ({ app, run }: Installation, path: string) => {
    await run('workspace', 'delete', workspaceId, '--yes', workspaceId)
    const done = await run('workspace', 'import', path)
    await comeDue(app.db)
    expect(done).toMatchObject({ moved: false, wentOnBefore: true, heldChannels: [{ unfinished: 1 }] })
    expect(await statusOf(app.db, post)).toBe('checking')
  }
  await goesOn(to, file!)
  await expect.poll(() => statusOf(to.app.db, post), { timeout: 20_000 }).toBe('published')
  await isHeld(to, file!)
  await isHeld(to, second!)

  // Where it comes from it goes on after all, and is deleted there.
  await from.run('workspace', 'unfreeze', workspaceId, '--not-moved')
  await isHeld(from, file!)

  // A later move of the same workspace goes on, with what was held.
  const other = await plan(to.app, await aSandboxChannel(to), texts[1]!)
  await to.run('workspace', 'export', to.app.workspace.workspaceId, back!, '--move')
  await from.run('workspace', 'import', back!)
  await comeDue(from.app.db)
  await expect.poll(() => statusOf(from.app.db, other), { timeout: 20_000 }).toBe('published')
  expect(await created(...texts)).toEqual([1, 1])
})

/** Without what differs between installations, or changes while a server works. */
function plainly(rows: readonly unknown[] = []): unknown[] {
  const changing =
    /^(person_id|storage_key|seq|told_to|mail_at|last_mail|actor_id|.*_sealed|sealed|updated_at|refresh_due_at|profile_due_at|status_since|last_used_at)$/
  const kept = (rows as Record<string, unknown>[]).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !changing.test(name))),
  )
  return kept
    .filter(({ action }) => !/^(export|import)Workspace$/.test(String(action)))
    .map((row) => JSON.stringify(row))
    .toSorted()
}

/** No row of any table, and no file, tells of a workspace, but the entry that says who deleted it. */
async function expectNothingOf(app: RunningApp, workspaceId: string): Promise<void> {
  const found = Object.entries(await dumpTables(app.db, workspaceId)).flatMap(([table, rows]) =>
    rows.map((row) => `${table}: ${row}`),
  )
  expect(found).toEqual([expect.stringContaining('deleteWorkspace')])
  const storage = await openStorage(app.dataDir, { s3: null })
  const keys = (await Array.fromAsync(storage.list())).map(({ key }) => key)
  expect(keys.filter((key) => key.startsWith(workspaceId))).toEqual([])
  // Smaller copies of its pictures, and what was on its way.
  expect(filesIn(app.dataDir).filter((path) => path.includes(workspaceId))).toEqual([])
}
