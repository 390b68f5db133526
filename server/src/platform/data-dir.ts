import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { databaseUser, firstBlocked } from './embedded-postgres/system-user.ts'

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

/**
 * Creates the folder and those above it that are missing; one that is there keeps its modes. Started as root, what
 * is created may be passed by PostgreSQL's user (but not listed), whatever the umask; otherwise it is ours alone.
 */
export async function makeDataDir(path: string): Promise<void> {
  const root = process.getuid?.() === 0
  const uppermost = await mkdir(path, { recursive: true, mode: 0o700 })
  if (uppermost === undefined || !root) return
  for (let dir = path; dir.length >= uppermost.length; dir = dirname(dir)) await chmod(dir, 0o711)
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
