import { app, operations, type Operation, type Post } from '@postrider/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  aChannel,
  anActor,
  anApproval,
  aPost,
  aWorkspace,
  type AWorkspace,
} from '../../../../test/rigs/fixtures.ts'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { armed, ending, published, storeOn } from '../../../../test/rigs/publishing-store.ts'
import { setPostingTimes, previewPostingTimes } from '../slots/change-posting-times.ts'
import { isRefusal } from '../../../edge/operations/refusal.ts'
import { providers } from '../../../networks/providers/registry.ts'
import type { Conclusion } from '../../../engine/queue/work.ts'
import { settle } from '../../../engine/queue/settle-store.ts'
import { requeueReconnected } from '../../../engine/destinations/reconnect-store.ts'
import { decideApproval } from '../../../attention/reviews/decide-approval.ts'
import { movePost } from '../command/move-post.ts'
import { cancelOnChannel, cancelPlanned } from '../plan/planned-store.ts'
import { revisePost } from './revise-post.ts'

/*
 * What an edit token promises: a command that carries one is carried out only if nobody has changed content, review or any time since it
 * was given. Two clients give random commands under tokens that they read at random moments, while the service publishes, waits
 * and comes back, which no token is to notice.
 */

const RUNS = Number(process.env['TOKEN_RUNS'] ?? 25)
const seed = process.env['TOKEN_SEED']

const { world, api } = await openFileWorld()
const options = { providers, baseUrl: 'https://postrider.test' }

/** What an edit token guards, as somebody reads it. What the service does to a destination is left out. */
function guarded({ content, reviewStatus, destinations }: Post) {
  return {
    content,
    reviewStatus,
    destinations: destinations.map(({ channelId, status, publishAt }) => ({
      channelId,
      publishAt,
      stands: status === 'draft' || status === 'cancelled' ? status : 'planned',
    })),
  }
}

/** A token of a client, and how many changes there had been when it was read. */
type Read = { readonly post: Post; readonly changes: number }

type Scene = {
  readonly workspace: AWorkspace
  readonly postId: string
  readonly channelIds: readonly string[]
  readonly post: Post
}

async function aScene(): Promise<Scene> {
  const workspace = await aWorkspace(world.db)
  const { workspaceId } = workspace
  const channelIds = [await aChannel(world.db, workspaceId), await aChannel(world.db, workspaceId)]
  channelIds.push(await aChannel(world.db, workspaceId))
  const publishAt = new Date(Date.now() + 48 * 3_600_000)
  const states = ['scheduled', 'scheduled', 'draft'] as const
  const { postId } = await aPost(world.db, workspaceId, { states, channelIds, publishAt })
  await world.db`update destination set planned_by_id = ${workspace.caller.credential.id} where workspace_id = ${workspaceId}`
  return { workspace, postId, channelIds, post: await api.read(workspace, postId) }
}

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()

type Answer = { readonly done: boolean; readonly code: string | null }
const carriedOut: Answer = { done: true, code: null }

/** Commands of the whole post, by the operation that takes the token. */
const wholePost: Record<string, (scene: Scene, post: Post, place: number) => Promise<Answer>> = {
  editPost: ({ workspace }, post, place) =>
    give(workspace, post, 'edit', { content: { text: `Text ${place}` } }),
  changeChannels: ({ workspace, channelIds }, post, place) =>
    give(workspace, post, 'channels', { remove: [channelIds[place % 3]] }),
  scheduleDestination: ({ workspace }, post, place) =>
    give(workspace, post, 'schedule', { publishAt: hours(50 + place) }),
  rescheduleDestination: ({ workspace }, post, place) =>
    give(
      workspace,
      post,
      'reschedule',
      place % 2 === 0 ? { shift: 'PT2H' } : { publishAt: hours(60 + place) },
    ),
  cancelDestination: ({ workspace }, post) => give(workspace, post, 'cancel', {}),
  requestApproval: ({ workspace }, post) => give(workspace, post, 'request-approval', {}),
  movePost: ({ workspace: { workspaceId } }, { postId, editToken, destinations }, place) => {
    const { channelId } = destinations[place % destinations.length]!
    const times = [{ channelId, publishAt: hours(80 + place) }]
    return direct((tx) => movePost(tx, { workspaceId, postId }, { editToken, times }, anActor, options))
  },
  revisePost: ({ workspace: { workspaceId } }, { postId, editToken, destinations }, place) => {
    const { channelId, controlToken } = destinations[place % destinations.length]!
    const targets = [{ channelId, controlToken, publishAt: hours(70 + place) }]
    return direct((tx) => revisePost(tx, { workspaceId, postId }, { editToken, targets }, anActor, options))
  },
}

async function give(workspace: AWorkspace, post: Post, name: string, body: object): Promise<Answer> {
  const answer = await api.command(workspace, post.postId, name, { editToken: post.editToken, ...body })
  if (answer.status >= 300) return { done: false, code: answer.body.code }
  expect(answer.body.editToken).not.toBe(post.editToken)
  return carriedOut
}

async function direct(run: Parameters<typeof world.db.begin>[0]): Promise<Answer> {
  const outcome = await world.db.begin(run)
  return isRefusal(outcome) ? { done: false, code: outcome.refused } : carriedOut
}

/** Changes that carry no edit token: by the token of a channel, by a decision, or of all that is planned. */
const others: Record<string, (scene: Scene, post: Post, place: number) => Promise<Answer>> = {
  schedule: (scene, post, place) =>
    onChannel(scene, post, place, 'schedule', { publishAt: hours(50 + place) }),
  reschedule: (scene, post, place) =>
    onChannel(scene, post, place, 'reschedule', { publishAt: hours(55 + place) }),
  queue: (scene, post, place) =>
    onChannel(scene, post, place, 'reschedule', { publishAt: { queue: 'next' } }),
  cancel: (scene, post, place) => onChannel(scene, post, place, 'cancel', {}),
  retry: (scene, post, place) => onChannel(scene, post, place, 'retry', { publishAt: hours(65 + place) }),
  async approve({ workspace: { workspaceId, memberId } }, { approval }) {
    const approvalId = approval?.reviewUrl.match(/[0-9a-f-]{36}/)?.[0]
    if (approvalId === undefined) return { done: false, code: 'none' }
    return direct((tx) =>
      decideApproval(tx, {
        workspaceId,
        approvalId,
        verdict: 'approve',
        memberId,
        memberName: 'Ada',
        note: null,
      }),
    )
  },
  async postingTimes({ workspace: { workspaceId }, channelIds }, _post, place) {
    const key = { workspaceId, channelId: channelIds[place % 3]! }
    const postingTimes = [{ weekday: 'monday', time: `${String(place % 24).padStart(2, '0')}:00` }] as const
    const preview = await previewPostingTimes(world.db, key, [...postingTimes])
    if (isRefusal(preview)) return { done: false, code: preview.refused }
    const { moves, movesToken } = preview
    const body = { postingTimes: [...postingTimes], ...(movesToken === null ? {} : { movesToken }) }
    const answer = await direct((tx) => setPostingTimes(tx, key, body, anActor, options))
    return moves.length === 0 ? { done: false, code: 'none' } : answer
  },
  async stopCredential({ workspace: { workspaceId, caller } }) {
    const { cancelled } = await world.db.begin((tx) =>
      cancelPlanned(tx, workspaceId, caller.credential.id, anActor),
    )
    return { done: cancelled > 0, code: null }
  },
  async removeChannel({ workspace: { workspaceId }, channelIds }, _post, place) {
    const key = { workspaceId, channelId: channelIds[place % 3]! }
    const { cancelled } = await world.db.begin((tx) => cancelOnChannel(tx, key, anActor))
    return { done: cancelled > 0, code: null }
  },
}

async function onChannel(
  { workspace }: Scene,
  { postId, destinations }: Post,
  place: number,
  name: string,
  body: object,
): Promise<Answer> {
  const { channelId, controlToken } = destinations[place % destinations.length]!
  const answer = await api.command(workspace, postId, name, { channelId, controlToken, ...body })
  return answer.status < 300 ? carriedOut : { done: false, code: answer.body.code }
}

/** What the service does by itself: how a publication that is due ends. */
const ownDoing: Record<string, Conclusion> = {
  published,
  rejected: { is: 'rejected', code: 'content_refused', detail: 'No.' },
  deferred: { is: 'deferred', afterMs: 1_000, code: 'rate_limited' },
  reauthorize: { is: 'reauthorize' },
  absent: { is: 'absent' },
  unknown: { is: 'unknown', detail: 'No answer.' },
}

async function publish({ workspace: { workspaceId }, channelIds }: Scene, name: string, place: number) {
  await world.db`
    update destination set due_at = now()
    where  workspace_id = ${workspaceId} and channel_id = ${channelIds[place % 3]!} and status in ('scheduled', 'delayed')`
  const store = storeOn(world.db)
  for (const work of await store.claim(1_000)) {
    const attemptId = await armed(store, work)
    await settle(world.db, [ending(work, attemptId, ownDoing[name]!)])
  }
  for (const channelId of channelIds)
    await world.db.begin((tx) => requeueReconnected(tx, { workspaceId, channelId }, 10))
}

type Step =
  | { is: 'read'; client: 0 | 1 }
  | { is: 'whole'; client: 0 | 1; name: string; place: number; back: number }
  | { is: 'other'; client: 0 | 1; name: string; place: number }
  | { is: 'own'; name: string; place: number }

const client = fc.constantFrom(0 as const, 1 as const)
const place = fc.nat(5)
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ is: fc.constant('read' as const), client }) },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('whole' as const),
      client,
      // What ends a post comes seldom, so that walks are long.
      name: fc.oneof(
        {
          weight: 8,
          arbitrary: fc.constantFrom('rescheduleDestination', 'editPost', 'revisePost', 'movePost'),
        },
        { weight: 1, arbitrary: fc.constantFrom(...Object.keys(wholePost)) },
      ),
      place,
      back: fc.nat(3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('other' as const),
      client,
      name: fc.oneof(
        {
          weight: 4,
          arbitrary: fc.constantFrom('schedule', 'reschedule', 'queue', 'postingTimes', 'approve', 'retry'),
        },
        { weight: 1, arbitrary: fc.constantFrom(...Object.keys(others)) },
      ),
      place,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('own' as const),
      name: fc.constantFrom(...Object.keys(ownDoing)),
      place,
    }),
  },
)

test('no command of a whole post overrides what its client has not seen, and nothing else makes its token stale', async () => {
  const property = fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), walk)
  await fc.assert(property, { numRuns: RUNS, ...(seed === undefined ? {} : { seed: Number(seed) }) })
}, 600_000)

async function walk(walked: readonly Step[]): Promise<void> {
  const scene = await aScene()
  const { workspace, postId } = scene
  const reads: [Read[], Read[]] = [[], []]
  let changes = 0
  const readAs = async (client: 0 | 1) => {
    reads[client].push({ post: await api.read(workspace, postId), changes })
  }
  await readAs(0)
  await readAs(1)
  for (const step of walked) {
    const before = guarded(await api.read(workspace, postId))
    if (step.is === 'read') await readAs(step.client)
    else if (step.is === 'own') {
      await publish(scene, step.name, step.place)
      expect(guarded(await api.read(workspace, postId)).destinations).toEqual(before.destinations)
    } else if (step.is === 'other') {
      const { post } = reads[step.client].at(-1)!
      const answer = await others[step.name]!(scene, post, step.place)
      if (answer.done) changes += 1
      else expect(guarded(await api.read(workspace, postId))).toEqual(before)
    } else {
      const { post, changes: seen } = reads[step.client].at(-1 - step.back) ?? reads[step.client][0]!
      const answer = await wholePost[step.name]!(scene, post, step.place)
      if (answer.done) {
        expect(guarded(post), 'it was carried out without having seen the last state').toEqual(before)
        expect(seen, 'it was carried out under a token from before a change').toBe(changes)
        changes += 1
      } else {
        expect(guarded(await api.read(workspace, postId))).toEqual(before)
        if (answer.code === 'stale_edit_token')
          expect(seen, 'a token was stale without a change').toBeLessThan(changes)
      }
    }
  }
}

/** What has to be there for a change to be made. */
const prepared: Record<string, (scene: Scene) => Promise<unknown>> = {
  async retry({ workspace: { workspaceId }, channelIds: [channelId] }) {
    await world.db`
      update destination set status = 'failed', due_at = null where workspace_id = ${workspaceId} and channel_id = ${channelId!}`
  },
  async approve({ workspace: { workspaceId }, postId }) {
    await world.db`update destination set status = 'draft', due_at = null, expires_at = null where workspace_id = ${workspaceId}`
    await anApproval(world.db, workspaceId, postId)
  },
  queue: (scene) => others['postingTimes']!(scene, scene.post, 0),
  async postingTimes(scene) {
    await prepared['queue']!(scene)
    expect(await others['queue']!(scene, scene.post, 0)).toEqual(carriedOut)
  },
}

test.for(Object.keys(others))('%s makes the edit token stale', async (name) => {
  const scene = await aScene()
  await prepared[name]?.(scene)
  const post = await api.read(scene.workspace, scene.postId)
  const place = name === 'schedule' ? 2 : name === 'postingTimes' ? 3 : 0
  expect((await others[name]!(scene, post, place)).done).toBe(true)
  const stale = await api.command(scene.workspace, scene.postId, 'edit', {
    editToken: post.editToken,
    content: { text: 'Other' },
  })
  expect(stale.body).toMatchObject({
    code: 'stale_edit_token',
    changed: expect.arrayContaining([expect.any(String)]),
  })
})

/** Whether a command takes this of a post. */
const takes = (token: string) => (operation: Operation) =>
  JSON.stringify(operation.params ?? {}).includes('"postId"') &&
  JSON.stringify(operation.body ?? {}).includes(`"${token}"`)

test('the walk gives every command of a whole post', () => {
  const all = [...operations, ...app.appOperations.filter((one) => !app.sharedOperations.includes(one))]
    .filter(takes('editToken'))
    .map(({ id }) => id)
  expect([...new Set(all)].toSorted()).toEqual(Object.keys(wholePost).toSorted())
})

test('of two commands of a whole post at once, one is carried out; beside one on a channel, too', async () => {
  const pairs = [
    ['rescheduleDestination', 'rescheduleDestination'],
    ['scheduleDestination', 'scheduleDestination'],
    ['scheduleDestination', 'rescheduleDestination'],
    ['rescheduleDestination', 'cancelDestination'],
    ['editPost', 'rescheduleDestination'],
    ['revisePost', 'rescheduleDestination'],
    ['changeChannels', 'cancelDestination'],
  ] as const
  for (const [first, second] of pairs) {
    const scene = await aScene()
    const post = await api.read(scene.workspace, scene.postId)
    const answers = await Promise.all([wholePost[first]!(scene, post, 0), wholePost[second]!(scene, post, 0)])
    expect(answers.filter(({ done }) => done)).toHaveLength(1)
    expect(answers.find(({ done }) => !done)).toMatchObject({ code: expect.stringMatching(/stale|state/) })
  }
  for (const name of ['reschedule', 'cancel']) {
    const scene = await aScene()
    const post = await api.read(scene.workspace, scene.postId)
    const answers = await Promise.all([
      wholePost['rescheduleDestination']!(scene, post, 0),
      others[name]!(scene, post, 0),
    ])
    expect(answers.filter(({ done }) => done)).toHaveLength(1)
  }
})

test('two who shift by two hours under one token shift it by two, and a repeat is answered as before', async () => {
  const scene = await aScene()
  const { workspace, postId } = scene
  const { editToken, destinations } = await api.read(workspace, postId)
  const shift = (key: string) =>
    api.command(workspace, postId, 'reschedule', { editToken, shift: 'PT2H' }, key)
  const first = await shift('one')
  expect(first.status).toBe(200)
  expect((await shift('other')).body).toMatchObject({
    code: 'stale_edit_token',
    changed: ['publishAt'],
    changedBy: { type: 'agent_key' },
  })
  const again = await shift('one')
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', first.body])
  const [after] = (await api.read(workspace, postId)).destinations
  expect(Date.parse(after!.publishAt!) - Date.parse(destinations[0]!.publishAt!)).toBe(2 * 3_600_000)
  expect(
    (await api.command(workspace, postId, 'reschedule', { editToken: first.body.editToken, shift: 'PT2H' }))
      .status,
  ).toBe(200)
})
