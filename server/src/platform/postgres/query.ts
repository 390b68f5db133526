import { createHash } from 'node:crypto'
import { castOf, type Encoded, encode, Json, type Parameter } from './values.ts'

/** A name in a statement, quoted: `db(name)`. */
export class Identifier {
  readonly sql: string

  constructor(name: string) {
    this.sql = `"${name.replaceAll('"', '""')}"`
  }
}

/** A statement as it is sent. The name stands for the text, so that each connection prepares it once. */
export type Statement = { readonly text: string; readonly name: string; readonly values: readonly Encoded[] }

/** A statement without values, under its own text as its name. */
export function command(text: string): Statement {
  return { text, name: text, values: [] }
}

export const BEGIN = command('begin')
export const COMMIT = command('commit')
export const ROLLBACK = command('rollback')

/** The rows of an answer; `count` is how many were found, changed or deleted. */
export type Rows<Row extends readonly unknown[]> = Row & { readonly count: number }

export type Run = (statement: Statement) => Promise<Rows<unknown[]>>

/** What may stand between the words of a template: a value, a name, or a piece of SQL, itself a template. */
export type Piece = Parameter | Identifier | Query<readonly object[]>

/**
 * A template with its values. It is sent when it is first awaited; inside another template it is a part of that one,
 * and is not sent by itself.
 */
export class Query<Row extends readonly unknown[]> implements Promise<Rows<Row>> {
  readonly [Symbol.toStringTag] = 'Query'
  readonly #strings: readonly string[]
  readonly #pieces: readonly Piece[]
  readonly #run: Run
  #answer: Promise<Rows<Row>> | null = null

  constructor(run: Run, strings: readonly string[], pieces: readonly Piece[]) {
    this.#run = run
    this.#strings = strings
    this.#pieces = pieces
  }

  // oxlint-disable-next-line unicorn/no-thenable -- awaiting a template is what sends it
  then<Value = Rows<Row>, Failure = never>(
    onValue?: ((rows: Rows<Row>) => Value | PromiseLike<Value>) | null,
    onFailure?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Value | Failure> {
    return this.#send().then(onValue, onFailure)
  }

  catch<Failure = never>(
    onFailure?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Rows<Row> | Failure> {
    return this.#send().catch(onFailure)
  }

  finally(onEnd?: (() => void) | null): Promise<Rows<Row>> {
    return this.#send().finally(onEnd)
  }

  #send(): Promise<Rows<Row>> {
    this.#answer ??= this.#begin()
    return this.#answer
  }

  async #begin(): Promise<Rows<Row>> {
    const values: Encoded[] = []
    const text = this.#append('', values)
    // The type of the rows is declared where the template is written.
    return (await this.#run({ text, name: nameOf(text), values })) as unknown as Rows<Row>
  }

  #append(before: string, values: Encoded[]): string {
    let text = before + (this.#strings[0] ?? '')
    for (const [place, piece] of this.#pieces.entries()) {
      if (piece instanceof Query) text = piece.#append(text, values)
      else if (piece instanceof Identifier) text += piece.sql
      else text += `$${values.push(encode(piece))}${castOf(piece)}`
      text += this.#strings[place + 1] ?? ''
    }
    return text
  }
}

/** The callable part of every handle: templates, names, JSON. */
export type Template = {
  <Row extends readonly unknown[] = Record<string, unknown>[]>(
    strings: TemplateStringsArray,
    ...pieces: Piece[]
  ): Query<Row>
  (name: string): Identifier
  /** A value as JSON. What JSON.stringify leaves out is left out. */
  json(value: unknown): Json
}

export function template(run: Run): Template {
  function build<Row extends readonly unknown[]>(
    first: TemplateStringsArray | string,
    ...pieces: Piece[]
  ): Query<Row> | Identifier {
    return typeof first === 'string' ? new Identifier(first) : new Query<Row>(run, first, pieces)
  }
  return Object.assign(build, { json: (value: unknown) => new Json(value) }) as Template
}

const names = new Map<string, string>()
/** Texts that vary from call to call must not fill the memory. */
const NAMES_KEPT = 2_000

export function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size === NAMES_KEPT) names.clear()
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 27)
  names.set(text, name)
  return name
}
