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
    const shape = this.#shapeBehind(shapes.root, values)
    const { text, name } = (shape.statement ??= statementOf(this.#append('', { count: 0 })))
    // The type of the rows is declared where the template is written.
    return (await this.#run({ text, name, values })) as unknown as Rows<Row>
  }

  /** Encodes the values on the way. */
  #shapeBehind(before: Shape, values: Encoded[]): Shape {
    let shape = next(before, this.#strings)
    for (const piece of this.#pieces) {
      if (piece instanceof Query) shape = piece.#shapeBehind(shape, values)
      else if (piece instanceof Identifier) shape = next(shape, piece.sql)
      else {
        values.push(encode(piece))
        shape = next(shape, castOf(piece))
      }
    }
    return shape
  }

  #append(before: string, placeholders: { count: number }): string {
    let text = before + (this.#strings[0] ?? '')
    for (const [place, piece] of this.#pieces.entries()) {
      if (piece instanceof Query) text = piece.#append(text, placeholders)
      else if (piece instanceof Identifier) text += piece.sql
      else text += `$${++placeholders.count}${castOf(piece)}`
      text += this.#strings[place + 1] ?? ''
    }
    return text
  }
}

/**
 * What a statement consists of up to some place, and what may come behind: the words of templates, each the same object at every
 * call, names, and the types of values. By it the text is put together, and named, once.
 */
type Shape = {
  readonly next: Map<readonly string[] | string, Shape>
  statement: Pick<Statement, 'text' | 'name'> | null
}

/** Statements whose pieces vary from call to call must not fill the memory. */
const SHAPES_KEPT = 50_000
const shapes = { root: newShape(), count: 0 }

function newShape(): Shape {
  return { next: new Map(), statement: null }
}

function next(before: Shape, words: readonly string[] | string): Shape {
  const known = before.next.get(words)
  if (known !== undefined) return known
  if (shapes.count === SHAPES_KEPT) Object.assign(shapes, { root: newShape(), count: 0 })
  const shape = newShape()
  before.next.set(words, shape)
  shapes.count += 1
  return shape
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

function statementOf(text: string): Pick<Statement, 'text' | 'name'> {
  return { text, name: nameOf(text) }
}

export function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 27)
}
