import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { isRefusal, type Refusal } from '../../operations/refusal.ts'
import type { IncomingFile, Upload } from '../../operations/route.ts'
import { readJsonOf, RefusedBody, refuseEncoded, unreadableBody } from './json-body.ts'
import { isSchema } from './schema-shape.ts'
import type { Violation } from './violations.ts'

export type Form = {
  readonly fields: Readonly<Record<string, unknown>>
  /** Null when none came; then a violation says so. */
  readonly upload: Upload<unknown> | null
  readonly violations: readonly Violation[]
}

export type FormRules = {
  /** The name of the field with the file, and of the one with the address of a file. */
  readonly file: string
  readonly address: string
  /** The schema of the other fields. */
  readonly fields: unknown
  readonly receive: (file: IncomingFile) => Promise<Upload<unknown> | Refusal>
  readonly receiveFrom: (address: string) => Upload<unknown>
}

const MOST_PARTS = 16
const FIELD_BYTES = 16 * 1024
const JSON_BYTES = 1_048_576
/** What a decoder puts where there was no character. */
const UNDECODED = '\uFFFD'

/**
 * Reads a multipart form (RFC 7578) as it comes in, in whatever order its parts stand; the file goes to `receive` and
 * nowhere else. A refusal of the file ends the reading. Throws RefusedBody for what is no form, or is cut short.
 */
export async function readForm(request: IncomingMessage, rules: FormRules): Promise<Form | Refusal> {
  if (JSON_TYPE.test(request.headers['content-type'] ?? '')) return formOfJson(await readJson(request), rules)
  const reader = openReader(request)
  const giveUp = new AbortController()
  const violations: Violation[] = []
  const fields: Record<string, unknown> = Object.create(null)
  const reading: Reading = { fields, violations, giveUp, receiving: null }
  reader.on('field', orGiveUp(giveUp, fieldTaker(reading, rules)))
  reader.on('file', orGiveUp(giveUp, fileTaker(reading, rules)))
  reader.on('partsLimit', () => giveUp.abort(unreadableBody(`The form has more than ${MOST_PARTS} parts.`)))

  const broken = await passThrough(request, reader, giveUp.signal)
  if (broken !== null) giveUp.abort()
  const upload = await settled(reading.receiving)
  // What the receiver says of the file comes first: it ended the reading.
  if (upload !== null && isRefusal(upload)) return upload
  if (upload instanceof Error || broken !== null) {
    if (upload !== null && !(upload instanceof Error)) await upload.dispose()
    throw broken ?? upload
  }
  return withFile({ fields, upload, violations }, rules)
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

async function readJson(request: IncomingMessage): Promise<unknown> {
  return readJsonOf(JSON_BYTES)(null, request)
}

/** Only the address of a file can stand in JSON. What is no object is refused as the body of any operation. */
function formOfJson(body: unknown, rules: FormRules): Form {
  const fields = isSchema(body) ? body : {}
  return withFile({ fields, upload: null, violations: [] }, rules)
}

/** The form with the file that its fields name the address of. It holds one of both. */
function withFile({ fields, upload, violations }: Form, { file, address, receiveFrom }: FormRules): Form {
  const given = Object.hasOwn(fields, address) ? fields[address] : undefined
  if (upload !== null && given !== undefined) {
    const detail = `Send either \`${file}\` or \`${address}\`.`
    return {
      fields,
      upload,
      violations: [...violations, { pointer: `/${address}`, code: 'not_allowed', detail }],
    }
  }
  if (upload !== null || violations.some(({ pointer }) => pointer === `/${file}`))
    return { fields, upload, violations }
  // An address that is none is refused for that.
  if (given !== undefined)
    return { fields, upload: typeof given === 'string' ? receiveFrom(given) : null, violations }
  const detail = `\`${file}\` is missing: send it as a part of a form, or the address of the file as \`${address}\`.`
  return { fields, upload, violations: [...violations, { pointer: `/${file}`, code: 'required', detail }] }
}

/** What was read of a form so far. */
type Reading = {
  readonly fields: Record<string, unknown>
  readonly violations: Violation[]
  readonly giveUp: AbortController
  receiving: Promise<Upload<unknown> | Refusal> | null
}

/** What is thrown while a form is read would end the process: here it ends the form. */
function orGiveUp<Args extends unknown[]>(
  giveUp: AbortController,
  work: (...args: Args) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      work(...args)
    } catch (fault) {
      giveUp.abort(fault)
    }
  }
}

function fieldTaker({ fields, violations }: Reading, rules: FormRules) {
  return (sent: string | undefined, text: string, nameCut: boolean, valueCut: boolean): void => {
    const name = nameOf(sent)
    const pointer = pointerTo(name)
    if (name in fields)
      violations.push({ pointer, code: 'repeated', detail: `\`${name}\` was sent twice; send it once.` })
    else if (nameCut || valueCut) {
      violations.push({
        pointer,
        code: 'too_long',
        detail: `\`${name}\` has more than ${FIELD_BYTES} bytes.`,
      })
    } else if (text.includes(UNDECODED)) {
      violations.push({ pointer, code: 'malformed', detail: `Encode \`${name}\` as UTF-8.` })
    }
    fields[name] = fromText(text, name, rules.fields)
  }
}

function fileTaker(reading: Reading, rules: FormRules) {
  const { giveUp, violations } = reading
  return (
    sent: string | undefined,
    bytes: Readable,
    _fileName: string,
    _encoding: string,
    claimedType: string,
  ): void => {
    // The reader of the file hears of its end; until then there may be no listener.
    bytes.on('error', () => undefined)
    // What stands in the piece that ended the form still comes up.
    if (giveUp.signal.aborted) return void bytes.resume()
    const name = nameOf(sent)
    if (name === rules.file && reading.receiving === null) {
      giveUp.signal.addEventListener('abort', () => bytes.destroy(new Error('the form was given up')))
      reading.receiving = rules.receive({ bytes, claimedType: claimedType === '' ? null : claimedType })
      reading.receiving.then(
        (received) => isRefusal(received) && giveUp.abort(),
        (fault: unknown) => giveUp.abort(fault),
      )
      return
    }
    bytes.resume()
    const pointer = pointerTo(name)
    const [code, detail] =
      name === rules.file
        ? ['repeated', `\`${name}\` was sent twice. Upload one file at a time.`]
        : [
            'unknown_field',
            `\`${pointer.slice(1)}\` is no file that is taken here; the file is \`${rules.file}\`.`,
          ]
    violations.push({ pointer, code, detail })
  }
}

/** Throws RefusedBody for a part without a name, which every part of a form must have (RFC 7578, 4.2). */
function nameOf(sent: string | undefined): string {
  if (sent === undefined) throw unreadableBody('A part of the form has no name.')
  return sent
}

function pointerTo(name: string): string {
  return `/${name.toWellFormed().slice(0, 100)}`
}

type Reader = InstanceType<typeof Busboy>

function openReader(request: IncomingMessage): Reader {
  refuseEncoded(request)
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(type)) {
    throw unreadableBody('Send the file in a form, with `Content-Type: multipart/form-data`.', 415)
  }
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: {
        parts: MOST_PARTS,
        fieldNameSize: 100,
        fieldSize: FIELD_BYTES,
        headerPairs: 20,
        headerSize: 8 * 1024,
      },
      isPartAFile: (name, _type, fileName) => name === 'file' || fileName !== undefined,
      highWaterMark: 128 * 1024,
      fileHwm: 128 * 1024,
    })
  } catch {
    throw unreadableBody(
      'The form has no boundary. Let your HTTP library write the `Content-Type` of the form.',
    )
  }
}

/** Null when the whole form came through. Never closes the socket, on which there is still to be answered. */
function passThrough(request: IncomingMessage, reader: Reader, signal: AbortSignal): Promise<Error | null> {
  const truncatedForm = () =>
    unreadableBody('The form is cut short or malformed: its parts do not end as its boundary says.')
  return new Promise((resolve) => {
    const onAbort = () =>
      end(
        signal.reason instanceof RefusedBody
          ? signal.reason
          : new Error('the reading of a form was ended', { cause: signal.reason }),
      )
    // Closed is every request in the end; one that is not complete by then was broken off.
    const onClose = () => void (request.complete || end(truncatedForm()))
    function end(result: Error | null): void {
      signal.removeEventListener('abort', onAbort)
      request.off('close', onClose)
      request.unpipe(reader)
      request.resume()
      resolve(result)
    }
    signal.addEventListener('abort', onAbort)
    request.on('close', onClose)
    reader.once('finish', () => end(null))
    reader.on('error', () => end(truncatedForm()))
    request.pipe(reader)
  })
}

async function settled<T>(work: Promise<T> | null): Promise<T | Error | null> {
  try {
    return await work
  } catch (fault) {
    return fault instanceof Error ? fault : new Error(String(fault))
  }
}

/** In a form everything is text: `true` means true where the field is a yes or no. */
function fromText(text: string, name: string, schema: unknown): unknown {
  const properties = isSchema(schema) ? schema['properties'] : undefined
  const property = isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  const isFlag =
    isSchema(property) && (property['type'] === 'boolean' || typeof property['const'] === 'boolean')
  if (!isFlag) return text
  return text === 'true' ? true : text === 'false' ? false : text
}
