import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDb, type Db } from '../src/platform/postgres/db.ts'
import { timeIssues } from '../src/content/posts/create/plan-issues.ts'
import {
  aChannel,
  anApi,
  announced,
  aPost,
  aWorkspace,
  type AnApi,
  type AWorkspace,
} from './rigs/fixtures.ts'
import { openWorld, type World } from './rigs/world.ts'

/*
 * A time is an instant, whatever offset it is written with, and whatever clock is on the wall where the server and
 * its database stand: here both stand in places with odd offsets and changes of their own.
 */

let world: World
let db: Db
let api: AnApi
let workspace: AWorkspace
let channelId: string
const home = process.env['TZ']

beforeAll(async () => {
  process.env['TZ'] = 'Australia/Lord_Howe'
  world = await openWorld()
  const name = 'database' in world.connection ? world.connection.database : ''
  await world.db`alter database ${world.db(name)} set timezone = 'America/St_Johns'`
  db = openDb({ ...world.connection, applicationName: 'test' })
  api = await anApi(db)
  workspace = await aWorkspace(db)
  channelId = await aChannel(db, workspace.workspaceId)
})
afterAll(async () => {
  if (home === undefined) delete process.env['TZ']
  else process.env['TZ'] = home
  await api[Symbol.asyncDispose]()
  await db.end()
  await world[Symbol.asyncDispose]()
})

const year = new Date().getUTCFullYear() + 1

/** The day of a month's n-th Sunday, from its end when n is negative, as `YYYY-MM-DD`. */
function sunday(month: number, n: number): string {
  const days = Array.from({ length: 31 }, (_, day) => new Date(Date.UTC(year, month - 1, day + 1)))
  const sundays = days.filter((day) => day.getUTCMonth() === month - 1 && day.getUTCDay() === 0)
  return sundays
    .at(n > 0 ? n - 1 : n)!
    .toISOString()
    .slice(0, 10)
}

const [berlinSpring, berlinAutumn, newYorkSpring, lordHoweAutumn] = [
  sunday(3, -1),
  sunday(10, -1),
  sunday(3, 2),
  sunday(4, 1),
] as [string, string, string, string]

const written = [
  // Around the changes of summer time: the hour that is left out, and the hour that is there twice.
  [`${berlinSpring}T01:59:59.999+01:00`, `${berlinSpring}T00:59:59.999Z`],
  [`${berlinSpring}T03:00:00+02:00`, `${berlinSpring}T01:00:00.000Z`],
  [`${berlinSpring}T02:30:00+01:00`, `${berlinSpring}T01:30:00.000Z`],
  [`${berlinAutumn}T02:30:00+02:00`, `${berlinAutumn}T00:30:00.000Z`],
  [`${berlinAutumn}T02:30:00+01:00`, `${berlinAutumn}T01:30:00.000Z`],
  [`${newYorkSpring}T01:59:59-05:00`, `${newYorkSpring}T06:59:59.000Z`],
  [`${newYorkSpring}T03:00:00-04:00`, `${newYorkSpring}T07:00:00.000Z`],
  // Half an hour of summer time, where this server stands.
  [`${lordHoweAutumn}T02:00:00+11:00`, minus(lordHoweAutumn, 'T15:00:00.000Z')],
  [`${lordHoweAutumn}T01:45:00+10:30`, minus(lordHoweAutumn, 'T15:15:00.000Z')],
  // Offsets that are no whole hours, and the farthest ones.
  [`${year}-06-01T00:00:00+05:45`, `${year}-05-31T18:15:00.000Z`],
  [`${year}-06-01T23:59:59.001-09:30`, `${year}-06-02T09:29:59.001Z`],
  [`${year}-01-01T00:00:00+14:00`, `${year - 1}-12-31T10:00:00.000Z`],
  [`${year}-12-31T23:59:59-12:00`, `${year + 1}-01-01T11:59:59.000Z`],
  [`${year}-06-01T12:00:00-00:00`, `${year}-06-01T12:00:00.000Z`],
  // More digits than milliseconds have, without more to say.
  [`${year}-06-01T12:00:00.123000Z`, `${year}-06-01T12:00:00.123Z`],
  // A leap second is the second after it.
  [`${year}-06-30T23:59:60Z`, `${year}-07-01T00:00:00.000Z`],
  [`${year}-06-01t12:00:00z`, `${year}-06-01T12:00:00.000Z`],
] as const

function minus(day: string, time: string): string {
  return `${new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)}${time}`
}

const soon = () => new Date(Date.now() + 3_600_000).toISOString()

async function aScheduled(publishAt: string) {
  const answer = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    idempotencyKey: crypto.randomUUID(),
    state: 'scheduled',
    text: 'a',
    channelIds: [channelId],
    publishAt,
  })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

async function dueAt(postId: string): Promise<unknown> {
  const [row] = await db`
    select to_char(due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as due,
           extract(epoch from expires_at - publish_at)::int as allowed
    from   destination where post_id = ${postId}`
  return row
}

test('both stand where they are said to stand', async () => {
  expect(new Date(Date.UTC(year, 6, 1)).getTimezoneOffset()).toBe(-630)
  expect(await db`show timezone`).toMatchObject([{ TimeZone: 'America/St_Johns' }])
})

describe.each(written)('%s', (sent, instant) => {
  const kept = { due: `${instant.slice(0, -1)}000`, allowed: 86_400 }

  test('is kept to the instant when a post is created, and in its event and the calendar', async () => {
    const { postId, destinations } = await aScheduled(sent)
    const [{ publishAt, expiresAt }] = destinations
    expect(publishAt).toBe(instant)
    expect(Date.parse(expiresAt) - Date.parse(publishAt)).toBe(86_400_000)
    expect((await api.read(workspace, postId)).destinations[0]).toMatchObject({ publishAt, expiresAt })
    expect(await dueAt(postId)).toEqual(kept)

    const events = await announced(db, workspace.workspaceId)
    expect(events.at(-1)).toMatchObject({ data: { post: { postId }, destination: { publishAt: instant } } })

    const at = Date.parse(instant)
    const found = async (from: number, to: number) => {
      const range = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
      const { body } = await api.call(workspace, 'GET', `/calendar?${range}`)
      return (body as { postId: string }[]).some((entry) => entry.postId === postId)
    }
    expect([await found(at, at + 1), await found(at - 1_000, at), await found(at + 1, at + 1_000)]).toEqual([
      true,
      false,
      false,
    ])
    const range = new URLSearchParams({ from: sent, to: new Date(at + 1_000).toISOString() })
    const offset = await api.call(workspace, 'GET', `/calendar?${range.toString()}`)
    expect((offset.body as { postId: string }[]).map((entry) => entry.postId)).toContain(postId)
  })

  test.each(['schedule', 'reschedule', 'retry'] as const)('is kept to the instant by %s', async (command) => {
    const state = ({ schedule: 'draft', reschedule: 'scheduled', retry: 'failed' } as const)[command]
    const { postId } = await aPost(db, workspace.workspaceId, { states: [state] })
    const { channelId, controlToken } = (await api.read(workspace, postId)).destinations[0]!
    const answer = await api.command(workspace, postId, command, { channelId, controlToken, publishAt: sent })
    expect(answer.body).toMatchObject({ publishAt: instant })
    expect(await dueAt(postId)).toEqual(kept)
  })
})

test.each([
  [`${year}-02-30T12:00:00Z`],
  [`${year}-13-01T12:00:00Z`],
  [`${year}-06-31T12:00:00+05:45`],
  [`${year}-06-01T24:00:01Z`],
  [`${year}-06-01T12:60:00Z`],
  [`${year}-06-01T12:00:00+24:00`],
  [`${year}-06-01T12:00:00+05:60`],
  [`${year}-06-01T12:00:00+0545`],
  [`${year}-06-01T12:00:00`],
  [`${year}-06-01 12:00:00Z`],
  [`${year}-06-01T12:00:00.123987Z`],
  [`${year}-06-01T12:00:61Z`],
  ['2100-02-29T12:00:00Z'],
  ['+275760-09-13T00:00:00.001Z'],
  ['1798794000'],
  [''],
])('%s is no instant', async (publishAt) => {
  const body = { state: 'scheduled', channelIds: [channelId], text: 'a', publishAt }
  const answer = await api.call(workspace, 'POST', '/post-checks', body, null)
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/publishAt' }] })
})

describe('a local time', () => {
  const local = (text: string, timeZone = 'Europe/Berlin') => ({ local: text, timeZone })
  const times = [
    [local(`${year}-12-01T09:00`), `${year}-12-01T08:00:00.000Z`],
    [local(`${year}-07-01T09:00:30.25`), `${year}-07-01T07:00:30.250Z`],
    [local(`${year}-07-01T09:00`, 'Asia/Kathmandu'), `${year}-07-01T03:15:00.000Z`],
    [local(`${berlinSpring}T03:00`), `${berlinSpring}T01:00:00.000Z`],
  ] as const

  test.each(times)('%j is %s, in a create and in every command', async (publishAt, instant) => {
    const plan = { state: 'scheduled', channelIds: [channelId], text: 'a', publishAt }
    expect((await api.call(workspace, 'POST', '/post-checks', plan, null)).body).toMatchObject({
      ready: true,
    })
    const key = { confirmed: true, idempotencyKey: crypto.randomUUID() }
    const created = await api.call(workspace, 'POST', '/posts', { ...key, ...plan })
    expect(created.body.destinations).toMatchObject([{ publishAt: instant }])
    for (const [command, state] of Object.entries({
      schedule: 'draft',
      reschedule: 'scheduled',
      retry: 'failed',
    })) {
      const { postId } = await aPost(db, workspace.workspaceId, { states: [state as 'draft'] })
      const { channelId, controlToken } = (await api.read(workspace, postId)).destinations[0]!
      const answer = await api.command(workspace, postId, command, { channelId, controlToken, publishAt })
      expect(answer.body).toMatchObject({ publishAt: instant })
    }
  })

  test.each([
    [
      local(`${berlinSpring}T02:30`),
      '/publishAt/local',
      'missing_local_time',
      ['T00:30', 'T01:30'],
      berlinSpring,
    ],
    [
      local(`${berlinAutumn}T02:30`),
      '/publishAt/local',
      'ambiguous_local_time',
      ['T00:30', 'T01:30'],
      berlinAutumn,
    ],
    [local(`${year}-02-30T09:00`), '/publishAt/local', 'malformed', null, ''],
    [local(`${year}-12-01T09:00:00.0001`), '/publishAt/local', 'malformed', null, ''],
    [local(`${year}-12-01T09:00Z`), '/publishAt/local', 'malformed', null, ''],
    [local(`${year}-12-01T09:00`, 'Europe/Atlantis'), '/publishAt/timeZone', 'unknown_time_zone', null, ''],
    [local(`${year}-12-01T09:00`, '+01:00'), '/publishAt/timeZone', 'unknown_time_zone', null, ''],
    [{ local: `${year}-12-01T09:00` }, '/publishAt/timeZone', 'required', null, ''],
    [{ ...local(`${year}-12-01T09:00`), fold: 1 }, '/publishAt/fold', 'unknown_field', null, ''],
  ])('%j is refused, with the candidates', async (publishAt, pointer, code, hours, day) => {
    const candidates = hours?.map((hour) => `${day}${hour}:00.000Z`)
    const problem = {
      code: 'validation_failed',
      errors: [{ pointer, code, ...(candidates ? { candidates } : {}) }],
    }
    const plan = { state: 'scheduled', channelIds: [channelId], text: 'a', publishAt }
    expect((await api.call(workspace, 'POST', '/post-checks', plan, null)).body).toMatchObject(problem)
    const key = { confirmed: true, idempotencyKey: crypto.randomUUID() }
    expect((await api.call(workspace, 'POST', '/posts', { ...key, ...plan })).body).toMatchObject(problem)
    const { postId } = await aPost(db, workspace.workspaceId, { states: ['scheduled'] })
    const { channelId: own, controlToken } = (await api.read(workspace, postId)).destinations[0]!
    const command = { channelId: own, controlToken, publishAt }
    expect((await api.command(workspace, postId, 'reschedule', command)).body).toMatchObject(problem)
    for (const at of candidates ?? []) {
      const chosen = await api.call(workspace, 'POST', '/post-checks', { ...plan, publishAt: at }, null)
      expect(chosen.body).toMatchObject({ ready: true })
    }
  })

  test('is said in one way or the other', async () => {
    const publishAt = local(`${year}-12-01T09:00`)
    const body = { state: 'draft', channelIds: [channelId], text: 'a', publishAt }
    expect((await api.call(workspace, 'POST', '/post-checks', body, null)).body).toMatchObject({
      errors: [{ pointer: '/publishAt', code: 'not_allowed' }],
    })
  })
})

describe('a leap day', () => {
  test('is kept to the instant, and found in the calendar', async () => {
    const publishAt = new Date('2028-02-29T23:30:00+05:45')
    const { postId } = await aPost(db, workspace.workspaceId, { states: ['scheduled'], publishAt })
    expect((await api.read(workspace, postId)).destinations[0]).toMatchObject({
      publishAt: '2028-02-29T17:45:00.000Z',
      expiresAt: '2028-03-01T17:45:00.000Z',
    })
    const range = (from: string, to: string) =>
      `/calendar?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`
    const day = range('2028-02-29T00:00:00+05:45', '2028-03-01T00:00:00+05:45')
    expect((await api.call(workspace, 'GET', day)).body).toMatchObject([{ postId }])
    const next = range('2028-03-01T00:00:00+05:45', '2028-03-02T00:00:00+05:45')
    expect((await api.call(workspace, 'GET', next)).body).toEqual([])
  })

  test('does not shorten or lengthen the two years that a post may be ahead', () => {
    const codes = (at: string, now: string) => timeIssues(new Date(at), new Date(now)).map(({ code }) => code)
    expect(codes('2028-02-29T12:00:00Z', '2026-02-28T12:00:00Z')).toEqual(['publish_at_too_far'])
    expect(codes('2028-02-29T12:00:00Z', '2026-03-01T12:00:00Z')).toEqual([])
    expect(codes('2030-03-01T12:00:00Z', '2028-02-29T12:00:00Z')).toEqual([])
    expect(codes('2030-03-01T12:00:00.001Z', '2028-02-29T12:00:00Z')).toEqual(['publish_at_too_far'])
  })
})

test('a request for approval stands for seven times 24 hours, over any change of the clocks', async () => {
  const answer = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    idempotencyKey: crypto.randomUUID(),
    state: 'immediate',
    text: 'a',
    channelIds: [channelId],
  })
  const [row] = await db`
    select extract(epoch from expires_at - requested_at)::int as seconds from approval
    where  post_id = ${answer.body.postId}`
  expect(row).toEqual({ seconds: 7 * 86_400 })
})

test('the present is the database’s: a time that is just past is past', async () => {
  const { postId } = await aScheduled(soon())
  const { controlToken } = (await api.read(workspace, postId)).destinations[0]!
  const publishAt = new Date(Date.now() - 1).toISOString()
  const answer = await api.command(workspace, postId, 'reschedule', { channelId, controlToken, publishAt })
  expect(answer.body).toMatchObject({ code: 'publish_time_in_past' })
})
