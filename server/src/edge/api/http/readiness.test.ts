import { createHook } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../../../test/rigs/world.ts'
import { openDb } from '../../../platform/postgres/db.ts'
import { watchReadiness } from './readiness.ts'

let world: World
beforeAll(async () => void (world = await openWorld()))
afterAll(() => world[Symbol.asyncDispose]())

test('a look opens no file, and is one transaction on one connection', async () => {
  let statements = 0
  const db = openDb({ ...world.connection, applicationName: 'look', onStatement: () => statements++ })
  await db`select 1`
  const readiness = watchReadiness(db)
  statements = 0
  const files: string[] = []
  const hook = createHook({
    init: (_id, type) => void (type.startsWith('FSREQ') && files.push(type)),
  }).enable()

  const found = await readiness()

  hook.disable()
  expect(found).toMatchObject({ status: 'ready', database: 'reachable', reason: null, schema: 'current' })
  expect(files).toEqual([])
  expect(statements).toBeLessThanOrEqual(5)
  expect(
    await world.db`select from pg_stat_activity where application_name = 'look' and datname = current_database()`,
  ).toHaveLength(1)
  await db.end()
})

test('a process without file descriptors says so, and does not blame the database', async () => {
  const script = join(import.meta.dirname, '../../../../test/rigs/readiness-process.ts')
  const child = spawn(
    'sh',
    ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, script, world.databaseUrl],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  )

  const [[before, starved]] = (await once(child, 'message')) as [unknown[]]

  expect(before).toMatchObject({ status: 'ready' })
  expect(starved).toEqual({
    status: 'not_ready',
    database: 'unknown',
    schema: 'unknown',
    workers: [],
    reason: 'This process has no file descriptor left (EMFILE).',
  })
})

test('a database without tables is reachable, and its schema is behind', async () => {
  await using empty = await openWorld()
  await empty.db`drop schema public cascade`
  await empty.db`create schema public`

  expect(await watchReadiness(empty.db)()).toMatchObject({
    status: 'not_ready',
    database: 'reachable',
    schema: 'behind',
  })
})

test('a database that is not there is unreachable, with the code of the fault and without its address', async () => {
  const db = openDb({ url: 'postgres://somebody:secret@127.0.0.1:9/none', applicationName: 'test' })

  expect(await watchReadiness(db)()).toMatchObject({
    status: 'not_ready',
    database: 'unreachable',
    reason: 'The database could not be asked (ECONNREFUSED).',
  })
  await db.end()
})
