import { statfs, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeIn } from '../platform/process/outside-fault.ts'
import type { Room, SeenRoom } from '../platform/postgres/room.ts'
import { type MediaStorage, StorageMissing } from './media-storage.ts'
import type { TempFiles } from './temp-files.ts'

export type Places = {
  readonly storage: MediaStorage
  readonly tempFiles: TempFiles
  /** What is wrong with the storage, which is looked at until nothing is; left out where that is another's to look at. */
  readonly claim?: () => Promise<string | null>
}

const PROBE = Buffer.alloc(4_096)
const STORAGE_LIMIT_MS = 5_000
const LOOK_EVERY_MS = 15_000
const STUCK_MS = 15_000

/** Writes a small file to the disk and removes it, asks the storage for its label, and claims it where that was not done yet. */
export async function lookAtRoom({ storage, tempFiles, claim }: Places): Promise<Room> {
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
    const wrong = (await claim?.()) ?? null
    if (wrong !== null) return { folder, freeBytes, fault: wrong.replace(/\.$/, '') }
  } catch (error) {
    const wrong = error instanceof StorageMissing ? 'is missing' : `does not answer (${reasonOf(error)})`
    return { folder, freeBytes, fault: `${storage.location} ${wrong}` }
  }
  return { folder, freeBytes, fault: null }
}

export type RoomWatch = {
  /** What the last look found, and how long ago; at once. */
  readonly room: () => SeenRoom
  /** Begins no further look. */
  readonly stop: () => void
}

/**
 * Looks every 15 seconds, whether somebody asks or not, so that what is told is never older. A disk that hangs holds up one look, and no
 * question.
 */
export async function watchRoom(places: Places, look = lookAtRoom): Promise<RoomWatch> {
  let latest = { found: await look(places), endedMs: performance.now() }
  let begunMs: number | null = null
  const timer = setInterval(() => {
    if (begunMs !== null) return
    begunMs = performance.now()
    void look(places).then((found) => {
      latest = { found, endedMs: performance.now() }
      begunMs = null
    })
  }, LOOK_EVERY_MS).unref()
  return {
    room() {
      const nowMs = performance.now()
      const seen = { ...latest.found, ageSeconds: (nowMs - latest.endedMs) / 1_000 }
      const hangs = begunMs !== null && nowMs - begunMs > STUCK_MS
      return hangs ? { ...seen, fault: `${seen.folder} does not answer` } : seen
    },
    stop: () => clearInterval(timer),
  }
}

function reasonOf(error: unknown): string {
  const code = codeIn(error)
  return code === 'Error' ? (error as Error).message : code
}
