import { statfs, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../platform/postgres/db.ts'
import type { Room } from '../platform/postgres/room.ts'
import { type MediaStorage, StorageMissing } from './media-storage.ts'
import type { TempFiles } from './temp-files.ts'

export type Places = { readonly storage: MediaStorage; readonly tempFiles: TempFiles }

const PROBE = Buffer.alloc(4_096)
const STORAGE_LIMIT_MS = 5_000
const FRESH_MS = 10_000
const STUCK_MS = 15_000

/** Writes a small file to the disk and removes it, and asks the storage for its label. */
export async function lookAtRoom({ storage, tempFiles }: Places): Promise<Room> {
  const path = tempFiles.newPath()
  const folder = dirname(path)
  let freeBytes: number | null = null
  try {
    const { bavail, bsize } = await statfs(folder)
    freeBytes = bavail * bsize
    await writeFile(path, PROBE, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    return { folder, freeBytes, fault: `no file can be written in ${folder} (${reasonOf(error)})` }
  } finally {
    await tempFiles.remove(path).catch(() => undefined)
  }
  try {
    await storage.readLabel(AbortSignal.timeout(STORAGE_LIMIT_MS))
  } catch (error) {
    const wrong = error instanceof StorageMissing ? 'is missing' : `does not answer (${reasonOf(error)})`
    return { folder, freeBytes, fault: `${storage.location} ${wrong}` }
  }
  return { folder, freeBytes, fault: null }
}

/**
 * Tells what the last look found, at once, and begins the next one where that is ten seconds old. A disk that hangs holds up
 * one look, and no question.
 */
export async function watchRoom(places: Places, look = lookAtRoom): Promise<() => Room> {
  let latest = await look(places)
  let begunMs = performance.now()
  let isLooking = false
  return () => {
    const ageMs = performance.now() - begunMs
    if (isLooking) return ageMs > STUCK_MS ? { ...latest, fault: `${latest.folder} does not answer` } : latest
    if (ageMs > FRESH_MS) {
      begunMs = performance.now()
      isLooking = true
      void look(places).then((found) => {
        latest = found
        isLooking = false
      })
    }
    return latest
  }
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.message : String(error))
}
