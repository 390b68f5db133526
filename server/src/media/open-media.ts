import { join } from 'node:path'
import type { KindBytes } from './receive-file.ts'
import { type MediaStorage, recovering } from './media-storage.ts'
import { openFolderStorage } from './folder-storage.ts'
import { type MediaWorkers, openMediaWorkers } from './media-workers.ts'
import { openRenditions, type Renditions } from './renditions.ts'
import { openS3Storage, type S3Options } from './s3-storage.ts'
import { openTempFiles, type TempFiles } from './temp-files.ts'
import { workerLimits } from './worker-memory.ts'

export type MediaSettings = {
  readonly maxBytes: KindBytes
  readonly maxPixels: number
  readonly workers: number
  /** Null: a folder in the data folder. */
  readonly s3: S3Options | null
}

export type Media = {
  readonly storage: MediaStorage
  readonly tempFiles: TempFiles
  readonly workers: MediaWorkers
  readonly renditions: Renditions
  /** Where all of it lies on this machine. */
  readonly folder: string
  readonly close: () => Promise<void>
}

/** How much of the disk smaller renditions of images may take. */
const RENDITIONS_MAX_BYTES = 500_000_000

/** Opens what media needs: storage, temporary files and workers. `onRecovered` hears of files that were in the trash, and are in use. */
export async function openMedia(
  dataDir: string,
  settings: MediaSettings,
  onRecovered: (key: string) => void = () => undefined,
): Promise<Media> {
  const folder = join(dataDir, 'media')
  const tempFiles = await openTransit(dataDir)
  const storage = await openStorage(dataDir, settings, onRecovered)
  const workers = openMediaWorkers(workerLimits(settings.workers))
  const parts = { storage, tempFiles, workers }
  const renditions = await openRenditions(parts, join(folder, 'renditions'), RENDITIONS_MAX_BYTES)
  return {
    ...parts,
    renditions,
    folder,
    async close() {
      await workers.stop()
      await renditions.close()
      await storage.close()
    },
  }
}

/** Opens the folder of files in transit. It is on one file system with the storage: an upload is moved there, and never copied. */
export function openTransit(dataDir: string): Promise<TempFiles> {
  return openTempFiles(join(dataDir, 'media', 'incoming'))
}

/** Opens the storage alone: the bucket, or the folder beside the temporary files. */
export async function openStorage(
  dataDir: string,
  { s3 }: Pick<MediaSettings, 's3'>,
  onRecovered: (key: string) => void = () => undefined,
): Promise<MediaStorage> {
  const storage = s3 === null ? openFolderStorage(join(dataDir, 'media', 'kept')) : openS3Storage(s3)
  return recovering(await storage, onRecovered)
}
