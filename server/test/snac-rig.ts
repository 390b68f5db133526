import { execFile, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './running-app.ts'

/*
 * snac, a small server of the Fediverse that speaks Mastodon's API: a real one, from Debian's package, unpacked beside the
 * project. It has no idempotency keys and no source of posts, so that a doubt there is settled by what is shown.
 */

const SUITE = 'trixie'
const VERSION = '2.75-2'
const PLACE = resolve(import.meta.dirname, '../../node_modules/.cache/postrider-snac')
const LIMIT_MS = 3 * 60_000
const run = promisify(execFile)

export type Snac = AsyncDisposable & {
  readonly url: string
  /** Makes an account; the id is its handle without a domain. */
  readonly account: (name: string) => Promise<SnacAccount>
}

export type SnacAccount = { readonly name: string; readonly password: string }

/** Starts a server of a test's own: `await using snac = await openSnac()`. */
export async function openSnac(): Promise<Snac> {
  const program = await install()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-snac-'))
  const data = join(folder, 'data')
  const port = await freePort()
  await tell(program, ['init', data], ['127.0.0.1', String(port), `localhost:${port}`, '', ''])
  const settings = join(data, 'server.json')
  const told = JSON.parse(await readFile(settings, 'utf8')) as object
  await writeFile(settings, JSON.stringify({ ...told, port, protocol: 'http' }))

  // It ends with its standard input, and so with us, however we end.
  const script = '"$0" httpd "$1" & read -r _; kill "$!"; wait'
  const server = spawn('/bin/sh', ['-c', script, program, data], { stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = new Promise((done) => server.once('exit', done))
  const url = `http://localhost:${port}`
  await untilItAnswers(`${url}/api/v1/instance`)
  return {
    url,
    async account(name) {
      const said = await tell(program, ['adduser', data, name], [name, ''])
      const password = /password is (\S+)/.exec(said)?.[1]
      if (password === undefined) throw new Error(`snac made no account: ${said}`)
      return { name, password }
    },
    async [Symbol.asyncDispose]() {
      server.stdin.end()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilItAnswers(url: string): Promise<void> {
  for (const end = Date.now() + 10_000; ; await sleep(20)) {
    const response = await fetch(url).catch(() => null)
    if (response?.ok === true) return
    if (Date.now() > end) throw new Error('snac did not start')
  }
}

/** Runs a command that asks questions, and gives what it said. */
async function tell(program: string, args: string[], answers: string[]): Promise<string> {
  const child = run(program, args, { timeout: LIMIT_MS })
  child.child.stdin?.end(`${answers.join('\n')}\n`)
  const { stdout, stderr } = await child
  return stdout + stderr
}

/**
 * Unpacks the package unless it is there, and gives the program. It comes from where the machine gets its other packages,
 * by apt with folders of its own: nothing of the machine is changed. It appears complete or not at all.
 */
async function install(): Promise<string> {
  const folder = join(PLACE, VERSION)
  const program = join(folder, 'usr/bin/snac')
  if (await exists(program)) return program
  await mkdir(PLACE, { recursive: true })
  const draft = await mkdtemp(join(PLACE, 'draft-'))
  await chmod(draft, 0o755)
  for (const name of ['lists/partial', 'cache/archives/partial', 'root']) {
    await mkdir(join(draft, name), { recursive: true })
  }
  const sources = join(draft, 'sources.list')
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg'
  await writeFile(sources, `deb [signed-by=${keys}] ${await debianArchive()} ${SUITE} main\n`)
  const options = [
    ...['-o', `Dir::Etc::sourcelist=${sources}`, '-o', 'Dir::Etc::sourceparts=/dev/null'],
    ...['-o', `Dir::State::lists=${join(draft, 'lists')}`, '-o', `Dir::Cache=${join(draft, 'cache')}`],
    ...['-o', `APT::Sandbox::User=${process.env['USER'] ?? 'root'}`],
  ]
  const limits = { cwd: draft, timeout: LIMIT_MS }
  await run('apt-get', [...options, 'update'], limits)
  await run('apt-get', [...options, 'download', `snac2=${VERSION}`], limits)
  await run('sh', ['-c', 'dpkg -x snac2_*.deb root'], limits)
  await rename(join(draft, 'root'), folder).catch(async (error: unknown) => {
    // Somebody else was faster.
    if (!(await exists(program))) throw error
  })
  await rm(draft, { recursive: true, force: true })
  return program
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
