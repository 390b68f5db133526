import { fieldRows } from '@postrider/contract/names'
import { type Fault, nearest } from '@postrider/contract/plan'
import { parse } from 'csv-parse/sync'
import { textOfCell } from './csv-cells.ts'

/** Those that stand first in files that are written. */
const FIRST = ['id', 'postId', 'text', 'thread', 'firstComment', 'channels', 'publishAt', 'timeZone'] as const
const ofFields = Object.values(fieldRows).flatMap(({ columns, plan }) => columns ?? [plan.key])

/** What a row may say; `media` and `alt` in the same order. */
export const columns: readonly string[] = [...new Set([...FIRST, ...ofFields])]
export type Column = string

/** What an export says besides; it is read over. */
export const resultColumns = ['status', 'publishedAt', 'releaseUrl', 'error', 'reviewStatus'] as const

export type CsvRow = {
  /** Where the row begins in the file. */
  readonly line: number
  /** What is not empty. */
  readonly cells: Readonly<Partial<Record<Column, string>>>
  /** The number of the cell of a column; 1 where the file has no such column. */
  readonly numberOf: (column: Column) => number
}

export type ReadCsv = { readonly rows: readonly CsvRow[]; readonly faults: readonly Fault[] }

/**
 * Reads CSV as RFC 4180 has it and as spreadsheets write it: with a byte order mark, with semicolons or tabs, with a first line that
 * names the delimiter, with line breaks in quotes.
 */
export function readCsv(text: string): ReadCsv {
  const lines = text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n')
  const named = /^sep=(.)\n/i.exec(lines)
  const body = named === null ? lines : lines.slice(named[0].length)
  const linesBefore = named === null ? 0 : 1
  const delimiter = named?.[1] ?? delimiterOf(body)
  if (hasMoreMarks(body, delimiter))
    return {
      rows: [],
      faults: [at(1, 1, 'The file has too many cells and lines. Split it into smaller files.')],
    }
  const records: { line: number; cells: readonly string[] }[] = []
  let [read, empty] = [0, 0]
  try {
    parse(body, {
      delimiter,
      record_delimiter: '\n',
      skip_empty_lines: true,
      relax_column_count: true,
      onRecord: (cells: string[], { lines, empty_lines }: { lines: number; empty_lines: number }) => {
        records.push({ line: read + (empty_lines - empty) + 1 + linesBefore, cells })
        ;[read, empty] = [lines, empty_lines]
        return null
      },
    })
  } catch (error) {
    return { rows: [], faults: [brokenAt(error, read + 1 + linesBefore, linesBefore)] }
  }
  const [header, ...others] = records
  if (header === undefined) return { rows: [], faults: [at(1, 1, `The file is empty. ${COLUMNS}`)] }
  if (others.length > MOST_ROWS) {
    const message = `The file has ${others.length} rows. An import can have ${MOST_ROWS}. Split the file.`
    return { rows: [], faults: [at(1, 1, message)] }
  }
  return readRows(header, others, delimiter)
}

/** For 5,000 posts, with ten channels each that get something of their own. */
const MOST_ROWS = 50_000
/** Ends of cells and lines, those in texts included: 5,000 rows with every column have 65,000, besides their texts'. */
const MOST_MARKS = 1_000_000

function hasMoreMarks(text: string, delimiter: string): boolean {
  let marks = 0
  for (const mark of [delimiter, '\n'])
    for (
      let found = text.indexOf(mark);
      found >= 0 && marks <= MOST_MARKS;
      found = text.indexOf(mark, found + 1)
    )
      marks += 1
  return marks > MOST_MARKS
}

const COLUMNS = `Its first line names the columns: ${columns.join(', ')}.`

function at(line: number, column: number, message: string): Fault {
  return { file: 'file', line, column, message }
}

/** The delimiter that the first line has most of. */
function delimiterOf(text: string): string {
  const [head = ''] = text.replaceAll(/"[^"]*"/g, '').split('\n', 1)
  const counts = [',', ';', '\t'].map((one) => ({ one, count: head.split(one).length }))
  return counts.toSorted((a, b) => b.count - a.count)[0]?.one ?? ','
}

function brokenAt(error: unknown, begins: number, linesBefore: number): Fault {
  const { code = '', lines = 0, index = 0 } = error as { code?: string; lines?: number; index?: number }
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return at(
      begins,
      index + 1,
      'A quote opens in this row and is never closed. Close it before the next delimiter.',
    )
  if (!code.includes('QUOTE')) throw error
  return at(
    lines + linesBefore,
    index + 1,
    'This cell has a quote in the middle. Put the whole cell in quotes, and double each quote inside it.',
  )
}

type Line = { readonly line: number; readonly cells: readonly string[] }

function readRows(header: Line, others: readonly Line[], delimiter: string): ReadCsv {
  const named = header.cells.map(columnOf)
  const faults = header.cells.flatMap((name, index): Fault[] => {
    const column = named[index]
    if (column === null) return [at(header.line, index + 1, unknownColumn(name))]
    return column === undefined || named.indexOf(column) === index
      ? []
      : [at(header.line, index + 1, `The column ${column} appears twice. Keep one of them.`)]
  })
  if (!named.includes(null) && !named.includes('text') && !named.includes('media'))
    faults.push(at(header.line, 1, `There is no column \`text\`. ${COLUMNS}`))
  if (faults.length > 0) return { rows: [], faults }
  const numberOf = (column: Column) => named.indexOf(column) + 1 || 1
  const filled = others.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  const uneven = filled.filter(({ cells }) => cells.length !== header.cells.length)
  if (uneven.length > 0) {
    const mark = delimiter === '\t' ? 'tab' : `\`${delimiter}\``
    return {
      rows: [],
      faults: uneven.map(({ line, cells }) =>
        at(
          line,
          Math.min(cells.length, header.cells.length + 1),
          `This row has ${cells.length} cells, and the first line ${header.cells.length}. Quote text that contains a ${mark} or a line break, and add a ${mark} for each empty cell.`,
        ),
      ),
    }
  }
  const rows = filled.map(({ line, cells }): CsvRow => {
    const read = named.flatMap((column, index): [Column, string][] => {
      const cell = textOfCell(cells[index] ?? '')
      return column === undefined || column === null || cell.trim() === '' ? [] : [[column, cell]]
    })
    return { line, cells: Object.fromEntries(read), numberOf }
  })
  return { rows, faults: [] }
}

/** The column of a name, however it is written; undefined for one that is read over, null for one that is unknown. */
function columnOf(name: string): Column | null | undefined {
  const plain = name.toLowerCase().replaceAll(/[\s_-]/g, '')
  const isCalled = (one: string) => one.toLowerCase() === plain
  if (plain === '' || name.trim().startsWith('#') || resultColumns.some(isCalled)) return undefined
  return columns.find(isCalled) ?? null
}

function unknownColumn(name: string): string {
  const meant = nearest(name.trim(), columns)
  const fits = meant === null ? `There are ${columns.join(', ')}.` : `Did you mean \`${meant}\`?`
  return `There is no column \`${name.trim()}\`. ${fits} Columns whose names begin with # are ignored.`
}
