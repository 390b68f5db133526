import { Post, type PostCheck, type PostPlan } from '@postrider/contract'
import * as fc from 'fast-check'
import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import {
  aChannel,
  anActor,
  announced,
  aWorkspace,
  rowCounts,
  type AWorkspace,
} from '../../../../test/rigs/fixtures.ts'
import { hoursAhead } from '../../../../test/rigs/file-world.ts'
import { openWorld, type World } from '../../../../test/rigs/world.ts'
import { findChannels } from '../../../networks/channels/channel-store.ts'
import { type Db, openDb } from '../../../platform/postgres/db.ts'
import { isRefusal, type Refusal } from '../../../edge/operations/refusal.ts'
import { providers } from '../../../networks/providers/registry.ts'
import { checkPlan, isError } from './plan-issues.ts'
import { createPost } from './create-post.ts'
import { channelIdsOf, readPlan } from '../plan/plan.ts'
import { readPost } from '../read-post.ts'

const baseUrl = 'https://postrider.example'
const options = { providers, baseUrl }
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

/** Creates as the edge does: a refusal rolls the transaction back. */
async function create(db: Db, { caller }: AWorkspace, plan: PostPlan): Promise<Post | Refusal> {
  return db
    .begin(async (tx) => {
      const answer = await createPost(tx, caller, { ...plan, confirmed: true, idempotencyKey: 'k' }, options)
      if (isRefusal(answer)) throw new Refused(answer)
      return answer
    })
    .catch((error: unknown) => {
      if (error instanceof Refused) return error.refusal
      throw error
    })
}

async function created(db: Db, workspace: AWorkspace, plan: PostPlan): Promise<Post> {
  const answer = await create(db, workspace, plan)
  if (isRefusal(answer)) throw new Refused(answer)
  return answer
}

async function check(
  db: Db,
  { workspaceId }: AWorkspace,
  body: PostPlan,
): Promise<PostCheck | Refusal['facts']> {
  const read = readPlan(body)
  if ('errors' in read) return { errors: read.errors }
  const { now, channels } = await findChannels(db, workspaceId, channelIdsOf(read.plan))
  const { destinations, issues } = checkPlan(read.plan, channels, providers, now)
  return { ready: !issues.some(isError), destinations, issues: [...issues] }
}

async function aPlace(world: World): Promise<{ db: Db; workspace: AWorkspace; short: string; long: string }> {
  const workspace = await aWorkspace(world.db)
  const short = await aChannel(world.db, workspace.workspaceId)
  const long = await aChannel(world.db, workspace.workspaceId, { provider: 'sandbox-professional' })
  return { db: world.db, workspace, short, long }
}

test('a draft has a destination for each channel, and announces nothing', async () => {
  await using world = await openWorld()
  const { db, workspace, short, long } = await aPlace(world)

  const post = await created(db, workspace, { state: 'draft', channelIds: [short, long], text: 'Hello' })

  expect(Check(Post, post)).toBe(true)
  expect(post).toMatchObject({ content: { text: 'Hello' }, reviewStatus: 'not_required', approval: null })
  expect(
    post.destinations.map(({ channelId, status, publishAt, content }) => [
      channelId,
      status,
      publishAt,
      content,
    ]),
  ).toEqual([
    [short, 'draft', null, null],
    [long, 'draft', null, null],
  ])
  expect(new Set([post.editToken, ...post.destinations.map((d) => d.controlToken)]).size).toBe(3)
  expect(await announced(db, workspace.workspaceId)).toEqual([])
})

test('a scheduled post announces each destination once, with the documented fields and no others', async () => {
  await using world = await openWorld()
  const { db, workspace, short, long } = await aPlace(world)
  const publishAt = inAnHour()

  const post = await created(db, workspace, {
    state: 'scheduled',
    publishAt,
    channelIds: [short, long],
    text: 'Hello',
  })

  const expiresAt = new Date(Date.parse(publishAt) + 24 * 3_600_000).toISOString()
  expect(post.destinations).toMatchObject([
    { status: 'scheduled', publishAt, expiresAt },
    { status: 'scheduled', publishAt, expiresAt },
  ])
  const events = await announced(db, workspace.workspaceId)
  expect(events).toEqual(
    [
      [short, 'sandbox-short'],
      [long, 'sandbox-professional'],
    ].map(([channelId, provider]) => ({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'post.scheduled',
      createdAt: post.createdAt,
      data: {
        post: { postId: post.postId },
        destination: { channelId, provider, publishAt, releaseUrl: null, status: 'scheduled' },
      },
    })),
  )
})

test('an immediate post waits as drafts for a person, and announces nothing', async () => {
  await using world = await openWorld()
  const { db, workspace, short } = await aPlace(world)

  const post = await created(db, workspace, { state: 'immediate', channelIds: [short], text: 'Now' })

  const [approval] =
    await db`select id, status, content_digest, expires_at - requested_at as stands from approval`
  expect(post).toMatchObject({
    reviewStatus: 'pending',
    approval: {
      status: 'pending',
      reviewUrl: `${baseUrl}/review/${String(approval?.['id'])}`,
      decidedAt: null,
      note: null,
    },
    destinations: [{ status: 'draft', publishAt: null }],
  })
  expect(approval).toMatchObject({ status: 'pending', stands: '7 days' })
  expect(await announced(db, workspace.workspaceId)).toEqual([])
})

test('what create answers is what a read answers', async () => {
  await using world = await openWorld()
  const { db, workspace, short, long } = await aPlace(world)
  const { workspaceId } = workspace
  const thread = [{ text: 'two' }, { text: 'three 👩‍👩‍👧' }]
  const plans: PostPlan[] = [
    { state: 'draft', channelIds: [long, short], text: 'one', thread },
    { state: 'scheduled', publishAt: inAnHour(), channelIds: [short], text: 'one' },
    { state: 'immediate', channelIds: [short, long], text: 'one', thread },
    {
      state: 'scheduled',
      publishAt: hoursAhead(24).replace('Z', '+05:30'),
      targets: [
        { channelId: long, text: 'long one', thread, settings: {} },
        { channelId: short, text: 'short one', thread: [] },
      ],
    },
  ]
  for (const plan of plans) {
    const post = await created(db, workspace, plan)
    expect(await readPost(db, { workspaceId, postId: post.postId }, anActor, options)).toEqual(post)
  }
})

test('targets give each channel its own words', async () => {
  await using world = await openWorld()
  const { db, workspace, short, long } = await aPlace(world)

  const post = await created(db, workspace, {
    state: 'draft',
    targets: [
      { channelId: short, text: 'Short' },
      { channelId: long, text: 'Long', thread: [{ text: 'and more' }] },
    ],
  })

  expect(post.content).toBeNull()
  expect(post.destinations).toMatchObject([
    { content: { text: 'Short' }, parts: [{ index: 0, text: 'Short', status: 'pending' }] },
    {
      content: { text: 'Long', thread: [{ text: 'and more' }] },
      parts: [{ text: 'Long' }, { index: 1, text: 'and more' }],
    },
  ])
})

test('the allowed time of the workspace decides when a destination expires', async () => {
  await using world = await openWorld()
  const workspace = await aWorkspace(world.db, { allowedTime: '90 minutes' })
  const channelId = await aChannel(world.db, workspace.workspaceId)
  const publishAt = inAnHour()

  const post = await created(world.db, workspace, {
    state: 'scheduled',
    publishAt,
    channelIds: [channelId],
    text: 'x',
  })

  expect(post.destinations[0]?.expiresAt).toBe(new Date(Date.parse(publishAt) + 90 * 60_000).toISOString())
})

test('workers are woken for what is due soon, and for nothing else', async () => {
  await using world = await openWorld()
  const { db, workspace, short } = await aPlace(world)
  const woken: string[] = []
  const { unlisten } = await db.listen('postrider_due', (payload) => woken.push(payload))
  const schedule = (ms: number) =>
    created(db, workspace, {
      state: 'scheduled',
      publishAt: new Date(Date.now() + ms).toISOString(),
      channelIds: [short],
      text: 'x',
    })

  await schedule(3_600_000)
  await created(db, workspace, { state: 'draft', channelIds: [short], text: 'x' })
  await db.notify('postrider_due', 'mark')
  await schedule(10_000)

  await expect.poll(() => woken).toEqual(['mark', ''])
  await unlisten()
})

test('no notification is a part of a commit, since such commits wait for each other', async () => {
  await using world = await openWorld()
  const { workspace, short } = await aPlace(world)
  const notifying: string[] = []
  const onStatement = ({ text }: { text: string }) => void (/notify/.test(text) && notifying.push(text))
  const db = openDb({ ...world.connection, applicationName: 'test', onStatement })
  const publishAt = new Date(Date.now() + 10_000).toISOString()
  await created(db, workspace, { state: 'scheduled', publishAt, channelIds: [short], text: 'x' })
  await db.end()
  expect(new Set(notifying)).toEqual(new Set(['select pg_notify($1, $2)']))
})

const nowhere = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'

type Place = Awaited<ReturnType<typeof aPlace>>

// What else the API refuses of a plan is in server/test/bad-input.test.ts.
test.each<[string, (place: Place) => PostPlan, object]>([
  [
    'shared content beside targets',
    ({ short }) => ({
      state: 'draft',
      channelIds: [short],
      text: 'x',
      thread: [],
      targets: [{ channelId: short, text: 'x' }],
    }),
    {
      refused: 'validation_failed',
      facts: {
        errors: [
          { pointer: '/channelIds', code: 'not_allowed' },
          { pointer: '/text', code: 'not_allowed' },
          { pointer: '/thread', code: 'not_allowed' },
        ],
      },
    },
  ],
  [
    'a schedule without a time',
    ({ short }) => ({ state: 'scheduled', channelIds: [short], text: 'x' }),
    { refused: 'validation_failed', facts: { errors: [{ pointer: '/publishAt', code: 'required' }] } },
  ],
  [
    'a draft with a time',
    ({ short }) => ({ state: 'draft', publishAt: inAnHour(), channelIds: [short], text: 'x' }),
    { refused: 'validation_failed', facts: { errors: [{ pointer: '/publishAt', code: 'not_allowed' }] } },
  ],
  [
    'a text that is too long for one of two channels',
    ({ short, long }) => ({ state: 'draft', channelIds: [short, long], text: 'x'.repeat(283) }),
    {
      refused: 'post_not_publishable',
      facts: {
        issues: [
          {
            code: 'text_too_long',
            pointer: '/text',
            partIndex: 0,
            message: expect.stringContaining('has 283'),
            fix: expect.stringContaining('by 3'),
          },
        ],
      },
    },
  ],
  [
    'everything at once: the channel comes first',
    () => ({ state: 'scheduled', publishAt: '2020-01-01T00:00:00Z', channelIds: [nowhere], text: '' }),
    { refused: 'channel_unavailable' },
  ],
  [
    'content and time: the content comes first',
    ({ short }) => ({ state: 'scheduled', publishAt: '2020-01-01T00:00:00Z', channelIds: [short], text: '' }),
    { refused: 'post_not_publishable' },
  ],
])('refuses %s, and writes nothing', async (_, planIn, refusal) => {
  await using world = await openWorld()
  const place = await aPlace(world)
  const before = await rowCounts(world.db)
  expect(await create(world.db, place.workspace, planIn(place))).toMatchObject(refusal)
  expect(await rowCounts(world.db)).toEqual(before)
})

test('a channel of another workspace is as unknown as one that never was', async () => {
  await using world = await openWorld()
  const { db, workspace } = await aPlace(world)
  const foreign = await aChannel(db, (await aWorkspace(db)).workspaceId)
  const plan = (channelId: string): PostPlan => ({ state: 'draft', channelIds: [channelId], text: 'x' })
  const anonymous = (value: unknown, id: string) => JSON.stringify(value).replaceAll(id, 'ID')

  expect(anonymous(await create(db, workspace, plan(foreign)), foreign)).toBe(
    anonymous(await create(db, workspace, plan(nowhere)), nowhere),
  )
  expect(anonymous(await check(db, workspace, plan(foreign)), foreign)).toBe(
    anonymous(await check(db, workspace, plan(nowhere)), nowhere),
  )
})

test('a channel that must be reconnected is only warned of: the post may wait for it', async () => {
  await using world = await openWorld()
  const { db, workspace } = await aPlace(world)
  const lapsed = await aChannel(db, workspace.workspaceId, { connectionStatus: 'reconnect_required' })
  const plan: PostPlan = { state: 'scheduled', publishAt: inAnHour(), channelIds: [lapsed], text: 'x' }

  expect(await check(db, workspace, plan)).toMatchObject({
    ready: true,
    destinations: [{ ready: true }],
    issues: [{ code: 'channel_reconnect_required', severity: 'warning', channelId: lapsed }],
  })
  expect(await created(db, workspace, plan)).toMatchObject({ destinations: [{ status: 'scheduled' }] })
})

test('a check counts every part as each channel counts, and stores nothing', async () => {
  await using world = await openWorld()
  const { db, workspace, short, long } = await aPlace(world)
  const before = await rowCounts(db)

  const text = '日本 https://example.com/a/long/enough/path'
  expect(
    await check(db, workspace, {
      state: 'immediate',
      channelIds: [short, long],
      text,
      thread: [{ text: 'b' }],
    }),
  ).toEqual({
    ready: true,
    issues: [],
    destinations: [
      {
        channelId: short,
        provider: 'sandbox-short',
        ready: true,
        maxCharacters: 280,
        parts: [
          { index: 0, characters: 4 + 1 + 23 },
          { index: 1, characters: 1 },
        ],
      },
      {
        channelId: long,
        provider: 'sandbox-professional',
        ready: true,
        maxCharacters: 3000,
        parts: [
          { index: 0, characters: 41 },
          { index: 1, characters: 1 },
        ],
      },
    ],
  })
  expect(await rowCounts(db)).toEqual(before)
})

test('what a check calls ready, create accepts, and the reverse', async () => {
  await using world = await openWorld()
  const place = await aPlace(world)
  const { db, workspace } = place
  const off = await aChannel(db, workspace.workspaceId, { enabled: false })
  const lapsed = await aChannel(db, workspace.workspaceId, { connectionStatus: 'reconnect_required' })
  const orphan = await aChannel(db, workspace.workspaceId, { provider: 'gone' })

  const channel = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(place.short, place.long, lapsed) },
    { weight: 1, arbitrary: fc.constantFrom(off, orphan, nowhere) },
  )
  const text = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('a', 'Hello', 'x'.repeat(280)) },
    { weight: 2, arbitrary: fc.constantFrom('x'.repeat(281), 'x'.repeat(3001), '', ' ', '日'.repeat(141)) },
  )
  const thread = fc.array(fc.record({ text }), { maxLength: 2 })
  const content = fc.record({ text, thread }, { requiredKeys: ['text'] })
  const time = fc.constantFrom(
    inAnHour(),
    inAnHour(),
    inAnHour(),
    '2020-01-01T00:00:00Z',
    '2999-01-01T00:00:00+02:00',
  )
  const timing = fc.oneof(
    fc.record({ state: fc.constantFrom<PostPlan['state'][]>('draft', 'immediate') }),
    fc.record({ state: fc.constant<PostPlan['state']>('scheduled'), publishAt: time }),
    fc.record(
      { state: fc.constantFrom<PostPlan['state'][]>('draft', 'immediate', 'scheduled'), publishAt: time },
      { requiredKeys: ['state'] },
    ),
  )
  const target = fc
    .tuple(channel, content, fc.constantFrom({}, {}, {}, { settings: {} }, { settings: { odd: 1 } }))
    .map(([channelId, words, settings]) => ({ channelId, ...words, ...settings }))
  const where = fc.oneof(
    fc
      .tuple(fc.uniqueArray(channel, { minLength: 1, maxLength: 3 }), content)
      .map(([channelIds, words]) => ({ channelIds, ...words })),
    fc.array(target, { minLength: 1, maxLength: 3 }).map((targets) => ({ targets })),
    fc.constant({ text: 'lost' }),
  )
  const plans = fc.tuple(timing, where).map(([when, what]): PostPlan => ({ ...when, ...what }))

  let accepted = 0
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const verdict = await check(db, workspace, plan)
      const answer = await create(db, workspace, plan)
      if (!isRefusal(answer)) accepted++
      expect('ready' in verdict && verdict.ready).toBe(!isRefusal(answer))
    }),
    { numRuns: 300 },
  )
  expect(accepted).toBeGreaterThan(30)
})
