import pg from 'pg'
import type { Address } from './address.ts'
import { type Answers, Batch, type Prepared } from './batch.ts'
import { DatabaseAway, isOfDatabase, isReadOnly, isStalePlan } from './errors.ts'
import { type Hosts, isRoleRefusal, type ServerRole } from './hosts.ts'
import { BEGIN, COMMIT, command, ROLLBACK, type Rows, type Statement } from './query.ts'
import { decoderOf } from './values.ts'

/** What every connection of a pool is opened with. */
export type Session = {
  readonly hosts: Hosts
  readonly applicationName: string
  /** How long PostgreSQL lets one statement run; 0 for ever. */
  readonly statementTimeoutMs: number
  /**
   * A pooler gives each transaction another session of PostgreSQL: nothing may outlive one, neither settings nor prepared
   * statements.
   */
  readonly isPooled: boolean
  /** Whether rows are reached by an index wherever there is one, however small a table is taken to be. */
  readonly byIndex: boolean
  readonly onNotice: (message: string) => void
}

type SessionSettings = Pick<Session, 'isPooled' | 'statementTimeoutMs' | 'byIndex'>

type Waiting = { batch: Batch; limitMs: number; resolve: (answers: Answers) => void }

const ROLE_TIMEOUT_MS = 5_000
const GOODBYE_MS = 2_000
/** Transactions here never wait for anything but the database; one that idles has lost its owner. */
const IDLE_IN_TRANSACTION_MS = 60_000
/** Above this many prepared statements a connection is replaced; their plans are memory of the server. */
const PREPARED_MAX = 500

/** One connection. Whatever happens to it is an answer of `send`; nothing is thrown elsewhere. */
export class Connection {
  /** What each transaction begins with: `begin`, and the settings that no session of a pooler keeps. */
  readonly opening: readonly Statement[]
  readonly #client: pg.Client
  readonly #isPooled: boolean
  readonly #prepared: Prepared = new Map()
  #current: Waiting | null = null
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #lost: Error | null = null
  #gone = false
  #onLost: () => void = () => undefined

  constructor(client: pg.Client, settings: SessionSettings) {
    this.#client = client
    this.#isPooled = settings.isPooled
    this.opening = settings.isPooled ? [BEGIN, ...localSettings(settings)] : [BEGIN]
    client.on('error', (error) => (this.#lost ??= asAway(error)))
    client.on('end', () => this.#end())
    client.on('notice', (notice) => this.#checkReplicated(notice))
    client.connection.on('readyForQuery', () => this.#finish())
  }

  /** Connects to the first address that answers, and can be used where its role is asked for. */
  static async open({ hosts, ...session }: Session): Promise<Connection> {
    let failure: unknown = new DatabaseAway('CONNECTION_CLOSED')
    for (const address of hosts.inOrder()) {
      try {
        const connection = await connect(address, session)
        if (hosts.checksRole) await connection.#checkRole(hosts)
        hosts.prefer(address)
        return connection
      } catch (error) {
        // What a server said of itself tells more than the silence of the next.
        if (!isRoleRefusal(failure) || isRoleRefusal(error)) failure = error
      }
    }
    throw failure
  }

  /** Why nothing can be sent any more; null while it can. */
  get lost(): Error | null {
    return this.#lost
  }

  /** Whether it should be replaced once it is free. */
  get isFull(): boolean {
    return this.#prepared.size > PREPARED_MAX
  }

  get isInTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I'
  }

  /** Calls back when the connection is gone, wanted or not; at once if it is. */
  onLost(callback: () => void): void {
    if (this.#gone) queueMicrotask(callback)
    else this.#onLost = callback
  }

  onNotification(callback: (channel: string, payload: string) => void): void {
    this.#client.on('notification', ({ channel, payload }) => callback(channel, payload ?? ''))
  }

  /**
   * Sends statements together, after those sent before. Without an answer within the limit the connection is
   * destroyed, since the answer might still come and be taken for another one's; 0 waits for ever.
   */
  send(statements: readonly Statement[], limitMs: number): Promise<Answers> {
    return new Promise((resolve) => {
      const sent = this.#isPooled ? statements.map((statement) => ({ ...statement, name: '' })) : statements
      this.#waiting.push({ batch: new Batch(sent, this.#prepared), limitMs, resolve })
      this.#next()
    })
  }

  /** Sends one statement; once more if it was prepared for tables that have changed since. */
  async sendOne(statement: Statement, limitMs: number): Promise<Rows<unknown[]>> {
    const { results, error } = await this.sendTogether([statement], limitMs)
    if (error !== null) throw error
    return results[0] as Rows<unknown[]>
  }

  /** The same for statements that only read, in one round trip: each sees what was committed before it. */
  async sendTogether(statements: readonly Statement[], limitMs: number): Promise<Answers> {
    if (this.#isPooled) return this.#sendInTransaction(statements, limitMs)
    const answers = await this.send(statements, limitMs)
    return isStalePlan(answers.error) && !this.isInTransaction ? this.send(statements, limitMs) : answers
  }

  /** In one round trip, so that the limits of the opening are in the same session. */
  async #sendInTransaction(statements: readonly Statement[], limitMs: number): Promise<Answers> {
    const { results, error } = await this.send([...this.opening, ...statements, COMMIT], limitMs)
    if (error !== null && this.#lost === null && this.isInTransaction) await this.send([ROLLBACK], limitMs)
    return { results: results.slice(this.opening.length), error }
  }

  /** Runs a text of any number of statements, without values and unprepared, and gives the rows of the last. */
  async runScript(text: string, limitMs: number): Promise<Record<string, unknown>[]> {
    const timer = limitMs === 0 ? undefined : setTimeout(() => this.#timeOut(), limitMs)
    try {
      const types = { getTypeParser: (oid: number) => decoderOf(oid) as never }
      const result: unknown = await this.#client.query({ text, types })
      const last = (Array.isArray(result) ? result.at(-1) : result) as pg.QueryResult | undefined
      return (last?.rows ?? []) as Record<string, unknown>[]
    } catch (error) {
      this.#leaveStandby(error)
      throw this.#lost ?? error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Says goodbye; resolves when the connection is gone. A server that does not react is left alone with it. */
  async end(): Promise<void> {
    const ended = new DatabaseAway('CONNECTION_ENDED')
    this.#lost ??= ended
    const timer = setTimeout(() => this.destroy(ended), GOODBYE_MS)
    await this.#client.end()
    clearTimeout(timer)
  }

  /** Cuts the connection off; what is under way fails with this error. */
  destroy(reason: Error): void {
    this.#lost ??= reason
    this.#client.connection.stream.destroy()
  }

  #next(): void {
    if (this.#current !== null) return
    const next = this.#waiting.shift()
    if (next === undefined) return
    if (this.#lost !== null) return next.resolve({ results: [], error: this.#lost })
    this.#current = next
    if (next.limitMs > 0) this.#timer = setTimeout(() => this.#timeOut(), next.limitMs)
    this.#client.query(next.batch)
  }

  #timeOut(): void {
    this.destroy(new DatabaseAway('QUERY_TIMEOUT'))
  }

  /** PostgreSQL has answered the current batch, and waits for the next. */
  #finish(): void {
    const current = this.#current
    if (current === null) return
    clearTimeout(this.#timer)
    this.#current = null
    const { answers } = current.batch
    if (isStalePlan(answers.error)) this.#prepared.clear()
    current.resolve(this.#lost === null ? answers : { results: [], error: this.#lost })
    this.#leaveStandby(answers.error)
    this.#next()
  }

  /** Another server is the primary by now, or will be: the next connection looks for it. */
  #leaveStandby(error: unknown): void {
    if (isReadOnly(error)) this.destroy(new DatabaseAway('READ_ONLY'))
  }

  /**
   * PostgreSQL reports a commit whose wait for a synchronous standby was cancelled as done, with a warning. It is not:
   * the standby may become the primary without it, and what was armed there would be published again. It is known by the
   * function that raises it, which raises nothing else; severity and text are in the language of the server.
   */
  #checkReplicated({ routine }: Pick<pg.DatabaseError, 'routine'>): void {
    if (routine === 'SyncRepWaitForLSN') this.destroy(new DatabaseAway('NOT_REPLICATED'))
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#gone = true
    this.#lost ??= new DatabaseAway('CONNECTION_CLOSED')
    const unanswered = [...(this.#current === null ? [] : [this.#current]), ...this.#waiting.splice(0)]
    this.#current = null
    for (const { batch, resolve } of unanswered) {
      const said = batch.answers.error
      resolve({ results: [], error: said instanceof pg.DatabaseError ? said : this.#lost })
    }
    this.#onLost()
  }

  async #checkRole(hosts: Hosts): Promise<void> {
    try {
      const refusal = hosts.explainRefusal(await this.#role())
      if (refusal !== null) throw refusal
    } catch (error) {
      void this.end()
      throw error
    }
  }

  async #role(): Promise<ServerRole> {
    const [row] = await this.runScript(
      `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as refuses`,
      ROLE_TIMEOUT_MS,
    )
    const refusesWrites = row?.['refuses'] !== false
    return { refusesWrites, timeline: refusesWrites ? null : await this.#timeline() }
  }

  /** What is only compatible with PostgreSQL may have none. */
  async #timeline(): Promise<number | null> {
    try {
      const [row] = await this.runScript(
        'select pg_walfile_name(pg_current_wal_lsn()) as file',
        ROLE_TIMEOUT_MS,
      )
      return Number.parseInt(String(row?.['file']).slice(0, TIMELINE_DIGITS), 16)
    } catch (error) {
      if (error instanceof pg.DatabaseError) return null
      throw error
    }
  }
}

/** A segment of the write-ahead log is named by its timeline and its place, in hexadecimal digits. */
const TIMELINE_DIGITS = 8

async function connect(
  { connectTimeoutMs, ...address }: Address,
  session: Omit<Session, 'hosts'>,
): Promise<Connection> {
  const client = new pg.Client({
    application_name: session.applicationName,
    ...address,
    // A pooler refuses such settings, or would keep them for the clients of others.
    ...(session.isPooled
      ? {}
      : {
          statement_timeout: session.statementTimeoutMs,
          idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
        }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  })
  client.on('notice', ({ severity, message }) => session.onNotice(`${severity}: ${message}`))
  const connection = new Connection(client, session)
  const timer = setTimeout(() => connection.destroy(new DatabaseAway('CONNECT_TIMEOUT')), connectTimeoutMs)
  try {
    await client.connect()
    if (session.byIndex && !session.isPooled)
      await connection.runScript(BY_INDEX.map((setting) => `set ${setting}`).join('; '), 0)
    return connection
  } catch (error) {
    const reason = connection.lost ?? asAway(error)
    connection.destroy(reason)
    throw reason
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Before PostgreSQL 18, a scan that is off and inevitable costs so much on paper that a statement would be compiled first, which
 * takes seconds. And where a page in any place is taken to cost four times one behind the last, as on a turning disk, to read all
 * rows of a workspace looks cheaper than to read one by its key, as long as they are few.
 */
const BY_INDEX = ['enable_seqscan = off', 'jit = off', 'random_page_cost = 1.1']

function localSettings({ statementTimeoutMs, byIndex }: SessionSettings): Statement[] {
  return [
    command(`set local statement_timeout = ${statementTimeoutMs}`),
    command(`set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`),
    ...(byIndex ? BY_INDEX.map((setting) => command(`set local ${setting}`)) : []),
  ]
}

/** What PostgreSQL has answered stays what it is. */
function asAway(error: unknown): Error {
  return isOfDatabase(error) ? error : DatabaseAway.because(error)
}
