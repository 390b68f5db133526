import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeDataDir } from './data-dir.ts'
import { codeOf } from '../postgres/db.ts'
import { explainSaid } from './reasons.ts'
import { type PostgresBinaries, findBinaries } from './binaries.ts'
import { databaseUser, EmbeddedPostgresFault, firstBlocked, type SystemUser } from './system-user.ts'
import { ownChild } from '../process/own-child.ts'

/**
 * Where everything is.
 * - `<dataDir>/postgres` is the cluster, `<dataDir>/postgres.log` what PostgreSQL says.
 * - `socketDir` is the one way in: PostgreSQL listens on no network address. The folder has mode 0700 and belongs to
 *   the user PostgreSQL runs as, so only that user and root reach the socket, and both could read the cluster's files
 *   anyway. Asking them for a password (or their name, `peer`) would protect nothing more, hence `trust`.
 */
export type Place = {
  dataDir: string
  cluster: string
  socketDir: string
  logFile: string
  user: SystemUser | null
  binaries: PostgresBinaries
}

/** The port names the socket; the superuser and the database are called alike. */
export const PORT = 5432
export const NAME = 'postrider'

/** Finds or makes the folders and the binaries. Throws EmbeddedPostgresFault where PostgreSQL could not run. */
export async function preparePlace(wanted: string): Promise<Place> {
  await makeDataDir(resolve(wanted))
  // One folder has one name, so that all processes look for the same socket.
  const dataDir = await realpath(wanted)
  const cluster = join(dataDir, 'postgres')
  const user = databaseUser(cluster)
  const blocked = user === null ? null : firstBlocked(dataDir, user)
  if (blocked !== null) {
    throw new EmbeddedPostgresFault(
      `PostgreSQL does not run as root, and the user it runs as may not enter ${blocked}. ` +
        'Set DATA_DIR to a folder that every user may pass, such as /var/lib/postrider.',
    )
  }
  const socketDir = await prepareSocketDir(dataDir, user)
  const binaries = await findBinaries(dataDir, user)
  return { dataDir, cluster, socketDir, logFile: join(dataDir, 'postgres.log'), user, binaries }
}

/**
 * The address of a Unix socket holds about 100 bytes. Below a long path the socket goes to /tmp, under a name that
 * any process finds again from the data folder alone (TMPDIR differs from one to the next).
 */
async function prepareSocketDir(dataDir: string, user: SystemUser | null): Promise<string> {
  const inside = join(dataDir, 'run')
  const fits = Buffer.byteLength(`${inside}/.s.PGSQL.${PORT}`) <= 100
  const dir = fits
    ? inside
    : `/tmp/postrider-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const found = await lstat(dir)
  const own = process.getuid?.() ?? 0
  // In /tmp anybody could have made a folder of this name first, to listen in.
  if (!found.isDirectory() || (found.uid !== own && found.uid !== user?.uid)) {
    throw new EmbeddedPostgresFault(
      `${dir} is not a folder of this server's own. Remove it, or choose a shorter DATA_DIR.`,
    )
  }
  if (user !== null) await lchown(dir, user.uid, user.gid)
  await chmod(dir, 0o700)
  return dir
}

/** How a cluster is created. Without `sync` it may not outlive a crash of the machine; the signal ends it. */
type Creation = { readonly sync: boolean; readonly signal: AbortSignal }

/** Creates the cluster where there is none. Throws EmbeddedPostgresFault when it is another release's. */
export async function ensureCluster(
  place: Place,
  { sync, log, signal }: Creation & { log?: (message: string) => void },
): Promise<void> {
  await removeHalfClusters(place.dataDir)
  if (!existsSync(join(place.cluster, 'PG_VERSION'))) {
    log?.(`Creating a PostgreSQL ${place.binaries.major} cluster in ${place.cluster}`)
    await createCluster(place, { sync, signal })
  }
  const version = (await readFile(join(place.cluster, 'PG_VERSION'), 'utf8')).trim()
  if (version !== place.binaries.major) {
    throw new EmbeddedPostgresFault(
      `${place.cluster} was written by PostgreSQL ${version}, and this release brings PostgreSQL ${place.binaries.major}, ` +
        'which cannot read it. Go back to the release that wrote it, or move the data over with pg_dump and pg_restore.',
    )
  }
}

/** Made beside its place and then renamed: a start that is killed, or two at once, never leave half a cluster. */
async function createCluster(place: Place, creation: Creation): Promise<void> {
  const fresh = await mkdtemp(`${place.cluster}.new-`)
  try {
    if (place.user !== null) await chown(fresh, place.user.uid, place.user.gid)
    await runInitdb(place, fresh, creation)
    await rename(fresh, place.cluster)
  } catch (error) {
    // What initdb had started may write for a moment longer.
    await rm(fresh, { recursive: true, force: true, maxRetries: 10 })
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
    if (existsSync(join(place.cluster, 'PG_VERSION'))) return
    throw new EmbeddedPostgresFault(
      `${place.cluster} holds files that are not a PostgreSQL cluster. Move them away, or choose another DATA_DIR.`,
      { cause: error },
    )
  }
}

async function removeHalfClusters(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith('postgres.new-')) continue
    const half = join(dataDir, name)
    const found = await stat(half)
    // A younger one may be under way in another process.
    if (Date.now() - found.mtimeMs > 60 * 60_000) await rm(half, { recursive: true, force: true })
  }
}

async function runInitdb(place: Place, cluster: string, { sync, signal }: Creation): Promise<void> {
  // The builtin C.UTF-8 sorts the same on every system; libc's sorting changes with its version and breaks indexes.
  const args = [
    '--pgdata',
    cluster,
    '--username',
    NAME,
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
    '--no-instructions',
  ]
  args.push('--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C')
  if (!sync) args.push('--no-sync')
  signal.throwIfAborted()
  const child = spawn(place.binaries.initdb, args, { ...runAs(place), stdio: ['ignore', 'pipe', 'pipe'] })
  ownChild(child)
  await once(child, 'spawn').catch((error: Error) => {
    throw cannotRun(place, error)
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const end = () => child.kill()
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  const [status] = (await once(child, 'close')) as [number | null]
  signal.removeEventListener('abort', end)
  signal.throwIfAborted()
  if (status !== 0) {
    throw new EmbeddedPostgresFault(`PostgreSQL could not create its cluster: ${explainSaid(said)}`)
  }
}

/** Nothing of our environment goes along: PGDATA, PGPORT or a locale would change what PostgreSQL does. */
export function runAs({ user, dataDir }: Place) {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }
  return { ...user, env, cwd: user === null ? dataDir : '/' }
}

/** What the system was short of when it could not start a program. */
const SHORT_OF = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']

/** Why PostgreSQL cannot be run: the cause itself where that is no fault of the program. */
export function cannotRun(place: Place, cause: Error): Error {
  if (SHORT_OF.includes(codeOf(cause) ?? '')) return cause
  return new EmbeddedPostgresFault(
    `The PostgreSQL that npm installed does not run here (${codeOf(cause) ?? String(cause)} on ${place.binaries.postgres}). ` +
      'It needs a Linux with glibc, or macOS. On other systems set DATABASE_URL to a PostgreSQL of your own.',
    { cause },
  )
}
