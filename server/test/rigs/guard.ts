import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/**
 * The servers first, since they would start their PostgreSQL again. Whatever has the folder in its arguments or its
 * settings is one of them; PostgreSQL itself is told to end, so that it gives its shared memory back. While Vitest runs it ends
 * its own processes.
 */
const SCRIPT = `
said=$(cat)
users() {
  for file in $(grep -lsF -- "$FOLDER" /proc/[0-9]*/environ /proc/[0-9]*/cmdline); do
    pid=\${file#/proc/}; echo "\${pid%%/*}"
  done | sort -u | grep -vx $$
}
has() { grep -qsF "$1" "/proc/$2/cmdline"; }
for pid in $(users); do
  has postgres "$pid" && continue
  [ "$said" = orderly ] && has vitest "$pid" && continue
  kill -KILL "$pid"
done
read -r pid <"$LOCK" && kill -QUIT "$pid"
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  servers=
  for pid in $(users); do has postgres "$pid" && servers="$servers $pid"; done
  [ "$attempt" = 1 ] && [ -n "$servers" ] && kill -QUIT $servers
  sleep 0.5
  [ -n "$servers" ] && continue
  rm -rf "$FOLDER" && break
done
rm -rf "$FOLDER"`

export type Guard = {
  /** Nothing is left to be removed. */
  dismiss: () => void
  /** Has it do its work now. */
  act: () => Promise<void>
}

/**
 * Removes a data folder, and the servers and the PostgreSQL running on it, should this process be killed before it can do so
 * itself. The guard waits for the end of its standard input, which comes with our death however we die.
 */
export function guardFolder(dataDir: string, folder: string = dataDir): Guard {
  const lock = join(dataDir, 'postgres', 'postmaster.pid')
  const guard = spawn('/bin/sh', ['-c', SCRIPT], {
    // No arguments: tests look for what runs on the folder by those.
    env: { ...process.env, LOCK: lock, FOLDER: folder },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  return {
    dismiss: () => void guard.kill('SIGKILL'),
    async act() {
      const ended = once(guard, 'exit')
      guard.stdin.end('orderly')
      await ended
    },
  }
}
