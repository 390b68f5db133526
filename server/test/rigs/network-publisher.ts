/*
 * A publisher of production in a process of its own, for several networks on this machine. It waits for its orders, a line of
 * JSON on its standard input; each line after that has it look for work. It ends with its standard input.
 */
import { createInterface } from 'node:readline'
import { flushCompileCache } from 'node:module'
import { openDb } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { makeKeyring } from '../../src/platform/sealing.ts'
import { blueskyOn } from '../../src/providers/bluesky/bluesky.ts'
import { discord } from '../../src/providers/discord/discord.ts'
import { linkedinAt } from '../../src/providers/linkedin/linkedin.ts'
import { mastodon } from '../../src/providers/mastodon/mastodon.ts'
import { facebookAt } from '../../src/providers/facebook/facebook.ts'
import { instagramAt } from '../../src/providers/instagram/instagram.ts'
import type { NostrPlaces } from '../../src/providers/nostr/places.ts'
import { nostrOn } from '../../src/providers/nostr/nostr.ts'
import type { Providers } from '../../src/providers/port.ts'
import { telegram } from '../../src/providers/telegram/telegram.ts'
import { threadsAt } from '../../src/providers/threads/threads.ts'
import { wordpress } from '../../src/providers/wordpress/wordpress.ts'
import { xAt } from '../../src/providers/x/x.ts'
import { youtubeAt } from '../../src/providers/youtube/youtube.ts'
import { startPublishing } from '../../src/publication/start-publishing.ts'
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
}

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

async function publish(order: PublisherOrder): Promise<{ wake: () => void }> {
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
  let wake = (): void => undefined
  const lines = createInterface({ input: process.stdin })
  // Nobody is left to end this process: it must not outlive the test.
  lines.once('close', () => process.exit(0))
  lines.once('line', async (line) => {
    const publisher = await publish(JSON.parse(line) as PublisherOrder)
    wake = publisher.wake
    process.stdout.write('ready\n')
  })
  lines.on('line', () => wake())
}
