import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../platform/postgres/db.ts'
import {
  LABEL_NAME,
  MARK_NAME,
  MARKS,
  type MediaStorage,
  MediaUnavailable,
  refuseOtherSize,
  STORAGE_KEY,
  StorageMissing,
  TRASH,
} from './media-storage.ts'

/**
 * Stores media in a folder: `<folder>/<workspace>/<two letters>/<name>`. A file is moved there whole, by a rename,
 * after its bytes were on the disk; the folders above it are synced, too, so that a loss of power takes neither. Files
 * to be stored must lie on the same file system.
 */
export async function openFolderStorage(folder: string): Promise<MediaStorage> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const labelPath = join(folder, LABEL_NAME)
  let isLabelled = false

  /** A folder that has lost its label is another one: what stands there once a disk is unmounted, or what was made anew. */
  async function refuseOtherFolder(): Promise<void> {
    if (isLabelled && (await factsOf(labelPath)) === null) {
      throw new StorageMissing({ cause: new Error(`${labelPath} is missing`) })
    }
  }

  function pathIn(parent: string, key: string): string {
    if (!STORAGE_KEY.test(key)) throw new Error('this is no key of the media storage')
    const [workspace = '', name = ''] = key.split('/')
    return join(parent, workspace, name.slice(-2), name)
  }
  const pathOf = (key: string) => pathIn(folder, key)
  const trashOf = (key: string) => pathIn(join(folder, TRASH), key)

  function markPath(installationId: string): string {
    if (!MARK_NAME.test(installationId)) throw new Error('this is no id of an installation')
    return join(folder, MARKS, installationId)
  }

  return {
    location: `${folder}/`,
    pathOf,
    async put(key, path) {
      const target = pathOf(key)
      await refuseOtherFolder()
      await syncFile(path)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await rename(path, target)
      // The entry in the folder, and the folders' own entries in case they are new.
      for (const above of [dirname(target), dirname(dirname(target)), folder]) await syncFile(above)
    },
    async read(key, size, range) {
      const path = pathOf(key)
      const file = await openExisting(path)
      if (file === null) {
        await refuseOtherFolder()
        throw new MediaUnavailable(`${path} is missing`)
      }
      try {
        refuseOtherSize(path, (await file.stat()).size, size)
        return file.createReadStream({ highWaterMark: 256 * 1024, ...range })
      } catch (fault) {
        await file.close()
        throw fault
      }
    },
    async check(key, size) {
      const path = pathOf(key)
      const facts = await factsOf(path)
      if (facts === null) await refuseOtherFolder()
      refuseOtherSize(path, facts?.size ?? null, size)
    },
    async holds(key, size) {
      return (await factsOf(pathOf(key)))?.size === size
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    discard: async (key) => void (await moveFile(pathOf(key), trashOf(key))),
    recover: (key) => moveFile(trashOf(key), pathOf(key)),
    removeDiscarded: (key) => rm(trashOf(key), { force: true }),
    async isEmpty() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      return entries.every((entry) => entry.isDirectory() || join(entry.parentPath, entry.name) === labelPath)
    },
    async *list() {
      for await (const key of keysIn(folder)) {
        const facts = STORAGE_KEY.test(key) ? await factsOf(pathOf(key)) : null
        if (facts !== null) yield { key, size: facts.size, storedAt: facts.mtime }
      }
    },
    async readLabel() {
      try {
        const label = (await readFile(labelPath, 'utf8')).trim()
        isLabelled = true
        return label
      } catch (fault) {
        if (codeOf(fault) !== 'ENOENT') throw fault
        await refuseOtherFolder()
        return null
      }
    },
    async writeLabel(label) {
      await writeFile(labelPath, `${label}\n`, { mode: 0o600, flush: true })
      isLabelled = true
    },
    async readMarks() {
      const marks = new Map<string, string>()
      for (const name of await namesIn(join(folder, MARKS)))
        if (MARK_NAME.test(name)) marks.set(name, await readFile(markPath(name), 'utf8'))
      return marks
    },
    async writeMark(installationId, text) {
      const path = markPath(installationId)
      const fresh = `${path}.${randomUUID()}`
      await refuseOtherFolder()
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(fresh, text, { mode: 0o600, flush: true })
      await rename(fresh, path)
    },
    removeMark: (installationId) => rm(markPath(installationId), { force: true }),
    close: () => Promise.resolve(),
  }
}

/** Moves a file, over another that may be there; false where it is not there. */
async function moveFile(from: string, to: string): Promise<boolean> {
  if ((await factsOf(from)) === null) return false
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    await rename(from, to)
    return true
  } catch (fault) {
    // Another process was faster.
    if (codeOf(fault) === 'ENOENT') return false
    throw fault
  }
}

async function* keysIn(folder: string): AsyncGenerator<string> {
  for (const workspace of await namesIn(folder))
    for (const letters of await namesIn(join(folder, workspace)))
      for (const name of await namesIn(join(folder, workspace, letters))) yield `${workspace}/${name}`
}

/** Null for what is not there. */
async function openExisting(path: string) {
  try {
    return await open(path)
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT') return null
    throw fault
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT' || codeOf(fault) === 'ENOTDIR') return []
    throw fault
  }
}

/** Null for what is not there. */
async function factsOf(path: string) {
  try {
    return await stat(path)
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT') return null
    throw fault
  }
}
