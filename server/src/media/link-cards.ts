import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Outbound } from '../platform/outbound/outbound-http.ts'
import { isRejection } from '../platform/process/worker-pool.ts'
import type { CardLack, LinkCard, PictureBounds } from '../networks/providers/port/procedure.ts'
import { breakReason, follow, type NotHad, readAtMost } from './follow.ts'
import type { PageCard } from './media-job.ts'
import { HEAD_BYTES, recognise } from './media-type.ts'
import type { MediaWorkers } from './media-workers.ts'
import { readPage } from './read-page.ts'
import type { TempFiles } from './temp-files.ts'

export type LinkCardParts = {
  readonly outbound: Pick<Outbound, 'open'>
  readonly tempFiles: TempFiles
  readonly workers: MediaWorkers
  /** For the page with all its redirects, and once more for its picture; 15 s when left out. */
  readonly limitMs?: number
}

/** What came of reading the card of a link. `done` says that the picture is needed no longer. */
export type ReadCard = {
  readonly card: LinkCard | null
  /** Why there is no card, or no picture in it; null where nothing is missing. */
  readonly lack: CardLack | null
  readonly done: () => Promise<void>
}

/** Reads the card of a link for this workspace. Never throws. */
export type ReadLinkCard = (
  workspaceId: string,
  url: URL,
  picture: PictureBounds,
  signal: AbortSignal,
) => Promise<ReadCard>

const LIMIT_MS = 15_000
const MAX_PICTURE_BYTES = 8 * 1024 * 1024
const MAX_PICTURE_PIXELS = 30_000_000

/**
 * Reads cards of links. The page and its picture are untrusted: both are fetched through the outbound guard, each
 * redirect is checked like the first address, and worker processes read the page and decode the picture.
 */
export function linkCardReader(parts: LinkCardParts): ReadLinkCard {
  return async (workspaceId, url, bounds, signal) => {
    const read = await within(parts, signal, url, (limit) => readPage(parts, workspaceId, url, limit))
    if ('why' in read) return { card: null, lack: { of: 'card', ...read }, done: nothing }
    const { title, description } = read.card
    const picture = await pictureOf(parts, { workspaceId, page: read, bounds, signal })
    const lack = 'why' in picture ? ({ of: 'picture', ...picture } as const) : null
    const made = 'why' in picture ? { file: null, done: nothing } : picture
    return { card: { title, description, picture: made.file }, lack, done: made.done }
  }
}

const nothing = () => Promise.resolve()

/** Has it end in time, and say so; whatever else fails is our own fault. */
async function within<Got>(
  { limitMs = LIMIT_MS }: LinkCardParts,
  signal: AbortSignal,
  { host }: URL,
  get: (limit: AbortSignal) => Promise<Got | NotHad>,
): Promise<Got | NotHad> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  try {
    return await get(limit)
  } catch {
    return { why: limit.aborted ? 'slow' : 'fault', host }
  }
}

type PictureWork = {
  readonly workspaceId: string
  readonly page: { readonly url: URL; readonly card: PageCard }
  readonly bounds: PictureBounds
  readonly signal: AbortSignal
}

async function pictureOf(parts: LinkCardParts, { workspaceId, page, bounds, signal }: PictureWork) {
  const { picture } = page.card
  const { host } = page.url
  if (picture === 'none') return { why: 'not_named', host } as const
  if (picture === 'invalid') return { why: 'invalid_address', host } as const
  const url = new URL(picture.url)
  return within(parts, signal, url, (limit) => readPicture(parts, workspaceId, url, bounds, limit))
}

async function readPicture(
  { outbound, tempFiles, workers }: LinkCardParts,
  workspaceId: string,
  from: URL,
  bounds: PictureBounds,
  signal: AbortSignal,
) {
  const got = await follow(outbound, from, { accept: 'image/*' }, signal)
  if ('why' in got) return got
  const { host } = got.url
  const read = await readAtMost(got.body, MAX_PICTURE_BYTES).catch((fault: unknown) => ({
    why: breakReason(fault, signal),
  }))
  if ('why' in read) return { ...read, host }
  if (read.cut) return { why: 'too_large', host } as const
  const unreadable = { why: 'unreadable', host } as const
  const type = await recognise(read.bytes.subarray(0, HEAD_BYTES))
  if (type?.kind !== 'image') return unreadable

  const origin = { workspaceId, fileId: createHash('sha256').update(read.bytes).digest('hex'), signal }
  const [original, clean, to] = [tempFiles.newPath(), tempFiles.newPath(), tempFiles.newPath()]
  try {
    await writeFile(original, read.bytes, { flag: 'wx', mode: 0o600 })
    const { contentType } = type
    const cleaned = await workers.run(
      { type: 'clean', from: original, to: clean, contentType, maxPixels: MAX_PICTURE_PIXELS },
      origin,
    )
    if (isRejection(cleaned)) return unreadable
    const made = await workers.run({ type: 'fit', from: clean, to, contentType, bounds }, origin)
    if (isRejection(made)) return unreadable
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
    await tempFiles.remove(original, clean)
  }
}
