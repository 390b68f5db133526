import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** A user of the operating system. */
export type SystemUser = { uid: number; gid: number }

/** What stands in the way of running PostgreSQL here, and what to do about it, in words for a person. */
export class EmbeddedPostgresFault extends Error {
  override name = 'EmbeddedPostgresFault'
}

/**
 * The user that PostgreSQL has to run as, because it refuses to run as root: the owner of the cluster when there is
 * one already, else the system's `postgres`, else a system user `postrider`, which is created when it is missing.
 * Null means the server's own user, which is so whenever that is not root.
 */
export function databaseUser(cluster: string): SystemUser | null {
  const own = process.getuid?.()
  const owner = statSync(cluster, { throwIfNoEntry: false })
  if (own !== 0) {
    if (owner === undefined || owner.uid === own) return null
    throw new EmbeddedPostgresFault(
      `${cluster} belongs to the user with id ${owner.uid}, and this process runs as ${own}. ` +
        'Start as that user, or choose another DATA_DIR.',
    )
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return findUser('postgres') ?? findUser('postrider') ?? createUser('postrider')
}

/** The uppermost folder on the way to the path, or the path itself, that the user may not enter; null when none. */
export function firstBlocked(path: string, user: SystemUser): string | null {
  if (mayEnter(path, user)) return null
  const parent = dirname(path)
  return parent === path ? path : (firstBlocked(parent, user) ?? path)
}

/** Asks the system itself, as that user: modes alone do not tell of access lists or security modules. */
function mayEnter(path: string, { uid, gid }: SystemUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -x "$0"', path], { uid, gid, cwd: '/' }).status === 0
}

function findUser(name: string): SystemUser | null {
  const uid = idOf('-u', name)
  const gid = idOf('-g', name)
  return uid === null || gid === null || uid === 0 ? null : { uid, gid }
}

function idOf(kind: '-u' | '-g', name: string): number | null {
  const { status, stdout } = spawnSync('id', [kind, name], { encoding: 'utf8' })
  return status === 0 ? Number(stdout.trim()) : null
}

function createUser(name: string): SystemUser {
  const { stderr, error } = spawnSync(
    'useradd',
    [
      '--system',
      '--user-group',
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/usr/sbin/nologin',
      name,
    ],
    { encoding: 'utf8' },
  )
  const user = findUser(name)
  if (user !== null) return user
  throw new EmbeddedPostgresFault(
    `PostgreSQL does not run as root, and the system user '${name}' could not be created for it ` +
      `(${error?.message ?? stderr.trim()}). Create a user of that name, start as a user that is not root, or set DATABASE_URL.`,
  )
}
