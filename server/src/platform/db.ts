import postgres from 'postgres'

/** A pool of connections. */
export type Db = postgres.Sql

/** One open transaction, as `db.begin` hands it out. */
export type Tx = postgres.TransactionSql

/** Either of the two: what a function takes that only reads, or that leaves the transaction to its caller. */
export type Sql = postgres.ISql

/** Where a database is: a URL, or the folder of a Unix socket (any `host` that begins with a slash). */
export type Connection = { url: string } | { host: string; port: number; database: string; user: string }

export type DbOptions = Connection & {
  /** Seen in pg_stat_activity and in the server's log. */
  applicationName: string
  /** How many connections may be open at once; 10 when left out. */
  max?: number
  /** Notices are dropped when left out. */
  onNotice?: (message: string) => void
  /** Called each time a connection of the pool is gone, wanted or not. */
  onClose?: () => void
  /** Keeps each connection for good, for session locks; else they are renewed within the hour. */
  lasting?: boolean
  /** A statement that runs longer is cancelled; 30 s when left out, 0 for never. */
  statementTimeoutMs?: number
}

/**
 * Opens a pool; nothing is connected before the first query. After a restart of the database, queries that were
 * under way fail and later ones connect again. A `listen` comes back by itself, and calls its `onlisten`
 * each time: whatever was notified in between is lost, so a listener must look at the rows again then.
 * timestamptz is a `Date`, bytea a `Buffer`, bigint and numeric are text (they may exceed a JavaScript number).
 */
export function openDb(options: DbOptions): Db {
  const settings: postgres.Options<Record<string, postgres.PostgresType>> = {
    max: options.max ?? 10,
    connect_timeout: 10,
    // The driver's own waits grow to 20 s; a database that restarts is back within one or two.
    backoff: (attempt) => Math.min(3 ** attempt / 100, 1),
    prepare: true,
    ...(options.lasting === true ? { max_lifetime: null } : {}),
    onnotice: (notice) => options.onNotice?.(`${notice['severity']}: ${notice['message']}`),
    ...(options.onClose === undefined ? {} : { onclose: options.onClose }),
    connection: {
      application_name: options.applicationName,
      statement_timeout: options.statementTimeoutMs ?? 30_000,
      // Transactions here never wait for anything but the database; one that idles has lost its owner.
      idle_in_transaction_session_timeout: 60_000,
    },
  }
  if (!('url' in options)) return postgres({ ...settings, ...addressOf(options) })

  const { url, socket } = splitUrl(options.url)
  return postgres(url, socket === null ? settings : { ...settings, ...socket })
}

/** Whether the database refused a row because the named unique constraint or index already holds its key. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return (
    error instanceof postgres.PostgresError && error.code === '23505' && error.constraint_name === constraint
  )
}

/**
 * Has the rest of the transaction planned for the tables as they are. A plan that was kept since they were small
 * reads them from end to end, once for each due channel, and the queue grows faster than anybody counts it anew.
 */
export function planAnew(tx: Tx): PromiseLike<unknown> {
  return tx`set local plan_cache_mode = force_custom_plan`
}

/** The SQLSTATE (`42P04`) or system code (`ECONNREFUSED`) of a failed query or connection, if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** The address in the form libpq understands too (`?host=/folder`); openDb reads it back. */
export function urlOf(connection: Connection): string {
  if ('url' in connection) return connection.url
  const { host, port, database, user } = connection
  if (!host.startsWith('/'))
    return `postgresql://${encodeURIComponent(user)}@${host}:${port}/${encodeURIComponent(database)}`
  const query = new URLSearchParams({ host, port: String(port) })
  return `postgresql://${encodeURIComponent(user)}@localhost/${encodeURIComponent(database)}?${query.toString()}`
}

type Address = { host: string; port: number; database?: string; user?: string; path?: string }

function addressOf(address: Address): Address {
  if (!address.host.startsWith('/')) return address
  return { ...address, host: 'localhost', path: `${address.host}/.s.PGSQL.${address.port}` }
}

/** Query parameters that libpq acts on itself; the driver would send them to the server, which refuses them. */
const LIBPQ_ONLY = ['host', 'port', 'channel_binding', 'gssencmode']

function splitUrl(text: string): { url: string; socket: Address | null } {
  // Several hosts (`a:5432,b:5432`) are no URL to the parser; the driver reads those by itself.
  if (!URL.canParse(text)) return { url: text, socket: null }
  const url = new URL(text)
  const host = url.searchParams.get('host')
  const port = Number(url.searchParams.get('port') ?? (url.port || 5432))
  for (const name of LIBPQ_ONLY) url.searchParams.delete(name)
  return { url: url.href, socket: host?.startsWith('/') ? addressOf({ host, port }) : null }
}
