import type { Query, Template } from './query.ts'

type Fragment = Query<readonly object[]>

/** What a transaction sends with its commit. */
export class Deferred {
  readonly #sends: (() => PromiseLike<unknown>)[] = []
  readonly #parts: { readonly name: string; readonly part: Fragment }[] = []
  readonly #gathered = new Map<
    string,
    { readonly rows: unknown[]; readonly part: (rows: never[]) => Fragment }
  >()

  defer(send: () => PromiseLike<unknown>): void {
    this.#sends.push(send)
  }

  deferPart(name: string, part: Fragment): void {
    this.#parts.push({ name, part })
  }

  deferRows<Row>(name: string, rows: readonly Row[], part: (rows: Row[]) => Fragment): void {
    const gathered = this.#gathered.get(name)
    if (gathered === undefined) this.#gathered.set(name, { rows: [...rows], part })
    else gathered.rows.push(...rows)
  }

  /** Sends all, what is deferred by it included; it is for the caller to wait. */
  send(sql: Template): PromiseLike<unknown>[] {
    const sent = this.#sends.splice(0).map((send) => send())
    for (const [name, { rows, part }] of this.#gathered) this.deferPart(name, part(rows as never[]))
    this.#gathered.clear()
    return [...sent, ...inStatements(this.#parts.splice(0)).map((part) => sql`with ${part} select`)]

    function inStatements(parts: readonly { readonly name: string; readonly part: Fragment }[]): Fragment[] {
      const statements: Fragment[] = []
      const seen = new Map<string, number>()
      for (const { name, part } of parts) {
        const place = seen.get(name) ?? 0
        seen.set(name, place + 1)
        const before = statements[place]
        statements[place] = before === undefined ? part : sql`${before}, ${part}`
      }
      return statements
    }
  }
}
