import type { WriteStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../platform/postgres/db.ts'
import { uuidv7 } from '../platform/text/uuid.ts'

/** A folder for files in transit: uploads, and what is made of them. Whatever is in it may be lost. */
export type TempFiles = {
  /** A name for a file that is not there yet. */
  readonly newPath: () => string
  /** Removes these files; those that are not there are no matter. */
  readonly remove: (...paths: readonly string[]) => Promise<void>
  /**
   * Removes what was left by processes that died: files with a name of ours that were last written longer ago than this, by the clock of
   * their disk. Says how many.
   */
  readonly sweep: (olderThanMs: number) => Promise<number>
}

/** As `newPath` names files. */
const OWN_NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** No upload takes as long as this, so what was written before is no longer needed. */
export const LEFT_AFTER_MS = 24 * 3_600_000

/** Opens the folder; it is made where it is missing. */
export async function openTempFiles(folder: string): Promise<TempFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return {
    newPath: () => join(folder, uuidv7()),
    async remove(...paths) {
      await Promise.all(paths.map((path) => rm(path, { force: true })))
    },
    async sweep(olderThanMs) {
      const latest = (await clockOf(folder)) - olderThanMs
      let removed = 0
      for (const name of await readdir(folder)) {
        const path = join(folder, name)
        if (!OWN_NAME.test(name) || (await writtenAt(path)) > latest) continue
        await rm(path, { force: true })
        removed++
      }
      return removed
    },
  }
}

/**
 * Creates a file to write to. It is there when this returns: a stream that opens it by itself could still do so after
 * it was given up, and its file removed.
 */
export async function createFile(path: string): Promise<WriteStream> {
  const file = await open(path, 'wx', 0o600)
  return file.createWriteStream({ highWaterMark: 256 * 1024 })
}

/**
 * The time that the disk gives to what is written now: that of this process may be another, and would take for old what others write. On
 * a disk that is full, the latter has to do.
 */
export async function clockOf(folder: string): Promise<number> {
  const path = join(folder, uuidv7())
  try {
    await (await open(path, 'wx', 0o600)).close()
    return await writtenAt(path)
  } catch {
    return Date.now()
  } finally {
    await rm(path, { force: true })
  }
}

/** What is gone by now, or is no file, has no age. */
async function writtenAt(path: string): Promise<number> {
  try {
    const found = await stat(path)
    return found.isFile() ? found.mtimeMs : Infinity
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT') return Infinity
    throw fault
  }
}
