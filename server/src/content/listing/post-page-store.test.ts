import { statusFilters, type ReviewStatus } from '@postrider/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChannel, anApproval, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { insertLabels } from '../posts/label-store.ts'
import type { PageFilter } from './post-filter-store.ts'
import { listSummaries } from './post-list-store.ts'
import { newestPosts } from './post-page-store.ts'
import { isTooBroad, usualSearchLimits } from './post-search-store.ts'

type Post = {
  labels: string[]
  readonly reference: string | null
  id: string
  text: string
  author: string
  createdById: string | null
  updatedAt: Date
  review: ReviewStatus
  destinations: { channelId: string; status: string; times: (Date | null)[] }[]
}

const STATUSES = ['draft', 'scheduled', 'delayed', 'failed', 'published', 'expired'] as const
const CLOSED = ['approved', 'rejected', 'superseded'] as const
const REQUESTS = [...CLOSED, 'pending', 'expired'] as const
const REVIEWS = ['not_required', 'pending', 'approved', 'rejected'] as const
const LABELS = ['spring', 'autumn', 'rare'] as const
const TEXTS = ['a heron', 'a kestrel', 'herons, kestrels'] as const
const CREATORS = ['01900000-0000-7000-8000-0000000000c1', '01900000-0000-7000-8000-0000000000c2'] as const
const POSTS = 40
const DAY_MS = 86_400_000
const day = (n: number) => new Date(Date.UTC(2030, 0, 1) + n * DAY_MS)

/**
 * Posts on up to three channels each, in any status; some have one request for approval, some two. About half are to be
 * published days before the time of their id. Newest first.
 */
async function seedPosts(db: Db, workspaceId: string, channelIds: readonly string[]): Promise<Post[]> {
  const options = fc.record({
    states: fc.array(fc.constantFrom(...STATUSES), { minLength: 1, maxLength: 3 }),
    text: fc.constantFrom(...TEXTS),
    createdAt: fc.nat(9).map(day),
    publishAt: fc.nat(9).map(day),
    author: fc.constantFrom('Ada', 'Bob'),
    createdById: fc.option(fc.constantFrom(...CREATORS)),
    labels: fc.subarray([...LABELS]),
    // Of the post itself, and of its destinations.
    changed: fc.tuple(fc.nat(9).map(day), fc.nat(9).map(day)),
    requests: fc.oneof(
      fc.constant([]),
      fc.tuple(fc.constantFrom(...REQUESTS)),
      fc.tuple(fc.constantFrom(...CLOSED), fc.constantFrom(...REQUESTS)),
    ),
  })
  const wishes = fc.sample(options, { numRuns: POSTS, seed: 3 })
  for (const [n, { text, author, createdById, changed, requests, labels, ...post }] of wishes.entries()) {
    const reference = n % 3 === 0 ? `a/${String(n).padStart(2, '0')}` : null
    const { postId } = await aPost(db, workspaceId, { ...post, texts: [text], channelIds })
    await db`
      update post set created_by_name = ${author}, created_by_id = ${createdById}, updated_at = ${changed[0]}, reference = ${reference}
      where  id = ${postId}`
    await db`update post set labels = ${labels} where id = ${postId}`
    await db`${insertLabels(db, [{ workspaceId, postId, labels }])}`
    await db`update destination set updated_at = ${changed[1]} where post_id = ${postId}`
    for (const status of requests) await anApproval(db, workspaceId, postId, status)
  }
  return db<Post[]>`
    select p.id, p.reference, p.labels, p.content->>'text' as text, p.created_by_name as author,
           p.created_by_id as "createdById", greatest(p.updated_at, max(d.updated_at)) as "updatedAt",
           coalesce((select case when a.status = 'pending' and a.expires_at > now() then 'pending'
                                 when a.status = 'approved' then 'approved' else 'rejected' end
                     from approval a where a.post_id = p.id order by a.seq desc limit 1), 'not_required') as review,
           jsonb_agg(jsonb_build_object('channelId', d.channel_id, 'status', d.status,
                                        'times', jsonb_build_array(d.publish_at, d.published_at))) as destinations
    from   post p
    join   destination d on d.workspace_id = p.workspace_id and d.post_id = p.id
    where  p.workspace_id = ${workspaceId}
    group  by p.workspace_id, p.id
    order  by p.id desc`
}

function matches(post: Post, filter: PageFilter): boolean {
  const { seen, status, channelId, from, to, reviewStatus, author, postIds, before } = filter
  const { createdById, updatedSince, reference, labels } = filter
  const isNamed = reference?.endsWith('*')
    ? post.reference?.startsWith(reference.slice(0, -1)) === true
    : post.reference === reference
  const wanted: readonly string[] | null = status === 'all' ? null : statusFilters[status]
  const isFree = [seen, wanted, channelId, from, to].every((one) => one === null)
  const isOne = post.destinations.some(
    (one) =>
      (seen === null || seen.includes(one.channelId)) &&
      (wanted === null || wanted.includes(one.status)) &&
      (channelId === null || channelId === one.channelId) &&
      ((from === null && to === null) ||
        one.times.some((time) => {
          const at = time === null ? Number.NaN : new Date(time).getTime()
          return at >= (from?.getTime() ?? -Infinity) && at < (to?.getTime() ?? Infinity)
        })),
  )
  return (
    (isFree || isOne) &&
    (reviewStatus === null || reviewStatus === post.review) &&
    (author === null || author === post.author) &&
    (createdById === null || createdById === post.createdById) &&
    (updatedSince === null || post.updatedAt >= updatedSince) &&
    (reference === null || isNamed) &&
    (labels === null || labels.every((label) => post.labels.includes(label))) &&
    (postIds === null || postIds.includes(post.id)) &&
    (before === null || post.id < before)
  )
}

let world: World
let workspaceId: string
let posts: Post[]
let filters: fc.Arbitrary<PageFilter>

beforeAll(async () => {
  world = await openWorld()
  const { db } = world
  const [owner, stranger] = [await aWorkspace(db), await aWorkspace(db)]
  workspaceId = owner.workspaceId
  const channelIds: string[] = []
  for (let n = 0; n < 3; n++) channelIds.push(await aChannel(db, workspaceId))
  posts = await seedPosts(db, workspaceId, channelIds)
  await aPost(db, stranger.workspaceId, { states: ['failed'], publishAt: day(4), createdAt: day(4) })
  const orNone = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { freq: 1 })
  const ids = fc.constantFrom(...posts.map(({ id }) => id))
  filters = fc.record({
    seen: orNone(fc.subarray(channelIds)),
    status: fc.constantFrom('all' as const, 'all' as const, ...STATUSES),
    channelId: orNone(fc.constantFrom(...channelIds)),
    from: orNone(fc.nat(9).map(day)),
    to: orNone(fc.nat(10).map(day)),
    reviewStatus: orNone(fc.constantFrom(...REVIEWS)),
    author: orNone(fc.constantFrom('Ada', 'Bob', 'nobody')),
    createdById: orNone(fc.constantFrom(...CREATORS)),
    updatedSince: orNone(fc.nat(10).map(day)),
    reference: orNone(fc.constantFrom('a/*', 'a/0*', 'a/03', 'none*')),
    labels: orNone(fc.uniqueArray(fc.constantFrom(...LABELS, 'none'), { minLength: 1, maxLength: 2 })),
    postIds: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.uniqueArray(ids, { minLength: 1, maxLength: 4 }) },
    ),
    before: orNone(ids),
  })
})
afterAll(() => world[Symbol.asyncDispose]())

function expectedOf(filter: PageFilter, folded: string, limit: number): string[] {
  const found = posts.filter((post) => matches(post, filter) && post.text.includes(folded))
  return found.slice(0, limit).map(({ id }) => id)
}

test('however a page is read, it has the newest of all posts that match, or is given up after too many', async () => {
  const enough = 5 * POSTS
  const limits = fc.record({ few: fc.nat(POSTS), walked: fc.integer({ min: 1, max: 2 * enough }) })
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 9 }), limits, async (filter, limit, within) => {
      const { db } = world
      const page = db<{ id: string }[]>`${newestPosts(db, workspaceId, filter, limit, within)}`
      const found = await page.catch((error: unknown) => {
        if (within.walked < enough && isTooBroad(error)) return null
        throw error
      })
      if (found !== null) expect(found.map(({ id }) => id)).toEqual(expectedOf(filter, '', limit))
    }),
    { numRuns: 800 },
  )
})

test('a search finds the newest of all posts that match, wherever the index takes over', async () => {
  const words = fc.constantFrom('heron', 'kestrel', 'herons', 'owl')
  const walks = fc.integer({ min: 1, max: POSTS })
  await fc.assert(
    fc.asyncProperty(
      filters,
      words,
      fc.integer({ min: 1, max: 9 }),
      walks,
      async (filter, folded, limit, walk) => {
        const limits = { ...usualSearchLimits, walked: walk, walkedNarrowed: walk }
        const found = await listSummaries(world.db, workspaceId, { ...filter, folded }, limit, limits)
        expect(found.map(({ postId }) => postId)).toEqual(expectedOf(filter, folded, limit))
      },
    ),
    { numRuns: 400 },
  )
})

test('a page is given up after too many posts, and not where few meet one of its conditions', async () => {
  const filter: PageFilter = {
    seen: null,
    status: 'scheduled',
    channelId: null,
    from: day(0),
    to: null,
    reviewStatus: null,
    author: 'Ada',
    createdById: null,
    updatedSince: null,
    reference: null,
    labels: null,
    postIds: null,
    before: null,
  }
  const page = (few: number) =>
    world.db<{ id: string }[]>`${newestPosts(world.db, workspaceId, filter, POSTS, { few, walked: 1 })}`

  await expect(page(0)).rejects.toSatisfy(isTooBroad)
  expect((await page(POSTS)).map(({ id }) => id)).toEqual(expectedOf(filter, '', POSTS))
})

test('posts of a review status in a wide range are read by their requests, and not by all that the range has', async () => {
  const filter: PageFilter = {
    seen: null,
    status: 'all',
    channelId: null,
    from: day(-1),
    to: null,
    reviewStatus: 'approved',
    author: null,
    createdById: null,
    updatedSince: null,
    reference: null,
    labels: null,
    postIds: null,
    before: null,
  }
  const [{ approved }] = await world.db<[{ approved: number }]>`
    select count(distinct post_id)::int as approved from approval where workspace_id = ${workspaceId} and status = 'approved'`
  const limits = { few: 0, walked: approved + 1 }
  expect(limits.walked).toBeLessThan(
    posts.filter((post) => matches(post, { ...filter, reviewStatus: null })).length,
  )

  const page = await world.db<{ id: string }[]>`${newestPosts(world.db, workspaceId, filter, POSTS, limits)}`

  expect(page.map(({ id }) => id)).toEqual(expectedOf(filter, '', POSTS))
})
