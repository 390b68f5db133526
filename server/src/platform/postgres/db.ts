import { addressesOf, directPlaceOf, passesOverStandbys, type Place } from './address.ts'
import type { Connection as Link } from './connection.ts'
import { Deferred } from './deferred.ts'
import { Hosts } from './hosts.ts'
import { type Gathered, GatheredReads } from './gathered-reads.ts'
import { Listener } from './listener.ts'
import { Pool, type PoolCounts } from './pool.ts'
import { type Query, type Statement, template, type Template } from './query.ts'
import { retryCollisions } from './retry-collisions.ts'
import { Signals } from './signals.ts'
import { Transaction } from './transaction.ts'

export type { PoolCounts } from './pool.ts'
export { type Place as Connection, urlOf } from './address.ts'
export { codeOf } from '../process/error-code.ts'
export {
  type DatabaseTrouble,
  databaseTrouble,
  isDatabaseAway,
  isDatabaseDown,
  isDatabaseFull,
  isOfDatabase,
  isReadOnly,
  isStatementTimeout,
  isUniqueViolation,
} from './errors.ts'

/**
 * What runs statements: a pool or a transaction. What a function takes that only reads, or that leaves the transaction
 * to its caller. A template is a statement when it is awaited, and a piece of one inside another template.
 */
export type Sql = Template

/** A piece of a statement. */
export type Fragment = Query<readonly object[]>

/** One open transaction, as `db.begin` hands it out. */
export type Tx = Sql &
  Scripts & {
    /**
     * Notifies those who listen on a channel once the transaction is committed, of several transactions at once. It may
     * get lost: they have to look by themselves from time to time.
     */
    signal(channel: string): void
    /**
     * Has these statements sent with the commit, in one round trip: those that nothing waits for. When one fails, nothing
     * is committed.
     */
    defer(send: () => PromiseLike<unknown>): void
    /**
     * The same for a part of a statement, one or more common table expressions that write: all of a transaction go out as one
     * statement, in no order, those of the same name each in another. None of them sees what another has written.
     */
    deferPart(name: string, part: Fragment): void
    /**
     * The same for a part that is made once of all rows that the transaction gives under this name, with its commit: what it locks is
     * locked for a moment, and in one order, however long the transaction is. `sendingDeferred` leaves it to the commit, too.
     */
    deferRows<Row>(name: string, rows: readonly Row[], part: (rows: Row[]) => Fragment): void
  }

type Scripts = {
  /** Runs a text of any number of statements, without values, and gives the rows of the last. */
  script<Row extends object = Record<string, unknown>>(text: string): Promise<Row[]>
}

/** A connection kept for one caller until `release`, past any pooler; what is left open in it is rolled back. */
export type Reserved = Sql & Scripts & { release(): void }

/** A pool of connections. */
export type Db = Sql &
  Scripts & {
    /**
     * Runs a transaction: committed when the function resolves, rolled back when it throws or resolves with a refusal (an
     * object with `refused`), which is given back. Statements that are issued without waiting for each other are sent
     * together. Once a statement has failed, the transaction cannot commit.
     */
    begin<Result>(run: (tx: Tx) => Promise<Result>, options?: TransactionOptions): Promise<Result>
    /**
     * Listens on a connection of its own that is opened again when it is lost. `onListen` is called each time it is
     * there: what was notified in between is lost, so a listener must look at the rows again then.
     */
    listen(
      channel: string,
      onNotify: (payload: string) => void,
      onListen?: () => void,
    ): Promise<{ unlisten: () => Promise<void> }>
    notify(channel: string, payload: string): Promise<void>
    /**
     * The same pool, with its connections counted for a name: each name may hold three quarters of the pool, and is served
     * before those that hold more. Null counts for none.
     */
    share(name: string | null): Db
    /**
     * The same pool, for statements that only read: those that wait for nothing go out together, in one round trip. With `of a turn` also
     * those of others who issue them in the same turn of the event loop: each has to take a moment, whatever the tables hold, for
     * the others are answered with it.
     */
    together(gathered?: Gathered): Db
    /** With a limit of its own the connection is not used again afterwards; 0 for none. */
    reserve(options?: TransactionOptions): Promise<Reserved>
    /** Of the connections that statements and transactions run on. */
    counts(): PoolCounts
    /** Lets statements under way finish, within so many seconds where they are given, and closes every connection. */
    end(options?: { timeout: number }): Promise<void>
  }

export type TransactionOptions = {
  /** Instead of the pool's limit; 0 for none. */
  statementTimeoutMs: number
}

export type DbOptions = Place & {
  /** Seen in pg_stat_activity and in the server's log. */
  applicationName: string
  /** How many connections may be open at once, besides the one that listens; 10 when left out. */
  max?: number
  /** Notices are dropped when left out. */
  onNotice?: (message: string) => void
  /** Called each time a connection of the pool is gone, wanted or not. */
  onClose?: () => void
  /** Called with each statement before it is sent. */
  onStatement?: (statement: Statement) => void
  /** Keeps each connection for good, for session locks; else they are renewed within the hour. */
  permanent?: boolean
  /** A statement that runs longer is cancelled; 30 s when left out, 0 for never. */
  statementTimeoutMs?: number
  /**
   * Has rows reached by an index wherever there is one: for statements about few rows. A statement that is planned while its
   * tables are small keeps its plan while they grow, until they are analyzed; one that reads whole tables must not be among
   * them, neither of ours nor of PostgreSQL's own for foreign keys.
   */
  byIndex?: boolean
}

const STATEMENT_TIMEOUT_MS = 30_000
/** How much longer than PostgreSQL's own limit an answer is waited for: then the database is frozen, or out of reach. */
const GRACE_MS = 2_000

/**
 * Opens a pool; nothing is connected before the first query. After a restart of the database, queries that were
 * under way fail and later ones connect again. A connection that does not answer in time is given up.
 *
 * timestamptz is a `Date`, bytea a `Buffer`; bigint and numeric are text (they may exceed a JavaScript number), and so
 * are date, time and intervals (they name no instant). Each statement is prepared once for each connection.
 */
export function openDb(options: DbOptions): Db {
  const { max = 10, permanent = false, statementTimeoutMs = STATEMENT_TIMEOUT_MS, byIndex = false } = options
  const { onNotice = ignore, onClose = ignore, onStatement = ignore } = options
  const { applicationName } = options
  const direct = directPlaceOf(options)
  const isPooled = direct !== options
  const common = { applicationName, statementTimeoutMs, byIndex, onNotice }
  const session = { ...common, hosts: hostsOf(direct), isPooled: false }
  const limitMs = limitOf(statementTimeoutMs)
  const limits = { max, permanent, waitMs: limitMs, onClose }
  const sessions = new Pool({ ...session, ...limits })
  // A permanent connection is kept for what its session holds.
  const pool =
    isPooled && !permanent ? new Pool({ ...common, ...limits, hosts: hostsOf(options), isPooled }) : sessions
  const listener = new Listener(session)
  const signals = new Signals((channel) => handle.notify(channel, ''))

  const handle = handleOn(
    { pool, sessions, listener, signals, limitMs, onStatement, handles: new Map() },
    { share: null, gathered: null },
  )
  return handle
}

type Parts = {
  readonly pool: Pool
  /** Of connections that go past a pooler; the same pool where there is none. */
  readonly sessions: Pool
  readonly listener: Listener
  readonly signals: Signals
  readonly limitMs: number
  readonly onStatement: (statement: Statement) => void
  /** By their use. */
  readonly handles: Map<string, Db>
}

/** For which share connections are counted, and which statements go out together. */
type Use = { readonly share: string | null; readonly gathered: Gathered | null }

/** Those that are used again: to make one takes as long as to send a statement. */
const HANDLES_KEPT = 1_000

function handleOn(parts: Parts, { share, gathered }: Use): Db {
  const { pool, sessions, listener, signals, limitMs, onStatement, handles } = parts

  async function lend<Result>(use: (connection: Link) => Promise<Result>): Promise<Result> {
    const connection = await pool.acquire(share)
    try {
      return await use(connection)
    } finally {
      pool.release(connection)
    }
  }

  function begin<Result>(work: (tx: Tx) => Promise<Result>, own?: TransactionOptions): Promise<Result> {
    return lend(async (connection) => {
      const ownLimitMs = own === undefined ? limitMs : limitOf(own.statementTimeoutMs)
      const transaction = new Transaction(connection, ownLimitMs, own?.statementTimeoutMs ?? null)
      const sql = template((statement) => {
        onStatement(statement)
        return transaction.run(statement)
      })
      const script = (text: string) => transaction.runScript(text)
      const signalled = new Set<string>()
      const signal = (channel: string) => void signalled.add(channel)
      const deferred = new Deferred()
      const defer = (send: () => PromiseLike<unknown>) => deferred.defer(send)
      const deferPart = (name: string, part: Fragment) => deferred.deferPart(name, part)
      const deferRows: Tx['deferRows'] = (name, rows, part) => deferred.deferRows(name, rows, part)
      try {
        const result = await work(Object.assign(sql, { script, signal, defer, deferPart, deferRows }) as Tx)
        if (isRefused(result)) {
          await transaction.rollback()
          return result
        }
        await Promise.all([...deferred.send(sql), transaction.commit()])
        for (const channel of signalled) signals.raise(channel)
        return result
      } catch (error) {
        await transaction.rollback()
        throw error
      }
    })
  }

  async function reserve(own?: TransactionOptions): Promise<Reserved> {
    const connection = await sessions.acquire(share)
    if (own === undefined) return reserved(connection, limitMs, () => sessions.release(connection))
    try {
      await connection.runScript(`set statement_timeout = ${own.statementTimeoutMs}`, limitMs)
    } catch (error) {
      sessions.retire(connection)
      throw error
    }
    return reserved(connection, limitOf(own.statementTimeoutMs), () => sessions.retire(connection))
  }

  const reads =
    gathered === null
      ? null
      : new GatheredReads(
          (statements) => lend((connection) => connection.sendTogether(statements, limitMs)),
          gathered,
        )
  const sql = template((statement) => {
    onStatement(statement)
    // By itself it is a transaction of its own: where that is undone, nothing of it has happened.
    return (
      reads?.run(statement) ??
      retryCollisions(() => lend((connection) => connection.sendOne(statement, limitMs)))
    )
  })

  function handleFor(use: Use): Db {
    // What one request issues is gathered for it alone.
    if (use.gathered === 'of a request') return handleOn(parts, use)
    const name = `${use.gathered} ${use.share}`
    const known = handles.get(name)
    if (known !== undefined) return known
    if (handles.size === HANDLES_KEPT) handles.clear()
    const made = handleOn(parts, use)
    handles.set(name, made)
    return made
  }

  const handle: Db = Object.assign(sql, {
    begin,
    script: (text: string) => lend((connection) => connection.runScript(text, limitMs)),
    listen: (channel: string, onNotify: (payload: string) => void, onListen = ignore) =>
      listener.listen({ channel, onNotify, onListen }),
    notify: async (channel: string, payload: string) =>
      void (await sql`select pg_notify(${channel}, ${payload})`),
    reserve,
    counts: () => pool.counts,
    share: (name: string | null) => (name === share ? handle : handleFor({ share: name, gathered })),
    together: (which: Gathered = 'of a request') => handleFor({ share, gathered: which }),
    async end(within?: { timeout: number }) {
      const withinMs = within === undefined ? null : within.timeout * 1_000
      await Promise.all([signals.end(), listener.end(), pool.end(withinMs), sessions.end(withinMs)])
    },
  }) as Db
  return handle
}

function reserved(connection: Link, limitMs: number, release: () => void): Reserved {
  const sql = template((statement) => connection.sendOne(statement, limitMs))
  return Object.assign(sql, {
    script: (text: string) => connection.runScript(text, limitMs),
    release,
  }) as Reserved
}

function hostsOf(place: Place): Hosts {
  return new Hosts(addressesOf(place), { checksRole: passesOverStandbys(place) })
}

function limitOf(statementTimeoutMs: number): number {
  return statementTimeoutMs === 0 ? 0 : statementTimeoutMs + GRACE_MS
}

const ignore = () => undefined

/**
 * Has the rest of the transaction reach rows by their indexes, with plans that each connection makes once: for large
 * statements about few rows, which are named by their keys. To plan such a statement takes longer than to run it, and
 * beside small tables, or tables that were small when they were counted last, the planner reads them from end to end. Nor are
 * bitmaps used: they pass over entries of rows that are gone again and again, where a scan of the index marks them.
 */
export async function useIndexPlans(sql: Sql): Promise<void> {
  await sql`
    select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
           set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
           set_config('enable_bitmapscan', 'off', true)`
}

/** The same transaction, whose deferred statements are sent when `send` is called instead of with the commit. */
export function sendingDeferred(tx: Tx): { tx: Tx; send: () => Promise<void> } {
  const deferred = new Deferred()
  const own: Pick<Tx, 'defer' | 'deferPart'> = {
    defer: (send) => deferred.defer(send),
    deferPart: (name, part) => deferred.deferPart(name, part),
  }
  return {
    tx: new Proxy(tx, { get: (target, name) => Reflect.get(name in own ? own : target, name) as unknown }),
    send: async () => void (await Promise.all(deferred.send(tx))),
  }
}

function isRefused(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'refused' in result
}
