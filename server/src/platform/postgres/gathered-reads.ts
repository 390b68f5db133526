import pg from 'pg'
import type { Answers } from './batch.ts'
import type { Rows, Statement } from './query.ts'

type Pending = {
  statement: Statement
  resolve: (rows: Rows<unknown[]>) => void
  reject: (error: Error) => void
}

/** When what has been issued goes out: once all of one request is there that waits for nothing, or all of one turn of the event loop. */
export type Gathered = 'of a request' | 'of a turn'

/** Nobody's answer waits for more than these. */
const MOST_TOGETHER = 32

/**
 * Statements that only read, outside of a transaction: those that are issued without waiting for each other go out
 * together. Each sees what was committed before it, in their order. When one fails, those behind it are sent again.
 */
export class GatheredReads {
  readonly #send: (statements: readonly Statement[]) => Promise<Answers>
  readonly #afterGathering: (send: () => void) => void
  #pending: Pending[] = []

  constructor(send: (statements: readonly Statement[]) => Promise<Answers>, gathered: Gathered) {
    this.#send = send
    this.#afterGathering = gathered === 'of a turn' ? setImmediate : process.nextTick
  }

  run(statement: Statement): Promise<Rows<unknown[]>> {
    return new Promise((resolve, reject) => {
      if (this.#pending.push({ statement, resolve, reject }) === 1)
        this.#afterGathering(() => this.#sendPending())
    })
  }

  #sendPending(): void {
    const pending = this.#pending
    this.#pending = []
    while (pending.length > 0) void this.#sendGroup(pending.splice(0, MOST_TOGETHER))
  }

  async #sendGroup(group: readonly Pending[]): Promise<void> {
    const { results, error } = await this.#send(group.map(({ statement }) => statement)).catch(failed)
    for (const [place, rows] of results.entries()) group[place]?.resolve(rows)
    const [refused, ...behind] = group.slice(results.length)
    if (refused === undefined) return
    const reason = error ?? new Error('A statement was not answered.')
    refused.reject(reason)
    if (reason instanceof pg.DatabaseError) return this.#sendGroup(behind)
    for (const { reject } of behind) reject(reason)
  }
}

function failed(error: unknown): Answers {
  return {
    results: [],
    error: error instanceof Error ? error : new Error('Nothing was sent.', { cause: error }),
  }
}
