import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Db, Tx } from '../platform/postgres/db.ts'
import type { Log } from '../platform/process/log.ts'
import { uuidv7 } from '../platform/text/uuid.ts'
import { isRefusal, refuse, type Refusal, Unready } from '../edge/operations/refusal.ts'
import type { IncomingFile, Prepared, Upload } from '../edge/operations/route.ts'
import { findForbiddenContent } from './forbidden-content.ts'
import { forgetFile, recordFile } from './file-store.ts'
import { type MediaStorage, MediaUnavailable } from './media-storage.ts'
import { insertMedia, keyOfEqual, type MediaRow, type NewMedia } from './media-store.ts'
import { mediaTypeOf } from './media-type.ts'
import { isRejection } from '../platform/process/worker-pool.ts'
import { type MediaWorkers } from './media-workers.ts'
import { notReady } from './not-ready.ts'
import { type KindBytes, receiveFile, type Received } from './receive-file.ts'
import type { TempFiles } from './temp-files.ts'

export type MediaParts = {
  readonly db: Db
  readonly storage: MediaStorage
  readonly tempFiles: TempFiles
  readonly workers: MediaWorkers
  readonly limits: { readonly maxBytes: KindBytes; readonly maxPixels: number }
  readonly log: Pick<Log, 'error' | 'warn'>
}

/** A file that passed every check and is stored; only its row is missing. */
export type CheckedFile = Omit<NewMedia, 'mediaId' | 'altText'> & {
  /** Whether its bytes are those of an item that was there before. */
  readonly shared: boolean
}

/**
 * Receives a file; `prepare` then checks it, and stores what passes. Both take time, so they come before the
 * transaction that inserts the item; a crash in between leaves bytes that no item refers to, which the sweep removes.
 */
export async function receiveUpload(
  parts: MediaParts,
  workspaceId: string,
  file: IncomingFile,
): Promise<Upload<CheckedFile> | Refusal> {
  const { tempFiles } = parts
  const [sent, clean] = [tempFiles.newPath(), tempFiles.newPath()]
  const dispose = () => tempFiles.remove(sent, clean)
  try {
    const received = await receiveFile(file, sent, parts.limits.maxBytes)
    if (isRefusal(received)) {
      await dispose()
      return received
    }
    return {
      sha256: received.sha256.toString('hex'),
      prepare: () => orNotReady(parts, () => prepare(parts, workspaceId, received, clean)),
      dispose,
    }
  } catch (fault) {
    await dispose()
    return orNotReady(parts, () => Promise.reject(fault))
  }
}

async function prepare(
  parts: MediaParts,
  workspaceId: string,
  received: Received,
  cleanPath: string,
): Promise<Prepared<CheckedFile> | Refusal> {
  const found = await findForbiddenContent(received.path, received.kind)
  if (found !== null) {
    return refuse('media_rejected', `The file also holds ${found}. Export it again without extras.`)
  }
  const checked = await check(parts, workspaceId, received, cleanPath)
  if (isRefusal(checked)) return checked

  const { path, ...facts } = checked
  const stored = { size: facts.sizeBytes, contentType: facts.contentType }
  const equal = await keyOfEqual(parts.db, workspaceId, facts.sha256)
  if (equal !== null && (await isShareable(parts, equal, path, stored)))
    return { value: { ...facts, storageKey: equal.key, shared: true }, abandon: () => Promise.resolve() }
  const storageKey = `${workspaceId}/${uuidv7()}`
  // Noted before it is stored: what a crash leaves is known to be ours.
  await recordFile(parts.db, storageKey)
  await parts.storage.put(storageKey, path, stored)
  return {
    value: { ...facts, storageKey, shared: false },
    async abandon() {
      await parts.storage.remove(storageKey)
      await forgetFile(parts.db, storageKey)
    },
  }
}

/**
 * Whether an item may share the bytes of another. They are put back where they are missing or cut. Those that are there, but that another
 * installation has stored, it may remove at any time.
 */
async function isShareable(
  { db, storage, log }: MediaParts,
  { key, isOurs }: { key: string; isOurs: boolean },
  path: string,
  facts: { size: number; contentType: string },
): Promise<boolean> {
  try {
    await storage.check(key, facts.size)
    return isOurs
  } catch (fault) {
    if (!(fault instanceof MediaUnavailable)) throw fault
    await recordFile(db, key)
    await storage.put(key, path, facts)
    log.warn({ err: fault }, 'a stored file was restored from a new upload of the same bytes')
    return true
  }
}

type Checked = Omit<CheckedFile, 'storageKey' | 'shared'> & { readonly path: string }
const unmeasured = {
  width: null,
  height: null,
  durationMs: null,
  animated: false,
  videoCodec: null,
  audioCodec: null,
  frameRate: null,
  audioChannels: null,
  audioSampleRate: null,
} as const

async function check(
  parts: MediaParts,
  workspaceId: string,
  received: Received,
  cleanPath: string,
): Promise<Checked | Refusal> {
  const { kind, contentType, path, size, sha256 } = received
  const { workers, limits } = parts
  const origin = { workspaceId, fileId: sha256.toString('hex') }
  const asSent = { kind, contentType, path, sizeBytes: size, sha256, sentSha256: sha256, ...unmeasured }
  switch (kind) {
    case 'image': {
      const { maxPixels } = limits
      const job = { type: 'clean', from: path, to: cleanPath, contentType, maxPixels } as const
      const found = await workers.run(job, origin)
      if (isRejection(found)) return rejected(found.rejected)
      const { width, height, animated, size: sizeBytes } = found
      return {
        ...asSent,
        path: cleanPath,
        sizeBytes,
        sha256: await hashOf(cleanPath),
        width,
        height,
        animated,
      }
    }
    case 'video':
    case 'audio': {
      const found = await workers.run({ type: 'probe', from: path }, origin)
      if (isRejection(found)) return rejected(found.rejected)
      const { contentType: measured, ...facts } = found
      const known = mediaTypeOf(measured)
      if (known === null) return rejected('Its file format is not supported.')
      if (size > limits.maxBytes[known.kind]) {
        return refuse(
          'media_too_large',
          `Audio can have up to ${limits.maxBytes[known.kind] / 1_000_000} MB.`,
        )
      }
      return { ...asSent, ...known, ...facts }
    }
    case 'document': {
      const found = await workers.run({ type: 'check_document', from: path }, origin)
      return isRejection(found) ? rejected(found.rejected) : asSent
    }
    default:
      return kind satisfies never
  }
}

function rejected(detail: string): Refusal<'media_rejected'> {
  return refuse('media_rejected', detail)
}

async function hashOf(path: string): Promise<Buffer> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), hash)
  return hash.digest()
}

/** Inserts the item of a file that is stored. Its words are trimmed, and none are null. */
export async function addMedia(
  tx: Tx,
  workspaceId: string,
  file: CheckedFile,
  altText: string | null,
): Promise<MediaRow> {
  const item = await insertMedia(tx, workspaceId, { ...file, mediaId: uuidv7(), altText: trimmed(altText) })
  if (item === null) throw new Unready('The same file was being deleted at the same time. Upload it again.')
  return item
}

/** An alt text as it is kept: null for one that says nothing. */
export function trimmed(altText: string | null): string | null {
  return altText?.trim() || null
}

/** As `notReady`, with the refusal in place of the throw. */
export async function orNotReady<T>(
  { log }: Pick<MediaParts, 'log'>,
  work: () => Promise<T>,
): Promise<T | Refusal<'not_ready'>> {
  try {
    return await notReady(work)
  } catch (fault) {
    if (!(fault instanceof Unready)) throw fault
    log.error({ err: fault }, 'media could not be stored')
    return refuse('not_ready', fault.message, { retryAfterSeconds: 60 })
  }
}
