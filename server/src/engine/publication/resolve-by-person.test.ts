import { destinationStatusNames } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import {
  anAttempt,
  aPost,
  aWorkspace,
  openTransaction,
  type APost,
  type AWorkspace,
} from '../../../test/rigs/fixtures.ts'
import { hoursAhead, openFileWorld } from '../../../test/rigs/file-world.ts'
import { untilLocked } from '../../../test/rigs/publishing-store.ts'
import type { Db, Tx } from '../../platform/postgres/db.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { providers } from '../../networks/providers/registry.ts'
import { resolveByPerson, type Finding } from './resolve-by-person.ts'

const { world, api, changingNothing, eventsOf } = await openFileWorld()

type Scene = {
  workspace: AWorkspace
  postId: string
  channelId: string
  destinationId: string
  controlToken: string
  attemptId: string
}

/** A destination in doubt about one of its parts, whose call is long over; the parts before it are out. */
async function aDoubt(texts: readonly string[] = ['one'], partIndex = 0): Promise<Scene> {
  const { db } = world
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const publishAt = new Date(Date.now() - 600_000)
  const post = await aPost(db, workspaceId, { states: ['checking'], texts, publishAt })
  const destinationId = post.destinationIds[0]!
  await db`
    update part set status = 'published', remote_id = 'r' || index, published_at = now(), release_url = 'https://example.com/' || index
    where  destination_id = ${destinationId} and index < ${partIndex}`
  await db`update part set status = 'checking' where destination_id = ${destinationId} and index = ${partIndex}`
  const attemptId = await anAttempt(db, workspaceId, destinationId, 'unknown', partIndex)
  await db`update attempt set armed_at = ${publishAt}, evidence = '[{"by":"publish"}]' where id = ${attemptId}`
  return sceneOf(workspace, post, attemptId)
}

async function sceneOf(
  workspace: AWorkspace,
  { postId, destinationIds, channelIds }: APost,
  attemptId: string,
) {
  const { controlToken } = (await api.read(workspace, postId)).destinations[0]!
  return {
    workspace,
    postId,
    channelId: channelIds[0]!,
    destinationId: destinationIds[0]!,
    controlToken,
    attemptId,
  }
}

function resolve(
  { workspace, postId, channelId, controlToken }: Scene,
  finding: Finding,
  change: object = {},
  sql: Db | Tx = world.db,
) {
  const { workspaceId } = workspace
  return resolveByPerson(sql, times, providers, {
    workspaceId,
    postId,
    channelId,
    controlToken,
    memberName: 'Ada',
    note: 'I looked.',
    finding,
    ...change,
  })
}

async function read({ workspace, postId }: Scene) {
  const [destination] = (await api.read(workspace, postId)).destinations
  return { ...destination!, statuses: destination!.parts.map(({ status }) => status) }
}

async function evidenceOf({ attemptId }: Scene): Promise<{ verdict: string; evidence: unknown }> {
  const [row] = await world.db<{ verdict: string; evidence: unknown }[]>`
    select verdict, evidence from attempt where id = ${attemptId}`
  return row!
}

/** What those are told whose word does not count. */
const refusals = {
  settled: { refused: 'invalid_state', detail: expect.stringContaining('Only a post that is `checking`') },
  changed: { refused: 'stale_control_token' },
  another: { refused: 'invalid_state', detail: expect.stringContaining('Another post') },
  no_id: { refused: 'validation_failed', facts: { errors: [{ pointer: '/remoteId' }] } },
}
/** Of a call: it may begin within 1 s, takes at most 2 s, and shows within 3 s. */
const times = { armWindowMs: 1_000, callTimeoutMs: 2_000, settlingMs: 3_000, lateCallMs: 0, processingMs: 0 }
const out = { is: 'published', remoteId: '77', url: 'https://example.com/77' } as const
/** A word that counts leads to something. */
const counts = { outcome: {} }
const claim = { by: 'person', name: 'Ada', note: 'I looked.' }

describe('it is out', () => {
  test('the last part: published, with the word as evidence', async () => {
    const scene = await aDoubt()
    const before = await read(scene)
    expect(await resolve(scene, out)).toMatchObject({ outcome: { move: 'confirm' } })
    const after = await read(scene)
    expect(after).toMatchObject({
      status: 'published',
      releaseUrl: out.url,
      error: null,
      statuses: ['published'],
    })
    expect(after.controlToken).not.toBe(before.controlToken)
    expect(await evidenceOf(scene)).toEqual({
      verdict: 'published',
      evidence: [{ by: 'publish' }, { ...claim, verdict: 'published', remoteId: '77' }],
    })
    expect(await eventsOf(scene)).toEqual(['post.published'])
  })

  test('whoever comes with the token of before is told whose change it was', async () => {
    const scene = await aDoubt()
    await resolve(scene, { is: 'failed' })
    const { workspace, postId, channelId, controlToken } = scene
    const publishAt = hoursAhead(1)
    const answer = await api.command(workspace, postId, 'retry', { channelId, controlToken, publishAt })
    expect(answer.body).toMatchObject({
      code: 'stale_control_token',
      changedBy: { type: 'person', name: 'Ada' },
    })
  })

  test('where it has no address, it has none', async () => {
    const scene = await aDoubt()
    await resolve(scene, { ...out, url: null }, { note: null })
    expect(await read(scene)).toMatchObject({ status: 'published', releaseUrl: null })
    expect((await evidenceOf(scene)).evidence).toContainEqual({
      ...claim,
      note: null,
      verdict: 'published',
      remoteId: '77',
    })
  })

  test('an address that tells the id: the id is kept, which the next part replies to', async () => {
    const scene = await aDoubt(['one', 'two'])
    const address = 'https://sandbox.example/@ada/77'
    expect(await resolve(scene, { ...out, remoteId: address })).toMatchObject({
      outcome: { move: 'interrupt', remoteId: '77' },
    })
    expect(
      await world.db`
      select remote_id, release_url from part where destination_id = ${scene.destinationId} and index = 0`,
    ).toEqual([{ remote_id: '77', release_url: out.url }])
  })

  test('a part before the last: the rest goes on', async () => {
    const scene = await aDoubt(['one', 'two', 'three'], 1)
    expect(await resolve(scene, out)).toMatchObject({
      outcome: { move: 'interrupt', dueInMs: 0 },
    })
    expect(await read(scene)).toMatchObject({
      status: 'partially_published',
      statuses: ['published', 'published', 'pending'],
    })
    const [row] =
      await world.db`select due_at <= now() as due from destination where id = ${scene.destinationId}`
    expect(row).toEqual({ due: true })
    expect(await eventsOf(scene)).toEqual(['post.partial'])
  })
})

describe('it is not out', () => {
  test('nothing of it: queued again', async () => {
    const scene = await aDoubt(['one', 'two'])
    expect(await resolve(scene, { is: 'absent' })).toMatchObject({ outcome: { move: 'requeue' } })
    expect(await read(scene)).toMatchObject({
      status: 'scheduled',
      error: null,
      statuses: ['pending', 'pending'],
    })
    expect(await evidenceOf(scene)).toMatchObject({ verdict: 'absent' })
    expect(await eventsOf(scene)).toEqual(['post.scheduled'])
  })

  test('with a part out: the rest goes on from there', async () => {
    const scene = await aDoubt(['one', 'two'], 1)
    expect(await resolve(scene, { is: 'absent' })).toMatchObject({
      outcome: { move: 'interrupt', dueInMs: 0 },
    })
    expect(await read(scene)).toMatchObject({
      status: 'partially_published',
      statuses: ['published', 'pending'],
    })
    expect(await eventsOf(scene)).toEqual(['post.partial'])
  })
})

describe('it has failed', () => {
  test('nothing of it is out: failed, and may be retried', async () => {
    const scene = await aDoubt(['one', 'two'])
    expect(await resolve(scene, { is: 'failed' })).toMatchObject({ outcome: { move: 'reject' } })
    expect(await read(scene)).toMatchObject({
      status: 'failed',
      error: { code: 'not_published', retryable: true },
      statuses: ['failed', 'skipped'],
      allowedActions: { retry: { allowed: true } },
    })
    expect(await evidenceOf(scene)).toMatchObject({ verdict: 'rejected' })
    expect(await eventsOf(scene)).toEqual(['post.failed'])
  })

  test('with a part out: it stays partly published, and nothing more is sent', async () => {
    const scene = await aDoubt(['one', 'two', 'three'], 1)
    expect(await resolve(scene, { is: 'failed' })).toMatchObject({
      outcome: { move: 'interrupt', dueInMs: null },
    })
    expect(await read(scene)).toMatchObject({
      status: 'partially_published',
      checkAgainAt: null,
      error: { code: 'not_published', retryable: true },
      statuses: ['published', 'failed', 'skipped'],
    })
    expect(await eventsOf(scene)).toEqual(['post.partial'])
  })
})

describe('a word that does not count changes nothing', () => {
  async function expectNothing(
    { workspace }: Scene,
    resolving: () => Promise<unknown>,
    why: keyof typeof refusals = 'settled',
  ): Promise<void> {
    expect(await changingNothing(workspace, resolving)).toMatchObject(refusals[why])
  }

  test('about another workspace, post or channel', async () => {
    const [scene, other] = [await aDoubt(), await aDoubt()]
    await expectNothing(scene, () => resolve(scene, out, { workspaceId: other.workspace.workspaceId }))
    await expectNothing(scene, () => resolve(scene, out, { postId: other.postId }))
    await expectNothing(scene, () => resolve(scene, out, { channelId: other.channelId }))
  })

  test.each(destinationStatusNames.filter((status) => status !== 'checking'))(
    'about one that is %s',
    async (status) => {
      const workspace = await aWorkspace(world.db)
      const post = await aPost(world.db, workspace.workspaceId, { states: [status] })
      const attemptId = await anAttempt(world.db, workspace.workspaceId, post.destinationIds[0]!, 'unknown')
      const scene = await sceneOf(workspace, post, attemptId)
      for (const is of ['absent', 'failed'] as const) await expectNothing(scene, () => resolve(scene, { is }))
      await expectNothing(scene, () => resolve(scene, out))
    },
  )

  test('about the part before, once that was settled and the next one is in doubt', async () => {
    const scene = await aDoubt(['one', 'two'])
    expect(await resolve(scene, out)).toMatchObject(counts)
    const { workspaceId } = scene.workspace
    await world.db`
      update destination set status = 'checking', control_token = 'new' where id = ${scene.destinationId}`
    await world.db`update part set status = 'checking' where destination_id = ${scene.destinationId} and index = 1`
    await anAttempt(world.db, workspaceId, scene.destinationId, 'unknown', 1)
    for (const finding of [out, { is: 'absent' }, { is: 'failed' }] as const) {
      await expectNothing(scene, () => resolve(scene, finding), 'changed')
    }
    const controlToken = 'new'
    expect(await resolve(scene, { ...out, remoteId: '78' }, { controlToken })).toMatchObject(counts)
  })

  test('that it is what another part is known to be', async () => {
    const scene = await aDoubt(['one', 'two'], 1)
    await expectNothing(scene, () => resolve(scene, { ...out, remoteId: 'r0' }), 'another')
    const address = 'https://sandbox.example/@ada/r0'
    await expectNothing(scene, () => resolve(scene, { ...out, remoteId: address }), 'another')
  })

  test.each(['https://example.com/77', 'https://', 'HTTP://[', 'https://sandbox.example/@ada'])(
    'that its id is an address which does not tell it: %s',
    async (remoteId) => {
      const scene = await aDoubt(['one', 'two'])
      await expectNothing(scene, () => resolve(scene, { ...out, remoteId }), 'no_id')
    },
  )

  test('and has what was written beside it rolled back', async () => {
    const scene = await aDoubt()
    const resolving = () =>
      world.db.begin(async (tx) => {
        await tx`update post set updated_at = now() where id = ${scene.postId}`
        return resolve(scene, out, { controlToken: 'another' }, tx)
      })
    await expectNothing(scene, resolving, 'changed')
  })

  test('that it is not out, before the call is over and had time to show', async () => {
    const scene = await aDoubt()
    const armed = (secondsAgo: number) => world.db`
      update attempt set armed_at = now() - ${secondsAgo} * interval '1 second' where id = ${scene.attemptId}`
    await armed(0)
    for (const is of ['absent', 'failed'] as const) {
      const early = { refused: 'invalid_state', facts: { retryAfterSeconds: 6 } }
      expect(await changingNothing(scene.workspace, () => resolve(scene, { is }))).toMatchObject(early)
    }
    await armed(7)
    expect(await resolve(scene, { is: 'absent' })).toMatchObject(counts)
  })

  test('that it is out counts at once', async () => {
    const scene = await aDoubt()
    await world.db`update attempt set armed_at = now() where id = ${scene.attemptId}`
    expect(await resolve(scene, out)).toMatchObject(counts)
  })

  test('a second time, whatever it says', async () => {
    const scene = await aDoubt()
    const resolved = await Promise.all([
      resolve(scene, out),
      resolve(scene, { is: 'absent' }),
      resolve(scene, { is: 'failed' }),
    ])
    expect(resolved.filter((each) => !isRefusal(each))).toHaveLength(1)
    expect(await eventsOf(scene)).toHaveLength(1)
    await expectNothing(scene, () => resolve(scene, out))
  })
})

test('two people who name the same post of a network at once: it is one of the two', async () => {
  const one = await aDoubt()
  const post = await aPost(world.db, one.workspace.workspaceId, {
    states: ['checking'],
    channelIds: [one.channelId],
  })
  const attemptId = await anAttempt(world.db, one.workspace.workspaceId, post.destinationIds[0]!, 'unknown')
  const other = await sceneOf(one.workspace, post, attemptId)
  const finding = { is: 'published', remoteId: 'same', url: null } as const
  const first = await openTransaction(world.db)

  expect(await resolve(one, finding, {}, first.tx)).toMatchObject(counts)
  const second = resolve(other, finding)
  await untilLocked(world.db, 'postrider naming')
  await first.commit()

  expect(await second).toMatchObject(refusals.another)
})
