import { type ContentField, type FieldName, isNone, toPlan } from '@postrider/contract/names'

/*
 * A cell that begins with one of these is a formula to a spreadsheet (OWASP, "CSV Injection"), also after apostrophes of ours. It is
 * written with an apostrophe before it, which makes a text of it, and read without.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A cell as it is written: always in quotes, and never a formula. */
export function cellOf(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}

/** What a cell says. */
export function textOfCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
}

/** A line that stands between the parts of a thread. */
const PART_BREAK = '---'
const BREAK_IN_TEXT = /^([^\S\n]*)(\\*---[^\S\n]*)$/gm

/** The parts of a thread in one cell, a line between them; a line in a part that looks like it gets a backslash. */
export function cellOfParts(parts: readonly string[]): string {
  return parts.map((text) => text.replace(BREAK_IN_TEXT, String.raw`$1\$2`)).join(`\n${PART_BREAK}\n`)
}

export function partsOfCell(cell: string): string[] {
  const parts: string[][] = [[]]
  for (const line of cell.split('\n')) {
    if (line.trim() === PART_BREAK) parts.push([])
    else parts.at(-1)?.push(line.replace(/^(\s*)\\(\\*---\s*)$/, '$1$2'))
  }
  return parts.map((lines) => lines.join('\n').trim())
}

/** Lists in one cell, of each part of a thread: an item in a line, and between the parts a line. */
export function cellOfLists(lists: readonly (readonly string[])[]): string {
  const last = lists.findLastIndex((list) => list.some((item) => item !== ''))
  return lists
    .slice(0, last + 1)
    .map((list) => list.map((item) => item.replaceAll(/[\n|]+/g, ' ')).join('\n'))
    .join(`\n${PART_BREAK}\n`)
}

/** Items may have bars between them, too. */
export function listsOfCell(cell: string): string[][] {
  const lists: string[][] = [[]]
  for (const line of cell.split('\n')) {
    if (line.trim() === PART_BREAK) lists.push([])
    else for (const item of line.split('|')) lists.at(-1)?.push(item.trim())
  }
  return lists
}

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['true', true],
  ['no', false],
  ['false', false],
])

/** What a cell says of a field, as a plan says it; undefined where it is nothing that the field can be. */
export function valueOfCell({ plan, none }: ContentField, cell: string): unknown {
  const { type } = plan.schema
  if (type === 'boolean') return cell.trim() === '' ? none : WORDS.get(cell.trim().toLowerCase())
  if (type === 'array') return namesOfCell(cell)
  return type === 'object' ? objectOfCell(cell) : cell
}

/** The value of a field in a plan as a cell; empty for none. */
export function cellOfValue(name: FieldName, value: unknown): string {
  if (isNone(name, value)) return ''
  const written = toPlan(name, value)
  if (Array.isArray(written)) return cellOfNames(written)
  if (typeof written === 'boolean') return written ? 'yes' : 'no'
  return typeof written === 'string' ? written : JSON.stringify(written)
}

function objectOfCell(cell: string): object | undefined {
  try {
    const value: unknown = JSON.parse(cell)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Names in one cell; a sign in one of them that would end it gets a backslash. */
export function cellOfNames(names: readonly string[]): string {
  return names.map((name) => name.replaceAll(/[\\,;|]/g, String.raw`\$&`)).join(', ')
}

export function namesOfCell(cell: string): string[] {
  return [...cell.matchAll(/(?:\\[\\,;|]|[^,;|\n])+/g)]
    .map(([name]) => name.trim().replaceAll(/\\([\\,;|])/g, '$1'))
    .filter((name) => name !== '')
}
