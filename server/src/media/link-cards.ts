import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import type { Outbound } from '../platform/outbound/outbound-http.ts'
import type { LinkCard, PictureBounds } from '../networks/providers/port/procedure.ts'
import { HEAD_BYTES, recognise } from './media-type.ts'
import { isRejection } from '../platform/process/worker-pool.ts'
import { type MediaWorkers } from './media-workers.ts'
import { readPageCard } from './page-card.ts'
import type { TempFiles } from './temp-files.ts'

export type LinkCardParts = {
  readonly outbound: Pick<Outbound, 'download'>
  readonly tempFiles: TempFiles
  readonly workers: MediaWorkers
}

/** Reads the card of a link for this workspace. Never throws; `done` says that the picture is needed no longer. */
export type ReadLinkCard = (
  workspaceId: string,
  url: URL,
  picture: PictureBounds,
  signal: AbortSignal,
) => Promise<{ card: LinkCard | null; done: () => Promise<void> }>

const MAX_PAGE_BYTES = 256 * 1024
const MAX_PICTURE_BYTES = 8 * 1024 * 1024
const MAX_PICTURE_PIXELS = 30_000_000
const MAX_REDIRECTS = 4

/**
 * Reads cards of links. The page and its picture are untrusted: both are fetched through the outbound guard, each
 * redirect is checked like the first address, what is too long is cut or left out, and the picture is decoded by a
 * worker process. A card without a picture, or none at all, is no fault.
 */
export function linkCardReader(parts: LinkCardParts): ReadLinkCard {
  const nothing = () => Promise.resolve()

  return async (workspaceId, url, bounds, signal) => {
    const page = await follow(parts, url, { accept: 'text/html', maxBytes: MAX_PAGE_BYTES }, signal)
    const card = page === null ? null : readPageCard(textOf(page.headers, page.bytes), page.url)
    if (card === null) return { card: null, done: nothing }
    const { title, description, pictureUrl } = card
    const picture =
      pictureUrl === null
        ? null
        : await readPicture(parts, workspaceId, pictureUrl, bounds, signal).catch(() => null)
    return { card: { title, description, picture: picture?.file ?? null }, done: picture?.done ?? nothing }
  }
}

type Page = { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly bytes: Buffer }

/** What is at an address, or where that leads; null where nothing is. */
export async function follow(
  { outbound }: Pick<LinkCardParts, 'outbound'>,
  from: URL,
  options: { accept: string; maxBytes: number },
  signal: AbortSignal,
): Promise<(Page & { cut: boolean }) | null> {
  let url = from
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const got = await outbound.download(url, options, signal)
    if (!got.arrived) return null
    const { status, headers, bytes, cut } = got
    const next = status >= 300 && status < 400 ? URL.parse(headers['location'] ?? '', url.href) : null
    if (next === null) return status === 200 ? { url, headers, bytes, cut } : null
    next.hash = ''
    url = next
  }
  return null
}

async function readPicture(
  parts: LinkCardParts,
  workspaceId: string,
  url: URL,
  bounds: PictureBounds,
  signal: AbortSignal,
) {
  const { tempFiles, workers } = parts
  const got = await follow(parts, url, { accept: 'image/*', maxBytes: MAX_PICTURE_BYTES }, signal)
  if (got === null || got.cut) return null
  const type = await recognise(got.bytes.subarray(0, HEAD_BYTES))
  if (type?.kind !== 'image') return null

  const origin = { workspaceId, fileId: createHash('sha256').update(got.bytes).digest('hex'), signal }
  const [from, clean, to] = [tempFiles.newPath(), tempFiles.newPath(), tempFiles.newPath()]
  try {
    await writeFile(from, got.bytes, { flag: 'wx', mode: 0o600 })
    const { contentType } = type
    const cleaned = await workers.run(
      { type: 'clean', from, to: clean, contentType, maxPixels: MAX_PICTURE_PIXELS },
      origin,
    )
    if (isRejection(cleaned)) return null
    const made = await workers.run({ type: 'fit', from: clean, to, contentType, bounds }, origin)
    if (isRejection(made)) return null
    const file = {
      contentType: made.contentType,
      size: made.size,
      open: (range?: { from: number; to: number }) =>
        createReadStream(to, range === undefined ? {} : { start: range.from, end: range.to - 1 }),
    }
    return { file, done: () => tempFiles.remove(to) }
  } catch (fault) {
    await tempFiles.remove(to)
    throw fault
  } finally {
    await tempFiles.remove(from, clean)
  }
}

/** The text of a page in the encoding that its header names, or else itself, or else UTF-8 (HTML, 13.2.3.2). */
function textOf(headers: Readonly<Record<string, string>>, bytes: Buffer): string {
  const header = /charset=["']?([\w-]{1,40})/i.exec(headers['content-type'] ?? '')?.[1]
  const own = /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i.exec(bytes.toString('latin1', 0, 1_024))?.[1]
  for (const label of [header, own]) {
    if (label === undefined) continue
    try {
      return new TextDecoder(label).decode(bytes)
    } catch {
      continue // No encoding has that name.
    }
  }
  return bytes.toString('utf8')
}
