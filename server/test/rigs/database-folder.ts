import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
/** Several times what the databases of a run take at once. */
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * A new folder for a database: in memory where there is room, since a database is hundreds of files. To copy one costs more than ten times
 * as much CPU time on a disk, and tests do that thousands of times. `TEST_DATABASES` names the folder of a run's databases to its workers.
 */
export async function makeDatabaseFolder(prefix: string): Promise<string> {
  const { TEST_DATABASES: ofRun } = process.env
  return mkdtemp(join(ofRun ?? ((await memoryHasRoom()) ? MEMORY : tmpdir()), prefix))
}

async function memoryHasRoom(): Promise<boolean> {
  const found = await statfs(MEMORY).catch(() => null)
  if (found?.type !== TMPFS) return false
  return Math.min(found.bavail * found.bsize, process.availableMemory()) > ROOM_BYTES
}
