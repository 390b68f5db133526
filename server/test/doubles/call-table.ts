import Type, { type TProperties, type TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import type { Answered } from './http-double.ts'

/*
 * The calls that we make at a network, as its pages describe them: a table per network (`<name>-calls.ts`) of one format, and what reads
 * it. A double answers a call that is in no row as its network does. In the tests of the adapters, such a call is a failure
 * (rigs/watched-adapter.ts), and so is a row, or a field of one, that no adapter sends.
 */

export type CallTable = {
  /** The version that is called: a segment of the path, or the value of a header. Null where there is none to choose. */
  readonly version: { readonly segment: string } | { readonly header: string } | null
  readonly rows: readonly CallRow[]
  /** How the network answers a call that it refuses for its shape; `path` and `body` are those of the call. */
  readonly refusal: (fault: CallFault, path: string, body: unknown) => Answered
  /** What is refused with an answer that the network also gives for a while: the same call is sent again until the post's time is over. */
  readonly passing?: readonly CallFault['is'][]
  /** The same call, as it stands in a row: where a network has more than one form of it. */
  readonly normal?: (seen: SeenCall) => SeenCall
}

/**
 * One call, and its fields: those that we send, of all that the network knows. What a call needs is what the network demands, and what it
 * would be another call without. Two rows may have the same method and path: then their fields tell them apart. Without one of `json`,
 * `form`, `multipart` and `file`, it has no body.
 */
export type CallRow = {
  /**
   * Method, host and path. `{name}` stands for a part of a segment, `{name:pattern}` for one that fits; `{server}` as the host, for an
   * address that a person or the network names.
   */
  readonly call: `${string} ${string}/${string}`
  readonly query?: TSchema
  /** Those that the call has to have. */
  readonly headers?: TSchema
  readonly json?: TSchema
  readonly form?: TSchema
  readonly multipart?: TSchema
  /** The body is a file. */
  readonly file?: true
  /** What it tells can be done without: a refusal ends nothing. */
  readonly optional?: true
  /** The page that describes it. */
  readonly source: string
  /** The day on which it was read. `2026-11`: from a copy, and to be read again. */
  readonly read: string
}

/** What is wrong with a call: the first thing that was found. */
export type CallFault =
  /** Nothing has this address, or not at this host, not by this method, not in this version. */
  | { readonly is: 'path' | 'host' | 'method' | 'version' }
  /** It has no body, or another kind of one. */
  | { readonly is: 'body'; readonly wanted: BodyKind }
  | { readonly is: 'missing' | 'unknown' | 'type'; readonly place: Place; readonly field: readonly string[] }

export type BodyKind = (typeof BODIES)[number] | 'none'
type Place = 'query' | 'header' | 'body'
const BODIES = ['json', 'form', 'multipart', 'file'] as const

/** A call in its parts. */
export type SeenCall = {
  readonly method: string
  /** Null where it says nothing: at a double. */
  readonly host: string | null
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: { readonly as: BodyKind; readonly value: unknown }
}

/* ----------------------------------------------------------------------------------------------- the words of tables */

/** Fields, and no others. */
export function exact<Fields extends TProperties>(fields: Fields, patterns: Record<string, TSchema> = {}) {
  const more = Object.keys(patterns).length === 0 ? {} : { patternProperties: patterns }
  return Type.Object(fields, { additionalProperties: false, ...more })
}

/** One of these words. */
export function oneOf(...words: readonly string[]) {
  return Type.Enum([...words])
}

const escaped = (words: string) => words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Some of these words, with commas between them. */
export function listOf(...words: readonly string[]) {
  const one = `(?:${words.map(escaped).join('|')})`
  return Type.String({ pattern: `^${one}(?:,${one})*$` })
}

/** The text of a JSON of this shape. */
export function jsonText(schema: TSchema): TSchema {
  return { ...schema, contentMediaType: 'application/json' }
}

export const text = Type.String()
export const filled = Type.String({ minLength: 1 })
/** In text: a number without a sign, `true` or `false`, an address of the web. */
export const digits = Type.String({ pattern: '^[0-9]+$' })
export const flag = oneOf('true', 'false')
export const webAddress = Type.String({ pattern: '^https?://[^/]' })
/** What stands for a file of a form, besides its bytes. */
export const fileSign = (contentType: string) => `file:${contentType}`
/** A file of a form. */
export const aFile = Type.String({ pattern: '^file:\\w+/[\\w.+-]+$' })

/* ---------------------------------------------------------------------------------------------------------- reading */

/** The row of a call, or what is wrong with it; of several rows, by the one that it comes nearest to. */
export function readCall(
  table: CallTable,
  given: SeenCall,
): { readonly row: CallRow } | { readonly fault: CallFault } {
  const seen = table.normal?.(given) ?? given
  const here = table.rows
    .map((row) => ({ row, ...partsOf(row) }))
    .map((row) => ({ ...row, fit: fitOf(table, row.path, seen.path) }))
    .filter(({ fit }) => fit !== 'no')
  if (here.length === 0) return { fault: { is: 'path' } }
  const hosted = here.filter(({ host }) => seen.host === null || host === '{server}' || host === seen.host)
  if (hosted.length === 0) return { fault: { is: 'host' } }
  const current = hosted.filter(({ fit }) => fit === 'yes')
  if (current.length === 0) return { fault: { is: 'version' } }
  const meant = current.filter(({ method }) => method === seen.method)
  if (meant.length === 0) return { fault: { is: 'method' } }
  const tried = meant
    .map(({ row }) => ({ row, faults: faultsOf(table, row, seen) }))
    .toSorted((one, other) => one.faults.length - other.faults.length)
  const [nearest] = tried
  const [fault] = nearest?.faults ?? []
  return fault === undefined ? { row: nearest!.row } : { fault }
}

function partsOf({ call }: CallRow) {
  const [, method = '', host = '', path = ''] = /^([A-Z]+) ([^/]+)(\/.*)$/.exec(call) ?? []
  return { method, host, path }
}

/** The hosts of a table. */
export function hostsOf({ rows }: CallTable): string[] {
  return [...new Set(rows.map((row) => partsOf(row).host))]
}

function fitOf({ version }: CallTable, template: string, path: string): 'yes' | 'other version' | 'no' {
  const wanted = template.split('/')
  const found = path.split('/').map((segment) => decodeURIComponent(segment))
  if (wanted.length !== found.length) return 'no'
  const segment = version !== null && 'segment' in version ? version.segment : null
  const misfits = wanted.filter((one, place) => !patternOf(one).test(found[place] ?? ''))
  if (misfits.length === 0) return 'yes'
  return misfits.length === 1 && misfits[0] === segment ? 'other version' : 'no'
}

function patternOf(segment: string): RegExp {
  const pattern = segment
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith('{') ? `(?:${/:(.+)\}$/.exec(part)?.[1] ?? '.+'})` : escaped(part)))
  return new RegExp(`^${pattern.join('')}$`)
}

function faultsOf(table: CallTable, row: CallRow, seen: SeenCall): CallFault[] {
  const kind = kindOf(row)
  const inHeaders = wrongIn('header', row.headers ?? Type.Object({}), seen.headers)
  const { version } = table
  const isVersion = ({ field }: { readonly field: readonly string[] }) =>
    version !== null && 'header' in version && field[0] === version.header
  if (inHeaders.some(isVersion)) return [{ is: 'version' }]
  const inQuery = wrongIn('query', row.query ?? exact({}), seen.query)
  const inBody: CallFault[] =
    seen.body.as !== kind
      ? [{ is: 'body', wanted: kind }]
      : kind === 'none' || kind === 'file'
        ? []
        : wrongIn('body', row[kind]!, seen.body.value)
  return [...inQuery, ...inHeaders, ...inBody]
}

function kindOf(row: CallRow): BodyKind {
  return BODIES.find((kind) => row[kind] !== undefined) ?? 'none'
}

type FieldFault = Extract<CallFault, { place: Place }>

function wrongIn(place: Place, schema: TSchema, value: unknown): FieldFault[] {
  const read = decoded(schema, value)
  if (Check(schema, read)) return []
  const found = Errors(schema, read).flatMap(({ keyword, instancePath, params }): FieldFault[] => {
    const field = instancePath.split('/').slice(1)
    const named = (is: FieldFault['is'], names: unknown) =>
      (names as string[]).map((name) => ({ is, place, field: [...field, name] }))
    const told = params as Record<string, unknown>
    if (keyword === 'required') return named('missing', told['requiredProperties'])
    if (keyword === 'additionalProperties') return named('unknown', told['additionalProperties'])
    // They repeat what is said of a field, or of the fields in it.
    if (keyword === 'boolean' || keyword === 'anyOf') return []
    return [{ is: 'type', place, field }]
  })
  return found.length > 0 ? found : [{ is: 'type', place, field: [] }]
}

/** The value with what is JSON in a text read. */
function decoded(schema: TSchema, value: unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      isJsonText(schemaOf(schema, name)) ? parsed(one) : one,
    ]),
  )
}

function parsed(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value
  } catch {
    return value
  }
}

/* ---------------------------------------------------------------------------------------------------------- fields */

/** What is read of a schema. */
type Raw = {
  readonly properties?: Readonly<Record<string, Raw>>
  readonly patternProperties?: Readonly<Record<string, Raw>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: Raw
  readonly anyOf?: readonly Raw[]
  readonly contentMediaType?: string
}

function schemaOf(schema: Raw, name: string): Raw | undefined {
  const own = schema.properties?.[name]
  if (own !== undefined) return own
  const patterns = Object.entries(schema.patternProperties ?? {})
  return patterns.find(([pattern]) => new RegExp(pattern).test(name))?.[1]
}

function isJsonText(schema: Raw | undefined): boolean {
  return schema?.contentMediaType === 'application/json'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The places of a row that have fields. */
function placesOf(row: CallRow): (readonly [name: Place, schema: TSchema])[] {
  const kind = kindOf(row)
  const body = kind === 'none' || kind === 'file' ? undefined : row[kind]
  const all = [
    ['query', row.query],
    ['header', row.headers],
    ['body', body],
  ] as const
  return all.flatMap(([name, schema]) => (schema === undefined ? [] : [[name, schema] as const]))
}

const valueAt = (seen: SeenCall, place: Place): unknown =>
  place === 'query' ? seen.query : place === 'header' ? seen.headers : seen.body.value

/** Every field of a row, named with the row. */
export function fieldsOf(row: CallRow): string[] {
  const inside = (schema: Raw, at: string): string[] => [
    ...[
      ...Object.entries(schema.properties ?? {}),
      ...Object.entries(schema.patternProperties ?? {}),
    ].flatMap(([name, own]) => [`${at} ${name}`, ...inside(own, `${at} ${name}`)]),
    ...(schema.items === undefined ? [] : inside(schema.items, `${at} []`)),
    ...(schema.anyOf ?? []).flatMap((own) => inside(own, at)),
  ]
  return [
    nameOf(row),
    ...placesOf(row).flatMap(([place, schema]) => inside(schema, `${nameOf(row)}: ${place}`)),
  ]
}

/** Those of them that a call has. */
export function fieldsIn(row: CallRow, seen: SeenCall): string[] {
  const inside = (schema: Raw, value: unknown, at: string): string[] => {
    if (schema.anyOf !== undefined)
      return schema.anyOf
        .filter((own) => Check(own as TSchema, value))
        .flatMap((own) => inside(own, value, at))
    if (Array.isArray(value))
      return schema.items === undefined ? [] : value.flatMap((one) => inside(schema.items!, one, `${at} []`))
    if (!isRecord(value)) return []
    return Object.entries(value).flatMap(([name, one]) => {
      const own = schemaOf(schema, name)
      if (own === undefined) return []
      const called =
        schema.properties?.[name] === undefined
          ? Object.keys(schema.patternProperties ?? {}).find((pattern) => new RegExp(pattern).test(name))
          : name
      return [`${at} ${called}`, ...inside(own, one, `${at} ${called}`)]
    })
  }
  return [
    nameOf(row),
    ...placesOf(row).flatMap(([place, schema]) =>
      inside(schema, decoded(schema, valueAt(seen, place)), `${nameOf(row)}: ${place}`),
    ),
  ]
}

/** Rows with the same call are told apart by the words that stand in them. */
function nameOf(row: CallRow): string {
  const words = placesOf(row).flatMap(([place, schema]) =>
    place === 'header'
      ? []
      : Object.entries((schema as Raw).properties ?? {}).flatMap(([name, own]) =>
          'const' in own ? [`${name}=${String(own.const)}`] : [],
        ),
  )
  return [row.call, kindOf(row), ...words].filter((part) => part !== 'none').join(' ')
}

/* ---------------------------------------------------------------------------------------------------------- changes */

/** The call, and what was made of it: it is not as in its row any more. */
export type Change = { readonly what: string; readonly call: SeenCall }

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const NO_FIELD = 'no_such_field'

/**
 * Every way in which a call can be made other than its row has it: each required field left out, one more field in each place that has its own,
 * each type changed, another body, method, host, path and version.
 */
export function changesOf(table: CallTable, row: CallRow, seen: SeenCall): Change[] {
  const { version } = table
  const changes: Change[] = placesOf(row).flatMap(([place, schema]) =>
    changedIn(schema, valueAt(seen, place), place !== 'body' || kindOf(row) !== 'json').map(
      ({ what, value }) => ({
        what: `${place}${what}`,
        call: withValue(seen, place, value),
      }),
    ),
  )
  if (row.query === undefined)
    changes.push({ what: `query: ${NO_FIELD} added`, call: { ...seen, query: { [NO_FIELD]: 'x' } } })
  const documented = table.rows
    .map(partsOf)
    .filter(({ path }) => fitOf(table, path, seen.path) === 'yes')
    .map(({ method }) => method)
  // A talk over a WebSocket has no method, and messages of one kind.
  const isTalk = seen.method === 'TALK'
  for (const method of isTalk ? [] : METHODS)
    if (!documented.includes(method))
      changes.push({ what: `by ${method}`, call: { ...seen, method, body: NO_BODY } })
  changes.push({ what: 'another path', call: { ...seen, path: `${seen.path}/no-such-path` } })
  if (seen.body.as !== 'none' && !isTalk) changes.push({ what: 'no body', call: { ...seen, body: NO_BODY } })
  if (seen.body.as === 'json' && !isTalk)
    changes.push({ what: 'a form', call: { ...seen, body: { as: 'form', value: { [NO_FIELD]: 'x' } } } })
  if (seen.body.as === 'form' || seen.body.as === 'multipart')
    changes.push({ what: 'JSON', call: { ...seen, body: { as: 'json', value: {} } } })
  const { host } = partsOf(row)
  const others = hostsOf(table).filter((one) => one !== host && one !== '{server}')
  if (host !== '{server}' && others.length > 0)
    changes.push(...others.map((one) => ({ what: `at ${one}`, call: { ...seen, host: one } })))
  if (version !== null && 'segment' in version && row.call.includes(`/${version.segment}`))
    changes.push({
      what: 'another version',
      call: { ...seen, path: seen.path.replace(`/${version.segment}`, '/v0') },
    })
  return changes
}

const NO_BODY = { as: 'none', value: null } as const

function withValue(seen: SeenCall, place: Place, value: unknown): SeenCall {
  if (place === 'query') return { ...seen, query: value as SeenCall['query'] }
  if (place === 'header') return { ...seen, headers: value as SeenCall['headers'] }
  return { ...seen, body: { ...seen.body, value } }
}

type ChangedValue = { readonly what: string; readonly value: unknown }

/** `isText`: all that stands there is a text, so that only one that has to look in some way can be of another type. */
function changedIn(schema: Raw, value: unknown, isText: boolean): ChangedValue[] {
  if (schema.anyOf !== undefined) {
    const own = schema.anyOf.find((one) => Check(one as TSchema, value))
    return own === undefined ? [] : changedIn(own, value, isText)
  }
  if (Array.isArray(value))
    return schema.items === undefined || value.length === 0
      ? []
      : changedIn(schema.items, value[0], isText).map(({ what, value: one }) => ({
          what: ` []${what}`,
          value: [one, ...value.slice(1)],
        }))
  if (!isRecord(value)) return []
  const own = Object.entries(value).flatMap(([name, one]): ChangedValue[] => {
    const of = schemaOf(schema, name)
    if (of === undefined) return []
    const others = Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
    const left =
      schema.required?.includes(name) === true ? [{ what: ` ${name} left out`, value: others }] : []
    const wrong = wrongFor(of, isText).map((instead) => ({
      what: ` ${name} as ${JSON.stringify(instead)}`,
      value: { ...value, [name]: instead },
    }))
    const inJson = isJsonText(of)
    const deeper = changedIn(of, inJson ? parsed(one) : one, isText && !inJson).map((changed) => ({
      what: ` ${name}${changed.what}`,
      value: { ...value, [name]: inJson ? JSON.stringify(changed.value) : changed.value },
    }))
    return [...left, ...wrong, ...deeper]
  })
  const added =
    schema.additionalProperties === false
      ? [{ what: ` ${NO_FIELD} added`, value: { ...value, [NO_FIELD]: 'x' } }]
      : []
  return [...own, ...added]
}

/** A value that does not fit; none where any text does. */
function wrongFor(schema: Raw, isText: boolean): unknown[] {
  const candidates = isText ? ['~wrong~', ''] : ['~wrong~', 0.5, true, [], {}]
  const fits = (value: unknown) => Check(schema as TSchema, isJsonText(schema) ? parsed(value) : value)
  const wrong = candidates.find((one) => !fits(one))
  return wrong === undefined ? [] : [wrong]
}
