import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, chmod, mkdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from '../process/error-code.ts'
import { databaseUser, firstBlocked } from './system-user.ts'

export type DataDir = {
  /** Absolute, and there. */
  path: string
  /** What a person has to be told when it is not the folder they would look for. */
  notice: string | null
}

type Options = {
  /** The folder of the settings. */
  wanted: string
  /** Whether a person named it. What they named is taken, or refused later on, but never exchanged. */
  chosen: boolean
  /** Whether the embedded PostgreSQL is going to keep its cluster there. */
  embedded: boolean
  /** Where fallback folders are created. */
  fallbackRoot?: string
}

/**
 * Finds the folder that everything durable goes to, and creates it. It is the wanted one, except that PostgreSQL,
 * which does not run as root, could not get at it: then the default, and only that, is replaced by a folder below
 * /var/lib/postrider named after it. This is what a checkout in /root needs.
 * Data that is there already stays in use, whatever became of the folders' modes since.
 */
export async function settleDataDir({ wanted, chosen, embedded, fallbackRoot }: Options): Promise<DataDir> {
  const own = resolve(wanted)
  const named = createHash('sha256').update(own).digest('hex').slice(0, 12)
  const fallback = join(fallbackRoot ?? '/var/lib/postrider', named)
  const root = process.getuid?.() === 0

  const mayUseFallback = root && embedded && !chosen && !hasCluster(own)
  const useFallback = mayUseFallback && (hasCluster(fallback) || isOutOfReach(own))
  const path = useFallback ? fallback : own
  await makeDataDir(path)
  const notice = useFallback
    ? `The data is in ${path}: PostgreSQL does not run as root, and the user it runs as may not enter ${own}. DATA_DIR names another folder.`
    : null
  return { path, notice }
}

/** The folder of the settings cannot be one. The message is for people. */
export class UnusableDataDir extends Error {
  override name = 'UnusableDataDir'

  constructor(path: string, cause: unknown) {
    const code = codeOf(cause) ?? ''
    super(
      `${path} cannot be used as DATA_DIR: ${REASONS[code] ?? code}. Set DATA_DIR to a folder of its own.`,
      { cause },
    )
  }
}

/** The database in the folder belongs to another user. The message is for people. */
export class UnreadableDatabase extends Error {
  override name = 'UnreadableDatabase'

  constructor(path: string, cause: unknown) {
    super(
      `The database in ${path} is not readable by you: it belongs to another user. Run this as that user or as root, or set DATA_DIR to a folder of your own.`,
      { cause },
    )
  }
}

/** Throws UnreadableDatabase where this user may not even look whether there is one. */
export async function refuseForeignCluster(dir: string): Promise<void> {
  const path = resolve(dir)
  try {
    await readFile(join(path, 'postgres', 'PG_VERSION'))
  } catch (cause) {
    if (codeOf(cause) === 'EACCES') throw new UnreadableDatabase(path, cause)
  }
}

const REASONS: Partial<Record<string, string>> = {
  ENOTDIR: 'there is a file in its place, or above it',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'that file system is read-only',
  ENOENT: 'the system allows no folder there',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links lead in a circle',
}

/**
 * Creates the folder and those above it that are missing; one that is there keeps its modes. Started as root, what
 * is created may be passed by PostgreSQL's user (but not listed), whatever the umask; otherwise it is ours alone.
 * Throws UnusableDataDir where there can be none.
 */
export async function makeDataDir(path: string): Promise<void> {
  const root = process.getuid?.() === 0
  try {
    // One by one: the recursive mkdir of Node 24 never returns where the system makes no folders, such as in /proc.
    for (const dir of missingOf(path)) {
      await mkdir(dir, { mode: 0o700 }).catch(unlessThere)
      if (root) await chmod(dir, 0o711)
    }
    // A slash at the end is for folders only.
    await access(`${path}/`, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new UnusableDataDir(path, cause)
  }
}

/** The folders that are not there, the uppermost first. */
function missingOf(path: string): string[] {
  return existsSync(path) ? [] : [...missingOf(dirname(path)), path]
}

/** Another process that starts at the same moment makes the same folders. */
function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error
}

/** Whether the folder has an embedded database. */
export function hasCluster(dir: string): boolean {
  return existsSync(join(dir, 'postgres', 'PG_VERSION'))
}

/** A folder that is not there yet is as far away as the nearest one above it that is. */
function isOutOfReach(dir: string): boolean {
  const user = databaseUser(join(dir, 'postgres'))
  if (user === null) return false
  return firstBlocked(nearestExisting(dir), user) !== null
}

function nearestExisting(dir: string): string {
  return existsSync(dir) ? dir : nearestExisting(dirname(dir))
}
