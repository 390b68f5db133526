import type pg from 'pg'
import { Messages } from './messages.ts'
import type { Rows, Statement } from './query.ts'
import { decoderOf } from './values.ts'

/** The columns of a statement's rows. */
type Column = { readonly name: string; readonly decode: (text: string) => unknown }

/** The statements that a connection has prepared, by name. One without a name is prepared for one use alone. */
export type Prepared = Map<string, readonly Column[]>

/** What statements that were sent together were answered. Those behind a failed one did not run. */
export type Answers = { readonly results: readonly Rows<unknown[]>[]; readonly error: Error | null }

/** What is used of the driver's connection. */
type Wire = {
  readonly stream: { readonly writable: boolean; write(bytes: Buffer): void }
  sendCopyFail(reason: string): void
}

const messages = new Messages()

/**
 * Statements that are sent together: one write, one Sync, one answer. PostgreSQL leaves out what stands behind a
 * failed statement, so that in a batch which begins with `begin` nothing ever runs outside of the transaction.
 * Outside of one, a batch holds a single statement, or statements that only read.
 *
 * The driver calls the methods. A statement is described once for each connection: while it stays prepared, its
 * columns stay what they are.
 */
export class Batch implements pg.Submittable {
  readonly #statements: readonly Statement[]
  readonly #prepared: Prepared
  readonly #results: Rows<unknown[]>[] = []
  #rows: Record<string, unknown>[] = []
  #columns: readonly Column[] = []
  #error: Error | null = null

  constructor(statements: readonly Statement[], prepared: Prepared) {
    this.#statements = statements
    this.#prepared = prepared
  }

  get answers(): Answers {
    return { results: this.#results, error: this.#error }
  }

  submit(connection: pg.Connection): void {
    const { stream } = connection as unknown as Wire
    if (stream.writable) stream.write(this.#asMessages())
  }

  #asMessages(): Buffer {
    const parsed = new Set<string>()
    messages.clear()
    for (const { name, text, values } of this.#statements) {
      const known = this.#prepared.has(name)
      if (name === '') {
        messages.parse(name, text)
      } else if (!known && !parsed.has(name)) {
        // An earlier failure may have left it behind; closing what is not there is no error.
        messages.closeStatement(name)
        messages.parse(name, text)
        parsed.add(name)
      }
      messages.bind(name, values)
      if (!known) messages.describePortal()
      messages.execute()
    }
    messages.sync()
    return messages.take()
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, decode: decoderOf(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const columns = this.#prepared.get(this.#current) ?? this.#columns
    const row: Record<string, unknown> = {}
    try {
      for (let place = 0; place < columns.length; place++) {
        const { name, decode } = columns[place] as Column
        const text = fields[place] ?? null
        row[name] = text === null ? null : decode(text)
      }
    } catch (error) {
      this.#error ??= error as Error
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const name = this.#current
    if (name !== '' && !this.#prepared.has(name)) this.#prepared.set(name, this.#columns)
    this.#complete(countIn(text))
  }

  handleEmptyQuery(): void {
    this.#complete(0)
  }

  handleError(error: Error): void {
    this.#error ??= error
  }

  handleCopyInResponse(connection: Wire): void {
    connection.sendCopyFail('COPY is not supported')
  }

  handleCopyData(): void {}
  handlePortalSuspended(): void {}
  handleReadyForQuery(): void {}

  get #current(): string {
    return this.#statements[this.#results.length]?.name ?? ''
  }

  #complete(count: number): void {
    Object.defineProperty(this.#rows, 'count', { value: count })
    this.#results.push(this.#rows as unknown as Rows<unknown[]>)
    this.#rows = []
    this.#columns = []
  }
}

/** `INSERT 0 1` and `SELECT 1` are of one row; `BEGIN` is of none. */
function countIn(tag: string): number {
  const count = Number(tag.slice(tag.lastIndexOf(' ') + 1))
  return Number.isNaN(count) ? 0 : count
}
