import { statusFilters, type ReviewStatus } from '@postrider/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aChannel, anApproval, aPost, aWorkspace } from '../../test/fixtures.ts'
import { openWorld } from '../../test/world.ts'
import type { Db } from '../platform/db.ts'
import { newestPosts, type PageFilter } from './post-page-store.ts'

type Post = {
  id: string
  author: string
  review: ReviewStatus
  destinations: { channelId: string; status: string; times: (Date | null)[] }[]
}

const STATUSES = ['draft', 'scheduled', 'delayed', 'failed', 'cancelled', 'expired'] as const
const CLOSED = ['approved', 'rejected', 'superseded'] as const
const REQUESTS = [...CLOSED, 'pending', 'expired'] as const
const REVIEWS = ['not_required', 'pending', 'approved', 'rejected'] as const
const DAY_MS = 86_400_000
const day = (n: number) => new Date(Date.UTC(2030, 0, 1) + n * DAY_MS)

/** Posts on up to three channels each, in any status; some have one request for approval, some two. Newest first. */
async function seedPosts(db: Db, workspaceId: string, channelIds: readonly string[]): Promise<Post[]> {
  const wish = fc.record({
    states: fc.array(fc.constantFrom(...STATUSES), { minLength: 1, maxLength: 3 }),
    publishAt: fc.nat(9),
    author: fc.constantFrom('Ada', 'Bob'),
    requests: fc.oneof(
      fc.constant([]),
      fc.tuple(fc.constantFrom(...REQUESTS)),
      fc.tuple(fc.constantFrom(...CLOSED), fc.constantFrom(...REQUESTS)),
    ),
  })
  for (const { states, publishAt, author, requests } of fc.sample(wish, { numRuns: 40, seed: 3 })) {
    const { postId } = await aPost(db, workspaceId, { states, channelIds, publishAt: day(publishAt) })
    await db`update post set created_by_name = ${author} where id = ${postId}`
    for (const status of requests) await anApproval(db, workspaceId, postId, status)
  }
  return db<Post[]>`
    select p.id, p.created_by_name as author,
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
  const { seen, status, channelId, from, to, reviewStatus, author, before } = filter
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
    (before === null || post.id < before)
  )
}

test('whatever index a page is read by, it has the newest of all posts that match', async () => {
  await using world = await openWorld()
  const [{ workspaceId }, stranger] = [await aWorkspace(world.db), await aWorkspace(world.db)]
  const channelIds = [
    await aChannel(world.db, workspaceId),
    await aChannel(world.db, workspaceId),
    await aChannel(world.db, workspaceId),
  ]
  const posts = await seedPosts(world.db, workspaceId, channelIds)
  await aPost(world.db, stranger.workspaceId, { states: ['failed'], publishAt: day(4) })
  const orNone = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { freq: 1 })
  const filters = fc.record({
    seen: orNone(fc.subarray(channelIds)),
    status: fc.constantFrom('all' as const, ...STATUSES),
    channelId: orNone(fc.constantFrom(...channelIds)),
    from: orNone(fc.nat(9).map(day)),
    to: orNone(fc.nat(10).map(day)),
    reviewStatus: orNone(fc.constantFrom(...REVIEWS)),
    author: orNone(fc.constantFrom('Ada', 'Bob', 'nobody')),
    postId: fc.constant(null),
    before: orNone(fc.constantFrom(...posts.map(({ id }) => id))),
  })
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 9 }), async (filter, limit) => {
      const expected = posts.filter((post) => matches(post, filter)).slice(0, limit)
      const page = await world.db<{ id: string }[]>`${newestPosts(world.db, workspaceId, filter, limit)}`
      expect(page.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    }),
    { numRuns: 400 },
  )
})
