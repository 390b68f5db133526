import { hasCluster, refuseForeignCluster, settleDataDir } from './data-dir.ts'
import { type Db, type DbOptions, openDb, type PoolCounts } from '../postgres/db.ts'
import { type EmbeddedLog, startEmbeddedPostgres } from './embedded-postgres.ts'
import { migrationsFolder } from '../process/product-files.ts'
import type { Secret } from '../sealing/sealing.ts'

export const MIGRATIONS = migrationsFolder()

/** Which database: one's own by its URL, or the embedded one in the data folder. */
export type DatabaseSettings = {
  readonly database: { readonly url: Secret | null; readonly listenUrl: Secret | null }
  readonly dataDir: { readonly path: string; readonly chosen: boolean }
}

export type Database = {
  /** The first pool. */
  db: Db
  embedded: boolean
  /** The folder of everything durable; it is there. */
  dataDir: string
  /** What a person has to be told about that folder. */
  notice: string | null
  /** Opens a further pool of its own connections. It is closed with the database. */
  openPool(options: PoolOptions): Db
  /** For how long the embedded PostgreSQL has been gone without recovering; 0 while it runs, and for any other. */
  goneForMs(): number
  /** How much each of them is in use, by the name of its application. */
  pools(): readonly (PoolCounts & { readonly pool: string })[]
  /**
   * Closes the pools, whose statements may end within so many seconds, then releases the embedded PostgreSQL: the last process
   * that does shuts it down.
   */
  close(withinSeconds?: number): Promise<void>
}

export type PoolOptions = Pick<
  DbOptions,
  'applicationName' | 'statementTimeoutMs' | 'permanent' | 'byIndex'
> & {
  connections: number
}

type Opening = PoolOptions & {
  /** Whether an embedded database is made where there is none; else NoDatabase is thrown. */
  creates: boolean
  log?: EmbeddedLog
  /** Ends the wait for an embedded database that starts. */
  signal?: AbortSignal
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
  if (database.url === null) await refuseForeignCluster(dataDir.path)
  const { path, notice } = await settleDataDir({
    wanted: dataDir.path,
    chosen: dataDir.chosen,
    embedded: database.url === null,
  })
  const embedded = database.url === null
  if (embedded && !opening.creates && !hasCluster(path)) throw new NoDatabase(path)
  const { log, signal } = opening
  const postgres = embedded
    ? await startEmbeddedPostgres({
        dataDir: path,
        ...(log === undefined ? {} : { log }),
        ...(signal === undefined ? {} : { signal }),
      })
    : null
  const connection = postgres?.connection ?? {
    url: database.url?.reveal() ?? '',
    listenUrl: database.listenUrl?.reveal(),
  }
  const pools = new Map<string, Db>()
  const openPool = ({ connections: max, ...options }: PoolOptions) => {
    const pool = openDb({ ...connection, ...options, max })
    pools.set(options.applicationName, pool)
    return pool
  }
  return {
    db: openPool(opening),
    embedded,
    dataDir: path,
    notice,
    openPool,
    goneForMs: () => postgres?.goneForMs() ?? 0,
    pools: () => [...pools].map(([pool, each]) => ({ pool, ...each.counts() })),
    async close(withinSeconds = 5) {
      await Promise.all([...pools.values()].map((pool) => pool.end({ timeout: withinSeconds })))
      await postgres?.stop()
    },
  }
}
