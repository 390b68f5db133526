import type { Destination, Post } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, describe, expect, test } from 'vitest'
import { stopKey } from '../src/app/stop-credential.ts'
import { workRuns } from '../src/content/bulk/work-runs.ts'
import { commands } from '../src/engine/destinations/destination-commands.ts'
import { type MoveName, moves } from '../src/engine/destinations/destination-states.ts'
import { decideOutcome } from '../src/engine/publication/decide-outcome.ts'
import { resolveByPerson } from '../src/engine/publication/resolve-by-person.ts'
import type { Conclusion } from '../src/engine/queue/work.ts'
import { providers } from '../src/networks/providers/registry.ts'
import { holdRestoredDatabase } from '../src/operate/backup/restore-backup.ts'
import { agentKeys } from '../src/people/keys/authenticate.ts'
import { createKey } from '../src/people/keys/key-store.ts'
import { bulkPartsOf } from './rigs/bulk-parts.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { anAttempt, announced, aPost, aWorkspace, type AWorkspace, queueChannels } from './rigs/fixtures.ts'
import { aUser, join, openSite } from './rigs/people-world.ts'
import { leaseOf, settlementOf, storeOn } from './rigs/publishing-store.ts'

/*
 * Whatever a command gave a later time waits for it alike: it is seen there, can be moved and cancelled at every door, and is stopped with
 * the key that gave it. Of a thread of which some is out, all of that is about the rest; what is out never changes.
 */

const { world, api } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())
const parts = bulkPartsOf(db, (fault) => {
  throw fault
})

const HOUR_MS = 3_600_000
/** Whole, for what is compared with what a database keeps. */
const inHours = (hours: number) => new Date(Math.ceil(Date.now() / HOUR_MS + hours) * HOUR_MS).toISOString()
const BEFORE = inHours(-3)
const LATER = inHours(30)
const MOVED = inHours(54)

const timed = ['schedule', 'reschedule', 'retry'] as const
type Way = (typeof commands)[(typeof timed)[number]][number]
/** Every move by which a command gives a time: what begins with another one is told by its table. */
const ways: readonly Way[] = timed.flatMap((command) => [...commands[command]])
const commandOf = (way: Way) => timed.find((name) => commands[name].some((move) => move === way))!

const refused = { code: 'content_refused', message: 'Too loud.', provider: 'sandbox-short', retryable: false }

/** A post on one channel to which a key has given a later time in this way. */
async function aScene(way: Way) {
  const workspace = await aWorkspace(db)
  const { workspaceId, memberId } = workspace
  const owner = await aUser(db, site.app)
  await join(db, workspaceId, owner, 'owner')
  const { permissions } = workspace.caller.credential
  const { keyId, key } = await createKey(db, workspaceId, {
    memberId,
    name: 'bot',
    permissions,
    expiresAt: null,
  })
  const as: AWorkspace = { ...workspace, caller: (await agentKeys.find(db, key))! }
  const [from] = moves[way].from
  const { postId, destinationIds, channelIds } = await aPost(db, workspaceId, {
    states: [from],
    texts: ['one', 'two', 'three'],
    publishAt: new Date(way === 'reschedule' ? inHours(20) : BEFORE),
  })
  const [id] = destinationIds as [string]
  const [channelId] = channelIds as [string]
  if (from !== 'draft' && from !== 'scheduled') {
    await anAttempt(db, workspaceId, id, 'rejected', from === 'failed' ? 0 : 1)
    await db`
      update destination set error = ${db.json(refused)}, expires_at = null, due_at = null, control_token = 'refused' where id = ${id}`
    const first = from === 'failed' ? 0 : 1
    await db`
      update part set status = case when index = ${first} then 'failed' else 'skipped' end
      where  destination_id = ${id} and index >= ${first}`
  }
  const read = async () => {
    // Also when its key was stopped, or ended by a restore.
    const post = await api.read(workspace, postId)
    return { post, destination: post.destinations[0]! }
  }
  const command = async (name: string, more: object) => {
    const { controlToken } = (await read()).destination
    return api.command(as, postId, name, { channelId, controlToken, ...more })
  }
  const before = (await read()).destination
  if (way === 'postpone') await command('retry', { publishAt: inHours(20) })
  const given = await command(commandOf(way), { publishAt: LATER })
  expect([given.status, given.body.status]).toEqual([200, moves[way].to])
  const ask = (path: string, body?: object) =>
    owner.ask(`${body === undefined ? 'GET' : 'POST'} /workspaces/${workspaceId}${path}`, body, {
      'idempotency-key': crypto.randomUUID(),
    })
  const isRest = before.parts.some(({ status }) => status === 'published')
  return { as, workspace, workspaceId, keyId, postId, id, channelId, read, command, before, ask, isRest }
}

type Scene = Awaited<ReturnType<typeof aScene>>

const withoutTokens = ({ controlToken: _, latestChange: __, lastError: ___, ...rest }: Destination) => rest

/** What is out stays, and the rest is refused as before; what had not begun is cancelled. */
async function expectCancelled({ read, before, isRest, workspaceId, id }: Scene): Promise<void> {
  const { destination } = await read()
  if (isRest) expect(withoutTokens(destination)).toEqual(withoutTokens(before))
  else
    expect(destination).toMatchObject({
      status: 'cancelled',
      parts: [1, 2, 3].map(() => ({ status: 'skipped' })),
    })
  const event = (await announced(db, workspaceId)).at(-1)
  expect(event).toMatchObject(isRest ? { type: 'post.partial', error: refused } : { type: 'post.cancelled' })
  await db`update destination set due_at = now() - interval '1 second' where id = ${id} and due_at is not null`
  await queueChannels(db, workspaceId)
  expect((await storeOn(db).claim(1_000)).filter((work) => work.workspaceId === workspaceId)).toEqual([])
}

async function expectMoved({ read, before, isRest, workspaceId }: Scene): Promise<void> {
  const { destination } = await read()
  expect(destination).toMatchObject({
    status: isRest ? 'partially_published' : 'scheduled',
    publishAt: MOVED,
    expiresAt: new Date(Date.parse(MOVED) + 24 * HOUR_MS).toISOString(),
    allowedActions: { cancel: { allowed: true }, reschedule: { allowed: true } },
  })
  if (isRest) expect(destination.parts[0]).toEqual(before.parts[0])
  expect((await announced(db, workspaceId)).at(-1)).toMatchObject({
    type: isRest ? 'post.partial' : 'post.scheduled',
    data: { destination: { publishAt: MOVED } },
  })
}

const editToken = async ({ read }: Scene) => (await read()).post.editToken
const aRun = async (scene: Scene, run: object) => {
  const posts = [{ postId: scene.postId, editToken: await editToken(scene) }]
  const { status, body } = await scene.ask('/bulk-runs', { confirmed: true, posts, ...run })
  expect(status).toBe(201)
  // A cancel that is soon due would wait for its undo.
  await db`update bulk_run set look_at = now() where id = ${body.runId}`
  await workRuns(parts)
  expect((await scene.ask(`/bulk-runs/${body.runId}`)).body).toMatchObject({ status: 'done', done: 1 })
  return body.runId as string
}

const cancels: Record<string, (scene: Scene) => Promise<unknown>> = {
  'on its channel': (scene) => scene.command('cancel', {}),
  'as a whole': async (scene) =>
    api.command(scene.as, scene.postId, 'cancel', { editToken: await editToken(scene) }),
  'by a tool': async (scene) => {
    const { controlToken } = (await scene.read()).destination
    const { postId, channelId } = scene
    const given = { postId, channelId, controlToken, confirmed: true, idempotencyKey: crypto.randomUUID() }
    return api.callTool(scene.as, 'cancel_post', given)
  },
  'in a bulk run': (scene) => aRun(scene, { action: 'cancel' }),
  'with its key': ({ workspaceId, keyId }) =>
    db.begin(async (tx) =>
      expect(await stopKey(tx, workspaceId, keyId, { type: 'person', name: 'Ada' })).toMatchObject({
        cancelled: 1,
        underWay: 0,
      }),
    ),
  'with its channel': async ({ ask, channelId }) =>
    expect((await ask(`/channels/${channelId}/remove`, { posts: 'cancel' })).body).toMatchObject({
      cancelled: 1,
    }),
}

const moving: Record<string, (scene: Scene) => Promise<unknown>> = {
  'on its channel': (scene) => scene.command('reschedule', { publishAt: MOVED }),
  'as a whole': async (scene) =>
    api.command(scene.as, scene.postId, 'reschedule', {
      editToken: await editToken(scene),
      publishAt: MOVED,
    }),
  'as a whole, by a duration': async (scene) =>
    api.command(scene.as, scene.postId, 'reschedule', { editToken: await editToken(scene), shift: 'P1D' }),
  'in the calendar': async (scene) =>
    scene.ask(`/posts/${scene.postId}/move`, {
      confirmed: true,
      editToken: await editToken(scene),
      times: [{ channelId: scene.channelId, publishAt: MOVED }],
    }),
  'in a bulk run': (scene) => aRun(scene, { action: 'move', minutes: 24 * 60 }),
}

describe.each(ways)('what got a later time by the move %s', (way) => {
  test.each(Object.keys(cancels))('is cancelled %s', async (door) => {
    const scene = await aScene(way)
    expect((await scene.read()).destination.allowedActions.cancel).toEqual({ allowed: true, reason: null })
    await cancels[door]!(scene)
    if (door !== 'with its channel') return expectCancelled(scene)
    const [row] = await db`select status from destination where id = ${scene.id}`
    expect(row).toEqual({ status: scene.isRest ? 'partially_published' : 'cancelled' })
  })

  test.each(Object.keys(moving))('is moved %s', async (door) => {
    const scene = await aScene(way)
    await moving[door]!(scene)
    await expectMoved(scene)
  })

  test('goes back to the time that it had when a bulk run is undone', async () => {
    const scene = await aScene(way)
    const runId = await aRun(scene, { action: 'move', minutes: 24 * 60 })
    await scene.ask(`/bulk-runs/${runId}/undo`, {})
    await workRuns(parts)
    expect((await scene.read()).destination.publishAt).toBe(LATER)
  })

  test('is seen at that time, and at no other, and is nothing that needs a person', async () => {
    const { as, ask, postId } = await aScene(way)
    const [from, to] = [LATER, new Date(Date.parse(LATER) + 1).toISOString()]
    const ids = ({ body }: { body: any }) =>
      ((body.items ?? body) as Pick<Post, 'postId'>[]).map((one) => one.postId)
    for (const list of ['/posts', '/calendar']) {
      expect(ids(await api.call(as, 'GET', `${list}?from=${from}&to=${to}`))).toEqual([postId])
      expect(ids(await api.call(as, 'GET', `${list}?from=${inHours(-24)}&to=${from}`))).toEqual([])
    }
    const day = LATER.slice(0, 10)
    const today = (await ask(`/today?from=${day}`)).body
    expect(today.next).toMatchObject([{ postId, publishAt: LATER }])
    expect(today.week).toMatchObject([{ day, planned: 1, troubled: 0 }])
    const { body: overview } = await ask(`/calendar/overview?from=${day}&days=1&by=day`)
    expect(JSON.stringify(overview)).toContain(postId)
    expect((await ask('/attention')).body).toMatchObject({ posts: [] })
  })

  test('has the time in its history, also after it was moved and cancelled', async () => {
    const scene = await aScene(way)
    const history = async () => {
      const { body } = await api.call(scene.as, 'GET', `/posts/${scene.postId}?include=history`)
      return (body.history as { text: string }[]).map(({ text }) => text)
    }
    const clock = (at: string) =>
      new Intl.DateTimeFormat('en-GB', {
        ...({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const),
        ...({ hour: '2-digit', minute: '2-digit', timeZoneName: 'short', timeZone: 'UTC' } as const),
      }).format(new Date(at))
    expect((await history()).at(-1)).toContain(clock(LATER))
    await moving['on its channel']!(scene)
    expect((await history()).at(-1)).toContain(`${clock(LATER)} to ${clock(MOVED)}`)
    await cancels['on its channel']!(scene)
    expect((await history()).at(-1)).toBe(
      scene.isRest ? 'The rest was cancelled. Partly published. Too loud.' : 'Cancelled.',
    )
  })

  test('waits for its time also after a restore, once a person has said that it is not out', async () => {
    const { workspace, workspaceId, postId, channelId, read } = await aScene(way)
    await db.begin((tx) => holdRestoredDatabase(tx, null, { accessUnchanged: false }))
    await db`update destination set status_since = status_since - interval '1 hour' where workspace_id = ${workspaceId}`
    const times = {
      armWindowMs: 1_000,
      callTimeoutMs: 2_000,
      settlingMs: 3_000,
      lateCallMs: 0,
      processingMs: 0,
    }
    const { controlToken, status } = (await read()).destination
    expect(status).toBe('checking')
    const about = { workspaceId, postId, channelId, controlToken, memberName: 'Ada', note: null }
    await resolveByPerson(db, times, providers, { ...about, finding: { is: 'absent' } })
    expect((await read()).destination).toMatchObject({ status: moves[way].to, publishAt: LATER })
    const [row] = await db`select due_at as "dueAt" from destination where workspace_id = ${workspaceId}`
    expect(row).toEqual({ dueAt: new Date(LATER) })
    const cancelled = await api.command(workspace, postId, 'cancel', {
      channelId,
      controlToken: (await read()).destination.controlToken,
    })
    expect(cancelled.status).toBe(200)
  })

  test('a repeat of a cancel is answered as the first, and another one is refused by its status', async () => {
    const scene = await aScene(way)
    const { controlToken } = (await scene.read()).destination
    const { as, postId, channelId } = scene
    const cancel = (key: string) => api.command(as, postId, 'cancel', { channelId, controlToken }, key)
    const first = await cancel('one')
    expect(first.status).toBe(200)
    expect((await cancel('one')).text).toBe(first.text)
    expect((await cancel('two')).body).toMatchObject({ code: 'invalid_state' })
  })
})

test('the walk is of every move that gives a time', () => {
  expect([...ways].toSorted()).toEqual([
    'postpone',
    'reschedule',
    'resume',
    'retry',
    'schedule',
  ] satisfies MoveName[])
})

describe('the rest of a thread', () => {
  const published = { is: 'published', remoteId: 'r-2', url: 'https://example.com/2' } as const
  const deferred = { is: 'deferred', code: 'rate_limited', afterMs: 3_600_000 } as const
  test.each<[string, readonly Conclusion[], boolean]>([
    ['that the network puts off still waits, and can be cancelled', [deferred], true],
    ['of which more is out by then is a thread under way', [published, deferred], false],
    [
      'that is refused once more ends with the new reason',
      [{ is: 'rejected', code: 'content_refused', detail: 'Still too loud.' }],
      false,
    ],
  ])('%s', async (_what, conclusions, isCancellable) => {
    const scene = await aScene('resume')
    const { workspaceId, id, read, command } = scene
    await db`update destination set due_at = now() - interval '1 second' where id = ${id}`
    await queueChannels(db, workspaceId)
    const store = storeOn(db)
    const [work] = (await store.claim(1_000)).filter((one) => one.workspaceId === workspaceId)
    for (const [place, conclusion] of conclusions.entries()) {
      const [attemptId, partIndex] = [uuidv7(), place + 1]
      expect(await store.arm({ ...leaseOf(work!), attemptId, partIndex, key: attemptId })).toBe(true)
      const context = { ...work!, status: 'publishing', partIndex } as const
      const attempt = {
        id: attemptId,
        partIndex,
        conclusion: conclusion.is,
        evidence: { by: 'test' },
        inferred: false,
      }
      expect(await store.settle(settlementOf(work!, attempt, decideOutcome(context, conclusion, 0)))).toBe(
        true,
      )
    }
    const { destination } = await read()
    expect(destination).toMatchObject({
      status: 'partially_published',
      allowedActions: { cancel: { allowed: isCancellable }, reschedule: { allowed: isCancellable } },
    })
    if (isCancellable) {
      await command('cancel', {})
      await expectCancelled(scene)
    } else expect((await command('cancel', {})).body).toMatchObject({ code: 'invalid_state' })
  })

  test('takes no posting time, on its channel or with the post', async () => {
    const { as, postId, command, read } = await aScene('resume')
    const publishAt = { queue: 'next' }
    const { editToken: token } = (await read()).post
    for (const answer of [
      await command('reschedule', { publishAt }),
      await api.command(as, postId, 'reschedule', { editToken: token, publishAt }),
    ])
      expect(answer.body).toMatchObject({
        code: 'validation_failed',
        errors: [{ pointer: '/publishAt/queue', code: 'not_allowed' }],
      })
  })
})
