import { afterAll, describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { aUser, join, openSite } from '../../../test/rigs/people-world.ts'

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

type Status = 'scheduled' | 'published' | 'failed' | 'draft'

async function aCalendar(timeZone: string) {
  const { workspaceId } = await aWorkspace(db)
  await db`update workspace set time_zone = ${timeZone} where id = ${workspaceId}`
  const viewer = await aUser(db, site.app)
  await join(db, workspaceId, viewer, 'viewer')
  const channelIds = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]

  const at = async (time: string, text: string, states: Status[] = ['scheduled']) => {
    const post = { channelIds: channelIds.slice(0, states.length), texts: [text], states }
    const publishAt = new Date(time)
    const { postId } = await aPost(db, workspaceId, { ...post, publishAt })
    // Drafts that wait for approval have a time.
    await db`update destination set publish_at = ${publishAt} where post_id = ${postId}`
    return postId
  }
  const ask = (query: Record<string, string>) => {
    const asked = { from: '2026-12-01', days: '7', by: 'day', most: '3', ...query }
    return viewer.ask(
      `GET /workspaces/${workspaceId}/calendar/overview?${new URLSearchParams(asked).toString()}`,
    )
  }
  /** Each day or hour with how many posts it has, and the texts of the first. */
  const overview = async (query: Record<string, string> = {}) => {
    const { status, body } = await ask(query)
    expect({ status, body }).toMatchObject({ status: 200 })
    const slots = body.slots as { at: string; posts: number; entries: { text: string }[] }[]
    return slots.map(({ at: slot, posts, entries }) => [slot, posts, ...entries.map(({ text }) => text)])
  }
  return { workspaceId, channelIds, at, ask, overview }
}

test('each day has its first posts, those first that need a person, and how many there are in all', async () => {
  const { at, overview } = await aCalendar('UTC')
  await at('2026-12-02T09:03:00Z', 'late')
  await at('2026-12-02T09:04:00Z', 'later')
  await at('2026-12-02T09:01:00Z', 'on two channels', ['scheduled', 'scheduled'])
  await at('2026-12-02T12:00:00Z', 'refused', ['failed'])
  await at('2026-12-02T12:00:00Z', 'a draft', ['draft'])
  await at('2026-12-04T12:00:00Z', 'alone')
  expect(await overview()).toEqual([
    ['2026-12-02', 4, 'refused', 'on two channels', 'on two channels', 'late'],
    ['2026-12-04', 1, 'alone'],
  ])
  expect(await overview({ by: 'hour', most: '1' })).toEqual([
    ['2026-12-02T09', 3, 'on two channels', 'on two channels'],
    ['2026-12-02T12', 1, 'refused'],
    ['2026-12-04T12', 1, 'alone'],
  ])
  expect(await overview({ from: '2026-12-03', days: '1' })).toEqual([])
})

describe('days and hours are those of the zone of the workspace', () => {
  test('where clocks go back, its hour is one, and the day has 25', async () => {
    const { at, overview } = await aCalendar('Europe/Berlin')
    await at('2026-10-24T21:59:00Z', 'the day before')
    await at('2026-10-24T22:00:00Z', 'first minute')
    await at('2026-10-25T00:30:00Z', 'half past two')
    await at('2026-10-25T01:30:00Z', 'half past two, again')
    await at('2026-10-25T22:59:00Z', 'last minute')
    await at('2026-10-25T23:00:00Z', 'the day after')
    const day = { from: '2026-10-25', days: '1' }
    expect(await overview(day)).toEqual([
      ['2026-10-25', 4, 'first minute', 'half past two', 'half past two, again'],
    ])
    expect(await overview({ ...day, by: 'hour' })).toEqual([
      ['2026-10-25T00', 1, 'first minute'],
      ['2026-10-25T02', 2, 'half past two', 'half past two, again'],
      ['2026-10-25T23', 1, 'last minute'],
    ])
  })

  test('where clocks go forward, the day has 23', async () => {
    const { at, overview } = await aCalendar('America/New_York')
    await at('2027-03-14T04:59:00Z', 'the day before')
    await at('2027-03-14T05:00:00Z', 'first minute')
    await at('2027-03-14T07:00:00Z', 'three o’clock')
    await at('2027-03-15T03:59:00Z', 'last minute')
    await at('2027-03-15T04:00:00Z', 'the day after')
    expect(await overview({ from: '2027-03-14', days: '1', by: 'hour' })).toEqual([
      ['2027-03-14T00', 1, 'first minute'],
      ['2027-03-14T03', 1, 'three o’clock'],
      ['2027-03-14T23', 1, 'last minute'],
    ])
  })

  test('also where the database does not have the zone by the name that it was given', async () => {
    const [unknown] = await db`select from pg_timezone_names where name = 'US/Pacific-New'`
    expect(unknown).toBeUndefined()
    const { at, overview } = await aCalendar('US/Pacific-New')
    await at('2026-12-01T07:59:00Z', 'the day before')
    await at('2026-12-01T08:00:00Z', 'first minute')
    expect(await overview({ days: '1' })).toEqual([['2026-12-01', 1, 'first minute']])
  })

  test('an hour that comes back after the next day has begun is one of its own day', async () => {
    const { at, overview } = await aCalendar('America/St_Johns')
    await at('1990-10-28T02:30:30Z', 'a minute after midnight')
    await at('1990-10-28T02:31:00Z', 'an hour before it, again')
    const days = { from: '1990-10-27', days: '2' }
    expect(await overview(days)).toEqual([
      ['1990-10-27', 1, 'an hour before it, again'],
      ['1990-10-28', 1, 'a minute after midnight'],
    ])
  })

  test('behind the last day that there is, there is nothing', async () => {
    const { overview } = await aCalendar('Pacific/Kiritimati')
    expect(await overview({ from: '9999-12-31', days: '62' })).toEqual([])
  })
})

test('a post stands where the first of its channels is, also where another was published on the next day', async () => {
  const { at, overview } = await aCalendar('UTC')
  const postId = await at('2026-12-03T23:59:59Z', 'around midnight', ['published', 'published'])
  await db`
    update destination d set published_at = publish_at + n * interval '1 second'
    from   (select id, row_number() over (order by id) - 1 as n from destination where post_id = ${postId}) one
    where  one.id = d.id`
  const text = 'around midnight'
  expect(await overview()).toEqual([['2026-12-03', 1, text, text]])
  expect(await overview({ from: '2026-12-04', days: '1' })).toEqual([])
  expect(await overview({ from: '2026-12-03', days: '1' })).toEqual([['2026-12-03', 1, text, text]])
})

test('filters leave out posts before they are counted, and the names of all authors stay', async () => {
  const { workspaceId, channelIds, at, ask, overview } = await aCalendar('UTC')
  await at('2026-12-02T09:00:00Z', 'planned', ['scheduled', 'failed'])
  const theirs = await at('2026-12-02T09:01:00Z', 'by another')
  await at('2026-12-02T09:02:00Z', 'a draft', ['draft'])
  await db`update post set created_by_name = 'Ada' where workspace_id = ${workspaceId}`
  await db`update post set created_by_name = 'Grace', labels = '{Sale}' where id = ${theirs}`
  await db`
    insert into post_label (workspace_id, label_key, post_id, label) values (${workspaceId}, 'sale', ${theirs}, 'Sale')`
  const day = '2026-12-02'
  expect(await overview()).toEqual([[day, 2, 'planned', 'planned', 'by another']])
  expect(await overview({ author: 'Grace' })).toEqual([[day, 1, 'by another']])
  expect(await overview({ label: 'sale' })).toEqual([[day, 1, 'by another']])
  expect(await overview({ channelId: channelIds[1] ?? '' })).toEqual([[day, 1, 'planned']])
  expect(await overview({ status: 'failed' })).toEqual([[day, 1, 'planned']])
  expect(await overview({ status: 'draft' })).toEqual([[day, 1, 'a draft']])
  expect((await ask({ author: 'Grace' })).body.authors).toEqual(['Ada', 'Grace'])
})

test.each([
  { from: '2026-02-30' },
  { from: '0000-01-01' },
  { days: '0' },
  { days: '63' },
  { by: 'minute' },
  { most: '21' },
])('a question that means nothing is refused: %o', async (query) => {
  const { ask } = await aCalendar('UTC')
  expect(await ask(query as unknown as Record<string, string>)).toMatchObject({
    status: 400,
    body: { code: 'validation_failed' },
  })
})
