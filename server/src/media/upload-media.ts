import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { v7 as uuidv7 } from 'uuid'
import { codeOf, type Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { isRefusal, refuse, type Refusal, Unready } from '../platform/refusal.ts'
import type { IncomingFile, Prepared, Upload } from '../platform/route.ts'
import type { Depot } from './depot.ts'
import type { Inspection } from './inspection.ts'
import { type Inspector, isObjection, NoRoom } from './inspector.ts'
import { keyOfEqual, type NewMedia } from './media-store.ts'
import { mediaTypeOf } from './media-type.ts'
import { receiveFile, type KindBytes, type Received } from './receive-file.ts'
import { findSecondFormat } from './second-format.ts'
import type { Workbench } from './workbench.ts'

export type MediaParts = {
  readonly db: Db
  readonly depot: Depot
  readonly workbench: Workbench
  readonly inspector: Inspector
  readonly limits: { readonly maxBytes: KindBytes; readonly maxPixels: number }
  readonly log: Pick<Log, 'error'>
}

/** A file that passed every check and is kept; an item of it is all that is missing. */
export type CheckedFile = Omit<NewMedia, 'mediaId' | 'altText'>

/**
 * Takes in a file. What is received is only what was sent; `prepare` checks it, and keeps what may be kept. Both take
 * time, so they come before the transaction that makes an item of it; a crash in between leaves bytes that nothing
 * refers to, and the sweep finds them.
 */
export async function takeUpload(
  parts: MediaParts,
  workspaceId: string,
  file: IncomingFile,
): Promise<Upload<CheckedFile> | Refusal> {
  const { workbench } = parts
  const [sent, clean] = [workbench.place(), workbench.place()]
  const clear = () => workbench.clear(sent, clean)
  try {
    const received = await receiveFile(file, sent, parts.limits.maxBytes)
    if (isRefusal(received)) {
      await clear()
      return received
    }
    return {
      sha256: received.sha256.toString('hex'),
      prepare: () => orNoRoom(parts, () => prepare(parts, workspaceId, received, clean)),
      dispose: clear,
    }
  } catch (fault) {
    await clear()
    return orNoRoom(parts, () => Promise.reject(fault))
  }
}

async function prepare(
  parts: MediaParts,
  workspaceId: string,
  received: Received,
  cleanPath: string,
): Promise<Prepared<CheckedFile> | Refusal> {
  const second = await findSecondFormat(received.path, received.kind)
  if (second !== null) {
    return refuse(
      'media_rejected',
      `The file holds ${second} besides what it shows. Export it again, plainly.`,
    )
  }
  const checked = await check(parts, workspaceId, received, cleanPath)
  if (isRefusal(checked)) return checked

  const { path, ...facts } = checked
  const kept = await keyOfEqual(parts.db, workspaceId, facts.sha256)
  if (kept !== null) return { value: { ...facts, storageKey: kept }, abandon: () => Promise.resolve() }

  const storageKey = `${workspaceId}/${uuidv7()}`
  await parts.depot.keep(storageKey, path, { size: facts.sizeBytes, contentType: facts.contentType })
  return { value: { ...facts, storageKey }, abandon: () => parts.depot.remove(storageKey) }
}

type Checked = Omit<CheckedFile, 'storageKey'> & { readonly path: string }
const unmeasured = { width: null, height: null, durationMs: null, animated: false } as const

async function check(
  parts: MediaParts,
  workspaceId: string,
  received: Received,
  cleanPath: string,
): Promise<Checked | Refusal> {
  const { kind, contentType, path, size, sha256 } = received
  const { inspector, limits } = parts
  const asSent = { kind, contentType, path, sizeBytes: size, sha256, ...unmeasured }
  switch (kind) {
    case 'image': {
      const order: Inspection = {
        do: 'clean',
        from: path,
        to: cleanPath,
        contentType,
        maxPixels: limits.maxPixels,
      }
      const found = await inspector.inspect(order, workspaceId)
      if (isObjection(found)) return rejected(found.objection)
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
      const found = await inspector.inspect({ do: 'measure', from: path }, workspaceId)
      if (isObjection(found)) return rejected(found.objection)
      const { contentType: measured, ...facts } = found
      const known = mediaTypeOf(measured)
      if (known === null) return rejected('Its container is not one that is taken.')
      if (size > limits.maxBytes[known.kind]) {
        return refuse('media_too_large', `Sound may have ${limits.maxBytes[known.kind] / 1_000_000} MB.`)
      }
      return { ...asSent, ...known, ...facts }
    }
    case 'document': {
      const found = await inspector.inspect({ do: 'leaf', from: path }, workspaceId)
      return isObjection(found) ? rejected(found.objection) : asSent
    }
    default:
      return kind satisfies never
  }
}

function rejected(objection: string): Refusal<'media_rejected'> {
  return refuse('media_rejected', objection)
}

async function hashOf(path: string): Promise<Buffer> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), hash)
  return hash.digest()
}

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EMFILE', 'ENFILE'])

/** A disk that is full, and a store that does not answer, pass: the client is told to come back. */
export async function orNoRoom<T>(
  { log }: Pick<MediaParts, 'log'>,
  work: () => Promise<T>,
): Promise<T | Refusal<'not_ready'>> {
  try {
    return await work()
  } catch (fault) {
    const passes = NO_ROOM.has(codeOf(fault) ?? '') || fault instanceof NoRoom || fault instanceof Unready
    if (!passes) throw fault
    log.error({ err: fault }, 'media could not be kept')
    const detail = 'There is no room for media at the moment. Nothing was stored; send it again later.'
    return refuse('not_ready', detail, { retryAfterSeconds: 60 })
  }
}
