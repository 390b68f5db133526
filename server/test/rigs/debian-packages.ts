import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { oneAtATime } from '../../../tools/one-at-a-time.ts'

const PLACE = resolve(import.meta.dirname, '../../../node_modules/.cache/postrider-debian')
const LIMIT_MS = 3 * 60_000
const MAX_NAME = 100
const run = promisify(execFile)

/**
 * Unpacks packages of a release of Debian beside the project, unless they are there, and gives the folder that stands for `/`.
 * They come from where the machine gets its other packages, by apt with folders of its own: nothing of the machine is
 * changed. The folder appears complete or not at all.
 */
export async function unpackDebian(suite: string, packages: readonly string[]): Promise<string> {
  const folder = join(PLACE, `${suite}-${nameOf(packages)}`)
  if (!(await exists(folder)))
    await oneAtATime(folder, async () => {
      if (!(await exists(folder))) await unpack(folder, suite, packages)
    })
  return folder
}

async function unpack(folder: string, suite: string, packages: readonly string[]): Promise<void> {
  await mkdir(PLACE, { recursive: true })
  const draft = await mkdtemp(join(PLACE, 'draft-'))
  try {
    await chmod(draft, 0o755)
    await download(draft, suite, packages)
    await rename(join(draft, 'root'), folder).catch(async (error: unknown) => {
      // Another process was faster.
      if (!(await exists(folder))) throw error
    })
  } catch (error) {
    const wanted = packages.join(', ')
    throw new Error(`This test needs ${wanted} of Debian ${suite}, which could not be had by apt-get.`, {
      cause: error,
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** A name that a folder can have. */
function nameOf(packages: readonly string[]): string {
  const name = packages.join('-').replaceAll(/[^\w.-]/g, '_')
  if (name.length <= MAX_NAME) return name
  return `${name.slice(0, MAX_NAME / 2)}-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`
}

async function download(draft: string, suite: string, packages: readonly string[]): Promise<void> {
  for (const name of ['lists/partial', 'cache/archives/partial', 'root']) {
    await mkdir(join(draft, name), { recursive: true })
  }
  const sources = join(draft, 'sources.list')
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg'
  await writeFile(sources, `deb [signed-by=${keys}] ${await debianArchive()} ${suite} main\n`)
  const options = [
    '-o',
    `Dir::Etc::sourcelist=${sources}`,
    '-o',
    'Dir::Etc::sourceparts=/dev/null',
    '-o',
    `Dir::State::lists=${join(draft, 'lists')}`,
    '-o',
    `Dir::Cache=${join(draft, 'cache')}`,
    '-o',
    `APT::Sandbox::User=${process.env['USER'] ?? 'root'}`,
  ]
  const limits = { cwd: draft, timeout: LIMIT_MS }
  await run('apt-get', [...options, 'update'], limits)
  await run('apt-get', [...options, 'download', ...packages], limits)
  await run('sh', ['-c', 'for each in *.deb; do dpkg -x "$each" root || exit; done'], limits)
}

/** Where this machine gets Debian's packages. */
async function debianArchive(): Promise<string> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)'])
  const archive = stdout.split('\n').find((uri) => /\/debian\/?$/.test(uri))
  if (archive === undefined) throw new Error('apt knows no archive of Debian')
  return archive
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
