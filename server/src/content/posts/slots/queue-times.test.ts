import type { PostingTimes } from '@postrider/contract'
import { noApprovalPolicy } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import {
  aChannel,
  anActor,
  announced,
  aPost,
  type AWorkspace,
  aWorkspace,
  openTransaction,
  untilBlocked,
} from '../../../../test/rigs/fixtures.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { fromMinutes, slotsBetween, toMinutes } from '../../../networks/channels/posting-times.ts'
import { scheduleApproved, withdraw } from '../../../engine/destinations/destination-store.ts'
import { providers } from '../../../networks/providers/registry.ts'
import { previewPostingTimes, setPostingTimes } from './change-posting-times.ts'
import { listFreePostingTimes } from './free-posting-times.ts'
import { latestTime } from '../create/plan-issues.ts'

const { world, api, changingNothing } = await openFileWorld()
const { db } = world
const ZONE = 'Europe/Berlin'
const times = (...list: string[]): PostingTimes =>
  list.map((one) => {
    const [weekday, time] = one.split(' ')
    return { weekday: weekday as 'monday', time: time! }
  })
const TWICE_A_DAY = fromMinutes(
  Array.from({ length: 7 }, (_, day) => [day * 1_440 + 540, day * 1_440 + 1_080]).flat(),
)

/** The posting times from now on. */
function slotsOf(list: PostingTimes, count: number): string[] {
  const range = { after: new Date(), before: new Date(Date.now() + 3 * 366 * 86_400_000) }
  return slotsBetween(toMinutes(list), ZONE, range)
    .take(count)
    .map((at) => at.toISOString())
    .toArray()
}

async function aScene(list: PostingTimes = TWICE_A_DAY) {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  await db`update workspace set time_zone = ${ZONE} where id = ${workspaceId}`
  const [channelId, other] = [
    await aChannel(db, workspaceId, { displayName: 'Ada' }),
    await aChannel(db, workspaceId),
  ]
  const set = async (postingTimes: PostingTimes, movesToken?: string, channel = channelId, on: Db = db) =>
    on.begin((tx) =>
      setPostingTimes(
        tx,
        { workspaceId, channelId: channel },
        { postingTimes, ...(movesToken === undefined ? {} : { movesToken }) },
        { ...anActor, type: 'person', name: 'Ada', credentialId: null },
        { providers, baseUrl: 'https://postrider.test' },
      ),
    )
  const preview = (postingTimes: PostingTimes) =>
    previewPostingTimes(db, { workspaceId, channelId }, postingTimes)
  await set(list)
  const create = async (publishAt: unknown, more: object = {}, as: AWorkspace = workspace) =>
    api.call(as, 'POST', '/posts', {
      confirmed: true,
      state: 'scheduled',
      publishAt,
      text: uuidv7(),
      channelIds: [channelId],
      ...more,
    })
  const queue = async (queueRequest: string = 'next', more: object = {}) => {
    const answer = await create({ queue: queueRequest }, more)
    expect(answer).toMatchObject({ status: 201 })
    return answer.body
  }
  const at = ({ destinations }: any): string => destinations[0].publishAt
  /** So many posts in the queue, at the first posting times. */
  const fill = async (count: number) => {
    for (const slot of slotsOf(TWICE_A_DAY, count))
      await aPost(db, workspaceId, {
        states: ['scheduled'],
        channelIds: [channelId],
        publishAt: new Date(slot),
      })
    await db`update destination set queued = true where workspace_id = ${workspaceId}`
  }
  return { workspace, workspaceId, channelId, other, set, preview, create, queue, at, fill }
}

describe('a place in the queue', () => {
  test('is the next posting time after the last one queued, or the first that is free', async () => {
    const { queue, at, workspace, create, channelId } = await aScene()
    const slots = slotsOf(TWICE_A_DAY, 6)
    const first = await queue()
    expect(first.destinations[0]).toMatchObject({ publishAt: slots[0], queued: true, status: 'scheduled' })
    expect(at(await queue())).toBe(slots[1])
    // What is scheduled without the queue has its time, too, but does not move its end.
    expect((await create(slots[4])).body.destinations[0]).toMatchObject({
      publishAt: slots[4],
      queued: false,
    })
    expect(at(await queue())).toBe(slots[2])
    await api.command(workspace, first.postId, 'cancel', { editToken: first.editToken })
    expect(at(await queue())).toBe(slots[3])
    expect(at(await queue())).toBe(slots[5])
    expect(at(await queue('first'))).toBe(slots[0])
    const { body } = await api.call(workspace, 'GET', '/channels')
    const shown = body.find((one: { channelId: string }) => one.channelId === channelId)
    expect(shown.postingTimes).toEqual(TWICE_A_DAY)
  })

  test('is one of its own for each channel, also in targets, a batch and a rehearsal, which holds none', async () => {
    const { set, other, channelId, create, workspace, at } = await aScene()
    const weekly = times('monday 07:15')
    await set(weekly, undefined, other)
    const slots = slotsOf(TWICE_A_DAY, 4)
    const dry = await create({ queue: 'next' }, { channelIds: [channelId, other], dryRun: true })
    expect(dry.status).toBe(200)
    const byChannel = (body: any) =>
      [channelId, other].map((id) => body.destinations.find((one: any) => one.channelId === id).publishAt)
    expect(byChannel(dry.body)).toEqual([slots[0], slotsOf(weekly, 1)[0]])
    const both = await create({ queue: 'next' }, { channelIds: [channelId, other] })
    expect(byChannel(both.body)).toEqual(byChannel(dry.body))
    const target = { channelId, text: 'Own', publishAt: { queue: 'first' } }
    expect(
      at((await create(undefined, { channelIds: undefined, text: undefined, targets: [target] })).body),
    ).toBe(slots[1])
    for (const allOrNothing of [true, false]) {
      const posts = [1, 2].map((n) => ({
        idempotencyKey: uuidv7(),
        state: 'scheduled',
        text: `${allOrNothing} ${n}`,
        publishAt: { queue: 'next' },
        channelIds: [channelId],
      }))
      const answer = await api.call(workspace, 'POST', '/posts/batch', {
        confirmed: true,
        posts,
        allOrNothing,
      })
      const [a, b] = answer.body.results.map(({ post }: any) => at(post))
      expect([a, b]).toEqual(slotsOf(TWICE_A_DAY, 6).slice(allOrNothing ? 2 : 4, allOrNothing ? 4 : 6))
    }
  })

  test('is named by a check without being held, and given again to the same key', async () => {
    const { workspace, channelId, at } = await aScene()
    const plan = { state: 'scheduled', publishAt: { queue: 'next' }, channelIds: [channelId], text: 'Once' }
    const check = await api.call(workspace, 'POST', '/post-checks', plan)
    const [slot, second] = slotsOf(TWICE_A_DAY, 2)
    expect(check.body).toMatchObject({ ready: true, destinations: [{ publishAt: slot }] })
    const body = { confirmed: true, idempotencyKey: uuidv7(), ...plan }
    const [one, again] = [
      await api.call(workspace, 'POST', '/posts', body),
      await api.call(workspace, 'POST', '/posts', body),
    ]
    expect([at(one.body), at(again.body), again.body.postId]).toEqual([slot, slot, one.body.postId])
    expect((await api.call(workspace, 'POST', '/post-checks', plan)).body.destinations[0].publishAt).toBe(
      second,
    )
  })

  test('is taken by commands, too, and given up for another time', async () => {
    const { workspace, channelId, create, queue, at } = await aScene()
    const slots = slotsOf(TWICE_A_DAY, 6)
    const draft = (await create(undefined, { state: 'draft' })).body
    const on = ({ destinations: [one] }: any) => ({ channelId, controlToken: one.controlToken })
    const command = async (post: any, name: string, body: Record<string, unknown>) => {
      const answer = await api.command(workspace, post.postId, name, body)
      expect(answer).toMatchObject({ status: 200 })
      return api.read(workspace, post.postId)
    }
    const scheduled = await command(draft, 'schedule', { ...on(draft), publishAt: { queue: slots[2] } })
    expect(scheduled.destinations[0]).toMatchObject({ publishAt: slots[2], queued: true })
    const first = await queue('first')
    // Its own is as free to it as any.
    expect(at(await command(first, 'reschedule', { ...on(first), publishAt: { queue: 'first' } }))).toBe(
      slots[0],
    )
    expect(at(await queue('next'))).toBe(slots[3])
    const whole = await command(scheduled, 'reschedule', {
      editToken: scheduled.editToken,
      publishAt: { queue: 'first' },
    })
    expect(at(whole)).toBe(slots[1])
    const shifted = await command(whole, 'reschedule', { editToken: whole.editToken, shift: 'PT1M' })
    expect(shifted.destinations[0]).toMatchObject({ queued: false })
    expect(at(await queue('first'))).toBe(slots[1])
    // A time that is given to what is in the queue already is no place in it.
    const { body } = await create({ queue: slots[1] })
    expect(body).toMatchObject({ code: 'post_not_publishable', issues: [{ code: 'posting_time_taken' }] })
    const added = await create(undefined, { state: 'draft' })
    const removed = await api.call(workspace, 'POST', `/posts/${added.body.postId}/channels`, {
      confirmed: true,
      editToken: added.body.editToken,
      add: [{ channelId: (await aChannelWith(workspace)).channelId, publishAt: { queue: 'next' } }],
    })
    expect(removed.body.destinations.map(({ queued }: any) => queued).toSorted()).toEqual([false, true])
  })

  async function aChannelWith({ workspaceId }: AWorkspace) {
    const channelId = await aChannel(db, workspaceId)
    await db`update channel set posting_times = '{540}' where id = ${channelId}`
    return { channelId }
  }

  test('is held while a person has not decided, and is the time that they approve', async () => {
    const { workspace, queue, create, at } = await aScene()
    const { caller } = workspace
    const credential = { ...caller.credential, id: uuidv7(), approval: { ...noApprovalPolicy, all: true } }
    const waiting = await create({ queue: 'next' }, {}, { ...workspace, caller: { ...caller, credential } })
    const slots = slotsOf(TWICE_A_DAY, 2)
    expect(waiting.body).toMatchObject({
      reviewStatus: 'pending',
      destinations: [{ status: 'draft', publishAt: slots[0], queued: true }],
    })
    expect(at(await queue('first'))).toBe(slots[1])
    // Approved when it is over, the post goes out at once: that is no posting time.
    const { postId } = waiting.body
    await db`update destination set publish_at = now() - interval '1 hour' where post_id = ${postId}`
    await db.begin((tx) => scheduleApproved(tx, workspace.workspaceId, postId, anActor))
    const { destinations } = await api.read(workspace, postId)
    expect(destinations[0]).toMatchObject({ status: 'scheduled', queued: false })
  })

  test('is free again once what held it has failed, expired or been cancelled; retried, it takes another', async () => {
    const { workspace, workspaceId, queue, at, channelId } = await aScene()
    const slots = slotsOf(TWICE_A_DAY, 3)
    for (const status of ['failed', 'expired', 'cancelled']) {
      const { postId } = await queue('first')
      await db`update destination set status = ${status} where workspace_id = ${workspaceId} and post_id = ${postId}`
      const next = await queue('first')
      expect(at(next)).toBe(slots[0])
      if (status === 'failed') {
        const failed = await api.read(workspace, postId)
        const { controlToken } = failed.destinations[0]!
        const retry = await api.command(workspace, postId, 'retry', {
          channelId,
          controlToken,
          publishAt: { queue: 'first' },
        })
        expect(retry.body).toMatchObject({ status: 'scheduled', publishAt: slots[1], queued: true })
        await api.command(workspace, postId, 'cancel', { channelId, controlToken: retry.body.controlToken })
      }
      await api.command(workspace, next.postId, 'cancel', { editToken: next.editToken })
    }
  })
})

test('what has failed holds nothing any more when it is a draft again, though another has its time by now', async () => {
  const { workspace, workspaceId, queue, at } = await aScene()
  const { postId } = await queue()
  await db`update destination set status = 'failed' where workspace_id = ${workspaceId} and post_id = ${postId}`
  const other = await queue('first')
  const [row] = await db<{ id: string; at: Date }[]>`
    select id, publish_at as at from destination where workspace_id = ${workspaceId} and post_id = ${postId}`
  expect(row!.at.toISOString()).toBe(at(other))
  await db.begin((tx) => withdraw(tx, { workspaceId, postId }, [row!.id], anActor))
  const { destinations } = await api.read(workspace, postId)
  expect(destinations[0]).toMatchObject({ status: 'draft', queued: false })
})

describe('what cannot be', () => {
  test('is refused where it stands, with why and what would do, and nothing is made', async () => {
    const { workspace, create, set, channelId, other } = await aScene(times('monday 09:00'))
    const [slot, second] = slotsOf(times('monday 09:00'), 2)
    await create({ queue: 'first' })
    const refused = (publishAt: unknown, more: object = {}) =>
      changingNothing(workspace, async () => {
        const { status, body } = await create(publishAt, more)
        const found = body.issues?.[0] ?? body.errors[0]
        return [status, body.code, found.pointer, found.code]
      })
    const unfit = (pointer: string, code: string) => [422, 'post_not_publishable', pointer, code]
    const both = { channelIds: [channelId, other] }
    expect(await refused({ queue: 'next' }, both)).toEqual(unfit('/publishAt/queue', 'posting_times_missing'))
    const targets = [{ channelId: other, text: 'x', publishAt: { queue: 'first' } }]
    expect(await refused(undefined, { channelIds: undefined, text: undefined, targets })).toEqual(
      unfit('/targets/0/publishAt/queue', 'posting_times_missing'),
    )
    expect(await refused({ queue: slot })).toEqual(unfit('/publishAt/queue', 'posting_time_taken'))
    const beside = new Date(Date.parse(second!) + 60_000).toISOString()
    expect(await refused({ queue: beside })).toEqual(unfit('/publishAt/queue', 'posting_time_unknown'))
    expect(await refused({ queue: '2020-01-06T08:00:00Z' })).toEqual([
      422,
      'publish_time_in_past',
      '/publishAt/queue',
      'publish_at_in_past',
    ])
    const malformed = (publishAt: unknown) => refused(publishAt).then(([, , pointer]) => pointer)
    expect(await malformed({ queue: 'last' })).toBe('/publishAt/queue')
    expect(await malformed({ queue: '2027-02-30T09:00:00Z' })).toBe('/publishAt/queue')
    expect(await malformed({ queue: 'next', timeZone: 'UTC' })).toBe('/publishAt/timeZone')
    expect(await refused({ queue: 'next' }, { state: 'draft' })).toEqual([
      400,
      'validation_failed',
      '/publishAt',
      'not_allowed',
    ])

    // All of two years are taken.
    const latest = latestTime(new Date()).toISOString()
    const posts = slotsOf(times('monday 09:00'), 106).filter((at, n) => n > 0 && at <= latest)
    for (const at of posts) expect((await create({ queue: at })).status).toBe(201)
    expect(await refused({ queue: 'first' })).toEqual(unfit('/publishAt/queue', 'posting_time_taken'))
    await set([])
    expect(await refused({ queue: 'first' })).toEqual(unfit('/publishAt/queue', 'posting_times_missing'))
  }, 120_000)

  test('of posting times is refused at the one that is wrong', async () => {
    const { set } = await aScene()
    expect(await set(times('monday 09:00', 'friday 10:00', 'monday 09:00'))).toMatchObject({
      refused: 'validation_failed',
      facts: { errors: [{ pointer: '/postingTimes/2', code: 'duplicate' }] },
    })
  })
})

describe('other posting times', () => {
  test('leave the queue where it is, or move it as the preview showed', async () => {
    const { queue, at, set, preview, workspace, workspaceId, create } = await aScene()
    const posts = [await queue(), await queue(), await queue()]
    const before = slotsOf(TWICE_A_DAY, 3)
    const mornings = TWICE_A_DAY.filter(({ time }) => time === '09:00')
    await set(mornings)
    const shown = async () =>
      Promise.all(posts.map(async ({ postId }) => at(await api.read(workspace, postId))))
    expect(await shown()).toEqual(before)
    const wanted = slotsOf(mornings, 3)
    // One of them belongs to what is scheduled without the queue.
    await create(wanted[1])
    const free = slotsOf(mornings, 4).filter((slot) => slot !== wanted[1])
    const plan = await preview(mornings)
    if (!('moves' in plan)) throw new Error('it was refused')
    expect(plan.moves).toEqual(
      posts
        .map(({ postId, content }, n) => ({ postId, text: content.text, from: before[n], to: free[n] }))
        .filter(({ from, to }) => from !== to),
    )
    expect(await shown()).toEqual(before)
    const events = (await announced(db, workspaceId)).length
    expect(await set(mornings, plan.movesToken!)).toMatchObject({ postingTimes: mornings })
    expect(await shown()).toEqual(free)
    expect((await announced(db, workspaceId)).length).toBe(events + plan.moves.length)
    expect(await preview(mornings)).toEqual({ moves: [], movesToken: null })
    // All the way back: each takes what another gives up.
    const back = await preview(TWICE_A_DAY)
    if (!('moves' in back)) throw new Error('it was refused')
    await set(TWICE_A_DAY, back.movesToken!)
    expect(at(await queue('first')) > (await shown())[2]!).toBe(true)
  })

  test('may give one post what another gives up in the same moment', async () => {
    const { queue, at, set, preview, workspace } = await aScene(times('monday 09:00', 'monday 10:00'))
    const posts = [await queue(), await queue(), await queue(), await queue()]
    // The second moves to where the third is.
    const later = times('monday 09:00')
    const plan = await preview(later)
    if (!('moves' in plan)) throw new Error('it was refused')
    expect(plan.moves[0]!.to).toBe(at(posts[2]))
    expect(await set(later, plan.movesToken!)).toMatchObject({ postingTimes: later })
    const now = await Promise.all(posts.map(async ({ postId }) => at(await api.read(workspace, postId))))
    expect(now).toEqual(slotsOf(later, 4))
  })

  test('move nothing where the queue has changed since, or does not fit', async () => {
    const { queue, set, preview, workspace, at } = await aScene()
    const post = await queue()
    await queue()
    const late = TWICE_A_DAY.map(({ weekday }) => ({ weekday, time: '22:22' })).filter((_, n) => n % 2 === 0)
    const plan = await preview(late)
    if (!('moves' in plan)) throw new Error('it was refused')
    await api.command(workspace, post.postId, 'cancel', { editToken: post.editToken })
    await changingNothing(workspace, async () => {
      expect(await set(late, plan.movesToken!)).toMatchObject({ refused: 'invalid_state' })
    })
    // Two years have 104 or 105 Mondays.
    for (let n = 0; n < 106; n++) await queue()
    expect(await preview(times('monday 09:00'))).toMatchObject({
      refused: 'validation_failed',
      facts: { errors: [{ pointer: '/postingTimes', code: 'too_few' }] },
    })
    expect(await preview([])).toEqual({ moves: [], movesToken: null })
    expect(at(await queue())).toBeTruthy()
  }, 120_000)
})

test('free posting times are those of channels that have nothing planned then', async () => {
  const { workspaceId, channelId, other, set, create, queue } = await aScene()
  await set(TWICE_A_DAY, undefined, other)
  await queue()
  const slots = slotsOf(TWICE_A_DAY, 8)
  await create(slots[1])
  const range = { from: new Date().toISOString(), to: slots[4]! }
  const free = await listFreePostingTimes(db, workspaceId, range)
  const sorted = (list: any) =>
    list.map(({ at, channelIds }: any) => ({ at, channelIds: channelIds.toSorted() }))
  expect(sorted(free)).toEqual(
    sorted(slots.slice(0, 4).map((at, n) => ({ at, channelIds: n < 2 ? [other] : [channelId, other] }))),
  )
  expect(await listFreePostingTimes(db, workspaceId, { ...range, to: '2035-01-01T00:00:00Z' })).toMatchObject(
    {
      refused: 'validation_failed',
    },
  )
})

/** The same, and how many statements, and pieces of them, were made with it. */
function counting(asDb: Db) {
  let made = 0
  const db: Db = new Proxy(asDb, {
    apply(of, self, given) {
      made++
      return Reflect.apply(of as (...given: unknown[]) => unknown, self, given)
    },
    get: (of, name) =>
      name === 'begin' ? (run: (tx: unknown) => unknown) => run(db) : (Reflect.get(of, name) as unknown),
  })
  return { db, made: () => made }
}

describe('at the same time', () => {
  const MORNINGS = TWICE_A_DAY.filter(({ time }) => time === '09:00')

  test('a create waits for the queue to be moved, and comes behind it', async () => {
    const { workspaceId, preview, set, create, fill, at } = await aScene()
    await fill(40)
    const plan = await preview(MORNINGS)
    if (!('moves' in plan)) throw new Error('it was refused')
    const held = await openTransaction(db)
    expect(await set(MORNINGS, plan.movesToken!, undefined, held.asDb)).toMatchObject({
      postingTimes: MORNINGS,
    })
    const answer = create({ queue: 'next' })
    await untilBlocked(db)
    await held.commit()
    expect(at((await answer).body)).toBe(slotsOf(MORNINGS, 41)[40])
    const events = await announced(db, workspaceId)
    expect(events).toHaveLength(plan.moves.length + 1)
  })

  test('moving the queue takes as many statements however long it is, so that creates wait for no more than a moment', async () => {
    const statements: number[] = []
    for (const posts of [5, 100]) {
      const { preview, set, fill } = await aScene()
      await fill(posts)
      const plan = await preview(MORNINGS)
      if (!('moves' in plan)) throw new Error('it was refused')
      expect(plan.moves.length).toBeGreaterThanOrEqual(posts - 1)
      const held = await openTransaction(db)
      const counted = counting(held.asDb)
      await set(MORNINGS, plan.movesToken!, undefined, counted.db)
      statements.push(counted.made())
      await held.commit()
    }
    expect(statements[1]).toBe(statements[0])
  })

  test(
    '16 clients who create and cancel never have one posting time twice, and no refused create holds one',
    { timeout: 240_000 },
    async () => {
      const { workspaceId, create, workspace, channelId } = await aScene()
      const rounds = Number(process.env['SLOT_RACES'] ?? 6)
      let made = 0
      await Promise.all(
        Array.from({ length: 16 }, async (_, client) => {
          for (let round = 0; round < rounds; round++) {
            const queueRequest = (client + round) % 3 === 0 ? 'first' : 'next'
            const answer = await create({ queue: queueRequest })
            expect(answer).toMatchObject({ status: 201 })
            made++
            // A create that is refused after it has taken its place: the other channel has no posting times.
            const refused = await create({ queue: 'next' }, { text: 'x'.repeat(1_000) })
            expect(refused.status).toBe(422)
            if ((client + round) % 4 === 0) {
              const { postId, editToken } = answer.body
              expect((await api.command(workspace, postId, 'cancel', { editToken })).status).toBe(200)
              made--
            }
          }
        }),
      )
      const held = await db<{ at: Date }[]>`
      select publish_at as at from destination
      where  workspace_id = ${workspaceId} and channel_id = ${channelId} and queued and status = 'scheduled' order by 1`
      expect(held).toHaveLength(made)
      expect(new Set(held.map(({ at }) => at.getTime())).size).toBe(made)
      // With nobody else about, the first free ones fill every gap.
      const last = held.at(-1)!.at.toISOString()
      const gaps = slotsOf(TWICE_A_DAY, 1_000).filter((slot) => slot <= last).length - held.length
      for (let n = 0; n < gaps; n++)
        expect((await create({ queue: 'first' })).body.destinations[0].publishAt < last).toBe(true)
      expect((await create({ queue: 'first' })).body.destinations[0].publishAt > last).toBe(true)
    },
  )

  test('the database holds that by itself: a second holder of a posting time is refused by its index', async () => {
    const { workspaceId, queue } = await aScene()
    const [one, other] = [await queue(), await queue()]
    const copying = db`
      update destination d set publish_at = (select publish_at from destination where workspace_id = ${workspaceId} and post_id = ${one.postId})
      where  d.workspace_id = ${workspaceId} and d.post_id = ${other.postId}`
    await expect(copying.then(() => 'done')).rejects.toThrow(/destination_queued/)
  })
})
