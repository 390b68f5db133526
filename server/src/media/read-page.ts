import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import type { Outbound } from '../platform/outbound/outbound-http.ts'
import { isRejection } from '../platform/process/worker-pool.ts'
import { breakReason, type Followed, follow, type NotHad } from './follow.ts'
import type { PageCard, PageRead } from './media-job.ts'
import type { MediaWorkers } from './media-workers.ts'

/** Of a page, before and after it is unpacked. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024
const WANTED = { accept: 'text/html, application/xhtml+xml;q=0.9', encodings: 'gzip, br' }
const PAGES: ReadonlySet<string> = new Set(['', 'text/html', 'application/xhtml+xml'])

type PageParts = { readonly outbound: Pick<Outbound, 'open'>; readonly workers: MediaWorkers }

/**
 * Reads the card of a page. The page is read to the end of its head, and the rest is not fetched. Whether the head is over only its parser
 * knows: a worker is asked where it may be, and again at twice as much at the earliest, so that all reads take no longer than two.
 */
export async function readPage(
  { outbound, workers }: PageParts,
  workspaceId: string,
  from: URL,
  signal: AbortSignal,
): Promise<{ readonly url: URL; readonly card: PageCard } | NotHad> {
  const got = await follow(outbound, from, WANTED, signal)
  if ('why' in got) return got
  const { url, headers } = got
  const { host } = url
  const contentType = headers['content-type'] ?? ''
  const text = isPage(contentType) ? unpacked(got) : null
  if (text === null) {
    got.body.destroy()
    return { why: 'no_page', host }
  }

  const chunks: Buffer[] = []
  let size = 0
  let asked = 0
  const seesEnd = watchForEnd()
  async function ask(): Promise<PageRead | NotHad> {
    asked = size
    const bytes = Buffer.concat(chunks).subarray(0, MAX_PAGE_BYTES)
    const fileId = createHash('sha256').update(bytes).digest('hex')
    const job = { type: 'read_page', bytes, contentType, address: url.href } as const
    try {
      const read = await workers.run(job, { workspaceId, fileId, signal })
      return isRejection(read) ? { why: 'unreadable', host } : read
    } catch {
      return { why: signal.aborted ? 'slow' : 'fault', host }
    }
  }
  let read: PageRead | NotHad | null = null
  try {
    // Leaving the loop ends the connection.
    for await (const chunk of text as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= MAX_PAGE_BYTES) break
      if (!seesEnd(chunk) || size < 2 * asked) continue
      read = await ask()
      if ('why' in read || read.headEnded) break
    }
  } catch (fault) {
    return { why: breakReason(fault, signal), host }
  }
  if (read === null || (asked < size && !('why' in read))) read = await ask()
  if ('why' in read) return read
  return read.card === null ? { why: 'untitled', host } : { url, card: read.card }
}

/** What names no type is read as a page: it may be one. */
function isPage(contentType: string): boolean {
  const [type = ''] = contentType.split(';', 1)
  return PAGES.has(type.trim().toLowerCase())
}

/** The body as it was before it was packed; null where it cannot be unpacked. */
function unpacked({ headers, body }: Followed): Readable | null {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return body
  const unpack =
    encoding === 'br' ? createBrotliDecompress() : /^(?:x-)?gzip$/.test(encoding) ? createGunzip() : null
  // How it ends is seen by who reads what comes out.
  if (unpack !== null) void pipeline(body, atMost(MAX_PAGE_BYTES), unpack).catch(() => undefined)
  return unpack
}

/** Packed bytes can be without end, and nothing come of them. A stream, since a generator that waits for bytes cannot be ended. */
function atMost(maxBytes: number): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length
      if (size > maxBytes) done(new Error('more bytes than a page may have'))
      else done(null, chunk)
    },
  })
}

const MAY_END = /<\/head|<body/i
const LONGEST_END = 6

/** Whether a head may be over by what was read so far. In UTF-16, each second byte is 0. */
function watchForEnd(): (chunk: Buffer) => boolean {
  let seen = false
  let before = ''
  return (chunk) => {
    if (seen) return true
    const text = before + chunk.toString('latin1').replaceAll('\0', '')
    before = text.slice(1 - LONGEST_END)
    seen = MAY_END.test(text)
    return seen
  }
}
