import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { databaseWaits } from '../src/platform/postgres/database-waits.ts'
import { databaseTrouble } from '../src/platform/postgres/errors.ts'
import { commandLineWith } from './rigs/command-line.ts'
import { answered } from './rigs/database-faults.ts'
import { openMailServer } from './rigs/mail-server.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'
import { openTroubledDatabase, type TroubledDatabase } from './rigs/troubled-database.ts'
import { openWorld, type World } from './rigs/world.ts'

/*
 * Everything that a server does with its database, each statement of it, while that is away, slow, locked, full, or undoes one of two
 * transactions: by its pools, which are what a server itself says it has. One line says what is the matter, no fault is told or counted,
 * and the work goes on afterwards.
 */

let mail: Awaited<ReturnType<typeof openMailServer>>
let world: World
let database: TroubledDatabase
let app: RunningApp
beforeAll(async () => {
  mail = await openMailServer()
  world = await openWorld()
  database = await openTroubledDatabase(world.connection)
  app = await openRunningApp({
    world,
    roles: 'api,publisher,webhooks',
    env: { DATABASE_URL: database.url, SMTP_URL: mail.smtp.url.reveal(), MAIL_FROM: mail.smtp.from },
  })
})
afterAll(async () => {
  database.fail(null)
  await app[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

type Line = { level: string; time: string; msg: string; err?: unknown; doing?: string; blockedBy?: unknown[] }

const until = { timeout: 90_000, interval: 100 }
const linesFrom = (place: number) => app.logged.slice(place).map((line) => JSON.parse(line) as Line)
const metrics = async () => (await app.ask('GET', '/metrics', { key: null })).text
const doctor = () => commandLineWith({ ...app.env, DATABASE_URL: database.url })('doctor', '--json')

/** What was counted of this name, in all. */
function countOf(text: string, name: string): number {
  const values = [...text.matchAll(new RegExp(String.raw`^${name}(?:\{[^}]*\})? (\S+)$`, 'gm'))]
  return values.reduce((sum, [, value]) => sum + Number(value), 0)
}

/** Between two lines of the same message. */
function shortestPauseMs(message: string): number {
  const times = linesFrom(0).flatMap(({ msg, time }) => (msg === message ? [Date.parse(time)] : []))
  return Math.min(...times.slice(1).map((time, place) => time - times[place]!), Infinity)
}

/** The pools of the server that have connections, by the names that PostgreSQL knows them by. */
async function pools(): Promise<string[]> {
  const open = [
    ...(await metrics()).matchAll(/^postrider_database_pool_connections\{pool="([^"]+)",state="max"\}/gm),
  ]
  return open.flatMap(([, pool = '']) =>
    pool === 'locks' ? [] : pool === 'background' ? ['postrider'] : [`postrider ${pool}`],
  )
}

/** More statements of the background than its loops begin in five seconds, which is how long most of them pause. */
const TURNS = 25

const SAID = {
  away: 'the database is away',
  slow: 'the database is slow or locked',
  full: 'the database has no room left',
}

test.each(['57014', '55P03', '40P01', '40001', '53100', '53200', '58030', 'away'])(
  'while each statement fails with %s, one line says so and nothing is a fault',
  { timeout: 100_000 },
  async (how) => {
    const ready = async () => (await app.ask('GET', '/readyz', { key: null })).status
    await expect.poll(ready, until).toBe(200)
    const is = how === 'away' ? 'away' : (databaseTrouble(answered(how))?.is ?? 'away')
    const names = await pools()
    expect(names.length).toBeGreaterThan(3)
    const [before, begun] = [{ ...databaseWaits }, app.logged.length]

    database.fail(how)
    onTestFinished(() => database.fail(null))
    const met = async () => {
      const { body } = await app.ask('GET', '/agent/v1/me')
      expect(body).toMatchObject({ status: 503, code: 'not_ready' })
      return names.every((name) => (database.met.get(name) ?? 0) >= (name === 'postrider' ? TURNS : 1))
    }
    await expect.poll(met, until).toBe(true)
    // It may have been said by another test, within the half minute in which it is not said again.
    await expect.poll(() => linesFrom(0).map(({ msg }) => msg), until).toContain(SAID[is])
    const findings = await doctor()
    database.fail(null)

    expect(findings.exitCode).toBe(1)
    expect(findings.said).not.toMatch(/Something broke|\.\.|undefined/)
    const lines = linesFrom(begun).filter(({ level }) => ['warn', 'error', 'fatal'].includes(level))
    const troubles = new Set<string>(Object.values(SAID))
    expect(lines.filter(({ msg }) => !troubles.has(msg))).toEqual([])
    expect(shortestPauseMs(SAID[is])).toBeGreaterThan(20_000)
    expect(lines.filter(({ err }) => err !== undefined)).toEqual([])
    const cause = databaseTrouble(answered(how))
    if (cause?.is === 'slow') expect(databaseWaits[cause.cause]).toBeGreaterThan(before[cause.cause])

    await expect.poll(ready, until).toBe(200)
    const text = await metrics()
    for (const name of [
      'postrider_engine_faults_total',
      'postrider_webhook_faults_total',
      'postrider_http_faults_total',
    ])
      expect([name, countOf(text, name)]).toEqual([name, 0])
    expect(countOf(text, 'postrider_database_waits_total')).toBe(
      Object.values(databaseWaits).reduce((sum, count) => sum + count, 0),
    )
  },
)

test(
  'a lock of everything for 45 seconds is told with who holds it, and is no fault of the engine',
  { timeout: 100_000 },
  async () => {
    const begun = app.logged.length
    const holder = await world.openSession().reserve({ statementTimeoutMs: 0 })
    const tables = await world.db<{ name: string }[]>`
    select format('%I', tablename) as name from pg_tables where schemaname = 'public'`
    const [{ pid }] = await holder<[{ pid: number }]>`select pg_backend_pid() as pid`
    await holder.script('begin')
    await holder.script(`lock table ${tables.map(({ name }) => name).join(', ')} in access exclusive mode`)
    const slow = () => linesFrom(begun).filter(({ msg }) => msg === SAID.slow)
    await expect.poll(slow, until).not.toEqual([])
    const findings = JSON.parse((await doctor()).said) as { code: string; detail: string }[]
    await holder.script('rollback')
    holder.release()

    expect(slow()[0]?.blockedBy).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ pid, application: 'test session', statement: 'LOCK' }),
      ]),
    )
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'locks_waited_for',
        detail: expect.stringContaining(`process ${pid} of the database (test session)`) as string,
      }),
    )
    const faults = linesFrom(begun).filter(
      ({ level, msg }) =>
        ['warn', 'error', 'fatal'].includes(level) && msg !== SAID.slow && msg !== SAID.away,
    )
    expect(faults).toEqual([])
    await expect.poll(async () => (await app.ask('GET', '/readyz', { key: null })).status, until).toBe(200)
    const text = await metrics()
    expect(countOf(text, 'postrider_engine_faults_total')).toBe(0)
  },
)
