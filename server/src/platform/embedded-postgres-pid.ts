import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codeOf } from './db.ts'

/** The process id in the cluster's lock file, alive or not; null when there is no such file. */
export async function readPostmasterPid(cluster: string): Promise<number | null> {
  try {
    return pidIn(await readFile(join(cluster, 'postmaster.pid'), 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/**
 * Heals a lock file left by a crash of the machine whose process id now belongs to some other program of the same
 * user, which PostgreSQL takes for a living postmaster (common in containers, where ids are few). The file stays:
 * only the id in it is replaced, by one that is surely dead, so that PostgreSQL still makes all its other checks,
 * above all whether an old backend is attached to the shared memory that the file names.
 * False when the process is, or may be, a PostgreSQL.
 */
export async function healPidFile(cluster: string, deadPid: number | undefined): Promise<boolean> {
  const pid = await readPostmasterPid(cluster)
  if (pid === null || deadPid === undefined) return false
  const program = programOf(pid)
  if (program === null || program.startsWith('postgres') || program.startsWith('postmaster')) return false

  const path = join(cluster, 'postmaster.pid')
  const text = readFileSync(path, 'utf8')
  if (pidIn(text) !== pid) return false
  writeFileSync(path, text.replace(/^\d+/, String(deadPid)))
  return true
}

function pidIn(text: string): number | null {
  const pid = Number.parseInt(text, 10)
  return pid > 0 ? pid : null
}

/** The name of the program a process runs, '' for one that is dead but not buried, null when that cannot be told. */
function programOf(pid: number): string | null {
  try {
    const command = existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    return basename(command.split(/[\0 ]/)[0] ?? '')
  } catch {
    return null
  }
}
