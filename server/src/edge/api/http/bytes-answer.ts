import { Readable } from 'node:stream'
import type { Bytes } from '@postrider/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../operations/refusal.ts'
import type { SendProblem } from '../documents/problem.ts'

/** A page made of these bytes may run nothing, load nothing, and belongs to no origin. */
const POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"

/** Answered 304 the next time: what a browser keeps is not shown once the session is over. */
const ASKED_AGAIN: Readonly<Record<string, string>> = {
  'cache-control': 'private, no-cache',
  vary: 'authorization',
}

/**
 * Answers with bytes: the whole, one range of it, or nothing where the client has them already (RFC 9110, 13 and 14).
 * Whatever may be hidden in them, a browser shows them as what they are called, or not at all.
 */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Bytes,
  sendProblem: SendProblem,
  caching = ASKED_AGAIN,
): Promise<FastifyReply> {
  const { method, headers } = request
  const { size, lastModified } = bytes
  const etag = `"${bytes.tag}"`
  if (preconditionFailed(headers, etag, lastModified)) {
    const detail = `It has another version than the request names: its \`ETag\` is ${etag} now. Read it again without the condition.`
    return sendProblem(request, reply, refuse('precondition_failed', detail))
  }
  const range = method === 'HEAD' ? null : rangeOf(headers, etag, size)
  const current = isCurrent(headers, etag, lastModified)
  if (!current && range === 'outside') {
    reply.header('content-range', `bytes */${size}`)
    const detail = `There are ${size} bytes, counted from 0. Ask for a range that begins before the end.`
    return sendProblem(request, reply, refuse('range_not_satisfiable', detail))
  }

  // Opened before a header is set: where it cannot be, the problem that says so must not be kept as if it were this.
  const wanted = range === 'outside' ? null : range
  const body = current || method === 'HEAD' ? [] : await bytes.open(wanted ?? undefined)
  reply.headers({
    etag,
    'last-modified': lastModified.toUTCString(),
    ...caching,
    'content-security-policy': POLICY,
    'cross-origin-resource-policy': 'same-origin',
    'content-disposition': `inline; filename="${bytes.fileName}"`,
    'accept-ranges': 'bytes',
  })
  if (current) return reply.code(304).send()
  reply.header('content-type', bytes.contentType)
  if (wanted === null) return reply.code(200).header('content-length', size).send(Readable.from(body))
  const { start, end } = wanted
  return reply
    .code(206)
    .header('content-range', `bytes ${start}-${end}/${size}`)
    .header('content-length', end - start + 1)
    .send(Readable.from(body))
}

type Headers = FastifyRequest['headers']

/** Whether the client wants it only as it was, and it is not: If-Unmodified-Since counts only without If-Match. */
function preconditionFailed(headers: Headers, etag: string, lastModified: Date): boolean {
  const match = headers['if-match']
  if (match !== undefined) return match.trim() !== '*' && !match.split(',').some((tag) => tag.trim() === etag)
  return wholeSeconds(lastModified) > Date.parse(headers['if-unmodified-since'] ?? '')
}

/** If-None-Match decides where it is sent; If-Modified-Since only where it is not. */
function isCurrent(headers: Headers, etag: string, lastModified: Date): boolean {
  const match = headers['if-none-match']
  if (match !== undefined) {
    return match.trim() === '*' || match.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  }
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return wholeSeconds(lastModified) <= since
}

/** As precise as a date in a header can be. */
function wholeSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000) * 1_000
}

/** Null for the whole: no range, several, one in another unit, or one of another version. */
function rangeOf(
  { range, ...headers }: Headers,
  etag: string,
  size: number,
): { start: number; end: number } | 'outside' | null {
  const condition = headers['if-range']
  if (range === undefined || (condition !== undefined && condition !== etag)) return null
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range) ?? []
  if (from === '' && to === '') return null
  if (from === '')
    return Number(to) === 0 ? 'outside' : { start: Math.max(0, size - Number(to)), end: size - 1 }
  const start = Number(from)
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < start) return null
  return start >= size ? 'outside' : { start, end }
}
