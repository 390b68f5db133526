import { readdirSync, readFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { app, type Operation, operations, type Series } from '@postrider/contract'
import { readPlan } from '@postrider/contract/plan'
import { afterAll, describe, expect, test } from 'vitest'
import { csvPlan } from '../src/content/imports/csv-plan.ts'
import { parseTimeZone } from '../src/operate/commands/arguments.ts'
import { findTimeZone, offsetAt } from '../src/platform/text/time-zone.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aChannel, aPost, aWorkspace } from './rigs/fixtures.ts'
import { aUser, join, openSite } from './rigs/people-world.ts'
import { zoneNames } from './rigs/zone-names.ts'

/*
 * A time zone is kept and answered under the name that it was given, whichever of its names that is, and in whatever case: Node and the
 * database know many by another one.
 */

const { world, api } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

const names = await zoneNames(db)
/** Those that Node calls otherwise, or does not have under this name. */
const HARD = [
  'Asia/Calcutta',
  'Asia/Kolkata',
  'Europe/Kiev',
  'Europe/Kyiv',
  'US/Eastern',
  'us/eastern',
  'EUROPE/kyiv',
  'GMT0',
  'utc',
]
const PATIENT_MS = 600_000

/** Where a request or an answer has a time zone, by the schemas of the contract. */
function zoneFields(schemaOf: (operation: Operation) => readonly unknown[]): string[] {
  const all = [...operations, ...app.appOperations, ...app.operatorOperations]
  return [
    ...new Set(
      all.flatMap((one) =>
        schemaOf(one).flatMap((schema) => [...pathsIn(schema)].map((path) => `${one.id} ${path}`)),
      ),
    ),
  ]
}

function* pathsIn(schema: unknown, at = '', within: readonly unknown[] = []): Iterable<string> {
  if (typeof schema !== 'object' || schema === null || within.includes(schema)) return
  const inside = [...within, schema]
  const {
    properties = {},
    patternProperties = {},
    items,
    anyOf = [],
    oneOf = [],
    allOf = [],
  } = schema as Record<string, any>
  for (const [name, value] of Object.entries(properties)) {
    if (/time_?zone/i.test(name)) yield `${at}/${name}`
    yield* pathsIn(value, `${at}/${name}`, inside)
  }
  for (const value of [...anyOf, ...oneOf, ...allOf]) yield* pathsIn(value, at, inside)
  for (const value of [items, ...Object.values(patternProperties)]) yield* pathsIn(value, `${at}/*`, inside)
}

const asked = zoneFields(({ body, query }) => [body, query])
const answered = zoneFields(({ answer }) => ['schema' in answer ? answer.schema : null])

/** The body of an answer that is no refusal. */
function bodyOf({ status, body }: { status: number; body: any }, asked: object): any {
  if (status >= 300) throw new Error(JSON.stringify({ asked, status, body }))
  return body
}

/** How much somebody may ask for in a minute. */
const REQUESTS_OF_A_PERSON = 200

async function anOwner(workspaceId: string) {
  const owner = await aUser(db, site.app)
  await join(db, workspaceId, owner, 'owner')
  return owner
}

async function aPlace() {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const channelId = await aChannel(db, workspaceId)
  let owner = await anOwner(workspaceId)
  let left = REQUESTS_OF_A_PERSON
  const people = async (at: string, body?: object) => {
    left -= 1
    if (left === 0) [owner, left] = [await anOwner(workspaceId), REQUESTS_OF_A_PERSON]
    return bodyOf(await owner.ask(at.replace('{w}', `workspaces/${workspaceId}`), body), { at, body })
  }
  const agent = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const sent = body === undefined || path === '/post-checks' ? body : { confirmed: true, ...body }
    return bodyOf(await api.call(workspace, method, path, sent), { path, body })
  }
  return { workspace, workspaceId, channelId, people, agent }
}

test('every name of the IANA database is known, in any case, by the clocks that the database server has for it', async () => {
  const at = new Date('2020-01-15T12:00:00Z')
  const rows = await db<{ name: string; seconds: number }[]>`
    select name, extract(epoch from utc_offset)::int as seconds from pg_timezone_names`
  expect(names.length).toBeGreaterThan(550)
  expect(names.filter((name) => findTimeZone(name) === null)).toEqual([])
  for (const change of [(name: string) => name.toLowerCase(), (name: string) => name.toUpperCase()])
    expect(names.filter((name) => findTimeZone(change(name)) !== findTimeZone(name))).toEqual([])
  const known = await db<{ name: string; seconds: number }[]>`
    select name, extract(epoch from (${at}::timestamptz at time zone name) - (${at}::timestamptz at time zone 'UTC'))::int as seconds
    from   unnest(${rows.map(({ name }) => name)}::text[]) name
    where  name = any(${names})`
  expect(known.filter(({ name, seconds }) => offsetAt(at.getTime(), name) !== seconds * 1_000)).toEqual([])
})

test('an abbreviation that Node takes for some zone, and the database does not have, is no name', () => {
  const iana = new Set(names.map((name) => name.toLowerCase()))
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCodePoint(97 + at))
  const three = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
  expect(three.filter((name) => (findTimeZone(name) !== null) !== iana.has(name))).toEqual([])
  for (const name of ['IST', 'BST', 'CST', 'SystemV/PST8', '+01:00', 'Etc/Unknown', '', 'Europe/Berlin '])
    expect(findTimeZone(name)).toBeNull()
})

describe('what a time zone is given to', () => {
  test('is a workspace, a series, an import, or the time of a post, and nothing else', () => {
    const ofTimes = asked.filter((field) =>
      / (?:\/targets\/\*|\/posts\/\*|\/posts\/\*\/targets\/\*|\/add\/\*)?\/publishAt\/timeZone$/.test(field),
    )
    expect(ofTimes.length).toBeGreaterThan(15)
    expect(asked.filter((field) => !ofTimes.includes(field)).toSorted()).toEqual([
      'appCreateSeries /startsAt/timeZone',
      'appEditSeries /startsAt/timeZone',
      'appImportPosts /timeZone',
      'createSeries /startsAt/timeZone',
      'createWorkspace /timeZone',
      'editSeries /startsAt/timeZone',
      'importPosts /timeZone',
      'updateWorkspace /timeZone',
    ])
    expect(
      answered
        .map((field) => field.replace(/^\w+ (?:\/items\/\*)?/, ''))
        .filter((field, at, all) => all.indexOf(field) === at)
        .toSorted(),
    ).toEqual(['/startsAt/timeZone', '/timeZone', '/workspace/timeZone', '/workspaces/*/timeZone'])
  })

  test(
    'each workspace is answered with the name that it was given, everywhere, and its calendar is read by it',
    async () => {
      const { workspaceId, channelId, people, agent } = await aPlace()
      const at = '2026-07-15T12:30:00Z'
      await aPost(db, workspaceId, {
        channelIds: [channelId],
        states: ['scheduled'],
        publishAt: new Date(at),
      })
      for (const timeZone of [...names, ...HARD]) {
        expect((await people('POST /{w}', { timeZone })).timeZone).toBe(timeZone)
        expect((await people('GET /{w}')).timeZone).toBe(timeZone)
        expect((await people('GET /me')).workspaces).toMatchObject([{ timeZone }])
        expect((await agent('GET', '/me')).workspace.timeZone).toBe(timeZone)
        const local = new Date(
          Date.parse('2026-07-15T12:30:00Z') + offsetAt(Date.parse('2026-07-15T12:30:00Z'), timeZone),
        ).toISOString()
        const hours = await people(`GET /{w}/calendar/overview?from=2026-07-14&days=3&by=hour`)
        expect({ timeZone, slots: hours.slots.map(({ at }: { at: string }) => at) }).toEqual({
          timeZone,
          slots: [local.slice(0, 13)],
        })
        const week = await people('GET /{w}/today?from=2026-07-12')
        expect({ timeZone, days: week.week.map(({ day }: { day: string }) => day) }).toEqual({
          timeZone,
          days: [local.slice(0, 10)],
        })
      }
      const acts = await people('GET /{w}/audit?limit=5')
      expect(JSON.stringify(acts)).toContain(`"timeZone":"${HARD.at(-1)}"`)
      for (const timeZone of HARD)
        expect((await people('POST /workspaces', { name: 'Another', timeZone })).timeZone).toBe(timeZone)
    },
    PATIENT_MS,
  )

  test(
    'each series is answered with the name that it was given, and is made by its clocks',
    async () => {
      const { channelId, agent } = await aPlace()
      const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
      const startsAt = { local: `${day}T09:00`, timeZone: 'UTC' }
      const made: Series = await agent('POST', '/series', {
        idempotencyKey: crypto.randomUUID(),
        rule: 'FREQ=DAILY;COUNT=3',
        channelIds: [channelId],
        text: 'A tip',
        startsAt,
      })
      const path = `/series/${made.seriesId}`
      let { editToken } = made
      for (const timeZone of [...names, ...HARD]) {
        const edited: Series = await agent('POST', `${path}/edit`, {
          editToken,
          startsAt: { ...startsAt, timeZone },
        })
        editToken = edited.editToken
        expect(edited.startsAt).toEqual({ ...startsAt, timeZone })
        const [first] = edited.occurrences
        const nine = Date.parse(`${day}T09:00Z`)
        expect({ timeZone, at: first?.publishAt }).toEqual({
          timeZone,
          at: new Date(nine - offsetAt(nine - offsetAt(nine, timeZone), timeZone)).toISOString(),
        })
      }
      expect((await agent('GET', path)).startsAt.timeZone).toBe(HARD.at(-1))
      expect((await agent('GET', '/series')).items).toMatchObject([{ startsAt: { timeZone: HARD.at(-1) } }])
      for (const step of ['pause', 'resume']) {
        const status = step === 'pause' ? 'paused' : 'active'
        const answer: Series = await agent('POST', `${path}/status`, { editToken, status })
        editToken = answer.editToken
        expect(answer.startsAt.timeZone).toBe(HARD.at(-1))
      }
    },
    PATIENT_MS,
  )

  test(
    'each time of a post is read by the clocks of its zone, and said with its name where they do not show it',
    async () => {
      const { channelId, agent, workspace } = await aPlace()
      const year = new Date().getUTCFullYear() + 1
      const noon = Date.parse(`${year}-01-15T12:00Z`)
      for (const timeZone of [...names, ...HARD]) {
        const publishAt = { local: `${year}-01-15T12:00`, timeZone }
        const { issues } = await agent('POST', '/post-checks', {
          state: 'scheduled',
          publishAt,
          channelIds: [channelId],
          text: 'Noon',
        })
        expect({ timeZone, issues }).toEqual({ timeZone, issues: [] })
      }
      const spring = { local: `${year}-03-01T02:30`, timeZone: 'us/eastern' }
      const sunday = 8 + ((7 - new Date(`${year}-03-01T00:00Z`).getUTCDay()) % 7)
      const missing = { ...spring, local: `${year}-03-${String(sunday).padStart(2, '0')}T02:30` }
      const { body } = await api.call(workspace, 'POST', '/posts', {
        confirmed: true,
        state: 'scheduled',
        publishAt: missing,
        channelIds: [channelId],
        text: 'Never',
      })
      expect(JSON.stringify(body)).toContain('in us/eastern does not exist')
      for (const timeZone of HARD) {
        const publishAt = { local: `${year}-01-15T12:00`, timeZone }
        const post = await agent('POST', '/posts', {
          state: 'scheduled',
          publishAt,
          channelIds: [channelId],
          text: timeZone,
        })
        expect(post.destinations[0].publishAt).toBe(new Date(noon - offsetAt(noon, timeZone)).toISOString())
      }
    },
    PATIENT_MS,
  )

  test(
    'each plan, table and option of a command takes the name as it is, and a plan is written with that of the workspace',
    async () => {
      const { workspaceId, agent } = await aPlace()
      const noon = Date.parse('2027-01-15T12:00Z')
      const channelId = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
      const channels = [{ channelId, provider: 'sandbox-short', handle: 'a', groups: [] }]
      const findFile = (_: string, path: string) => ({ path })
      for (const timeZone of [...names, ...HARD]) {
        expect(parseTimeZone(timeZone)).toBe(timeZone)
        const table = csvPlan(`id,text,channels,publishAt,timeZone\n1,x,a,2027-01-15T12:00,${timeZone}\n`, {
          name: 'n',
          channels: [],
        })
        const { posts, faults } = readPlan(table, { channels, timeZone: 'UTC', findFile })
        expect({ timeZone, faults: faults.filter(({ message }) => /zone/.test(message)) }).toEqual({
          timeZone,
          faults: [],
        })
        expect({ timeZone, at: posts[0]?.targets[0]?.at ?? null }).toEqual({
          timeZone,
          at: noon - offsetAt(noon, timeZone),
        })
      }
      await db`update workspace set time_zone = 'Asia/Calcutta' where id = ${workspaceId}`
      const { file } = await agent('GET', '/posts/export?format=json')
      expect(JSON.parse(file)).toMatchObject({ timeZone: 'Asia/Calcutta' })
      const imported = {
        format: 'csv',
        name: 'zones',
        timeZone: 'us/eastern',
        file: 'id,text,channels,publishAt\n',
      }
      expect(await agent('POST', '/posts/import', { ...imported, dryRun: true })).toMatchObject({ posts: [] })
    },
    PATIENT_MS,
  )
})

test('no statement asks the database for the clocks of a place', () => {
  const root = joinPath(import.meta.dirname, '../src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  )
  const asking = files.filter((name) =>
    /\bat time zone\s+(?!'UTC')/i.test(readFileSync(joinPath(root, name), 'utf8')),
  )
  expect(asking).toEqual([])
})
