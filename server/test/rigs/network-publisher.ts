/*
 * A publisher of production in a process of its own, for several networks on this machine. It waits for its orders, a line of
 * JSON on its standard input; each line after that has it look for work. It ends with its standard input. With `suspends`, it stands still
 * at each request that it is about to make, until it is told to go on: nothing of it runs meanwhile, as where its process is stopped.
 */
import { subscribe } from 'node:diagnostics_channel'
import { readSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { flushCompileCache } from 'node:module'
import { openDb } from '../../src/platform/postgres/db.ts'
import { createLog } from '../../src/platform/process/log.ts'
import { createMetrics } from '../../src/platform/process/metrics.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { blueskyOn } from '../../src/networks/providers/bluesky/bluesky.ts'
import { discord } from '../../src/networks/providers/discord/discord.ts'
import { linkedinAt } from '../../src/networks/providers/linkedin/linkedin.ts'
import { mastodon } from '../../src/networks/providers/mastodon/mastodon.ts'
import { facebookAt } from '../../src/networks/providers/meta/facebook/facebook.ts'
import { instagramAt } from '../../src/networks/providers/meta/instagram/instagram.ts'
import type { NostrPlaces } from '../../src/networks/providers/nostr/places.ts'
import { nostrOn } from '../../src/networks/providers/nostr/nostr.ts'
import type { Providers } from '../../src/networks/providers/port/port.ts'
import { telegram } from '../../src/networks/providers/telegram/telegram.ts'
import { threadsAt } from '../../src/networks/providers/meta/threads/threads.ts'
import { wordpress } from '../../src/networks/providers/wordpress/wordpress.ts'
import { xAt } from '../../src/networks/providers/x/x.ts'
import { youtubeAt } from '../../src/networks/providers/youtube/youtube.ts'
import type { Publisher } from '../../src/engine/publication/publisher.ts'
import { startPublishing } from '../../src/engine/publication/start-publishing.ts'
import { addressOfMedia, openConnectToAll, readSmallCard, smallMedia } from './publishing-rig.ts'

/** Where the networks are that have one address each. */
export type NetworkPlaces = {
  readonly bluesky: { readonly resolver: string; readonly plc: string }
  readonly facebook: string
  readonly instagram: string
  readonly x: string
  readonly linkedin: string
  readonly nostr: NostrPlaces
  readonly threads: string
  readonly youtube: string
}

export type PublisherOrder = {
  readonly databaseUrl: string
  /** Base64 of the key that sealed the authorizations. */
  readonly secretKey: string
  readonly places: NetworkPlaces
  readonly apps: Parameters<typeof openConnectToAll>[0]['apps']
  /** Origins on this machine that may be called. */
  readonly trustedOrigins: readonly string[]
  readonly callTimeoutMs: number
  readonly leaseMs: number
  readonly suspends?: true
}

/** The file that tells a suspended publisher to go on, and how many milliseconds it slept: a number, and a line end. */
export const GO_ON_FILE = 3

/** All networks, at these places. */
export function networksAt({
  bluesky,
  facebook,
  instagram,
  x,
  linkedin,
  nostr,
  threads,
  youtube,
}: NetworkPlaces): Providers {
  const all = [
    blueskyOn(bluesky),
    discord,
    facebookAt({ api: facebook, site: facebook, video: facebook }),
    instagramAt({ api: instagram, site: instagram }),
    linkedinAt({ api: linkedin, site: linkedin }),
    mastodon,
    nostrOn(nostr),
    telegram,
    threadsAt({ api: threads, site: threads }),
    wordpress,
    xAt({ api: x, site: x }),
    youtubeAt({ api: youtube, site: youtube, token: youtube }),
  ]
  return new Map(all.map((provider) => [provider.provider, provider]))
}

async function publish(order: PublisherOrder): Promise<Publisher> {
  const { databaseUrl, secretKey, places, apps, trustedOrigins, callTimeoutMs, leaseMs } = order
  const open = (max: number) => openDb({ url: databaseUrl, applicationName: 'network-publisher', max })
  const db = open(6)
  const keyring = makeKeyring([Buffer.from(secretKey, 'base64')])
  const providers = networksAt(places)
  const log = createLog({ level: 'error', destination: { write: (line) => void process.stderr.write(line) } })
  const connect = openConnectToAll({ db, keyring, providers, trustedOrigins, apps, log })
  return startPublishing({
    db,
    keyring,
    providers,
    log,
    callTimeoutMs,
    leaseMs,
    heartbeatDb: openDb({
      url: databaseUrl,
      applicationName: 'network-publisher',
      max: 1,
      permanent: true,
    }),
    rules: { httpsOnly: true, trustedOrigins, trustedNetworks: [] },
    concurrency: 16,
    roles: ['publisher'],
    baseUrl: 'http://localhost:4000',
    media: smallMedia,
    networks: {
      refresh: connect.refresh,
      readCard: readSmallCard,
      addressMedia: addressOfMedia,
      now: () => new Date(),
    },
    registry: createMetrics().registry,
  })
}

if (import.meta.main) {
  flushCompileCache()
  let tell = (_line: string): void => undefined
  const lines = createInterface({ input: process.stdin })
  // Nobody is left to end this process: it must not outlive the test.
  lines.once('close', () => process.exit(0))
  lines.once('line', async (line) => {
    const order = JSON.parse(line) as PublisherOrder
    const publisher = await publish(order)
    tell = (told) => {
      if (told === 'stop') void publisher.stop(60_000).then(() => process.exit(0))
      else publisher.wake()
    }
    process.stdout.write('ready\n')
    if (order.suspends === true) suspendAtRequests()
  })
  lines.on('line', (line) => tell(line))
}

/** At the moment when a request is handed over to be sent: it may wait for its connection after that. */
function suspendAtRequests(): void {
  const begins = (method: string, path: string) => {
    writeSync(1, `${method} ${path} HTTP/1.1\n`)
    const told = Buffer.alloc(32)
    const sleptMs = Number(told.toString('latin1', 0, readSync(GO_ON_FILE, told)))
    const { now } = Date
    Date.now = () => now() + sleptMs
  }
  subscribe('undici:request:create', (message) => {
    const { method, path } = (message as { request: { method: string; path: string } }).request
    begins(method, path)
  })
  // The handshake of a WebSocket.
  subscribe('http.client.request.created', (message) => {
    const { method, path } = (message as { request: { method: string; path: string } }).request
    begins(method, path)
  })
}
