import { spawn } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { installPackages } from '../../../tools/installed-packages.ts'

/*
 * A real Bluesky server (PDS) with the directory of identities that it needs.
 */

const SOURCE = join(import.meta.dirname, 'pds')

export type Pds = AsyncDisposable & {
  /** The address of the server, and of the directory. */
  readonly url: string
  readonly plcUrl: string
  /** The folder that the server's packages are installed in. */
  readonly packages: string
  /** Makes an account with an app password. */
  readonly account: (name: string) => Promise<PdsAccount>
  /** The posts of an account, oldest first. */
  readonly records: (account: PdsAccount) => Promise<{ uri: string; cid: string; value: any }[]>
  /** Calls the server, as this account or as nobody. */
  readonly ask: (method: string, asking: RequestOptions) => Promise<any>
}

export type PdsAccount = {
  readonly handle: string
  readonly did: string
  readonly password: string
  readonly appPassword: string
  /** An access token of the account's own password. */
  readonly accessToken: string
}

type RequestOptions = {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly as?: { readonly accessToken: string } | 'admin'
}

/** Starts a server of a test's own, with the rate limits of one in production or without: `await using pds = await openPds()`. */
export async function openPds({ rateLimits = false } = {}): Promise<Pds> {
  const folder = await installPackages(SOURCE)
  await copyFile(join(SOURCE, 'pds-process.js'), join(folder, 'pds-process.js'))
  const server = spawn(process.execPath, [join(folder, 'pds-process.js')], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PDS_TEST_RATE_LIMITS: String(rateLimits) },
  })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const first = await lines.next()
  if (first.done === true) throw new Error('the Bluesky server did not start')
  const { plcPort, pdsPort } = JSON.parse(first.value) as { plcPort: number; pdsPort: number }
  const url = `http://localhost:${pdsPort}`

  async function ask(method: string, { query = {}, body, as }: RequestOptions): Promise<any> {
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
    packages: folder,
    ask,
    async records({ did: repo }) {
      const query = { repo, collection: 'app.bsky.feed.post', limit: '100', reverse: 'true' }
      return (await ask('com.atproto.repo.listRecords', { query })).records
    },
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
