import { atMost, codePoints, countOf, fileIn, type ValueTable } from './value-table.ts'

/* What Discord refuses of the values of a message. An invalid form names the field: https://docs.discord.com/developers/reference#error-messages. */

const READ = '2026-11-29'
const DOCS = 'https://docs.discord.com/developers'
const form = (field: string, code: string, message: string) => ({
  status: 400,
  body: { code: 50_035, message: 'Invalid Form Body', errors: { [field]: { _errors: [{ code, message }] } } },
})
const tooLong = (field: string, most: number) =>
  form(field, 'BASE_TYPE_MAX_LENGTH', `Must be ${most} or fewer in length.`)
const tooLarge = { status: 413, body: { code: 40_005, message: 'Request entity too large' } }
const UPLOADS = { refused: tooLarge, source: `${DOCS}/reference#uploading-files`, read: READ }

export const discordValues: ValueTable = {
  count: codePoints,
  facts: [
    atMost('text', 'characters', 2_000, {
      refused: tooLong('content', 2_000),
      source: `${DOCS}/resources/webhook#execute-webhook`,
      read: READ,
    }),
    atMost('sender', 'characters', 80, {
      refused: tooLong('username', 80),
      source: `${DOCS}/resources/webhook#create-webhook`,
      read: READ,
    }),
    atMost('part', 'files', 10, {
      refused: {
        status: 400,
        body: { code: 30_015, message: 'Maximum number of attachments in a message reached (10)' },
      },
      source: `${DOCS}/topics/opcodes-and-status-codes#json`,
      read: READ,
    }),
    atMost('alt text', 'characters', 1_024, {
      refused: tooLong('attachments', 1_024),
      source: `${DOCS}/resources/message#attachment-object`,
      read: READ,
    }),
    atMost('image', 'bytes', 10_485_760, UPLOADS),
    atMost('video', 'bytes', 10_485_760, UPLOADS),
    atMost('audio', 'bytes', 10_485_760, UPLOADS),
    atMost('document', 'bytes', 10_485_760, UPLOADS),
    atMost('part', 'bytes', 26_214_400, {
      refused: tooLarge,
      source: `${DOCS}/resources/message#create-message`,
      read: READ,
    }),
  ],
  async sentBy({ method, bytes, headers, json, form: readForm }) {
    if (method !== 'POST') return null
    const isJson = headers['content-type'] === 'application/json'
    const fields = isJson ? [] : [...(await readForm())]
    const text = fields.find(([name]) => name === 'payload_json')?.[1]
    const payload = (isJson ? json() : JSON.parse(typeof text === 'string' ? text : '{}')) as {
      content?: string
      username?: string
      attachments?: readonly { readonly description?: string }[]
    }
    const files = fields.flatMap(([, value]) => (value instanceof File ? [value] : []))
    return {
      requestBytes: bytes.length,
      ...(payload.content === undefined ? {} : { text: payload.content }),
      ...(payload.username === undefined ? {} : { sender: payload.username }),
      altTexts: (payload.attachments ?? []).flatMap(({ description }) => description ?? []),
      fileCount: Math.max(files.length, countOf(payload.attachments)),
      files: await Promise.all(
        files.map(async (file) => fileIn(Buffer.from(await file.arrayBuffer()), file.type)),
      ),
    }
  },
}
