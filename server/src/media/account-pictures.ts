import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { follow, readAtMost } from './follow.ts'
import { type CachedImage, openCachedImages } from './cached-images.ts'
import type { Image } from './media-job.ts'
import { HEAD_BYTES, recognise } from './media-type.ts'
import { isRejection, type Rejection } from '../platform/process/worker-pool.ts'
import { type MediaWorkers } from './media-workers.ts'
import type { Outbound } from '../platform/outbound/outbound-http.ts'
import type { TempFiles } from './temp-files.ts'

/** Pictures of connected accounts, as their networks show them, small and square. */
export type AccountPictures = {
  /** The picture at the address; null where there is none to be had. Throws only once `signal` is aborted. */
  readonly find: (
    wanted: { readonly workspaceId: string; readonly address: string },
    signal: AbortSignal,
  ) => Promise<(CachedImage & { readonly tag: string }) | null>
  readonly close: () => Promise<void>
}

type Parts = {
  readonly outbound: Pick<Outbound, 'open'>
  readonly tempFiles: TempFiles
  readonly workers: MediaWorkers
}
type Wanted = { readonly workspaceId: string; readonly url: URL; readonly name: string }

export const PICTURE_TYPE = 'image/webp'
/** As wide as it is shown at most, on a screen with two to three pixels for each. */
const PICTURE_PIXELS = 96
const CACHE_MAX_BYTES = 50_000_000
const MAX_BYTES = 4 * 1024 * 1024
const MAX_PIXELS = 20_000_000
const FETCH_MS = 8_000
/** So many are fetched at the same time: each takes up to MAX_BYTES of memory. */
const AT_ONCE = 6
const AGAIN_MS = 10 * 60_000
const MAX_REMEMBERED = 10_000

/**
 * The browser asks no network for the picture of an account: it would tell every network who looks at the dashboard, and the page's
 * policy forbids it. The server asks, once, through the outbound guard; what comes is untrusted, and decoded by a worker process.
 */
export async function openAccountPictures(parts: Parts, folder: string): Promise<AccountPictures> {
  const missing = rememberMissing()
  const turn = inTurns(AT_ONCE)
  const { tempFiles } = parts
  const cached = await openCachedImages<Wanted>(
    folder,
    { maxBytes: CACHE_MAX_BYTES, tempFiles },
    (wanted, to, signal) => turn(() => makePicture(parts, wanted, to, signal)),
  )
  return {
    close: cached.close,
    async find({ workspaceId, address }, signal) {
      const url = URL.parse(address)
      // What one workspace has fetched tells another nothing, not even by how fast it comes.
      const tag = createHash('sha256').update(`${workspaceId} ${address}`).digest('hex')
      if (url === null || missing.has(tag)) return null
      try {
        const found = await cached.find(tag, { workspaceId, url, name: tag }, signal)
        if (!isRejection(found)) return { tag, ...found }
      } catch {
        signal.throwIfAborted()
      }
      missing.add(tag)
      return null
    },
  }
}

async function makePicture(
  { outbound, tempFiles, workers }: Parts,
  { workspaceId, url, name }: Wanted,
  to: string,
  gone: AbortSignal,
): Promise<Image | Rejection> {
  gone.throwIfAborted()
  const signal = AbortSignal.any([gone, AbortSignal.timeout(FETCH_MS)])
  const got = await follow(outbound, url, { accept: 'image/*' }, signal)
  if ('why' in got) throw new Error(`there is no picture to be had: ${got.why}`)
  const { bytes, cut } = await readAtMost(got.body, MAX_BYTES)
  if (cut) throw new Error('the picture is too large')
  if ((await recognise(bytes.subarray(0, HEAD_BYTES)))?.kind !== 'image') throw new Error('it is no picture')
  const origin = { workspaceId, fileId: name, signal: gone }
  const [from, square] = [tempFiles.newPath(), tempFiles.newPath()]
  const contentType = PICTURE_TYPE
  try {
    await writeFile(from, bytes, { flag: 'wx', mode: 0o600 })
    const cut = { type: 'crop', ratio: [1, 1], maxPixels: MAX_PIXELS } as const
    const cropped = await workers.run({ ...cut, from, to: square, contentType }, origin)
    if (isRejection(cropped)) return cropped
    const width = PICTURE_PIXELS
    return await workers.run({ type: 'resize', from: square, to, contentType, width }, origin)
  } finally {
    await tempFiles.remove(from, square)
  }
}

/** What was not to be had is not asked for again with each page: not for a while. */
function rememberMissing() {
  const until = new Map<string, number>()
  return {
    has: (tag: string) => (until.get(tag) ?? 0) > Date.now(),
    add(tag: string) {
      if (until.size >= MAX_REMEMBERED) until.clear()
      until.set(tag, Date.now() + AGAIN_MS)
    },
  }
}

/** Runs so many at a time; the others wait for their turn. */
function inTurns(most: number) {
  let free = most
  const waiting: (() => void)[] = []
  return async <Value>(run: () => Promise<Value>): Promise<Value> => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
