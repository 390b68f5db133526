import { spawn } from 'node:child_process'
import { join } from 'node:path'

/**
 * Removes a data folder, and the PostgreSQL running on it, should this process be killed before it can do so itself.
 * The guard waits for the end of its standard input, which comes with our death however we die.
 */
export function guardFolder(dataDir: string, folder: string = dataDir): { dismiss: () => void } {
  const script = 'cat; read -r pid <"$0" && kill -QUIT "$pid"; rm -rf "$1"; sleep 1; rm -rf "$1"'
  const lock = join(dataDir, 'postgres', 'postmaster.pid')
  const guard = spawn('/bin/sh', ['-c', script, lock, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  return { dismiss: () => void guard.kill('SIGKILL') }
}
