import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { refuse, type Refusal } from '../../operations/refusal.ts'
import { pointerTo } from './pointer.ts'
import { type Excess, scanJson } from './json-scan.ts'
import { MAX_VIOLATIONS, type Violation } from './violations.ts'

/** A refusal that travels as an error from the reader of a body, with the HTTP status it is answered with. */
export class RefusedBody extends Error {
  override name = 'RefusedBody'
  readonly refusal: Refusal
  readonly httpStatus: number | undefined

  constructor(refusal: Refusal, httpStatus?: number) {
    super(refusal.detail)
    this.refusal = refusal
    this.httpStatus = httpStatus
  }
}

/** What is thrown for a body that is not what its operation reads. */
export function unreadableBody(detail: string, httpStatus = 400, errors?: Violation[]): RefusedBody {
  return new RefusedBody(
    refuse('malformed_request', detail, errors === undefined ? {} : { errors }),
    httpStatus,
  )
}

const MEBIBYTE = 1_048_576
const BODY_BYTES = MEBIBYTE

/** Lets the server read JSON bodies of up to 1 MiB, and no others. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', readJsonOf(BODY_BYTES))
}

/** Reads JSON bodies of up to so many bytes, whole mebibytes. */
export function readJsonOf(maxBytes: number) {
  return async (_request: unknown, payload: IncomingMessage): Promise<unknown> => {
    refuseEncoded(payload)
    refuseOtherCharsets(payload.headers['content-type'] ?? '')
    return parseJson(await readBytes(payload, maxBytes))
  }
}

/** Throws RefusedBody for a body that would have to be decompressed first. */
export function refuseEncoded({ headers }: IncomingMessage): void {
  const coding = headers['content-encoding']
  if (coding === undefined || coding.toLowerCase() === 'identity') return
  const detail = 'No `Content-Encoding` is decoded here. Send the body as it is, without that header.'
  throw unreadableBody(detail, 415, [{ pointer: '@Content-Encoding', code: 'not_allowed', detail }])
}

/** Throws RefusedBody where the type says that the text is not UTF-8. */
function refuseOtherCharsets(type: string): void {
  if (type === 'application/json') return
  const charset = /;\s*charset="?([^";\s]+)/i.exec(type)?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw unreadableBody('JSON is sent in UTF-8 only. Leave the charset out, or send `charset=utf-8`.', 415)
  }
}

/** Copies what comes into one buffer: a body in a million chunks takes no more memory than the same in one. */
async function readBytes(payload: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    unreadableBody(`The body is larger than ${maxBytes / MEBIBYTE} MiB. Send less at once.`, 413)
  const declared = Number(payload.headers['content-length'] ?? FIRST_BYTES)
  if (declared > maxBytes) throw tooLarge()
  let bytes = Buffer.allocUnsafe(Math.min(declared, FIRST_BYTES))
  let length = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  payload.on('data', (chunk: Buffer) => {
    if (length + chunk.length > maxBytes) return reject(tooLarge())
    if (length + chunk.length > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * bytes.length, length + chunk.length))
      bytes.copy(larger, 0, 0, length)
      bytes = larger
    }
    length += chunk.copy(bytes, length)
  })
  payload.once('end', resolve).once('error', reject)
  await promise
  return bytes.subarray(0, length)
}

/** Most bodies are smaller, and then share memory: Node allots as much as this for each apart. */
const FIRST_BYTES = 4_096

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The JSON value of these bytes; undefined for none: an operation without a body may be asked for with the type of one.
 * Throws RefusedBody when they are not UTF-8 or not JSON.
 */
function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const text = decodeUtf8(bytes)
  const { excess, repeated } = scanJson(text, SCAN_LIMITS)
  if (excess !== null) throw new RefusedBody(refuseExcess(excess))
  const value = parseText(text)
  refuseRepeatedNames(repeated)
  return value
}

/** The value of JSON that stands in a text, by the limits of a body; undefined where it is none, or names anything twice. */
export function readJsonText(text: string): unknown {
  const { excess, repeated } = scanJson(text, SCAN_LIMITS)
  if (excess !== null || repeated.length > 0) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What the checks of a body can afford; far above what any operation has a use for. */
const SCAN_LIMITS = { maxDepth: 64, maxValues: 20_000, maxNames: 1_000, maxRepeated: MAX_VIOLATIONS }

const EXCESS: Record<Excess['code'], string> = {
  too_deep: `is nested deeper than ${SCAN_LIMITS.maxDepth} levels. Send fewer levels.`,
  too_many_values: `makes more than ${SCAN_LIMITS.maxValues} values of the body. Send fewer at once.`,
  too_many_names: `has more than ${SCAN_LIMITS.maxNames} fields. Send those that are documented only.`,
}

function refuseExcess({ code, path }: Excess): Refusal {
  const pointer = pointerTo(path)
  const detail = `${pointer === '' ? 'The body' : `\`${pointer}\``} ${EXCESS[code]}`
  return refuse('validation_failed', detail, { errors: [{ pointer, code, detail }] })
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const at =
      error instanceof Error
        ? /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0]
        : undefined
    throw unreadableBody(
      `The body is not valid JSON${at === undefined ? '' : ` ${at}`}. Send one JSON object.`,
    )
  }
}

/** Throws RefusedBody for an object with two values of one name: which of them counts depends on who reads it. */
function refuseRepeatedNames(repeated: readonly (string | number)[][]): void {
  const errors = repeated.map((steps) => {
    const pointer = pointerTo(steps)
    return { pointer, code: 'repeated', detail: `\`${pointer}\` was sent more than once; send it once.` }
  })
  if (errors[0] !== undefined) throw unreadableBody(`In the body, ${errors[0].detail}`, 400, errors)
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw unreadableBody('The body is not valid UTF-8. Encode the JSON text as UTF-8.')
  }
}
