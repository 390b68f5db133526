import { table, timeCell, visible } from '../terminal.ts'

type Row = Readonly<Record<string, unknown>>

/** An answer of the API for people: its fields under their own names, rows as a table. */
export function answerText(answer: unknown, columns?: readonly string[]): string {
  if (Array.isArray(answer)) return rowsText(answer as readonly Row[], columns)
  return fieldsText(answer as Row, '').join('\n')
}

function rowsText(rows: readonly Row[], columns: readonly string[] = Object.keys(rows[0] ?? {})): string {
  if (rows.length === 0) return 'None.'
  const cells = columns.map((name): [string, (row: Row) => string] => [
    headingOf(name),
    (row) => cellOf(row[name]).replaceAll('\n', ' '),
  ])
  return table(Object.fromEntries(cells), rows)
}

/** `lastUsedAt` as `LAST USED AT`. */
function headingOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, ' $&').toUpperCase()
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return INSTANT.test(value) ? timeCell(value) : value
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(cellOf).join(',')
  if (typeof value === 'number') return String(value)
  const set = Object.entries(value as Row).filter(([, each]) => each !== null && each !== false)
  return set.length === 0
    ? '–'
    : set.map(([name, each]) => (each === true ? name : `${name}=${bracketed(each)}`)).join(' ')
}

function bracketed(value: unknown): string {
  return typeof value === 'object' && !Array.isArray(value) ? `(${cellOf(value)})` : cellOf(value)
}

/** Each field in a line, and what is in it below. */
function fieldsText(fields: Row, indent: string): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const heading = `${indent}${headingOf(name)}`
    if (isRow(value) && Object.keys(value).length > 0) return [heading, ...fieldsText(value, `${indent}  `)]
    if (Array.isArray(value) && value.some(isRow))
      return value.flatMap((each, index) => [
        `${heading} ${index + 1}`,
        ...(isRow(each) ? fieldsText(each, `${indent}  `) : [quoted(cellOf(each), indent)]),
      ])
    // What others wrote stands behind a bar, so that it cannot pass for a line of ours.
    if (typeof value === 'string' && (name === 'text' || value.includes('\n')))
      return [heading, quoted(value, indent)]
    return [`${heading}  ${visible(cellOf(value))}`]
  })
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function quoted(text: string, indent: string): string {
  return visible(text)
    .split('\n')
    .map((line) => `${indent}  | ${line}`.trimEnd())
    .join('\n')
}
