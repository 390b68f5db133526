import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { oneAtATime } from './one-at-a-time.ts'

const CACHE = resolve(import.meta.dirname, '../node_modules/.cache')
const INSTALL_LIMIT_MS = 15 * 60_000

/**
 * Installs what the lock file in a folder names, unless it is there already, and gives the folder of the installation. Large
 * packages that few tests need are no part of the product's install: they are installed when a test first needs them, and
 * kept for later runs. The folder appears complete or not at all: an install that was killed leaves nothing that another would
 * wait for.
 */
export async function installPackages(source: string): Promise<string> {
  const place = join(CACHE, `postrider-${basename(source)}`)
  const lock = await readFile(join(source, 'package-lock.json'))
  const folder = join(place, createHash('sha256').update(lock).digest('hex').slice(0, 16))
  // An installation is half a minute of a core: what needs the same waits for it.
  if (!(await exists(folder)))
    await oneAtATime(folder, async () => {
      if (!(await exists(folder))) await install(source, folder)
    })
  return folder
}

async function install(source: string, folder: string): Promise<void> {
  const place = dirname(folder)
  await mkdir(place, { recursive: true })
  const draft = await mkdtemp(join(place, 'draft-'))
  for (const name of ['package.json', 'package-lock.json'])
    await copyFile(join(source, name), join(draft, name))
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: draft,
    timeout: INSTALL_LIMIT_MS,
  })
  await rename(draft, folder).catch(async (error: unknown) => {
    // Another process was faster.
    await rm(draft, { recursive: true, force: true })
    if (!(await exists(folder))) throw error
  })
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
