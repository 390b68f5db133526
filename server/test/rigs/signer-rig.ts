import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { installPackages } from '../../../tools/installed-packages.ts'

/* A remote signer of Nostr (NIP-46) on the packages of others, by a real relay. */

const SOURCE = join(import.meta.dirname, 'relay')

/** What each means: relay/signer-process.js. */
export type SignerOrder =
  | 'fine'
  | 'away'
  | 'refuses'
  | 'forgets'
  | 'changes'
  | 'asks'
  | 'impersonates'
  | 'replays'
  | 'is replaced'

export type Signer = AsyncDisposable & {
  /** The address that a person copies. */
  readonly bunker: string
  /** The public key of the account that it signs for. */
  readonly account: string
  /** Has it behave like this from now on. */
  readonly become: (order: SignerOrder) => Promise<void>
  /** The kinds of events that it has signed. */
  readonly signed: readonly number[]
}

/** Starts a signer of a test's own, which listens at this relay. */
export async function openSigner(relay: string): Promise<Signer> {
  const folder = await installPackages(SOURCE)
  await copyFile(join(SOURCE, 'signer-process.js'), join(folder, 'signer-process.js'))
  const [accountKey, signerKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  const secret = randomBytes(8).toString('hex')
  const server = spawn(process.execPath, [join(folder, 'signer-process.js')], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, SIGNER_OPTIONS: JSON.stringify({ accountKey, signerKey, secret, relay }) },
  })
  const signed: number[] = []
  const told = Promise.withResolvers<{ pubkey: string; account: string }>()
  let ordered = Promise.withResolvers<void>()
  createInterface({ input: server.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as { signed?: number; order?: string; pubkey: string; account: string }
    if (said.signed !== undefined) signed.push(said.signed)
    else if (said.order !== undefined) ordered.resolve()
    else told.resolve(said)
  })
  server.once('exit', () => told.reject(new Error('the signer did not start')))
  const { pubkey, account } = await told.promise
  return {
    bunker: `bunker://${pubkey}?relay=${encodeURIComponent(relay)}&secret=${secret}`,
    account,
    signed,
    async become(order) {
      ordered = Promise.withResolvers()
      server.stdin.write(`${order}\n`)
      await ordered.promise
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((done) => server.once('exit', done))
      server.stdin.end()
      await ended
    },
  }
}
