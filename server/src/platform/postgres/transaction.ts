import type { Connection } from './connection.ts'
import { isStalePlan } from './errors.ts'
import { COMMIT, command, ROLLBACK, type Rows, type Statement } from './query.ts'

type Pending = {
  statement: Statement
  resolve: (rows: Rows<unknown[]>) => void
  reject: (error: Error) => void
}

/**
 * One transaction. Statements that are issued without waiting for each other go out together, `begin` with the first
 * of them. When one fails, those behind it are not run, and fail with the same error.
 */
export class Transaction {
  readonly #connection: Connection
  readonly #limitMs: number
  /** Sent in front of the first statement. */
  readonly #opening: readonly Statement[]
  #pending: Pending[] = []
  #draining: Promise<void> | null = null
  #begun = false
  #committing = false
  #over = false
  #failure: Error | null = null

  /** `statementTimeoutMs` replaces the connection's own limit within this transaction; 0 for none. */
  constructor(connection: Connection, limitMs: number, statementTimeoutMs: number | null) {
    this.#connection = connection
    this.#limitMs = limitMs
    const own =
      statementTimeoutMs === null ? [] : [command(`set local statement_timeout = ${statementTimeoutMs}`)]
    this.#opening = [...connection.opening, ...own]
  }

  run(statement: Statement): Promise<Rows<unknown[]>> {
    if (this.#over) return Promise.reject(new Error('The transaction of this statement has ended.'))
    return new Promise((resolve, reject) => {
      this.#pending.push({ statement, resolve, reject })
      this.#draining ??= this.#drain()
    })
  }

  async runScript(text: string): Promise<Record<string, unknown>[]> {
    await this.#draining
    if (!this.#begun) await this.#sendGroup([])
    if (this.#failure !== null) throw this.#failure
    try {
      return await this.#connection.runScript(text, this.#limitMs)
    } catch (error) {
      this.#failure ??= error as Error
      throw error
    }
  }

  /** What was issued and not sent yet goes out in front of it, in the same round trip. */
  async commit(): Promise<void> {
    this.#committing = true
    this.#draining ??= this.#drain()
    await this.#draining
    if (!this.#over && this.#begun && this.#failure === null) await this.#sendGroup([])
    this.#over = true
    if (this.#failure !== null) throw this.#failure
  }

  /** Never throws: where it cannot be sent, the connection is gone, and with it the transaction. */
  async rollback(): Promise<void> {
    this.#over = true
    await this.#draining
    if (this.#begun && this.#connection.lost === null && this.#connection.isInTransaction)
      await this.#connection.send([ROLLBACK], this.#limitMs)
  }

  async #drain(): Promise<void> {
    // By then everything has been issued that waits for nothing.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    while (this.#pending.length > 0) await this.#sendGroup(this.#pending.splice(0))
    this.#draining = null
  }

  async #sendGroup(group: readonly Pending[]): Promise<void> {
    const opening = this.#begun ? [] : this.#opening
    this.#begun = true
    const closing = this.#committing ? [COMMIT] : []
    if (this.#committing) this.#over = true
    const statements = [...opening, ...group.map(({ statement }) => statement), ...closing]
    let { results, error } = await this.#connection.send(statements, this.#limitMs)
    if (opening.length > 0 && isStalePlan(error)) {
      // Nothing of this transaction is visible yet.
      await this.#connection.send([ROLLBACK], this.#limitMs)
      ;({ results, error } = await this.#connection.send(statements, this.#limitMs))
    }
    this.#failure ??= error
    for (const [place, { resolve, reject }] of group.entries()) {
      const rows = results[opening.length + place]
      if (rows !== undefined) resolve(rows)
      else reject(error ?? new Error('A statement was not answered.'))
    }
  }
}
