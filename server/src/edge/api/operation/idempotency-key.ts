import type { Violation } from '../request/violations.ts'

export type HeaderKey = { key: string | null } | { violation: Violation }

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/
/** A string of structured fields (RFC 9651): printable ASCII in quotes, where a backslash escapes a quote or itself. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/** Reads the `Idempotency-Key` header. The quoted and the bare spelling of a key are the same key. */
export function readIdempotencyHeader(header: string | string[] | undefined): HeaderKey {
  const sent = (Array.isArray(header) ? header.join(', ') : (header ?? '')).trim()
  const quoted = QUOTED.exec(sent)
  const key = quoted?.[1] === undefined ? sent : quoted[1].replaceAll(/\\(["\\])/g, '$1')
  if (key === '')
    return violation('idempotency_key_required', 'The `Idempotency-Key` header is missing or empty.')
  if (quoted === null && sent.startsWith('"')) {
    return violation(
      'malformed',
      'The `Idempotency-Key` header begins with a quote but is not one quoted string.',
    )
  }
  if (!VISIBLE_ASCII.test(key)) {
    return violation(
      'malformed',
      'The `Idempotency-Key` header must hold 1 to 255 visible ASCII characters, and be sent once.',
    )
  }
  return { key }
}

function violation(code: string, detail: string): HeaderKey {
  return { violation: { pointer: '@Idempotency-Key', code, detail } }
}
