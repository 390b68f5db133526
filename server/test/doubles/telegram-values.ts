import { among, atMost, between, codePoints, fileIn, type ValueTable } from './value-table.ts'

/* What Telegram refuses of the values of a message. Its words are those of the server that a bot's calls go through (tdlib/td). */

const READ = '2026-11-29'
const API = 'https://core.telegram.org/bots/api'
const bad = (description: string) => ({
  status: 400,
  body: { ok: false, error_code: 400, description: `Bad Request: ${description}` },
})
const DIMENSIONS = { refused: bad('PHOTO_INVALID_DIMENSIONS'), source: `${API}#sendphoto`, read: READ }
const tooLarge = {
  status: 413,
  body: { ok: false, error_code: 413, description: 'Request Entity Too Large' },
}

export const telegramValues: ValueTable = {
  count: codePoints,
  facts: [
    atMost('caption', 'characters', 1_024, {
      refused: bad('message caption is too long'),
      source: `${API}#sendphoto`,
      read: READ,
    }),
    atMost('text', 'characters', 4_096, {
      refused: bad('message is too long'),
      source: `${API}#sendmessage`,
      read: READ,
    }),
    atMost('part', 'files', 10, {
      refused: bad('too many messages to send as an album'),
      source: `${API}#sendmediagroup`,
      read: READ,
    }),
    atMost('image', 'bytes', 10_000_000, { refused: tooLarge, source: `${API}#sendphoto`, read: READ }),
    atMost('image', 'sides', 10_000, DIMENSIONS),
    between('image', 'ratio', [0.05, 20], DIMENSIONS),
    among('video', 'type', ['video/mp4'], {
      refused: bad('VIDEO_CONTENT_TYPE_INVALID'),
      source: `${API}#sendvideo`,
      read: READ,
    }),
    atMost('video', 'bytes', 50_000_000, { refused: tooLarge, source: `${API}#sendvideo`, read: READ }),
  ],
  async sentBy({ method, path, headers, json, form }) {
    if (method !== 'POST' || !/\/send/.test(path)) return null
    const isJson = headers['content-type'] === 'application/json'
    const entries: [string, unknown][] = isJson ? Object.entries(json()) : [...(await form())]
    const found = Object.fromEntries(entries)
    const album = typeof found['media'] === 'string' ? (JSON.parse(found['media']) as Item[]) : []
    const text =
      found['text'] ?? found['caption'] ?? album.find(({ caption }) => caption !== undefined)?.caption
    const files = entries.flatMap(([, value]) => (value instanceof File ? [value] : []))
    return {
      ...(typeof text === 'string' ? { text } : {}),
      fileCount: Math.max(files.length, album.length),
      files: await Promise.all(
        files.map(async (file) => fileIn(Buffer.from(await file.arrayBuffer()), file.type)),
      ),
    }
  },
}

type Item = { readonly caption?: string }
