import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { type Connection, type Db, openDb, urlOf } from '../src/platform/db.ts'

/** A migrated database of a test's own. */
export type World = AsyncDisposable & {
  db: Db
  /** For a second pool, or for another process by way of `databaseUrl`. */
  connection: Connection
  databaseUrl: string
}

/** Opens a fresh world: `await using world = await openWorld()`. It is gone at the end of the block. */
export async function openWorld(): Promise<World> {
  const { template, ...server } = inject('postgres')
  const name = `world_${randomBytes(6).toString('hex')}`
  await administer((admin) => admin`create database ${admin(name)} template ${admin(template)}`)

  const connection = { ...server, database: name }
  const db = openDb({ ...connection, applicationName: 'test' })
  return {
    db,
    connection,
    databaseUrl: urlOf(connection),
    async [Symbol.asyncDispose]() {
      await db.end({ timeout: 5 })
      await administer((admin) => admin`drop database ${admin(name)} with (force)`)
    },
  }
}

async function administer(statement: (admin: Db) => PromiseLike<unknown>): Promise<void> {
  const { host, port, user } = inject('postgres')
  const admin = openDb({ host, port, user, database: 'postgres', applicationName: 'test', max: 1 })
  try {
    await statement(admin)
  } finally {
    await admin.end()
  }
}
