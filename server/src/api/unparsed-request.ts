import type { Socket } from 'node:net'
import { v7 as uuidv7 } from 'uuid'
import { refuse } from '../platform/refusal.ts'
import { PROBLEM_TYPE, problemOf } from './problem.ts'

/** Answers what the HTTP parser could not read: there is no request, only a socket. */
export function answerUnparsed(error: Error & { code?: string }, socket: Socket, baseUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [httpStatus, reason, detail] = unparsedAnswer(error.code)
  const requestId = uuidv7()
  const problem = problemOf(refuse('malformed_request', detail), { baseUrl, path: '', requestId, httpStatus })
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${httpStatus} ${reason}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function unparsedAnswer(code: string | undefined): [number, string, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return [
      431,
      'Request Header Fields Too Large',
      'The headers and the address together are larger than 16 KiB.',
    ]
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, 'Request Timeout', 'The request did not arrive in time.']
  return [400, 'Bad Request', 'The request is not valid HTTP/1.1.']
}
