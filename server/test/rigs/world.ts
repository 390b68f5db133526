import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { MIGRATIONS } from '../../src/platform/embedded-postgres/database.ts'
import { type Connection, type Db, openDb, urlOf } from '../../src/platform/postgres/db.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import type { Identifier } from '../../src/platform/postgres/query.ts'

/** A migrated database of a test's own. */
export type World = AsyncDisposable & {
  db: Db
  /** One connection that is kept, for the heartbeat of a publisher; closed with the world. */
  openSession: () => Db
  /** For a second pool, or for another process by way of `databaseUrl`. */
  connection: Connection
  databaseUrl: string
}

/** Opens a fresh world: `await using world = await openWorld()`. It is gone at the end of the block. */
export async function openWorld(): Promise<World> {
  return cloneOf(inject('postgres').template)
}

/** The same without any table. */
export async function openEmptyWorld(): Promise<World> {
  return cloneOf('template0')
}

/** Opens a fresh world in a database with another locale than the one that tests have, as `create database` takes it. */
export async function openWorldIn(locale: string): Promise<World> {
  const world = await createWorld((admin, { sql: name }) =>
    admin.script(`create database ${name} template template0 encoding 'UTF8' ${locale}`),
  )
  await migrate(world.db, MIGRATIONS)
  return world
}

/**
 * A second world with all that the first one has at this moment. Connections to that one are cut for it, and none is let in until
 * it is copied: a notification that was put off would open one.
 */
export async function copyWorld({ db }: World): Promise<World> {
  const [{ source }] = await db<[{ source: string }]>`select current_database() as source`
  return createWorld(async (admin, name) => {
    await admin`alter database ${admin(source)} allow_connections false`
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${source}`
    await clone(admin, name, source)
    await admin`alter database ${admin(source)} allow_connections true`
  })
}

function cloneOf(template: string): Promise<World> {
  return createWorld((admin, name) => clone(admin, name, template))
}

/** By copying files, in a third of the time that going through the log takes. */
const clone = (admin: Db, name: Identifier, template: string) =>
  admin`create database ${name} template ${admin(template)} strategy file_copy`

async function createWorld(create: (admin: Db, name: Identifier) => PromiseLike<unknown>): Promise<World> {
  const { host, port, user } = inject('postgres')
  const database = `world_${randomBytes(6).toString('hex')}`
  await administer((admin) => create(admin, admin(database)))

  const world = worldOn({ host, port, user, database })
  return {
    ...world,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await administer((admin) => admin`drop database ${admin(database)} with (force)`)
    },
  }
}

/** A database that is there, and stays. */
export function worldOn(connection: Connection): World {
  const db = openDb({ ...connection, applicationName: 'test' })
  const pools = [db]
  return {
    db,
    openSession() {
      const session = openDb({ ...connection, applicationName: 'test session', max: 1, permanent: true })
      pools.push(session)
      return session
    },
    connection,
    databaseUrl: urlOf(connection),
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })))),
  }
}

let administrator: Db | null = null

/** On one connection for all worlds of the process, which ends with it: to open one costs as much as to copy a database. */
async function administer(statement: (admin: Db) => PromiseLike<unknown>): Promise<void> {
  const { host, port, user } = inject('postgres')
  administrator ??= openDb({
    host,
    port,
    user,
    database: 'postgres',
    applicationName: 'test',
    max: 1,
    permanent: true,
  })
  await statement(administrator)
}
