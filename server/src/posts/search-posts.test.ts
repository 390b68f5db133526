import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aChannel, anApi, aPost, aWorkspace } from '../../test/fixtures.ts'
import { explained, statementOf } from '../../test/query-plan.ts'
import { openWorld, openWorldIn } from '../../test/world.ts'
import { type Db, openDb } from '../platform/db.ts'
import { fold } from './fold.ts'
import { type ListFilter, listSummaries } from './post-list-store.ts'

const everything: ListFilter = {
  ...{ seen: null, status: 'all', channelId: null, from: null, to: null },
  ...{ reviewStatus: null, author: null, postId: null, folded: null, before: null },
}

type Search = { q: string; before?: string | null; limit?: number; walk?: number }

/** The posts that a search finds; all but the newest one by the index, unless more are to be read. */
async function search(db: Db, workspaceId: string, { q, before = null, limit = 100, walk = 1 }: Search) {
  const filter = { ...everything, folded: fold(q), before }
  return (await listSummaries(db, workspaceId, filter, limit, walk)).map(({ postId }) => postId)
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
  const posts: { postId: string; texts: string[] }[] = []
  const alphabet = fc.constantFrom('a', 'b', ' ', 'ж', '日', '👍')
  const text = fc.string({ unit: alphabet, minLength: 1, maxLength: 6 })
  const channelIds = [await aChannel(world.db, workspaceId)]
  for (const texts of fc.sample(fc.array(text, { minLength: 1, maxLength: 3 }), { numRuns: 40, seed: 7 })) {
    posts.unshift({ postId: (await aPost(world.db, workspaceId, { texts, channelIds })).postId, texts })
    await aPost(world.db, stranger.workspaceId, { texts })
  }
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.nat(40),
      fc.nat(39),
      fc.integer({ min: 1, max: 45 }),
      async (q, limit, place, walk) => {
        const before = posts[place]!.postId
        const holding = posts.filter(
          ({ postId, texts }) => postId < before && texts.some((one) => one.includes(q)),
        )
        const expected = holding.slice(0, limit + 1).map(({ postId }) => postId)
        expect(await search(world.db, workspaceId, { q, before, limit: limit + 1, walk })).toEqual(expected)
      },
    ),
    { numRuns: 150 },
  )
})

test('an edit is found by its new text, and no longer by the old one', async () => {
  await using world = await openWorld()
  await using api = await anApi(world.db)
  const workspace = await aWorkspace(world.db)
  const { postId } = await aPost(world.db, workspace.workspaceId, { texts: ['kestrel', 'falcon'] })
  await aPost(world.db, workspace.workspaceId, { texts: ['the newest'] })
  const { editToken } = await api.read(workspace, postId)
  const content = { text: 'heron' }
  expect((await api.command(workspace, postId, 'edit', { editToken, content })).status).toBe(200)

  const found = (q: string) => search(world.db, workspace.workspaceId, { q })
  expect(await found('heron')).toEqual([postId])
  expect(await found('kestrel')).toEqual([])
  expect(await found('falcon')).toEqual([postId])
})

test('a rare text is found by the index, a common one among the newest posts, and neither by reading all', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await seedPosts(db, workspaceId, 3_000)
  await db`vacuum analyze`
  const planOf = async (q: string) => {
    const run = (other: Db) => search(other, workspaceId, { q, limit: 20, walk: 500 })
    expect(await run(db)).toHaveLength(q === 'common' ? 20 : 1)
    return (await explained(db, await statementOf(world, 'search_grams', run))).join('\n')
  }

  const [rare, common] = [await planOf('rare 17 '), await planOf('common')]

  expect(rare).toMatch(/Bitmap Index Scan on post_search_grams .*actual time=\S+ rows=\d\.00/)
  expect(common).toMatch(/Bitmap Index Scan on post_search_grams .*never executed/)
  for (const plan of [rare, common])
    expect(plan).not.toMatch(/Seq Scan on (post|part|destination|post_search) .*actual/)
}, 60_000)

/** So many posts on one channel, of a text that all have and a number of their own. */
async function seedPosts(db: Db, workspaceId: string, count: number): Promise<void> {
  const channelId = await aChannel(db, workspaceId)
  await db`
    with made as (
      insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
      select ${workspaceId}, uuidv7(), jsonb_build_object('text', 'common rare ' || n || ' .'), 't', 'agent_key', 'k'
      from   generate_series(1, ${count}::int) n
      returning id, content
    ),
    placed as (
      insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token)
      select ${workspaceId}, id, id, ${channelId}, 'sandbox-short', 'draft', 't' from made
    )
    insert into part (workspace_id, destination_id, index, text, folded)
    select ${workspaceId}, id, 0, content->>'text', content->>'text' from made`
}

test('what is searched is written by keys, though the connection planned that while there were no posts', async () => {
  await using world = await openWorld()
  const db = openDb({ ...world.connection, applicationName: 'one', max: 1 })
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
