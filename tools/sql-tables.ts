import { parseSync, visitorKeys } from 'oxc-parser'

/** A table that a statement names, or a name that code puts into it. */
export type Access = {
  /** Null: the name is put in by code. */
  readonly table: string | null
  /** `hides`: a common table expression has the table's name, and a reader would take it for the table. */
  readonly does: 'reads' | 'writes' | 'hides'
  /** Where the text of its statement begins, counted from 1. */
  readonly line: number
}

type Node = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>

/** What stands in a statement's text for a value, a piece or a name that code puts in. */
const [PIECE, NAME] = ['\u0001', '\u0002']

/** A text that is SQL although nothing tags it: what is handed over as a script. */
const STATEMENT =
  /^\s*(?:insert\s+into|update\s+\w+\s+(?:\w+\s+)?set|delete\s+from|truncate|lock\s+table|merge\s+into|select|with)\s/i

/**
 * The tables that the SQL in a TypeScript file reads and writes. SQL is what stands in tagged templates, in a template
 * within a template, too, and in other texts that begin as a statement does. A property `table` with the name of one is taken for a
 * write: something else puts the name into its statements.
 */
export function accessesOf(fileName: string, source: string, tables: ReadonlySet<string>): Access[] {
  const { program } = parseSync(fileName, source)
  return [...textsBelow(program as unknown as Node, source)].flatMap(({ text, start }) => {
    const line = source.slice(0, start).split('\n').length
    return tablesNamed(text, tables).map((access) => ({ ...access, line }))
  })
}

function* textsBelow(node: Node, source: string): Generator<{ text: string; start: number }> {
  if (node.type === 'TaggedTemplateExpression') {
    const tag = source.slice((node.tag as Node).start, (node.tag as Node).end)
    // Its pieces are HTML.
    if (tag !== 'html') yield { text: textOf(node.quasi as Node, source, tag), start: node.start }
    yield* textsOfChildren(node.quasi as Node, source)
    return
  }
  if (node.type === 'Property' && isNamed(node.key as Node, 'table')) {
    const { value } = node.value as Node
    if (typeof value === 'string') yield { text: `update ${value}`, start: node.start }
  }
  const text =
    node.type === 'TemplateLiteral'
      ? textOf(node, source, null)
      : node.type === 'Literal' && typeof node.value === 'string'
        ? node.value
        : ''
  if (STATEMENT.test(text)) yield { text, start: node.start }
  yield* textsOfChildren(node, source)
}

function isNamed(key: Node, name: string): boolean {
  return key.type === 'Identifier' && key.name === name
}

function* textsOfChildren(node: Node, source: string): Generator<{ text: string; start: number }> {
  for (const key of visitorKeys[node.type] ?? []) {
    for (const child of [node[key]].flat() as (Node | null)[]) {
      if (child !== null && child !== undefined) yield* textsBelow(child, source)
    }
  }
}

function textOf(template: Node, source: string, tag: string | null): string {
  const expressions = template.expressions as readonly Node[]
  const quasis = template.quasis as readonly { readonly value: { readonly cooked: string } }[]
  return quasis
    .map(({ value }, place) => {
      const expression = expressions[place]
      if (expression === undefined) return value.cooked
      const isName = tag !== null && source.slice(expression.start, expression.end).startsWith(`${tag}(`)
      return `${value.cooked} ${isName ? NAME : PIECE} `
    })
    .join('')
}

const TOKEN = /--[^\n]*|\/\*[^]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|[a-z_][\w$]*(?:\.[a-z_][\w$]*)*|\S/gi

/**
 * The tables of a statement, or of a piece of one, by the words in front of their names. A piece that begins with a table's
 * name stands behind a `from` somewhere else.
 */
export function tablesNamed(text: string, tables: ReadonlySet<string>): Omit<Access, 'line'>[] {
  const tokens = (text.match(TOKEN) ?? [])
    .filter((token) => !token.startsWith('--') && !token.startsWith('/*') && !token.startsWith("'"))
    .map((token) => token.toLowerCase().replaceAll('"', ''))
  const found: Omit<Access, 'line'>[] = []
  const add = (does: 'reads' | 'writes', place: number) => {
    const name = tokens[skipped(tokens, place)]?.replace(/^public\./, '') ?? ''
    if ((name === NAME && place > 0) || (name === PIECE && does === 'writes'))
      found.push({ table: null, does })
    else if (tables.has(name)) found.push({ table: name, does })
  }
  add('reads', 0)
  for (const [place, token] of tokens.entries()) {
    const [before = '', next = ''] = [tokens[place - 1], tokens[place + 1]]
    const items = () => itemsFrom(tokens, place + 1)
    if (token === 'update' || (token === 'from' && before === 'delete')) add('writes', place + 1)
    else if (token === 'into') add('writes', place + 1)
    else if (token === 'truncate' || ((token === 'lock' || token === 'alter') && next === 'table'))
      for (const item of items()) add('writes', item)
    else if (token === 'join') add('reads', place + 1)
    else if (token === 'using' || (token === 'from' && before !== 'distinct'))
      for (const item of items()) add('reads', item)
    else if (token === 'as' && ['(', 'materialized', 'not'].includes(next) && tables.has(before))
      found.push({ table: before, does: 'hides' })
  }
  return found
}

/** Past the words that may stand before a name. */
function skipped(tokens: readonly string[], place: number): number {
  return ['only', 'table', 'lateral'].includes(tokens[place] ?? '') ? skipped(tokens, place + 1) : place
}

const ENDS_LIST = new Set(
  'where join left right full cross inner natural order group having limit offset fetch for returning union except intersect on set window in'.split(
    ' ',
  ),
)

/** Where the items of a list begin that are separated by commas. */
function itemsFrom(tokens: readonly string[], start: number): number[] {
  const items = [start]
  let depth = 0
  for (let place = start; place < tokens.length; place++) {
    const token = tokens[place] ?? ''
    if (token === '(') depth++
    else if (token === ')') depth--
    if (depth < 0 || (depth === 0 && (token === ';' || ENDS_LIST.has(token)))) break
    if (depth === 0 && token === ',') items.push(place + 1)
  }
  return items
}
