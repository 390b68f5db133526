import type pg from 'pg'
import type { Rows, Statement } from './query.ts'
import { decoderOf } from './values.ts'

/** The columns of a statement's rows. */
type Column = { readonly name: string; readonly decode: (text: string) => unknown }

/** The statements that a connection has prepared, by name. One without a name is prepared for one use alone. */
export type Prepared = Map<string, readonly Column[]>

/** What statements that were sent together were answered. Those behind a failed one did not run. */
export type Answers = { readonly results: readonly Rows<unknown[]>[]; readonly error: Error | null }

/** The messages of the wire protocol; the driver's types know older forms of them. */
type Wire = {
  readonly stream: { cork(): void; uncork(): void }
  close(of: { type: 'S'; name: string }): void
  parse(of: { text: string; name: string }): void
  bind(of: { statement: string; values: readonly unknown[] }): void
  describe(of: { type: 'P' }): void
  execute(): void
  sync(): void
  sendCopyFail(reason: string): void
}

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
    const wire = connection as unknown as Wire
    const parsed = new Set<string>()
    wire.stream.cork()
    for (const { name, text, values } of this.#statements) {
      const known = this.#prepared.has(name)
      if (name === '') {
        wire.parse({ text, name })
      } else if (!known && !parsed.has(name)) {
        // An earlier failure may have left it behind; closing what is not there is no error.
        wire.close({ type: 'S', name })
        wire.parse({ text, name })
        parsed.add(name)
      }
      wire.bind({ statement: name, values })
      if (!known) wire.describe({ type: 'P' })
      wire.execute()
    }
    wire.sync()
    wire.stream.uncork()
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
    this.#complete(Number(/\d+$/.exec(text)?.[0] ?? 0))
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
