import { createWriteStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { waveHead } from '../server/test/rigs/media-files.ts'
import { type Figure, interleave, ratio, requestsPerSecond, whole } from './measuring.ts'
import type { Product } from './product.ts'

const UPLOAD_BYTES = 100_000_000
const BOUNDARY = 'a-boundary-that-is-in-no-file'

/** An upload beside the same bytes streamed to disk and synced, and the bytes of an image beside the item's facts. */
export async function measureMedia({ url, key }: Product): Promise<Figure[]> {
  const authorization = `Bearer ${key}`
  const folder = await mkdtemp(join(tmpdir(), 'postrider-bench-media-'))
  let sent = 0

  async function upload(bytes: () => Iterable<Buffer>): Promise<string> {
    const part = (name: string, more = '') =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
    function* form(): Generator<Buffer> {
      yield Buffer.from(`${part('confirmed')}true\r\n${part('file', '; filename="x"')}`)
      yield* bytes()
      yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
    }
    const response = await fetch(`${url}/agent/v1/media`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'idempotency-key': `bench-media-${sent++}`,
      },
      body: Readable.from(form()),
      duplex: 'half',
    } as object)
    const body = (await response.json()) as { mediaId?: string }
    if (body.mediaId === undefined) throw new Error(`An upload was refused: ${JSON.stringify(body)}`)
    return body.mediaId
  }

  async function toDisk(): Promise<void> {
    const path = join(folder, 'bare')
    await pipeline(Readable.from(recording(sent++)), createWriteStream(path))
    const file = await open(path)
    await file.sync()
    await file.close()
  }

  try {
    const { bare, received } = await interleave(3, {
      bare: () => megabytesPerSecond(toDisk),
      received: () => megabytesPerSecond(() => upload(() => recording(sent))),
    })
    const mediaId = await upload(() => [Buffer.from(IMAGE, 'base64')])
    const get = (path: string) => () =>
      requestsPerSecond({ url, headers: { authorization }, make: () => ({ path }) })
    const { facts, content } = await interleave(3, {
      facts: get(`/agent/v1/media/${mediaId}`),
      content: get(`/agent/v1/media/${mediaId}/content`),
    })
    return [
      ['limit: a stream to disk, synced', `${whole(bare)} MB`, ''],
      ['`POST /media`, 100 MB of sound', `${whole(received)} MB`, ratio(received, bare)],
      ['limit: `GET /media/{mediaId}`', whole(facts), ''],
      ['`GET /media/{mediaId}/content`', whole(content), ratio(content, facts)],
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function megabytesPerSecond(send: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await send()
  return UPLOAD_BYTES / 1_000 / (performance.now() - begun)
}

/** A WAV file whose sound differs each time, so that nothing is known of it already. */
function* recording(seed: number): Generator<Buffer> {
  yield waveHead(UPLOAD_BYTES)
  const piece = Buffer.alloc(250_000, seed + 1)
  for (let at = 0; at < UPLOAD_BYTES; at += piece.length) yield piece
}

/** A PNG of one red pixel. */
const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
