import type { DestinationStatus } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import {
  anActor,
  anAttempt,
  aPost,
  aWorkspace,
  openTransaction,
  untilBlocked,
  type APost,
  type AWorkspace,
  type HeldTransaction,
} from '../../../../test/rigs/fixtures.ts'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'
import { storeOn } from '../../../../test/rigs/publishing-store.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { isRefusal } from '../../../edge/operations/refusal.ts'
import { providers } from '../../../networks/providers/registry.ts'
import { decideOutcome } from '../../../engine/publication/decide-outcome.ts'
import type { EngineStore, Settlement, Work } from '../../../engine/queue/work.ts'
import { settle } from '../../../engine/queue/settle-store.ts'
import { resolveByPerson } from '../../../engine/publication/resolve-by-person.ts'
import { cancelDestination, rescheduleDestination } from './command-destination.ts'
import { editPost } from '../edit/edit-post.ts'

/*
 * Two that want the same destination at once. One of them holds its locks in an open transaction while the other
 * comes, so the order is the test's and not the clock's; then it commits or is rolled back.
 */

const { world, api, eventsOf } = await openFileWorld()

const options = { providers, baseUrl: 'https://postrider.test' }
const justNow = () => new Date(Date.now() - 1_000)

type Scene = {
  workspace: AWorkspace
  post: APost
  postId: string
  destinationId: string
  channelId: string
  controlToken: string
  editToken: string
}

async function aScene(status: DestinationStatus, publishAt = justNow()): Promise<Scene> {
  const workspace = await aWorkspace(world.db)
  const post = await aPost(world.db, workspace.workspaceId, {
    states: [status],
    texts: ['old words'],
    publishAt,
  })
  const { editToken, destinations } = await api.read(workspace, post.postId)
  const { channelId, controlToken } = destinations[0]!
  return {
    workspace,
    post,
    postId: post.postId,
    destinationId: post.destinationIds[0]!,
    channelId,
    controlToken,
    editToken,
  }
}

const keyOf = ({ workspace, postId, channelId, controlToken }: Scene) => ({
  workspaceId: workspace.workspaceId,
  postId,
  channelId,
  controlToken,
})

async function currentToken({ workspace, postId }: Scene): Promise<string> {
  return (await api.read(workspace, postId)).destinations[0]!.controlToken
}

const command = (
  { workspace, postId, channelId, controlToken }: Scene,
  name: 'cancel' | 'reschedule' | 'retry',
  token = controlToken,
) =>
  api.command(workspace, postId, name, {
    channelId,
    controlToken: token,
    ...(name === 'cancel' ? {} : { publishAt: hoursAhead(2) }),
  })

const edit = ({ workspace, postId, editToken }: Scene) =>
  api.command(workspace, postId, 'edit', { editToken, content: { text: 'new words' } })

async function statusOf({ workspace, postId }: Scene): Promise<string> {
  return (await api.read(workspace, postId)).destinations[0]!.status
}

/** What a claim takes, in this workspace. */
async function claimIn(store: EngineStore, { workspace }: Scene): Promise<Work[]> {
  const claimed = await store.claim(1_000)
  return claimed.filter(({ workspaceId }) => workspaceId === workspace.workspaceId)
}

/** Begins `second` while `first` stands open, waits until it is blocked, ends `first`, and gives the answer. */
async function after<T>(
  first: HeldTransaction,
  second: () => Promise<T>,
  end: 'commit' | 'rollback',
): Promise<T> {
  const answer = second()
  await untilBlocked(world.db)
  await first[end]()
  return answer
}

async function carriedOut(running: Promise<unknown>): Promise<void> {
  expect(isRefusal(await running)).toBe(false)
}

const stale = { status: 409, body: { code: 'stale_control_token' } }

describe('cancel against claim', () => {
  test('a claim that is first leaves the cancel refused', async () => {
    const scene = await aScene('scheduled')
    const first = await openTransaction(world.db)
    expect(await claimIn(storeOn(first.asDb), scene)).toHaveLength(1)
    const answer = await after(first, () => command(scene, 'cancel'), 'commit')
    expect(answer.body).toMatchObject({ status: 409, code: 'invalid_state', currentStatus: 'publishing' })
    expect([await statusOf(scene), await eventsOf(scene)]).toEqual(['publishing', []])
  })

  test('a claim that comes to nothing leaves the cancel done', async () => {
    const scene = await aScene('scheduled')
    const first = await openTransaction(world.db)
    await claimIn(storeOn(first.asDb), scene)
    expect((await after(first, () => command(scene, 'cancel'), 'rollback')).status).toBe(200)
    expect(await claimIn(storeOn(world.db), scene)).toEqual([])
    expect([await statusOf(scene), await eventsOf(scene)]).toEqual(['cancelled', ['post.cancelled']])
  })

  test('a cancel that is first leaves the claim nothing, then and later', async () => {
    const scene = await aScene('scheduled')
    const first = await openTransaction(world.db)
    await carriedOut(cancelDestination(first.tx, keyOf(scene), anActor, options))
    expect(await claimIn(storeOn(world.db), scene)).toEqual([])
    await first.commit()
    expect(await claimIn(storeOn(world.db), scene)).toEqual([])
    expect([await statusOf(scene), await eventsOf(scene)]).toEqual(['cancelled', ['post.cancelled']])
  })

  test('a cancel that comes to nothing leaves the claim its work', async () => {
    const scene = await aScene('scheduled')
    const first = await openTransaction(world.db)
    await carriedOut(cancelDestination(first.tx, keyOf(scene), anActor, options))
    await first.rollback()
    expect(await claimIn(storeOn(world.db), scene)).toMatchObject([{ parts: [{ text: 'old words' }] }])
    expect(await eventsOf(scene)).toEqual([])
  })
})

describe('edit against claim', () => {
  test('a claim that is first publishes the old words, and the edit is refused', async () => {
    const scene = await aScene('scheduled')
    const first = await openTransaction(world.db)
    const [work] = await claimIn(storeOn(first.asDb), scene)
    const answer = await after(first, () => edit(scene), 'commit')
    expect(answer.body).toMatchObject({ code: 'invalid_state', currentStatus: 'publishing' })
    expect(work!.parts.map(({ text }) => text)).toEqual(['old words'])
    expect((await api.read(scene.workspace, scene.postId)).content).toEqual({ text: 'old words' })
  })

  test('an edit that is first is what the claim publishes', async () => {
    const scene = await aScene('scheduled')
    const first = await openTransaction(world.db)
    const body = { confirmed: true, editToken: scene.editToken, content: { text: 'new words' } } as const
    const { workspaceId } = scene.workspace
    await carriedOut(editPost(first.tx, { workspaceId, postId: scene.postId }, body, anActor, options))
    expect(await claimIn(storeOn(world.db), scene)).toEqual([])
    await first.commit()
    const [work] = await claimIn(storeOn(world.db), scene)
    expect(work!.parts.map(({ text }) => text)).toEqual(['new words'])
  })
})

describe('reschedule against settle', () => {
  const nothingSent = { part: 'pending', remoteId: null, releaseUrl: null, dueInMs: 0, error: null } as const

  /** A lost worker's work that goes back to the queue: no call was made. */
  function requeue({ workspace, destinationId }: Scene, fence: number): Settlement {
    const { workspaceId } = workspace
    const standing = {
      status: 'publishing',
      provider: 'sandbox-short',
      parts: [],
      partIndex: 0,
      tries: 0,
    } as const
    const outcome = { ...decideOutcome(standing, { is: 'absent' }, 0), ...nothingSent }
    return { workspaceId, destinationId, fence, attempt: null, outcome }
  }

  test('a settlement that is first leaves the token stale; with the new one it is done', async () => {
    const scene = await aScene('scheduled')
    const [work] = await claimIn(storeOn(world.db), scene)
    const claimed = { ...scene, controlToken: await currentToken(scene) }

    const first = await openTransaction(world.db)
    expect(await settle(first.asDb, [requeue(scene, work!.fence)])).toEqual([true])
    expect(await after(first, () => command(claimed, 'reschedule'), 'commit')).toMatchObject(stale)
    expect((await command(scene, 'reschedule', await currentToken(scene))).status).toBe(200)
    expect(await eventsOf(scene)).toEqual(['post.scheduled', 'post.scheduled'])
  })

  test('a settlement under an old fence changes nothing of what was rescheduled', async () => {
    const scene = await aScene('scheduled')
    const [work] = await claimIn(storeOn(world.db), scene)
    await world.db`update destination set lease_until = now() where id = ${scene.destinationId}`
    const [orphan] = await storeOn(world.db).claimOrphans(1_000)
    expect(await settle(world.db, [requeue(scene, orphan!.fence)])).toEqual([true])
    const { body } = await command(scene, 'reschedule', await currentToken(scene))

    expect(await settle(world.db, [requeue(scene, work!.fence)])).toEqual([false])
    const [destination] = (await api.read(scene.workspace, scene.postId)).destinations
    expect(destination).toEqual(body)
    expect(await eventsOf(scene)).toEqual(['post.scheduled', 'post.scheduled'])
  })
})

describe('retry against a person and a look-up', () => {
  async function aDoubt(): Promise<Scene & { attemptId: string }> {
    const scene = await aScene('checking')
    const { workspaceId } = scene.workspace
    return { ...scene, attemptId: await anAttempt(world.db, workspaceId, scene.destinationId, 'unknown') }
  }

  /** The call is over, whatever its age: here it counts who comes first. */
  const over = { armWindowMs: 0, callTimeoutMs: 0, settlingMs: 0, lateCallMs: 0, processingMs: 0 }

  function resolve(db: Db, scene: Scene, is: 'absent' | 'failed') {
    const decision = { ...keyOf(scene), memberName: 'Ada', note: null, finding: { is } }
    return resolveByPerson(db, over, providers, decision)
  }

  function seen({ workspace, destinationId, attemptId }: Scene & { attemptId: string }): Settlement {
    const parts = [
      { index: 0, firstComment: false, status: 'checking', text: 'old words', remoteId: null, media: [] },
    ] as const
    const standing = { status: 'checking', provider: 'sandbox-short', parts, partIndex: 0, tries: 0 } as const
    const conclusion = { is: 'published', remoteId: 'r1', url: 'https://example.com/r1' } as const
    const { workspaceId } = workspace
    const evidence = { by: 'lookup', verdict: 'published' }
    return {
      workspaceId,
      destinationId,
      fence: null,
      attempt: { id: attemptId, partIndex: 0, conclusion: conclusion.is, evidence, inferred: true },
      outcome: decideOutcome(standing, conclusion, 0),
    }
  }

  test('a retry in doubt is refused, and is open once a person has found a failure', async () => {
    const scene = await aDoubt()
    const inDoubt = await command(scene, 'retry')
    expect(inDoubt.body).toMatchObject({ code: 'invalid_state', currentStatus: 'checking' })

    const first = await openTransaction(world.db)
    expect(await resolve(first.asDb, scene, 'failed')).toMatchObject({ outcome: { move: 'reject' } })
    expect(await after(first, () => command(scene, 'retry'), 'commit')).toMatchObject(stale)
    expect((await command(scene, 'retry', await currentToken(scene))).status).toBe(200)

    // What a look-up finds afterwards is about a doubt that is over.
    expect(await settle(world.db, [seen(scene)])).toEqual([false])
    expect(await statusOf(scene)).toBe('scheduled')
    expect(await eventsOf(scene)).toEqual(['post.failed', 'post.scheduled'])
  })

  test('a look-up that finds it first leaves person and retry nothing', async () => {
    const scene = await aDoubt()
    const first = await openTransaction(world.db)
    expect(await settle(first.asDb, [seen(scene)])).toEqual([true])
    const person = resolve(world.db, scene, 'absent')
    const retry = command(scene, 'retry')
    await untilBlocked(world.db, 2)
    await first.commit()
    expect(await person).toMatchObject({ refused: 'invalid_state' })
    expect((await retry).body).toMatchObject({ code: 'invalid_state', currentStatus: 'published' })
    expect(await eventsOf(scene)).toEqual(['post.published'])
  })

  test('of a person and a look-up that come at once, the first counts', async () => {
    const scene = await aDoubt()
    const first = await openTransaction(world.db)
    await resolve(first.asDb, scene, 'absent')
    expect(await after(first, () => settle(world.db, [seen(scene)]), 'commit')).toEqual([false])
    expect([await statusOf(scene), await eventsOf(scene)]).toEqual(['scheduled', ['post.scheduled']])
  })
})

describe('cancel against expire', () => {
  const longAgo = () => new Date(Date.now() - 25 * 3_600_000)

  test('an expiry that is first leaves the cancel refused', async () => {
    const scene = await aScene('delayed', longAgo())
    const first = await openTransaction(world.db)
    expect(await storeOn(first.asDb).expire(1_000)).toBe(1)
    const answer = await after(first, () => command(scene, 'cancel'), 'commit')
    expect(answer.body).toMatchObject({ code: 'invalid_state', currentStatus: 'expired' })
    expect(await eventsOf(scene)).toEqual(['post.expired'])
  })

  test('a cancel that is first leaves nothing to expire', async () => {
    const scene = await aScene('reconnect_required', longAgo())
    const first = await openTransaction(world.db)
    await carriedOut(cancelDestination(first.tx, keyOf(scene), anActor, options))
    expect(await storeOn(world.db).expire(1_000)).toBe(0)
    await first.commit()
    expect(await storeOn(world.db).expire(1_000)).toBe(0)
    expect([await statusOf(scene), await eventsOf(scene)]).toEqual(['cancelled', ['post.cancelled']])
  })

  test('what is past its allowed time is not claimed, and may still be rescheduled before it expires', async () => {
    const scene = await aScene('scheduled', longAgo())
    expect(await claimIn(storeOn(world.db), scene)).toEqual([])
    expect((await command(scene, 'reschedule')).status).toBe(200)
    expect(await storeOn(world.db).expire(1_000)).toBe(0)
    expect(await eventsOf(scene)).toEqual(['post.scheduled'])
  })
})

describe('two commands with one token', () => {
  test('the second waits for the first, and is then stale', async () => {
    const scene = await aScene('scheduled', new Date(Date.now() + 3_600_000))
    const first = await openTransaction(world.db)
    const publishAt = hoursAhead(2)
    await carriedOut(rescheduleDestination(first.tx, { ...keyOf(scene), publishAt }, anActor, options))
    expect(await after(first, () => command(scene, 'cancel'), 'commit')).toMatchObject(stale)
    expect((await api.read(scene.workspace, scene.postId)).destinations[0]).toMatchObject({
      status: 'scheduled',
      publishAt,
    })
    expect(await eventsOf(scene)).toEqual(['post.scheduled'])
  })

  test('the second is done when the first comes to nothing', async () => {
    const scene = await aScene('scheduled', new Date(Date.now() + 3_600_000))
    const first = await openTransaction(world.db)
    await carriedOut(
      rescheduleDestination(first.tx, { ...keyOf(scene), publishAt: hoursAhead(2) }, anActor, options),
    )
    expect((await after(first, () => command(scene, 'cancel'), 'rollback')).status).toBe(200)
    expect(await eventsOf(scene)).toEqual(['post.cancelled'])
  })

  test('of many at once, exactly one is done', async () => {
    const scene = await aScene('scheduled', new Date(Date.now() + 3_600_000))
    const names = ['cancel', 'reschedule', 'reschedule', 'cancel', 'reschedule', 'cancel'] as const
    const answers = await Promise.all(names.map((name) => command(scene, name)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refusals = answers.flatMap(({ status, body }) => (status === 200 ? [] : [body.code]))
    expect(refusals).toHaveLength(names.length - 1)
    for (const code of refusals) expect(['stale_control_token', 'invalid_state']).toContain(code)
    expect(await eventsOf(scene)).toHaveLength(1)
  })

  test('an edit waits for a command on one of its destinations, and is then stale; done before it, both are', async () => {
    const scene = await aScene('scheduled', new Date(Date.now() + 3_600_000))
    const first = await openTransaction(world.db)
    await carriedOut(cancelDestination(first.tx, keyOf(scene), anActor, options))
    const answer = await after(first, () => edit(scene), 'commit')
    expect(answer).toMatchObject({ status: 409, body: { code: 'stale_edit_token', changed: ['status'] } })

    const other = await aScene('scheduled', new Date(Date.now() + 3_600_000))
    const editing = await openTransaction(world.db)
    const body = { confirmed: true, editToken: other.editToken, content: { text: 'new words' } } as const
    const { workspaceId } = other.workspace
    await carriedOut(editPost(editing.tx, { workspaceId, postId: other.postId }, body, anActor, options))
    expect((await after(editing, () => command(other, 'cancel'), 'commit')).status).toBe(200)
    const post = await api.read(other.workspace, other.postId)
    expect(post.destinations[0]).toMatchObject({ status: 'cancelled', parts: [{ text: 'new words' }] })
  })
})
