import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse, type Refusal } from '../platform/refusal.ts'

/** A refusal that travels as an error from the body parser, with the HTTP status it is answered with. */
export class UnreadableBody extends Error {
  override name = 'UnreadableBody'
  readonly refusal: Refusal<'malformed_request'>
  readonly httpStatus: number

  constructor(detail: string, httpStatus = 400) {
    super(detail)
    this.refusal = refuse('malformed_request', detail)
    this.httpStatus = httpStatus
  }
}

/** Lets the server read JSON bodies, and no others. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      refuseOtherTypes(request)
      done(null, parseJson(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

/** Throws UnreadableBody where the headers call the body something else than JSON in UTF-8, or call it two things. */
function refuseOtherTypes(request: FastifyRequest): void {
  // Node keeps the first of several and drops the rest, which somebody on the way may have gone by.
  const names = request.raw.rawHeaders.filter((text, index) => index % 2 === 0 && isContentType(text))
  if (names.length > 1) throw new UnreadableBody('Send the header `Content-Type` once.')
  const type = request.headers['content-type'] ?? ''
  if (type === 'application/json') return
  const charset = /;\s*charset="?([^";\s]+)/i.exec(type)?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new UnreadableBody(
      'JSON is sent in UTF-8 only. Leave the charset out, or send `charset=utf-8`.',
      415,
    )
  }
}

function isContentType(name: string): boolean {
  return name.length === 12 && name.toLowerCase() === 'content-type'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON value of these bytes. Throws UnreadableBody when they are not UTF-8 or not JSON. */
function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new UnreadableBody('The body is empty. Send a JSON object.')
  const text = decodeUtf8(bytes)
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const at =
      error instanceof Error
        ? /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0]
        : undefined
    throw new UnreadableBody(
      `The body is not valid JSON${at === undefined ? '' : ` ${at}`}. Send one JSON object.`,
    )
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new UnreadableBody('The body is not valid UTF-8. Encode the JSON text as UTF-8.')
  }
}
