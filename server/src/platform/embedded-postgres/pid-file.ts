import { readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../postgres/db.ts'
import { programOf } from './postmaster.ts'

/** The process id in the cluster's lock file, alive or not; null when there is no such file. */
export function readPostmasterPid(cluster: string): Promise<number | null> {
  return readPid(join(cluster, 'postmaster.pid'))
}

/**
 * Heals a lock file that PostgreSQL takes for that of a living postmaster though it is not: after a crash of the
 * machine its process id may belong to some other program (in containers, where ids are few, it often does), or
 * the postmaster was killed and is a zombie. The file stays: only the id in it is replaced, by one that is
 * surely dead, so that PostgreSQL still makes its other checks, above all whether an old backend is attached to the
 * shared memory that the file names. Does nothing when the process is, or may be, a PostgreSQL.
 */
export async function healLockFile(path: string, deadPid: number | undefined): Promise<void> {
  const pid = await readPid(path)
  if (pid === null || deadPid === undefined) return
  const program = programOf(pid)
  if (program === null || program.startsWith('postgres')) return

  // Read again and written in one go, so that another process's fresh lock is not mistaken for the old one.
  const text = readFileSync(path, 'utf8')
  if (pidIn(text) === pid) writeFileSync(path, text.replace(/^\s*\d+/, String(deadPid)))
}

async function readPid(path: string): Promise<number | null> {
  try {
    return pidIn(await readFile(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

function pidIn(text: string): number | null {
  const pid = Number.parseInt(text, 10)
  return pid > 0 ? pid : null
}
