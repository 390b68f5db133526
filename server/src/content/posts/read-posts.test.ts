import { CalendarEntry, destinationStatusNames, Post, PostSummary } from '@postrider/contract'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { aChannel, anActor, aPost, aWorkspace, aPicture } from '../../../test/rigs/fixtures.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { cursors } from '../../edge/operations/cursor.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { providers } from '../../networks/providers/registry.ts'
import { listPosts } from '../listing/list-posts.ts'
import { readCalendar } from '../listing/read-calendar.ts'
import { readPost } from './read-post.ts'

const options = { providers, baseUrl: 'https://postrider.example' }
const pages = cursors(Buffer.alloc(32, 7))
const nowhere = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'

type Query = Parameters<typeof listPosts>[2]

async function list(db: Db, workspaceId: string, query: Query = {}) {
  const answer = await listPosts(db, workspaceId, query, pages)
  if (isRefusal(answer)) throw new Error(answer.detail)
  return answer
}

async function idsOf(db: Db, workspaceId: string, query: Query = {}): Promise<string[]> {
  return (await list(db, workspaceId, query)).items.map(({ postId }) => postId)
}

describe('a post', () => {
  test.each(destinationStatusNames)('reads with a destination that is %s', async (status) => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    const { postId, channelIds } = await aPost(world.db, workspaceId, {
      states: [status],
      texts: ['one', 'two'],
    })

    const post = await readPost(world.db, { workspaceId, postId }, anActor, options)

    expect(Check(Post, post)).toBe(true)
    expect(post).toMatchObject({
      postId,
      content: { text: 'one', thread: [{ text: 'two' }] },
      destinations: [{ channelId: channelIds[0], status, parts: [{ text: 'one' }, { text: 'two' }] }],
    })
  })

  test('of another workspace is not found, like one that never was', async () => {
    await using world = await openWorld()
    const [mine, theirs] = [await aWorkspace(world.db), await aWorkspace(world.db)]
    const { postId } = await aPost(world.db, theirs.workspaceId)

    const foreign = await readPost(world.db, { workspaceId: mine.workspaceId, postId }, anActor, options)
    expect(foreign).toMatchObject({ refused: 'not_found' })
    expect(foreign).toEqual(
      await readPost(world.db, { workspaceId: mine.workspaceId, postId: nowhere }, anActor, options),
    )
  })

  test.each([
    ['pending', 'pending', 'pending'],
    ['superseded', 'rejected', 'rejected'],
  ])('whose latest approval is %s reads as %s', async (status, reviewStatus, shown) => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    const { postId } = await aPost(world.db, workspaceId)
    await world.db`
      insert into approval (workspace_id, id, post_id, content_digest, status, expires_at)
      values (${workspaceId}, ${nowhere}, ${postId}, '\\x00', ${status}, now() + interval '1 day')`

    const post = await readPost(world.db, { workspaceId, postId }, anActor, options)
    expect(post).toMatchObject({ reviewStatus, approval: { status: shown } })
    expect((await list(world.db, workspaceId)).items).toMatchObject([{ reviewStatus }])
  })

  test('no longer waits for an approval whose time is over', async () => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    const { postId } = await aPost(world.db, workspaceId)
    await world.db`
      insert into approval (workspace_id, id, post_id, content_digest, expires_at)
      values (${workspaceId}, ${nowhere}, ${postId}, '\\x00', now() - interval '1 second')`

    expect(await readPost(world.db, { workspaceId, postId }, anActor, options)).not.toMatchObject({
      reviewStatus: 'pending',
    })
  })
})

describe('the list of posts', () => {
  test('shows a summary with the tokens of its commands, and without inner ids', async () => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    const publishAt = new Date('2026-11-21T09:00:00.000Z')
    const { postId, channelIds } = await aPost(world.db, workspaceId, { states: ['scheduled'], publishAt })

    const { items, nextCursor } = await list(world.db, workspaceId)

    expect(items).toEqual([
      {
        postId,
        reference: null,
        labels: [],
        text: 'Hello',
        imageId: null,
        reviewStatus: 'not_required',
        publishAt: '2026-11-21T09:00:00.000Z',
        destinations: [
          {
            channelId: channelIds[0],
            provider: 'sandbox-short',
            status: 'scheduled',
            publishAt: '2026-11-21T09:00:00.000Z',
            releaseUrl: null,
            controlToken: expect.any(String),
          },
        ],
        editToken: expect.any(String),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ])
    expect(items.every((item) => Check(PostSummary, item))).toBe(true)
    expect(nextCursor).toBeNull()
  })

  test('goes from the newest to the oldest, page by page, whatever is created meanwhile', async () => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    const channelIds = [await aChannel(world.db, workspaceId)]
    const made: string[] = []
    for (let n = 0; n < 7; n++) made.unshift((await aPost(world.db, workspaceId, { channelIds })).postId)

    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await list(world.db, workspaceId, { limit: 3, ...(cursor === null ? {} : { cursor }) })
      seen.push(...page.items.map(({ postId }) => postId))
      cursor = page.nextCursor
      await aPost(world.db, workspaceId, { channelIds })
    } while (cursor !== null)

    expect(seen).toEqual(made)
  })

  test('ends without a cursor when a page is exactly full', async () => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    await aPost(world.db, workspaceId)
    expect(await list(world.db, workspaceId, { limit: 1 })).toMatchObject({ nextCursor: null })
  })

  test('refuses a cursor that was changed, or is of other filters or of another workspace', async () => {
    await using world = await openWorld()
    const [mine, theirs] = [await aWorkspace(world.db), await aWorkspace(world.db)]
    for (const { workspaceId } of [mine, mine, theirs, theirs]) await aPost(world.db, workspaceId)
    const { nextCursor } = await list(world.db, mine.workspaceId, { limit: 1 })
    const cursor = nextCursor ?? ''

    for (const [workspaceId, query] of [
      [mine.workspaceId, { cursor: `${cursor}A` }],
      [mine.workspaceId, { cursor, status: 'draft' }],
      [mine.workspaceId, { cursor, q: 'hello' }],
      [theirs.workspaceId, { cursor }],
    ] as const) {
      expect(await listPosts(world.db, workspaceId, query, pages)).toMatchObject({
        refused: 'invalid_cursor',
      })
    }
  })

  test('matches a status when any destination does', async () => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    const of = async (...states: (typeof destinationStatusNames)[number][]) =>
      (await aPost(world.db, workspaceId, { states })).postId
    const draft = await of('draft')
    const delayed = await of('delayed', 'checking')
    const scheduled = await of('scheduled', 'published')
    const partial = await of('partially_published', 'cancelled')
    const failed = await of('failed', 'draft')
    const other = await of('checking', 'publishing', 'expired', 'reconnect_required')

    const { db } = world
    expect(await idsOf(db, workspaceId, { status: 'draft' })).toEqual([failed, draft])
    expect(await idsOf(db, workspaceId, { status: 'scheduled' })).toEqual([scheduled, delayed])
    expect(await idsOf(db, workspaceId, { status: 'published' })).toEqual([partial, scheduled])
    expect(await idsOf(db, workspaceId, { status: 'failed' })).toEqual([failed])
    expect(await idsOf(db, workspaceId, { status: 'all' })).toEqual([
      other,
      failed,
      partial,
      scheduled,
      delayed,
      draft,
    ])
  })

  test.each([
    ['hello', ['Say HELLO there'], true],
    ['HELLO', ['nothing', 'say hello'], true],
    ['strasse', ['Die Straße'], true],
    ['ΟΔΌΣ', ['οδός'], true],
    ['привет', ['ПРИВЕТ, мир'], true],
    ['日本', ['これは日本語です'], true],
    ['50%', ['only 50 of them'], false],
    ['50%', ['only 50% of them'], true],
    ['a_c', ['abc'], false],
    ['.*', ['anything'], false],
    ["'; drop table post", ['x'], false],
    ['\u0000', ['x'], false],
    ['\ud800', ['x'], false],
  ])('finds %j in %j: %s', async (q, texts, found) => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    const { postId } = await aPost(world.db, workspaceId, { texts })
    expect(await idsOf(world.db, workspaceId, { q })).toEqual(found ? [postId] : [])
  })

  test('shows when the next destination is due, and after that when the last one was', async () => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    const { destinationIds } = await aPost(world.db, workspaceId, {
      states: ['published', 'scheduled', 'scheduled'],
    })
    const at = (day: number) => `2026-11-${day}T09:00:00.000Z`
    for (const [place, id] of destinationIds.entries()) {
      await world.db`update destination set publish_at = ${at(20 + place)} where id = ${id}`
    }
    const publishAt = async () => (await list(world.db, workspaceId)).items[0]?.publishAt

    expect(await publishAt()).toBe(at(21))
    await world.db`update destination set status = 'cancelled' where status = 'scheduled'`
    expect(await publishAt()).toBe(at(22))
  })

  test('cuts a text after 280 characters, and through none', async () => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    await aPost(world.db, workspaceId, { texts: ['👍'.repeat(400)] })
    await aPost(world.db, workspaceId, { texts: [`${'a'.repeat(277)}👨‍👩‍👧‍👦b`] })

    const { items } = await list(world.db, workspaceId)
    expect(items.map(({ text }) => text)).toEqual(['a'.repeat(277), '👍'.repeat(280)])
  })
})

describe('the calendar', () => {
  const from = '2026-11-01T00:00:00.000Z'
  const to = '2026-12-01T00:00:00.000Z'

  test('holds what is planned or was published in the range, in the order of time', async () => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    const { db } = world
    const at = async (time: string | null, states = ['scheduled'] as const) =>
      (await aPost(db, workspaceId, { states, publishAt: time === null ? null : new Date(time) })).postId

    await at(to)
    const late = await at('2026-11-30T23:59:59.999Z')
    const first = await at(from)
    await at('2026-10-31T23:59:59.999Z')
    await aPost(db, workspaceId, { states: ['draft'] })
    const published = await aPost(db, workspaceId, {
      states: ['published'],
      publishAt: new Date('2026-10-31T23:00:00Z'),
    })
    await db`update destination set published_at = '2026-11-05T00:00:00Z' where post_id = ${published.postId}`
    await aPost(db, (await aWorkspace(db)).workspaceId, { states: ['scheduled'], publishAt: new Date(from) })

    const entries = await readCalendar(db, workspaceId, { from, to })
    if (isRefusal(entries)) throw new Error(entries.detail)
    expect(entries.map(({ postId }) => postId)).toEqual([first, published.postId, late])
    expect(entries.every((entry) => Check(CalendarEntry, entry))).toBe(true)
    expect(entries[0]).toEqual({
      labels: [],
      postId: first,
      channelId: expect.any(String),
      provider: 'sandbox-short',
      status: 'scheduled',
      publishAt: from,
      publishedAt: null,
      text: 'Hello',
      releaseUrl: null,
      imageId: null,
      seriesId: null,
      reviewStatus: 'not_required',
      author: 'test key',
      editToken: expect.any(String),
      controlToken: expect.any(String),
    })
  })

  test('names the picture that a post begins with, as the list does, and no file of another kind', async () => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    const { db } = world
    const [picture, film] = [await aPicture(db, workspaceId), await aPicture(db, workspaceId)]
    await db`update media_item set kind = 'video' where id = ${film}`
    for (const mediaId of [picture, film]) {
      const { postId } = await aPost(db, workspaceId, { states: ['scheduled'], publishAt: new Date(from) })
      await db`update post set content = content || jsonb_build_object('mediaIds', jsonb_build_array(${mediaId}::text)) where id = ${postId}`
    }

    const entries = await readCalendar(db, workspaceId, { from, to })
    if (isRefusal(entries)) throw new Error(entries.detail)
    expect(entries.map(({ imageId }) => imageId)).toEqual([picture, null])
    const { items } = await list(db, workspaceId)
    expect(items.map(({ imageId }) => imageId)).toEqual([null, picture])
  })
})
