import { randomBytes } from 'node:crypto'
import { link, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { codeOf } from '../../platform/process/error-code.ts'

/*
 * A backup that is being written has a name of its own beside its place, which tells the process that writes it: so that the next backup
 * can remove what a killed one has left, and leaves alone what is still written.
 */

const PARTIAL = /\.([^.]+)\.(\d+)\.[0-9a-f]{12}\.partial$/
/** Whatever wrote a file that has not grown for so long is gone, be it on another host. */
const ABANDONED_AFTER_MS = 24 * 3_600_000

export function partialPath(path: string): string {
  return `${path}.${hostPart()}.${process.pid}.${randomBytes(6).toString('hex')}.partial`
}

function hostPart(): string {
  return hostname().replaceAll(/[^A-Za-z0-9-]/g, '-') || 'host'
}

/** Removes from a folder what backups have left whose process is gone. */
export async function sweepPartials(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    if (await isAbandoned(path)) await rm(path, { force: true })
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const [, host, pid] = PARTIAL.exec(path) ?? []
  if (pid === undefined) return false
  // Of a process with the number of this one, the file is that of another, which had it before.
  if (host === hostPart() && (Number(pid) === process.pid || !isRunning(Number(pid)))) return true
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
  return mtimeMs < Date.now() - ABANDONED_AFTER_MS
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (fault) {
    return codeOf(fault) !== 'ESRCH'
  }
}

/** File systems that know no hard links say so in one of these ways. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Gives a finished file its name for good; false where there is a file of that name, which is never replaced. */
export async function putInPlace(partial: string, path: string, linking = link): Promise<boolean> {
  try {
    await linking(partial, path)
    await rm(partial)
  } catch (fault) {
    const code = codeOf(fault) ?? ''
    if (code === 'EEXIST') return false
    if (!NO_LINKS.includes(code)) throw fault
    if (!(await claim(path))) return false
    await rename(partial, path)
  }
  await syncFolder(dirname(path))
  return true
}

/** Makes the name ours, by an empty file that the finished one replaces; a process that is killed in between leaves that. */
async function claim(path: string): Promise<boolean> {
  const file = await open(path, 'wx', 0o600).catch((fault: unknown) => {
    if (codeOf(fault) === 'EEXIST') return null
    throw fault
  })
  await file?.close()
  return file !== null
}

/** So that a loss of power does not take the name away again. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } catch {
    // Some file systems sync no folders.
  } finally {
    await handle.close()
  }
}
