import type { IncomingMessage } from 'node:http'
import { refuse, type Refusal } from '../../operations/refusal.ts'

/**
 * Headers that say who asks, whom, and what a body is. Node keeps the first of several and drops the rest, which
 * a proxy on the way may have used. (Of two `Content-Length` its parser makes an error.)
 */
const ONCE = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
  ['content-type', 'Content-Type'],
  ['content-encoding', 'Content-Encoding'],
])
const LENGTHS = new Set([...ONCE.keys()].map(({ length }) => length))

/** What is wrong with the headers of any request, whatever it asks for. */
export function findHeaderFault(raw: IncomingMessage): Refusal | null {
  if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
    return headerFault('Host', 'required', 'Send the header `Host`.')
  }
  const repeated = findRepeated(raw.rawHeaders)
  if (repeated !== null) return headerFault(repeated, 'repeated', `Send the header \`${repeated}\` once.`)
  const coding = raw.headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    const detail =
      'The only `Transfer-Encoding` that is decoded here is `chunked`. Send the body without another.'
    return headerFault('Transfer-Encoding', 'not_allowed', detail)
  }
  return null
}

function findRepeated(rawHeaders: readonly string[]): string | null {
  let seen = ''
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!LENGTHS.has(name.length)) continue
    const known = ONCE.get(name.toLowerCase())
    if (known === undefined) continue
    if (seen.includes(` ${known}`)) return known
    seen += ` ${known}`
  }
  return null
}

function headerFault(name: string, code: string, detail: string): Refusal {
  return refuse('malformed_request', detail, { errors: [{ pointer: `@${name}`, code, detail }] })
}
