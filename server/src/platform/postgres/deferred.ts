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

  /** Sends all, what is deferred by it included; it is for the caller to wait. Throws where one of them cannot be made. */
  send(sql: Template): PromiseLike<unknown>[] {
    const sent: PromiseLike<unknown>[] = []
    try {
      for (const send of this.#sends.splice(0)) sent.push(send())
      for (const [name, { rows, part }] of this.#gathered) this.deferPart(name, part(rows as never[]))
      this.#gathered.clear()
      for (const part of inStatements(sql, this.#parts.splice(0))) sent.push(sql`with ${part} select`)
      return sent
    } catch (error) {
      // Nobody waits for those that were sent, and a failure of theirs would end the process.
      for (const one of sent) one.then(undefined, () => {})
      throw error
    }
  }
}

/** In as few statements as the parts need of which each has a name of its own. */
function inStatements(
  sql: Template,
  parts: readonly { readonly name: string; readonly part: Fragment }[],
): Fragment[] {
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
