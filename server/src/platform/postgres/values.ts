/** A value that is sent as JSON; `db.json` makes it. */
export class Json {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

/** What a statement takes between its words. Arrays may be nested. */
export type Parameter =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | Json
  | null
  | readonly Parameter[]

/** A parameter as it goes over the wire: text, or bytes in binary format. */
export type Encoded = string | Buffer | null

/**
 * The type that a parameter is declared with, as a cast behind its placeholder. Text, numbers and null have none:
 * PostgreSQL takes their type from where they stand.
 */
export function castOf(value: Parameter): string {
  if (Array.isArray(value)) {
    const cast = castOf(firstItem(value as readonly Parameter[]))
    return cast === '' ? '' : `${cast}[]`
  }
  if (typeof value === 'boolean') return '::boolean'
  if (typeof value === 'bigint') return '::bigint'
  if (value instanceof Date) return '::timestamptz'
  if (value instanceof Uint8Array) return '::bytea'
  return value instanceof Json ? '::jsonb' : ''
}

/** The first item of an array, or of the arrays in it, that is not null; it tells the type of all. */
function firstItem(list: readonly Parameter[]): Parameter {
  for (const item of list) {
    const found = Array.isArray(item) ? firstItem(item as readonly Parameter[]) : item
    if (found !== null) return found
  }
  return null
}

/** Throws a TypeError for what has no text of its own: undefined, plain objects, invalid dates, half characters. */
export function encode(value: Parameter): Encoded {
  if (value === null) return null
  if (value instanceof Uint8Array) return bytesOf(value)
  return Array.isArray(value) ? arrayLiteral(value as readonly Parameter[]) : textOf(value as Scalar)
}

type Scalar = Exclude<Parameter, null | Uint8Array | readonly Parameter[]>

function textOf(value: Scalar): string {
  if (typeof value === 'string') {
    // UTF-8 has no form for half a surrogate pair; the encoder would store U+FFFD in its place.
    if (value.isWellFormed()) return value
    throw new TypeError('A text with a lone surrogate cannot be stored.')
  }
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new TypeError('An invalid date cannot be stored.')
    return value.toISOString()
  }
  if (value instanceof Json) {
    const text = JSON.stringify(value.value) as string | undefined
    if (text !== undefined) return text
  }
  throw new TypeError(
    `${describe(value)} is no value for a statement. Send objects as db.json(…), and null for nothing.`,
  )
}

function describe(value: unknown): string {
  if (value instanceof Json) return `JSON of ${typeof value.value}`
  return typeof value === 'object' ? 'An object' : typeof value
}

function bytesOf(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

function arrayLiteral(list: readonly Parameter[]): string {
  const items = list.map((item) => {
    if (item === null) return 'NULL'
    if (Array.isArray(item)) return arrayLiteral(item as readonly Parameter[])
    const text = item instanceof Uint8Array ? `\\x${bytesOf(item).toString('hex')}` : textOf(item as Scalar)
    return `"${text.includes('"') || text.includes('\\') ? text.replaceAll(/["\\]/g, '\\$&') : text}"`
  })
  return `{${items.join(',')}}`
}

/** `2026-05-06 07:08:09.123456+00`, with five digits or more for years beyond 9999. */
function dateOf(text: string): Date {
  // A page has sixty of them, nearly all of this century and in UTC.
  if (text[10] === ' ' && text.endsWith('+00')) return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
  const [, year = '', rest = '', time = '', zone = ''] = /^(\d+)(-\d\d-\d\d) ([\d:.]+)(.*)$/.exec(text) ?? []
  const isoYear = year.length > 4 ? `+${year.padStart(6, '0')}` : year
  return new Date(`${isoYear}${rest}T${time}${zone.length === 3 ? `${zone}:00` : zone}`)
}

/** How the text of a type becomes a value; types that are not named here stay text. */
type Decoder = (text: string) => unknown

const asText: Decoder = (text) => text
const asNumber: Decoder = (text) => Number(text)

/** Object ids of built-in types are the same in every PostgreSQL: element, array, decoder. */
const TYPES: readonly (readonly [oid: number, arrayOid: number, decode: Decoder])[] = [
  [16, 1000, (text) => text === 't'], // boolean
  [17, 1001, (text) => Buffer.from(text.slice(2), 'hex')], // bytea
  [18, 1002, asText], // "char"
  [19, 1003, asText], // name
  [20, 1016, asText], // bigint
  [21, 1005, asNumber], // smallint
  [23, 1007, asNumber], // integer
  [25, 1009, asText], // text
  [26, 1028, asNumber], // oid
  [114, 199, (text) => JSON.parse(text) as unknown], // json
  [700, 1021, asNumber], // real
  [701, 1022, asNumber], // double precision
  [1042, 1014, asText], // character
  [1043, 1015, asText], // character varying
  [1082, 1182, asText], // date
  [1114, 1115, asText], // timestamp without time zone
  [1184, 1185, dateOf], // timestamptz
  [1186, 1187, asText], // interval
  [1700, 1231, asText], // numeric
  [2205, 2210, asText], // regclass
  [2950, 2951, asText], // uuid
  [3802, 3807, (text) => JSON.parse(text) as unknown], // jsonb
]

const decoders = new Map<number, Decoder>(
  TYPES.flatMap(([oid, arrayOid, decode]) => [
    [oid, decode],
    [arrayOid, (text: string) => decodeArray(text, decode)],
  ]),
)

export function decoderOf(oid: number): Decoder {
  return decoders.get(oid) ?? asText
}

/** An array in PostgreSQL's text form: `{1,NULL,"with \"quotes\""}`, nested, with bounds before it where they are unusual. */
function decodeArray(text: string, decode: Decoder): unknown[] {
  let at = text.indexOf('{')

  function list(): unknown[] {
    const items: unknown[] = []
    at += 1
    while (text[at] !== '}') {
      if (text[at] === ',') at += 1
      items.push(text[at] === '{' ? list() : text[at] === '"' ? quoted() : bare())
    }
    at += 1
    return items
  }

  function quoted(): unknown {
    let item = ''
    for (at += 1; text[at] !== '"'; at += 1) {
      if (text[at] === '\\') at += 1
      item += text[at]
    }
    at += 1
    return decode(item)
  }

  function bare(): unknown {
    const from = at
    while (text[at] !== ',' && text[at] !== '}') at += 1
    const item = text.slice(from, at)
    return item === 'NULL' ? null : decode(item)
  }

  return list()
}
