import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { ownChild } from '../../platform/process/own-child.ts'
import { isRunning } from './partial-file.ts'

/*
 * Folders for as long as a command takes, with what nobody else may read. A process of its own removes them, and the PostgreSQL that runs
 * on one: it waits for the end of its standard input, which comes with the end of the command however that ends.
 */

export type OwnFolder = { readonly path: string; readonly remove: () => Promise<void> }

type Kind = 'postrider-verify' | 'postrider-open' | 'backup-on-its-way'

/** What tells the process that made one, without the length that a host may have: the path of a socket is short. */
const NAME = /^(?:postrider-verify|postrider-open|backup-on-its-way)-([0-9a-f]{8})\.(\d+)\.\w{6}$/
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)

const mine = new Set<string>()

/** Makes one, and removes those of processes that are gone. */
export async function openOwnFolder(parent: string, kind: Kind): Promise<OwnFolder> {
  await sweep(parent)
  const path = await mkdtemp(join(parent, `${kind}-${HOST}.${process.pid}.`))
  mine.add(path)
  const guard = startGuard(path)
  guard.unref()
  return {
    path,
    async remove() {
      await endGuard(guard)
      // Where the guard could not be started, or was killed.
      await rm(path, { recursive: true, force: true })
      mine.delete(path)
    },
  }
}

async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name)
    if (await isAbandoned(name, path)) await endGuard(startGuard(path))
  }
}

async function isAbandoned(name: string, path: string): Promise<boolean> {
  const [, host, pid] = NAME.exec(name) ?? []
  if (host !== HOST || mine.has(path)) return false
  // Of a process with the number of this one, the folder is that of another, which had it before.
  if (Number(pid) !== process.pid && isRunning(Number(pid))) return false
  // In a folder for all, others may have made one of such a name.
  const found = await lstat(path).catch(() => null)
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}

/** A lock file may outlive its process, whose number another one may have: that of ours has the folder in its arguments. */
const SCRIPT = `
cat >/dev/null
lock="$FOLDER/database/postgres/postmaster.pid"
runs() { { cat "/proc/$1/cmdline" || ps -o command= -p "$1"; } | grep -qF -- "\${FOLDER##*/}"; }
signal=QUIT
for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
  pid=
  [ -r "$lock" ] && read -r pid <"$lock"
  [ "$attempt" = 20 ] && signal=KILL
  if [ -n "$pid" ] && runs "$pid"; then kill -s "$signal" "$pid"; else rm -rf -- "$FOLDER" && exit; fi
  sleep 0.2
done`

/** In a session of its own: what a terminal sends to all of its processes does not reach it. */
function startGuard(folder: string): ChildProcess {
  const env = { PATH: '/usr/bin:/bin', FOLDER: folder }
  const guard = spawn('/bin/sh', ['-c', SCRIPT], {
    env,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  ownChild(guard)
  return guard
}

async function endGuard(guard: ChildProcess): Promise<void> {
  if (guard.pid === undefined || guard.exitCode !== null || guard.signalCode !== null) return
  guard.ref()
  const ended = once(guard, 'exit')
  guard.stdin?.end()
  await ended
}
