import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aChannel, anApi, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { openWorld, openWorldIn } from '../../../test/rigs/world.ts'
import { type Db, openDb } from '../../platform/postgres/db.ts'
import { fold } from '../posts/edit/fold.ts'
import { indexPosts, rewriteSearch } from '../posts/search-store.ts'
import { type ListFilter, listSummaries } from './post-list-store.ts'
import { isTooBroad, type SearchLimits, usualSearchLimits } from './post-search-store.ts'

const everything: ListFilter = {
  seen: null,
  status: 'all',
  channelId: null,
  from: null,
  to: null,
  reviewStatus: null,
  author: null,
  createdById: null,
  labels: null,
  updatedSince: null,
  reference: null,
  postIds: null,
  folded: null,
  before: null,
}

type Search = {
  q: string
  before?: string | null
  author?: string | null
  limit?: number
  walk?: number
} & Partial<SearchLimits>

/** The posts that a search finds; all but the newest one by the index, unless more are to be read. */
async function search(
  db: Db,
  workspaceId: string,
  { q, before = null, author = null, limit = 100, walk = 1, ...limits }: Search,
) {
  const filter = { ...everything, folded: fold(q), before, author }
  const searchLimits = { ...usualSearchLimits, walked: walk, walkedNarrowed: walk, ...limits }
  return (await listSummaries(db, workspaceId, filter, limit, searchLimits)).map(({ postId }) => postId)
}

const TEXTS = [
  'ПРИВЕТ, мир',
  'ΟΔΌΣ και ὁδός',
  'これは日本語です',
  'a 👍🏽 for it',
  'Straße',
  'İstanbul',
  "50% of 'them'",
]
const NEEDLES = [
  'привет',
  'т, м',
  'ир',
  'ΟΔΟΣ'.toLowerCase(),
  'οδό',
  '日本',
  '語',
  '👍',
  '👍🏽 f',
  'STRASSE',
  'istanbul',
  "% of '",
  'x',
]

test.each([
  "locale 'C'",
  "locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'",
  "locale_provider icu icu_locale 'tr-TR' locale 'C'",
])(
  'the index finds what a text holds, in any script and of any length, in a database with %s',
  async (locale) => {
    await using world = await openWorldIn(locale)
    const { workspaceId } = await aWorkspace(world.db)
    const channelIds = [await aChannel(world.db, workspaceId)]
    const posts: { postId: string; text: string }[] = []
    for (const text of [...TEXTS, 'the newest']) {
      posts.unshift({
        postId: (await aPost(world.db, workspaceId, { texts: [text], channelIds })).postId,
        text,
      })
    }
    await indexPosts(world.db, 100)
    for (const q of NEEDLES) {
      const holding = posts.filter(({ text }) => fold(text).includes(fold(q)))
      expect([q, await search(world.db, workspaceId, { q })]).toEqual([
        q,
        holding.map(({ postId }) => postId),
      ])
    }
  },
)

test('pages of a search are those of reading every post, wherever the index takes over', async () => {
  await using world = await openWorld()
  const [{ workspaceId }, stranger] = [await aWorkspace(world.db), await aWorkspace(world.db)]
  const alphabet = fc.constantFrom('a', 'b', ' ', 'ж', '日', '👍')
  const text = fc.string({ unit: alphabet, minLength: 1, maxLength: 6 })
  const texts = fc.sample(text, { numRuns: 60, seed: 7 })
  // So that they fall into three wide blocks, and into narrow ones of one or two.
  const posts = (await seedPosts(world.db, workspaceId, texts, { hoursApart: 50 })).toReversed()
  await seedPosts(world.db, stranger.workspaceId, texts, { hoursApart: 50 })
  // All over the place: some are indexed, some are not, and some are indexed with another text than they have by now.
  await indexPosts(world.db, 90)
  await rewriteEverySeventh(world.db, workspaceId, posts)
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom('Ada', 'Bob', null),
      fc.nat(60),
      fc.nat(59),
      fc.integer({ min: 1, max: 65 }),
      fc.nat(4),
      async (q, author, limit, place, walk, wide) => {
        const before = posts[place]!.postId
        const holding = posts.filter(
          (post) =>
            post.postId < before && post.text.includes(q) && (author === null || author === post.author),
        )
        const expected = holding.slice(0, limit + 1).map(({ postId }) => postId)
        const options = { q, before, author, limit: limit + 1, walk, wide }
        expect(await search(world.db, workspaceId, options)).toEqual(expected)
      },
    ),
    { numRuns: 200 },
  )
})

test('a search is given up, and answers nothing, where too many posts have the n-grams of its text', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  const texts = ['abc bcd', ...Array.from({ length: 30 }, () => 'abc bc bcd'), 'the newest']
  const [oldest] = await seedPosts(world.db, workspaceId, texts, { hoursApart: 50 })
  await indexPosts(world.db, 100)
  const giving = (candidates: number) => search(world.db, workspaceId, { q: 'abc bcd', wide: 2, candidates })

  expect(await giving(40)).toEqual([oldest!.postId])
  await expect(giving(20)).rejects.toSatisfy(isTooBroad)
})

test('an edit is found by its new text, and no longer by the old one', async () => {
  await using world = await openWorld()
  await using api = await anApi(world.db)
  const workspace = await aWorkspace(world.db)
  const { postId } = await aPost(world.db, workspace.workspaceId, { texts: ['kestrel', 'falcon'] })
  await aPost(world.db, workspace.workspaceId, { texts: ['the newest'] })
  expect(await indexPosts(world.db, 100)).toBe(2)
  const { editToken } = await api.read(workspace, postId)
  const content = { text: 'heron' }
  expect((await api.command(workspace, postId, 'edit', { editToken, content })).status).toBe(200)

  const found = async (...texts: string[]) =>
    Promise.all(texts.map((q) => search(world.db, workspace.workspaceId, { q })))
  const asEdited = [[postId], [], [postId]]
  expect(await found('heron', 'kestrel', 'falcon')).toEqual(asEdited)
  expect(await indexPosts(world.db, 100)).toBe(1)
  expect(await found('heron', 'kestrel', 'falcon')).toEqual(asEdited)
})

test('an edit that meets the indexing of its post waits for it, and is indexed after it', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const { postId, destinationIds } = await aPost(db, workspaceId, { texts: ['kestrel'] })
  await aPost(db, workspaceId, { texts: ['the newest'] })
  const edit = () =>
    db.begin(async (tx) => {
      await tx`update part set folded = 'heron' where destination_id = ${destinationIds[0]!}`
      await rewriteSearch(tx, { workspaceId, postId })
    })
  let edited = Promise.resolve()
  await db.begin(async (tx) => {
    await indexPosts(tx, 100)
    edited = edit()
    await expect
      .poll(
        () =>
          db`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      .toHaveLength(1)
    // What is being written is left alone.
    expect(await indexPosts(db, 100)).toBe(0)
  })
  await edited

  const found = (q: string) => search(db, workspaceId, { q })
  expect([await found('heron'), await found('kestrel')]).toEqual([[postId], []])
  expect(await indexPosts(db, 100)).toBe(1)
  expect([await found('heron'), await found('kestrel')]).toEqual([[postId], []])
})

/** Posts with these texts on one channel, by two authors in turns, the last of them of now. */
async function seedPosts(
  db: Db,
  workspaceId: string,
  texts: readonly string[],
  { hoursApart }: { hoursApart: number },
): Promise<{ postId: string; text: string; author: string }[]> {
  const channelId = await aChannel(db, workspaceId)
  const made = await db<{ postId: string; text: string; author: string }[]>`
    insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
    select ${workspaceId}, uuidv7((n - ${texts.length}) * ${hoursApart} * interval '1 hour'), jsonb_build_object('text', text), 't',
           'agent_key', case when n % 2 = 0 then 'Ada' else 'Bob' end
    from   unnest(${[...texts]}::text[]) with ordinality as t (text, n)
    returning id as "postId", content->>'text' as text, created_by_name as author`
  await db`
    with placed as (
      insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token)
      select workspace_id, id, id, ${channelId}, 'sandbox-short', 'draft', 't' from post where workspace_id = ${workspaceId}
    )
    insert into part (workspace_id, destination_id, index, text, folded)
    select workspace_id, id, 0, content->>'text', content->>'text' from post where workspace_id = ${workspaceId}`
  await db.begin(async (tx) => {
    for (const { postId } of made) await rewriteSearch(tx, { workspaceId, postId })
  })
  return made
}

test('what a process that dies was indexing is found, and indexed by another one', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const { postId } = await aPost(db, workspaceId, { texts: ['kestrel'] })
  await aPost(db, workspaceId, { texts: ['the newest'] })
  const dying = await db.reserve()
  await dying`begin`
  expect(await indexPosts(dying, 100)).toBe(2)
  const [{ pid }] = await dying<[{ pid: number }]>`select pg_backend_pid() as pid`
  await db`select pg_terminate_backend(${pid}, 5000)`
  dying.release()

  expect(await search(db, workspaceId, { q: 'kestrel' })).toEqual([postId])
  expect(await indexPosts(db, 100)).toBe(2)
  expect(await search(db, workspaceId, { q: 'kestrel' })).toEqual([postId])
})

/** Has every seventh post indexed with a text that it does not have any more. */
async function rewriteEverySeventh(db: Db, workspaceId: string, posts: readonly { postId: string }[]) {
  const postIds = posts.filter((_, place) => place % 7 === 0).map(({ postId }) => postId)
  await db.begin(async (tx) => {
    for (const postId of postIds) await rewriteSearch(tx, { workspaceId, postId })
    await tx`
      insert into post_search (workspace_id, post_id, folded)
      select ${workspaceId}, id, array['a b ж日👍'] from unnest(${postIds}::uuid[]) id
      on     conflict (workspace_id, post_id) do update set folded = excluded.folded`
  })
}

test('what is searched is written by keys, though the connection planned that while there were no posts', async () => {
  await using world = await openWorld()
  const db = openDb({ ...world.connection, applicationName: 'one', max: 1, byIndex: true })
  const { workspaceId } = await aWorkspace(db)
  const channelIds = [await aChannel(db, workspaceId)]
  const write = () => aPost(db, workspaceId, { channelIds, states: ['scheduled'] })
  const partsRead = async () => {
    await db`select pg_stat_force_next_flush()`
    const [row] = await db<[{ count: number }]>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_user_tables where relname = 'part'`
    return row.count
  }
  for (let post = 0; post < 40; post++) await write()
  const before = await partsRead()
  await write()
  expect((await partsRead()) - before).toBeLessThan(5)
  await db.end()
})
