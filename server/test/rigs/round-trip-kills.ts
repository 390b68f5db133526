import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Connection } from '../../src/platform/postgres/db.ts'
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.ts'
import { KILLED, type Lanes } from './killed-lanes.ts'
import type { World } from './world.ts'

/** A process hashes so many passwords at once, and refuses more. */
const PER_PROCESS = 16

/**
 * Processes do one thing once for each case, and are killed (SIGKILL) with all of them halted at moments of their own: the
 * n-th case (from 1) has sent its n-th round trip to the database, whose answer never comes. So the cases together are killed
 * before, between and after all that the thing writes. The last cases have to come to their end: with none that does,
 * some moments would be left out. Gives how many round trips the whole thing takes.
 */
export async function killAtEachRoundTrip(
  { db, connection }: Pick<World, 'db' | 'connection'>,
  program: string,
  what: string,
  cases: readonly { readonly given: object }[],
): Promise<number> {
  const lanes = await Promise.all(cases.map((_, n) => openLane(connection, n + 1)))
  const groups = Array.from({ length: Math.ceil(cases.length / PER_PROCESS) }, (_, n) =>
    Array.from(cases.keys()).slice(n * PER_PROCESS, (n + 1) * PER_PROCESS),
  )
  const children = groups.map((group) => {
    const child = fork(join(import.meta.dirname, program), {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.on('message', (place: number) => lanes[group[place]!]!.finish())
    const given = group.map((n) => ({ url: lanes[n]!.url, given: cases[n]!.given }))
    child.send({ what, lanes: given } satisfies Lanes)
    return { child, ended: once(child, 'exit') }
  })
  const early = Promise.race(
    children.map(({ ended }) =>
      ended.then(([code]) => Promise.reject(new Error(`it ended by itself with ${code}`))),
    ),
  )
  const outcomes = await Promise.race([Promise.all(lanes.map(({ over }) => over)), early])
  early.catch(() => undefined)
  for (const { child } of children) child.kill('SIGKILL')
  for (const { ended } of children) expect((await ended)[1]).toBe('SIGKILL')

  await Promise.all(lanes.map((lane) => lane[Symbol.asyncDispose]()))
  // What the killed process had open is over before anything is looked at.
  const open = () =>
    db`select from pg_stat_activity where application_name = ${KILLED} and datname = current_database()`
  await expect.poll(open, { timeout: 30_000 }).toHaveLength(0)
  const finished = outcomes.indexOf('finished')
  expect({ cases: cases.length, enough: finished > 0 }).toEqual({ cases: cases.length, enough: true })
  return finished
}

type Lane = Pick<DatabaseProxy, 'url' | typeof Symbol.asyncDispose> & {
  finish: () => void
  over: Promise<'halted' | 'finished'>
}

/** A way to the database on which no answer comes back from this round trip on. */
async function openLane(connection: Connection, roundTrip: number): Promise<Lane> {
  const proxy = await openDatabaseProxy(connection)
  const over = Promise.withResolvers<'halted' | 'finished'>()
  proxy.rewrite = (bytes) => {
    if (proxy.syncs >= roundTrip) {
      proxy.freeze()
      over.resolve('halted')
    }
    return bytes
  }
  return {
    url: proxy.url,
    finish: () => over.resolve('finished'),
    over: over.promise,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}
