import { spawn } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import {
  signEvent,
  type EventDraft,
  type SignedEvent,
} from '../../src/networks/providers/shared/nostr-events.ts'
import { installPackages } from '../../../tools/installed-packages.ts'

/* A real relay of Nostr, which checks ids, signatures and proofs by code that is not ours. */

const SOURCE = join(import.meta.dirname, 'relay')

export type Relay = AsyncDisposable & {
  /** `ws://…`, and the address of its HTTP. */
  readonly address: string
  readonly url: string
  /** What it stores that fits a filter (NIP-01), oldest first; a relay that wants a proof shows it to who has a key. */
  readonly events: (filter: object, secretKey?: string) => Promise<readonly SignedEvent[]>
  /** Has an account publish an event by another program. */
  readonly publish: (secretKey: string, draft: Partial<EventDraft> & { kind: number }) => Promise<SignedEvent>
}

export type RelayOptions = {
  /** Whether it wants to know who talks (NIP-42). */
  readonly wantsProof?: boolean
  /** What it says of itself (NIP-11). */
  readonly information?: object
}

/** Starts a relay of a test's own: `await using relay = await openRelay()`. */
export async function openRelay(options: RelayOptions = {}): Promise<Relay> {
  const folder = await installPackages(SOURCE)
  await copyFile(join(SOURCE, 'relay-process.js'), join(folder, 'relay-process.js'))
  const server = spawn(process.execPath, [join(folder, 'relay-process.js')], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, RELAY_OPTIONS: JSON.stringify(options) },
  })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const first = await lines.next()
  if (first.done === true) throw new Error('the relay did not start')
  const { port } = JSON.parse(first.value) as { port: number }
  const address = `ws://127.0.0.1:${port}`

  return {
    address,
    url: `http://127.0.0.1:${port}`,
    async events(filter, secretKey) {
      const said = await talk(address, ['REQ', 'test', filter], 'EOSE', secretKey)
      const events = said.filter(([type]) => type === 'EVENT').map(([, , event]) => event as SignedEvent)
      return events.toSorted((a, b) => a.created_at - b.created_at)
    },
    async publish(secretKey, draft) {
      const now = Math.floor(Date.now() / 1_000)
      const event = signEvent(secretKey, { created_at: now, tags: [], content: '', ...draft })
      const answer = (await talk(address, ['EVENT', event], 'OK')).find(([type]) => type === 'OK')
      if (answer?.[2] !== true) throw new Error(JSON.stringify(answer))
      return event
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((done) => server.once('exit', done))
      server.stdin.end()
      await ended
    },
  }
}

/** Sends one message, after a proof where a key is given, and gives what comes up to this type. */
function talk(
  address: string,
  message: readonly unknown[],
  until: string,
  secretKey?: string,
): Promise<readonly unknown[][]> {
  const said: unknown[][] = []
  return new Promise((resolve, reject) => {
    const client = new WebSocket(address)
    const send = (what: readonly unknown[]) => client.send(JSON.stringify(what))
    client.on('open', () => {
      if (secretKey === undefined) send(message)
    })
    client.on('error', reject)
    client.on('message', (data: Buffer) => {
      const heard = JSON.parse(data.toString()) as unknown[]
      said.push(heard)
      if (heard[0] === 'AUTH' && secretKey !== undefined) {
        const tags = [
          ['relay', address],
          ['challenge', String(heard[1])],
        ]
        const created_at = Math.floor(Date.now() / 1_000)
        send(['AUTH', signEvent(secretKey, { kind: 22_242, created_at, tags, content: '' })])
        send(message)
      }
      if (heard[0] !== until && heard[0] !== 'NOTICE' && heard[0] !== 'CLOSED') return
      client.close()
      resolve(said)
    })
  })
}
