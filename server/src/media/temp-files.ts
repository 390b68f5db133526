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
  /** Removes what was left by processes that died: everything older than this. Says how many. */
  readonly sweep: (olderThanMs: number) => Promise<number>
}

/** Opens the folder; it is made where it is missing. */
export async function openTempFiles(folder: string): Promise<TempFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return {
    newPath: () => join(folder, uuidv7()),
    async remove(...paths) {
      await Promise.all(paths.map((path) => rm(path, { force: true })))
    },
    async sweep(olderThanMs) {
      const latest = Date.now() - olderThanMs
      let removed = 0
      for (const name of await readdir(folder)) {
        const path = join(folder, name)
        if ((await changedAt(path)) > latest) continue
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

/** A file that is gone by now has no age. */
async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT') return Infinity
    throw fault
  }
}
