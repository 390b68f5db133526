import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/*
 * A real Bluesky server (PDS) with the directory of identities that it needs. Its packages are large, so they are no part
 * of the product's install: they are installed when a test first needs them, and kept for later runs.
 */

const SOURCE = join(import.meta.dirname, 'pds')
const PLACE = resolve(import.meta.dirname, '../../node_modules/.cache/postrider-pds')
const INSTALL_LIMIT_MS = 15 * 60_000

export type Pds = AsyncDisposable & {
  /** The address of the server, and of the directory. */
  readonly url: string
  readonly plcUrl: string
  /** Makes an account with an app password. */
  readonly account: (name: string) => Promise<PdsAccount>
  /** Calls the server, as this account or as nobody. */
  readonly ask: (method: string, asking: Asking) => Promise<any>
}

export type PdsAccount = {
  readonly handle: string
  readonly did: string
  readonly password: string
  readonly appPassword: string
  /** An access token of the account's own password. */
  readonly accessToken: string
}

type Asking = {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly as?: { readonly accessToken: string } | 'admin'
}

/** Starts a server of a test's own: `await using pds = await openPds()`. */
export async function openPds(): Promise<Pds> {
  await install()
  const server = spawn(process.execPath, [join(PLACE, 'pds-process.js')], {
    cwd: PLACE,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const first = await lines.next()
  if (first.done === true) throw new Error('the Bluesky server did not start')
  const { plcPort, pdsPort } = JSON.parse(first.value) as { plcPort: number; pdsPort: number }
  const url = `http://localhost:${pdsPort}`

  async function ask(method: string, { query = {}, body, as }: Asking): Promise<any> {
    const address = new URL(`/xrpc/${method}`, url)
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    const authorization =
      as === 'admin'
        ? `Basic ${Buffer.from('admin:admin').toString('base64')}`
        : as === undefined
          ? null
          : `Bearer ${as.accessToken}`
    const response = await fetch(address, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method}: ${response.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }

  return {
    url,
    plcUrl: `http://localhost:${plcPort}`,
    ask,
    async account(name) {
      const handle = `${name}.test`
      const password = `password-of-${name}`
      const body = { handle, password, email: `${name}@example.com` }
      const { did, accessJwt: accessToken } = await ask('com.atproto.server.createAccount', { body })
      const made = await ask('com.atproto.server.createAppPassword', {
        body: { name: 'postrider' },
        as: { accessToken },
      })
      return { handle, did, password, accessToken, appPassword: made.password as string }
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((done) => server.once('exit', done))
      server.stdin.end()
      const timer = setTimeout(() => server.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Installs the packages unless they are there as the lock file wants them; one process at a time. */
async function install(): Promise<void> {
  const lock = await readFile(join(SOURCE, 'package-lock.json'))
  const marker = join(PLACE, `installed-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`)
  await mkdir(PLACE, { recursive: true })
  const busy = join(PLACE, 'installing')
  while (!(await exists(marker))) {
    try {
      await mkdir(busy)
    } catch {
      const age = await stat(busy).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      )
      if (age > INSTALL_LIMIT_MS) await rm(busy, { recursive: true, force: true })
      await sleep(500)
      continue
    }
    try {
      for (const name of ['package.json', 'package-lock.json'])
        await copyFile(join(SOURCE, name), join(PLACE, name))
      await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
        cwd: PLACE,
        timeout: INSTALL_LIMIT_MS,
      })
      await writeFile(marker, '')
    } finally {
      await rm(busy, { recursive: true, force: true })
    }
  }
  await copyFile(join(SOURCE, 'pds-process.js'), join(PLACE, 'pds-process.js'))
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
