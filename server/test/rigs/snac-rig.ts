import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { unpackDebian } from './debian-packages.ts'
import { freePort } from './free-port.ts'

/*
 * snac, a small server of the Fediverse that speaks Mastodon's API: a real one, from Debian's package, unpacked beside the
 * project. It has no idempotency keys and no source of posts, so that a doubt there is settled by what is shown.
 */

const SUITE = 'trixie'
const PACKAGE = 'snac2=2.75-2'
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
  const program = join(await unpackDebian(SUITE, [PACKAGE]), 'usr/bin/snac')
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
