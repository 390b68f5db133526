import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/**
 * The servers first, since they would start their PostgreSQL again. Whatever has the folder in its arguments or its
 * settings is one of them; PostgreSQL itself is told to end, so that it gives its shared memory back.
 */
const SCRIPT = `
cat
for file in $(grep -lsF -- "$FOLDER" /proc/[0-9]*/environ /proc/[0-9]*/cmdline); do
  pid=\${file#/proc/}; pid=\${pid%%/*}
  [ "$pid" = $$ ] || grep -qsF postgres "/proc/$pid/cmdline" || kill -KILL "$pid"
done
read -r pid <"$LOCK" && kill -QUIT "$pid"
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.5
  [ -n "$pid" ] && kill -0 "$pid" && continue
  rm -rf "$FOLDER"
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
      guard.stdin.end()
      await ended
    },
  }
}
