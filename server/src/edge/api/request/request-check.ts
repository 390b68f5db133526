import type { Operation } from '@postrider/contract'
import { refuse, type Refusal } from '../../operations/refusal.ts'
import { compileSchema } from './formats.ts'
import { type HeaderKey, readIdempotencyHeader } from '../operation/idempotency-key.ts'
import { isUuid } from '../../../platform/text/uuid.ts'
import { findUnstorable } from './storable-body.ts'
import { isSchema, type Schema, withoutIds } from './schema-shape.ts'
import { explain, MAX_VIOLATIONS, type Pointing, type Violation } from './violations.ts'

/** A request as it came in, with the body parsed. */
export type RawRequest = {
  readonly params: unknown
  /** The decoded parameters; a repeated one is a list. */
  readonly query: Record<string, unknown>
  /** The query as it was sent, without `?`. */
  readonly queryText: string
  readonly body: unknown
  readonly idempotencyHeader: string | string[] | undefined
}

/** A request that passed, as a handler gets it. */
export type CheckedRequest = {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** Null where the operation takes none. */
  readonly idempotencyKey: string | null
}

/** `found` are violations that reading the request has shown already. */
export type RequestCheck = (
  request: RawRequest,
  found?: readonly Violation[],
) =>
  | CheckedRequest
  | Refusal<
      | 'not_found'
      | 'malformed_request'
      | 'validation_failed'
      | 'confirmation_required'
      | 'idempotency_key_required'
    >

/** The rules of an operation's request, compiled once. The check reports every broken rule at once, up to twenty. */
export function compileRequestCheck(operation: Operation): RequestCheck {
  let check = compiled.get(operation)
  if (check === undefined) compiled.set(operation, (check = compileAnew(operation)))
  return check
}

const compiled = new WeakMap<Operation, RequestCheck>()

function compileAnew(operation: Operation): RequestCheck {
  const checkParams =
    operation.params === undefined ? null : compileCheck(withoutIds(operation.params), 'query')
  const checkQuery = compileQueryCheck(operation.query)
  const body = operation.checkedBody ?? operation.body
  const checkBody = body === undefined ? null : compileBodyCheck(body)
  const keyIn = operation.idempotency ?? null

  return (request, found = []) => {
    if (checkParams !== null && checkParams(request.params).length > 0) {
      return refuse('not_found', notFound(request.params))
    }
    if (hasBadEscape(request.queryText)) {
      return refuse(
        'malformed_request',
        'The query holds a `%` that does not begin a valid UTF-8 escape. Encode it as `%25`.',
      )
    }
    if (checkBody !== null && request.body === undefined) {
      return refuse(
        'malformed_request',
        'The body is empty. Send a JSON object, with `Content-Type: application/json`.',
      )
    }
    const violations: Violation[] = [...found]
    const query = checkQuery(request.query, violations)
    if (checkBody !== null) checkBody(request.body, violations)
    const sent: HeaderKey =
      keyIn === 'header' || (mayHaveHeader(keyIn) && request.idempotencyHeader !== undefined)
        ? readIdempotencyHeader(request.idempotencyHeader)
        : { key: null }
    const header = keyIn === 'header or body' ? withBodyKey(sent, request.body) : sent
    if ('violation' in header) violations.push(header.violation)
    if (violations.length > 0 || 'violation' in header) return refuseViolations(violations)

    const { key } = header
    // The key stands in the body wherever it was sent, so that repeats by either are one request.
    const sentBody =
      keyIn === 'header or body' ? { ...(request.body as object), idempotencyKey: key } : request.body
    return { params: request.params, query, body: sentBody, idempotencyKey: key }
  }
}

/** Some languages print ids in capitals: what is there must not look as if it were gone. */
function notFound(params: unknown): string {
  // Those of a call of a tool may be of any type.
  const ids = Object.values(params as Record<string, unknown>)
  return ids.some((id) => typeof id === 'string' && !isUuid(id) && isUuid(id.toLowerCase()))
    ? 'IDs are lower-case UUIDs, and this one has capitals. Send it as you were given it.'
    : 'Nothing with this ID was found in this workspace.'
}

function mayHaveHeader(keyIn: Operation['idempotency'] | null): boolean {
  return keyIn === 'optional header' || keyIn === 'header or body'
}

/** The key of a request that may have it in the header, in the body, or in both if it is the same. */
function withBodyKey(header: HeaderKey, body: unknown): HeaderKey {
  // A body that breaks its own rules is refused for that.
  if ('violation' in header || !isSchema(body)) return header
  const { idempotencyKey: given } = body
  if (given === undefined && header.key === null) {
    const detail = '`idempotencyKey` is missing. Send it in the body, or as the header `Idempotency-Key`.'
    return { violation: { pointer: '/idempotencyKey', code: 'idempotency_key_required', detail } }
  }
  if (typeof given !== 'string' || header.key === null)
    return { key: typeof given === 'string' ? given : header.key }
  if (given === header.key) return header
  const detail =
    'The header `Idempotency-Key` and `idempotencyKey` in the body differ. Send one of them, or the same in both.'
  return { violation: { pointer: '@Idempotency-Key', code: 'not_equal', detail } }
}

/** A missing confirmation or key is answered under its own code, since no other change would make the request pass. */
export function refuseViolations(found: readonly Violation[]): ReturnType<RequestCheck> & Refusal {
  const byRule = new Map(found.map((violation) => [`${violation.pointer} ${violation.code}`, violation]))
  const errors = [...byRule.values()].slice(0, MAX_VIOLATIONS)
  const own = (code: string) => errors.some((error) => error.code === code)
  const more = errors.length > 1 ? ' The request breaks other rules, too: see `errors`.' : ''
  if (own('confirmation_required')) {
    const detail = `This is a write. Send \`"confirmed": true\` to say that you mean it.${more}`
    return refuse('confirmation_required', detail, { errors })
  }
  if (own('idempotency_key_required')) {
    const detail = `Send a key of your own that names this one effect.${more}`
    return refuse('idempotency_key_required', detail, { errors })
  }
  return refuse(
    'validation_failed',
    `${errors[0]?.detail ?? 'Something in the request is invalid.'}${rest(errors)}`,
    {
      errors,
    },
  )
}

function rest({ length }: readonly Violation[]): string {
  if (length === MAX_VIOLATIONS) return ` The first ${length} errors are in \`errors\`; there may be more.`
  if (length < 2) return ''
  return ` There ${length === 2 ? 'is 1 more error' : `are ${length - 1} more errors`} in \`errors\`.`
}

type BodyCheck = (body: unknown, violations: Violation[]) => void

function compileBodyCheck(declared: unknown): BodyCheck {
  const check = compileCheck(withoutIds(declared), 'body')
  return (body, violations) => {
    const unstorable = findUnstorable(body)
    const told = new Set(unstorable.map(({ pointer }) => pointer))
    const others = check(body).filter(({ pointer }) => !told.has(pointer))
    violations.push(...unstorable, ...others.map((violation) => ownCode(violation, body)))
  }
}

/** A confirmation that is not given, and a key that is not there, have problem codes of their own. */
function ownCode(violation: Violation, body: unknown): Violation {
  if (violation.pointer === '/confirmed' && violation.code !== 'unknown_field') {
    return {
      ...violation,
      code: 'confirmation_required',
      detail: '`confirmed` must be `true`: it says that you mean this write.',
    }
  }
  const isKey = violation.pointer === '/idempotencyKey'
  const absent = isSchema(body) && (body['idempotencyKey'] === undefined || body['idempotencyKey'] === '')
  if (!isKey || !absent) return violation
  return { ...violation, code: 'idempotency_key_required', detail: '`idempotencyKey` is missing or empty.' }
}

type QueryCheck = (query: Record<string, unknown>, violations: Violation[]) => unknown

/** Compiles a query's rules. Whole numbers are read from text, and defaults filled in; nothing else is changed. */
function compileQueryCheck(declared: unknown): QueryCheck {
  const schema: Schema =
    declared === undefined ? { type: 'object', additionalProperties: false } : withoutIds(declared)
  const check = compileCheck(schema, 'query')
  const properties = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}).flatMap(
    ([name, property]) => (isSchema(property) ? [{ name, property }] : []),
  )

  return (query, violations) => {
    const values: Record<string, unknown> = Object.create(null)
    for (const [name, value] of Object.entries(query)) {
      // A tool may be given a list as well.
      if (Array.isArray(value) && value.length > 1) {
        violations.push({
          pointer: `?${name}`,
          code: 'repeated',
          detail: `\`${name}\` was sent ${value.length} times; send it once.`,
        })
        values[name] = value[0]
      } else {
        values[name] = value
      }
      // Those of a call of a tool may be of any type.
      const text = typeof values[name] === 'string' ? values[name] : ''
      if (/[\0]/u.test(name + text)) {
        violations.push({
          pointer: `?${name.replaceAll('\u0000', '\uFFFD')}`,
          code: 'forbidden_character',
          detail: `\`${name.replaceAll('\u0000', '\uFFFD')}\` holds a NUL character. Remove it.`,
        })
      }
    }
    for (const { name, property } of properties) {
      const value = values[name]
      if (value === undefined) {
        if (property['default'] !== undefined) values[name] = property['default']
      } else if (typeof value === 'string') {
        values[name] = fromText(value, property)
      }
    }
    violations.push(...check(values))
    return declared === undefined ? undefined : values
  }
}

function fromText(text: string, property: Schema): unknown {
  if (property['type'] === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (property['type'] === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  // A bare `+` in a query means a space, and the offset of a time is seldom written as `%2B` at the first try.
  if (property['format'] === 'date-time') return text.replace(/ (\d\d:\d\d)$/, '+$1')
  return text
}

/**
 * One validator is all that a good request meets; a bad one has its faults found. It is compiled with the first request:
 * those of all operations take 10 MB.
 */
function compileCheck(schema: Schema, pointing: Pointing): (value: unknown) => Violation[] {
  let passes: ReturnType<typeof compileSchema> | undefined
  return (value) => {
    passes ??= compileSchema(schema)
    return passes(value) ? [] : explain(schema, value, pointing)
  }
}

function hasBadEscape(queryText: string): boolean {
  if (!queryText.includes('%')) return false
  try {
    decodeURIComponent(queryText)
    return false
  } catch {
    return true
  }
}
