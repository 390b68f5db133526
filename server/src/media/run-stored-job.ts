import { pipeline } from 'node:stream/promises'
import type { JobOf, ResultOf } from './media-job.ts'
import { MediaUnavailable, type MediaStorage, workspaceOfKey } from './media-storage.ts'
import type { MediaRow } from './media-store.ts'
import { isRejection, type Rejection } from '../platform/process/worker-pool.ts'
import { type MediaWorkers } from './media-workers.ts'
import { createFile, type TempFiles } from './temp-files.ts'

export type StoredJobParts = {
  readonly storage: MediaStorage
  readonly tempFiles: TempFiles
  readonly workers: MediaWorkers
}

type StoredFile = Pick<MediaRow, 'storageKey' | 'sizeBytes'>
type Job = JobOf<'resize' | 'fit'>

/** A storage may be slow, and a worker waits for it. */
const COPY_MS = 60_000

/**
 * Runs a job on a stored file, which is read where it lies; only where it is no file here, a copy is made, and not
 * before a worker is free. Throws MediaUnavailable for a file that is missing or cut, or that cannot be decoded any more.
 */
export async function runStoredJob<J extends Job>(
  { storage, tempFiles, workers }: StoredJobParts,
  { storageKey, sizeBytes }: StoredFile,
  jobOf: (from: string) => J,
  signal?: AbortSignal,
): Promise<ResultOf<J> | Rejection> {
  const path = storage.pathOf(storageKey)
  const copy = path === null ? tempFiles.newPath() : null
  async function prepare(): Promise<J> {
    if (copy !== null) {
      const bytes = await storage.read(storageKey, sizeBytes)
      await pipeline(bytes, await createFile(copy), { signal: AbortSignal.timeout(COPY_MS) })
      return jobOf(copy)
    }
    await storage.check(storageKey, sizeBytes)
    return jobOf(path ?? '')
  }
  const origin = { workspaceId: workspaceOfKey(storageKey), fileId: storageKey }
  try {
    const end = await workers.run(prepare, signal === undefined ? origin : { ...origin, signal })
    if (!isRejection(end) || end.undecodable !== true) return end
    throw new MediaUnavailable(`${path ?? `${storage.location}${storageKey}`} cannot be decoded any more`)
  } finally {
    if (copy !== null) await tempFiles.remove(copy)
  }
}
