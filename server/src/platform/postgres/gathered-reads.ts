import type { Answers } from './batch.ts'
import type { Rows, Statement } from './query.ts'

type Pending = {
  statement: Statement
  resolve: (rows: Rows<unknown[]>) => void
  reject: (error: Error) => void
}

/**
 * Statements that only read, outside of a transaction: those that are issued without waiting for each other go out
 * together. Each sees what was committed before it, in their order. When one fails, those behind it fail with it.
 */
export class GatheredReads {
  readonly #send: (statements: readonly Statement[]) => Promise<Answers>
  #pending: Pending[] = []

  constructor(send: (statements: readonly Statement[]) => Promise<Answers>) {
    this.#send = send
  }

  run(statement: Statement): Promise<Rows<unknown[]>> {
    return new Promise((resolve, reject) => {
      // By the next tick everything has been issued that waits for nothing.
      if (this.#pending.push({ statement, resolve, reject }) === 1)
        process.nextTick(() => void this.#sendPending())
    })
  }

  async #sendPending(): Promise<void> {
    const group = this.#pending
    this.#pending = []
    const { results, error } = await this.#send(group.map(({ statement }) => statement)).catch(failed)
    for (const [place, { resolve, reject }] of group.entries()) {
      const rows = results[place]
      if (rows === undefined) reject(error ?? new Error('A statement was not answered.'))
      else resolve(rows)
    }
  }
}

function failed(error: unknown): Answers {
  return {
    results: [],
    error: error instanceof Error ? error : new Error('Nothing was sent.', { cause: error }),
  }
}
