import { createHash } from 'node:crypto'
import {
  besideNames,
  channelNames,
  contentNames,
  type FieldName,
  fieldRows,
  postFieldNames,
  toPlan,
} from '@postrider/contract/names'
import type { Fault, Place, Source, Sources } from '@postrider/contract/plan'
import { listsOfCell, namesOfCell, partsOfCell, valueOfCell } from './csv-cells.ts'
import { type Column, columns, type CsvRow, readCsv } from './read-csv.ts'

type Path = readonly (string | number)[]

/** What a row says of its post, as a plan says it, by the keys of plans. */
type Said = Readonly<Record<string, unknown>> & { readonly publishAt?: string | undefined }
type Media = { url?: string; file?: string; mediaId?: string; alt?: string }

type Head = { readonly name: string; readonly channels: readonly string[] }

/** A CSV file as a plan. Rows of one `id` are one post, each with what its channels get. */
export function csvPlan(text: string, { name, channels }: Head): Sources {
  const { rows, faults } = readCsv(text)
  const head = { plan: name, channels: [...channels] }
  const plan: Source = { value: head, folder: '', placeOf: () => ({ file: 'file', line: 1, column: 1 }) }
  const named = rows.map((row) => ({ row, id: row.cells.id?.trim() ?? idOf(row) }))
  const groups = [...Map.groupBy(named, ({ id }) => id)].map(([id, of]) => ({
    id,
    rows: of.map(({ row }) => row),
  }))
  const repeated = groups.flatMap(({ rows: [first, ...others] }) =>
    first === undefined || first.cells.id !== undefined ? [] : others.map((row) => sameRow(row, first)),
  )
  const posts = groups.map(({ id, rows: of }) => postOf(id, of))
  return {
    plan,
    posts: posts.map(({ source }) => source),
    faults: [...faults, ...repeated, ...posts.flatMap(({ faults }) => faults)],
  }
}

/** What names a row without an `id`: what it says. So it is the same row wherever it stands in the file. */
function idOf({ cells }: CsvRow): string {
  const said = Object.entries(cells).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `row-${createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 16)}`
}

function sameRow(row: CsvRow, first: CsvRow): Fault {
  const message = `This row is the same as line ${first.line}. Remove one of them, or give both an \`id\`.`
  return { ...place(row, 'text'), message }
}

function place(row: CsvRow, column: Column): Place {
  return { file: 'file', line: row.line, column: row.numberOf(column), cell: column }
}

/** What a post has once, whatever its channels get. */
const ofPost = ['postId', 'timeZone', ...postFieldNames.map(keyOf)] as const

function postOf(id: string, rows: readonly CsvRow[]): { source: Source; faults: Fault[] } {
  const [first, ...others] = rows
  if (first === undefined) throw new Error('a post without a row')
  const faults: Fault[] = []
  const said = saidOf(first, faults)
  // A row without a time has none, and does not take that of the first.
  const isTimed = others.every(({ cells }) => cells.publishAt !== undefined)
  const base = isTimed ? said : { ...said, publishAt: undefined }
  const channelRows: CsvRow[] = []
  const channels: string[] = []
  const add = (row: CsvRow) => {
    const names = namesOfCell(row.cells.channels ?? '')
    for (const name of names) {
      channels.push(name)
      channelRows.push(row)
    }
    return names
  }
  const ownRows = new Map<string, CsvRow>()
  const perChannel: Record<string, object> = {}
  const setOwn = (row: CsvRow, names: readonly string[]) => {
    const ofChannel = readCells(channelNames, row, faults)
    const other = differing(row === first ? said : saidOf(row, faults), base)
    const [column] = Object.keys(ofChannel)
    if (other === null && column === undefined) return
    const own = { ...other, ...ofChannel }
    if (column !== undefined && names.length === 0)
      faults.push({
        ...place(row, column),
        message: `Name the \`channels\` that the cell \`${column}\` is for.`,
      })
    for (const name of names) {
      perChannel[name] = own
      ownRows.set(name, row)
    }
  }
  setOwn(first, add(first))
  for (const row of others) {
    const names = add(row)
    if (first.cells.id !== undefined && (names.length === 0 || first.cells.channels === undefined)) {
      const message = `${id} is also on line ${first.line}. Rows with the same \`id\` form one post, so each must name different \`channels\`.`
      faults.push({ ...place(row, 'channels'), message })
    }
    setOwn(row, names)
    for (const column of ofPost) {
      const cell = row.cells[column]?.trim()
      if (cell === undefined || cell === first.cells[column]?.trim()) continue
      const message = `Line ${first.line} has another \`${column}\` for ${id}. Rows with the same \`id\` form one post: repeat what its first row has, or leave this empty.`
      faults.push({ ...place(row, column), message })
    }
  }
  const { postId, timeZone } = first.cells
  const value = present({
    id,
    postId: postId?.trim(),
    timeZone: timeZone?.trim(),
    ...readCells(postFieldNames, first, faults),
    channels: channels.length === 0 ? undefined : channels,
    ...base,
    perChannel: ownRows.size === 0 ? undefined : perChannel,
  })
  const placeOf = ([field, key, inner]: Path): Place => {
    if (field === 'channels') return place(channelRows[Number(key)] ?? first, 'channels')
    const own = field === 'perChannel' ? ownRows.get(String(key)) : undefined
    if (own !== undefined) return place(own, columnOf(inner))
    if (field === 'publishAt') return place(rows.find(({ cells }) => !cells.publishAt) ?? first, field)
    return place(first, columnOf(field))
  }
  return { source: { value, folder: '', placeOf }, faults }
}

/** The column of a field of a plan. */
function columnOf(field: string | number | undefined): Column {
  return typeof field === 'string' && columns.includes(field) ? field : 'text'
}

function saidOf(row: CsvRow, faults: Fault[]): Said {
  const { text, thread, publishAt, media, alt } = row.cells
  const [first, ...others] = media === undefined ? [] : mediaOf(media, alt)
  const texts = thread === undefined ? [] : partsOfCell(thread)
  const parts = Array.from({ length: Math.max(texts.length, others.length) }, (_, index) => {
    const [own = '', files = []] = [texts[index], others[index]]
    return files.length === 0 ? own : { text: own, media: files }
  })
  return {
    text,
    thread: parts.length === 0 ? undefined : parts,
    publishAt: publishAt === undefined ? undefined : timeOf(publishAt),
    media: first,
    ...readCells(besideNames, row, faults),
  }
}

function keyOf(name: FieldName): string {
  return fieldRows[name].plan.key
}

/** What the cells of these fields say, each a column by its key. */
function readCells(names: readonly FieldName[], row: CsvRow, faults: Fault[]): Record<string, unknown> {
  const said = names.flatMap((name): [string, unknown][] => {
    const [key, cell] = [keyOf(name), row.cells[keyOf(name)]]
    if (cell === undefined) return []
    const value = valueOfCell(fieldRows[name], cell)
    if (value !== undefined) return [[key, value]]
    const message =
      fieldRows[name].plan.schema.type === 'boolean'
        ? `Write \`${key}\` as yes or no, not ${cell.trim()}.`
        : `Write \`${key}\` as a JSON object, such as {"visibility":"unlisted"}.`
    faults.push({ ...place(row, key), message })
    return []
  })
  return Object.fromEntries(said)
}

/** What a row says otherwise than the first of its post, as it stands in a plan; null where nothing. */
function differing(own: Said, base: Said): object | null {
  const isContent = JSON.stringify({ ...own, publishAt: 0 }) !== JSON.stringify({ ...base, publishAt: 0 })
  const isTime = own.publishAt !== base.publishAt
  if (!isContent && !isTime) return null
  const content = contentNames.map((name) => [keyOf(name), own[keyOf(name)] ?? toPlan(name, undefined)])
  return {
    ...(isContent ? (Object.fromEntries(content) as object) : {}),
    ...(isTime ? present({ publishAt: own.publishAt }) : {}),
  }
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The files of each part, with their alt texts in the same order. */
function mediaOf(media: string, alt: string | undefined): Media[][] {
  const alts = alt === undefined ? [] : listsOfCell(alt)
  return listsOfCell(media).map((names, part) =>
    names
      .filter((name) => name !== '')
      .map((name, index) => {
        const what = ID.test(name)
          ? { mediaId: name }
          : /^https?:/.test(name)
            ? { url: name }
            : { file: name }
        const said = alts[part]?.[index]
        return { ...what, ...(said ? { alt: said } : {}) }
      }),
  )
}

/** A time as a plan has it: also as a spreadsheet makes of it where days come first, as 10.01.2027 9:00. */
function timeOf(cell: string): string {
  const text = cell.trim()
  const [, day, month, year, hour, rest] =
    /^(\d{1,2})\.(\d{1,2})\.(\d{4})[ T](\d{1,2})(:\d{2}(?::\d{2})?)$/.exec(text) ?? []
  if (year !== undefined) return `${year}-${two(month)}-${two(day)}T${two(hour)}${rest}`
  return text.replace(/^(\d{4}-\d{2}-\d{2})[ T](\d):/, '$1T0$2:')
}

function two(digits: string | undefined): string {
  return (digits ?? '').padStart(2, '0')
}
