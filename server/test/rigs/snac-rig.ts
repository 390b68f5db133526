import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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
  /** As `fetch`, once more where the connection broke: the server closes a kept one just when it is used again, and dies now and then. */
  readonly ask: (address: string | URL, init?: RequestInit) => Promise<Response>
  /** Makes an account; the id is its handle without a domain. */
  readonly account: (name: string) => Promise<SnacAccount>
  /** What a person does at the instance: signs in at this address, and is sent back with this query. */
  readonly signIn: (url: URL, account: SnacAccount) => Promise<Record<string, string>>
  /** An access token of an account, as its owner makes one at the instance. */
  readonly token: (account: SnacAccount) => Promise<{ readonly token: string; readonly client: SnacClient }>
  /** The texts of all that was ever posted there, whoever may see it, as HTML. */
  readonly notes: () => Promise<string[]>
}

export type SnacClient = { readonly client_id: string; readonly client_secret: string }

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

  // It ends with its standard input, and so with us, however we end. Where it dies by itself it is started again: on a busy
  // machine, snac 2.75 ends in a segmentation fault now and then.
  const again = 'while :; do "$0" httpd "$1" & snac=$!; wait "$snac"; done'
  const script = `(trap 'kill "$snac"; wait "$snac"; exit' TERM; ${again}) & read -r _; kill "$!"; wait`
  const server = spawn('/bin/sh', ['-c', script, program, data], { stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = new Promise((done) => server.once('exit', done))
  const url = `http://localhost:${port}`
  await untilItAnswers(`${url}/api/v1/instance`)

  async function ask(address: string | URL, init?: RequestInit): Promise<Response> {
    try {
      return await fetch(address, init)
    } catch {
      await untilItAnswers(`${url}/api/v1/instance`)
      return fetch(address, init)
    }
  }

  async function signIn(address: URL, { name, password }: SnacAccount): Promise<Record<string, string>> {
    const page = await (await ask(address)).text()
    const hidden = [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, key, value]) => [
      key,
      value,
    ])
    const answer = await ask(new URL('/oauth/x-snac-login', address), {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ ...Object.fromEntries(hidden), login: name, passwd: password }),
    })
    return Object.fromEntries(new URL(answer.headers.get('location') ?? '').searchParams)
  }

  const post = async (path: string, form: Record<string, string>) =>
    (await ask(new URL(path, url), { method: 'POST', body: new URLSearchParams(form) })).json() as Promise<
      Record<string, string>
    >

  return {
    url,
    ask,
    signIn,
    async token(account) {
      const redirect = 'http://127.0.0.1:1/back'
      const app = await post('/api/v1/apps', {
        client_name: 'own',
        redirect_uris: redirect,
        scopes: 'read write',
      })
      const client = { client_id: app['client_id'] ?? '', client_secret: app['client_secret'] ?? '' }
      const address = new URL('/oauth/authorize', url)
      const query = { ...client, redirect_uri: redirect, response_type: 'code', scope: 'read write' }
      for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
      const { code = '' } = await signIn(address, account)
      const token = await post('/oauth/token', {
        ...client,
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirect,
      })
      return { token: token['access_token'] ?? '', client }
    },
    async notes() {
      const objects = join(data, 'object')
      const files = await readdir(objects, { recursive: true })
      const read = async (file: string) =>
        JSON.parse(await readFile(join(objects, file), 'utf8')) as { type: string; content?: string }
      const found = await Promise.all(files.filter((file) => file.endsWith('.json')).map(read))
      return found.flatMap(({ type, content }) => (type === 'Note' && content !== undefined ? [content] : []))
    },
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
