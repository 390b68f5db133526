import { join } from 'node:path'
import { hasCluster, settleDataDir } from './data-dir.ts'
import { type Connection, type Db, openDb } from './db.ts'
import { startEmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts'
import type { Secret } from './sealing.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../migrations')

/** Which database: one's own by its URL, or the embedded one in the data folder. */
export type DatabaseSettings = {
  readonly database: { readonly url: Secret | null }
  readonly dataDir: { readonly path: string; readonly chosen: boolean }
}

export type Database = {
  db: Db
  embedded: boolean
  /** The folder of everything durable; it is there. */
  dataDir: string
  /** What a person has to be told about that folder. */
  notice: string | null
  /** Calls back once when the embedded PostgreSQL has gone away by itself. */
  onLoss(callback: () => void): void
  /** Closes the pool, then lets go of the embedded PostgreSQL: whoever is last to let go shuts it down. */
  close(): Promise<void>
}

type Opening = {
  applicationName: string
  connections: number
  /** Whether an embedded database is made where there is none; else NoDatabase is thrown. */
  creates: boolean
  log?: (message: string) => void
}

/** There is no embedded database in the data folder. The message is for people. */
export class NoDatabase extends Error {
  override name = 'NoDatabase'

  constructor(dataDir: string) {
    super(
      `There is no database in ${dataDir}. If the server runs with a DATA_DIR or DATABASE_URL of its own, set the same here; if it never ran, start it.`,
    )
  }
}

/** Opens the database; where that is the embedded one, it is started or joined first. */
export async function openDatabase(
  { database, dataDir }: DatabaseSettings,
  opening: Opening,
): Promise<Database> {
  const { path, notice } = await settleDataDir({
    wanted: dataDir.path,
    chosen: dataDir.chosen,
    embedded: database.url === null,
  })
  const shared = { dataDir: path, notice }
  if (database.url !== null) {
    const db = openPool({ url: database.url.reveal() }, opening)
    const close = () => db.end({ timeout: 5 })
    return { ...shared, db, embedded: false, onLoss: () => undefined, close }
  }
  if (!opening.creates && !hasCluster(path)) throw new NoDatabase(path)
  const { log } = opening
  const postgres = await startEmbeddedPostgres({ dataDir: path, ...(log === undefined ? {} : { log }) })
  const db = openPool(postgres.connection, opening)
  return {
    ...shared,
    db,
    embedded: true,
    onLoss: (callback) => postgres.onExit(callback),
    async close() {
      await db.end({ timeout: 5 })
      await postgres.stop()
    },
  }
}

function openPool(connection: Connection, { applicationName, connections }: Opening): Db {
  return openDb({ ...connection, applicationName, max: connections })
}
