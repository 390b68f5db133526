import { refuse, type Refusal } from '../../operations/refusal.ts'
import { STATUS_CODES } from '../../../platform/outbound/node-http.ts'
import { uuidv7 } from '../../../platform/text/uuid.ts'
import { CONNECTION_RULES } from './connections.ts'
import { PROBLEM_TYPE, problemOf } from '../documents/problem.ts'

const TOO_SLOW = `The request did not arrive in time: its head may take ${CONNECTION_RULES.headMs / 1_000} seconds, and its body has to grow by ${CONNECTION_RULES.bodyBytes / 1_024} KB every ${CONNECTION_RULES.bodyMs / 1_000} seconds.`

/** A problem as bytes for a socket on which there is no request to answer. The connection ends with it. */
export function rawProblem(refusal: Refusal, where: { baseUrl: string; httpStatus?: number }): string {
  const requestId = uuidv7()
  const problem = problemOf(refusal, { ...where, path: '', requestId })
  const body = JSON.stringify(problem)
  const { retryAfterSeconds } = refusal.facts
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    ...(retryAfterSeconds === undefined ? [] : [`Retry-After: ${retryAfterSeconds}`]),
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** What the parser says of bytes that are no request. */
export type ParserFault = { readonly code?: string | undefined; readonly rawPacket?: Buffer }

/** A whole request line, whatever its method is (RFC 9110, section 9.1). */
const REQUEST_LINE = /^[!#$%&'*+\-.^_`|~\w]+ \S+ HTTP\/1\.[01]\r?\n/

/** What is said of bytes that are no request, by the parser's error. */
export function rawProblemFor({ code, rawPacket }: ParserFault, baseUrl: string): string {
  if (code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(rawPacket?.toString('latin1') ?? '')) {
    const detail = 'This server knows no such method. The API is described at /openapi.'
    return rawProblem(refuse('method_not_allowed', detail), { baseUrl, httpStatus: 501 })
  }
  const [httpStatus, detail] = faultOf(code)
  return rawProblem(refuse('malformed_request', detail), { baseUrl, httpStatus })
}

function faultOf(code: string | undefined): [number, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return [431, 'The headers and the address together are larger than 16 KiB.']
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, TOO_SLOW]
  return [400, 'The request is not valid HTTP/1.1.']
}
