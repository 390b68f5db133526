import { expect, test } from 'vitest'
import { openWorld } from '../../test/world.ts'
import { isUniqueViolation, openDb, urlOf } from './db.ts'

test('values come back as the types they went in as', async () => {
  await using world = await openWorld()
  const time = new Date('2026-05-06T07:08:09.123Z')
  const bytes = Buffer.from([0, 255, 92, 39])

  const [row] = await world.db<
    { time: Date; bytes: Buffer; wide: string; count: number; json: unknown; list: string[] }[]
  >`
    select ${time}::timestamptz as time, ${bytes}::bytea as bytes, 9007199254740993::bigint as wide, 7 as count,
           ${world.db.json({ a: [1, null] })}::jsonb as json, ${['x', 'y"z']}::text[] as list`

  expect(row).toEqual({
    time,
    bytes,
    wide: '9007199254740993',
    count: 7,
    json: { a: [1, null] },
    list: ['x', 'y"z'],
  })
})

test('a unique violation is told by the name of its constraint', async () => {
  await using world = await openWorld()
  await world.db`create table thing (id int constraint thing_once unique)`
  await world.db`insert into thing values (1)`

  const error = await world.db`insert into thing values (1)`.then(
    () => null,
    (reason: unknown) => reason,
  )

  expect(isUniqueViolation(error, 'thing_once')).toBe(true)
  expect(isUniqueViolation(error, 'other')).toBe(false)
  expect(isUniqueViolation(new Error('thing_once'), 'thing_once')).toBe(false)
})

test('a statement that runs too long is cancelled', async () => {
  await using world = await openWorld()
  const db = openDb({ ...world.connection, applicationName: 'test', max: 1, statementTimeoutMs: 50 })

  await expect(db`select pg_sleep(30)`).rejects.toMatchObject({ code: '57014' })
  await db.end()
})

test('listening survives the loss of its connection, and says when it is back', async () => {
  await using world = await openWorld()
  const { db } = world
  const heard = Promise.withResolvers<string>()
  const again = Promise.withResolvers<void>()
  let times = 0
  await db.listen('news', heard.resolve, () => {
    times += 1
    if (times === 2) again.resolve()
  })

  await db`select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`
  await again.promise
  await db.notify('news', 'after')

  expect(await heard.promise).toBe('after')
})

test('a URL may name the folder of a Unix socket', async () => {
  await using world = await openWorld()
  const db = openDb({ url: world.databaseUrl, applicationName: 'by url', max: 1 })

  const [row] =
    await db`select current_database() as name, current_setting('application_name') as application`

  expect(world.databaseUrl).toContain(String(row?.['name']))
  expect(row?.['application']).toBe('by url')
  await db.end()
})

test('a network address keeps its plain form', () => {
  expect(urlOf({ host: 'db.example', port: 5433, database: 'a b', user: 'me' })).toBe(
    'postgresql://me@db.example:5433/a%20b',
  )
  expect(urlOf({ url: 'postgresql://x/y' })).toBe('postgresql://x/y')
})
