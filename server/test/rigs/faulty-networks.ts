import { randomBytes } from 'node:crypto'
import { connectByForm } from '../../src/accounts/connect/connect-by-form.ts'
import type { Connect } from '../../src/accounts/connect/open-connect.ts'
import { openAuthorization, sealAuthorization } from '../../src/networks/channels/authorization.ts'
import { findAuthorization } from '../../src/networks/channels/authorization-store.ts'
import { enabledChannels } from '../../src/networks/channels/channel-store.ts'
import type { Keyring } from '../../src/platform/sealing/sealing.ts'
import type { DraftName } from '../../src/networks/providers/port/port.ts'
import { openDiscordDouble, WEBHOOK_ID, WEBHOOK_TOKEN } from '../doubles/discord-double.ts'
import { openFacebookDouble } from '../doubles/facebook-double.ts'
import { openInstagramDouble } from '../doubles/instagram-double.ts'
import { LINKEDIN_APP, openLinkedinDouble, PAGE_NUMBER } from '../doubles/linkedin-double.ts'
import { fullLimit, openMastodonDouble, TOKEN, type Software } from '../doubles/mastodon-double.ts'
import { openBlossomDouble } from '../doubles/blossom-double.ts'
import { BOT_TOKEN, CHANNEL, openTelegramDouble } from '../doubles/telegram-double.ts'
import { META_APP } from '../doubles/meta-login-double.ts'
import { openThreadsDouble, THREADS_APP } from '../doubles/threads-double.ts'
import { openXDouble, X_APP } from '../doubles/x-double.ts'
import { openYoutubeDouble, YOUTUBE_APP } from '../doubles/youtube-double.ts'
import { connectInBrowser } from './connect-browser.ts'
import { openFaultProxy, type FaultProxy } from './fault-proxy.ts'
import type { AWorkspace } from './fixtures.ts'
import type { NetworkPlaces, PublisherOrder } from './network-publisher.ts'
import { openRelayProxy } from './relay-proxy.ts'
import { openRelay } from './relay-rig.ts'
import { openPds } from './pds-rig.ts'
import { OPERATOR } from './publishing-rig.ts'
import { openSnac } from './snac-rig.ts'
import { openSite } from './wordpress-rig.ts'

/* Every network that is published to, behind a proxy each, and what may be published there. */

/** One network, and an account of it. */
export type FaultyNetwork = AsyncDisposable & {
  readonly name: string
  readonly provider: string
  readonly proxy: FaultProxy
  /** Before the server that media go to, where that is another one. */
  readonly mediaProxy?: FaultProxy
  /** Connects the account, or connects it again. */
  readonly connect: (parts: Connecting) => Promise<string>
  /** What a post may be, besides its words. */
  readonly kinds: readonly Kind[]
  /** Whether this is the call that publishes. */
  readonly publishes: (requestLine: string) => boolean
  /** Whether it makes nothing of a second call with the same key. */
  readonly keepsKeys: boolean
  /** The publishing calls that have no key even so. */
  readonly keyless?: RegExp
  /** All that stands there. */
  readonly standing: () => Promise<readonly Standing[]>
  /** What was made there and nobody sees, by the names that the adapter gives it, where the adapter removes that. */
  readonly unseen?: () => Promise<readonly DraftName[]>
  /** Has it refuse the calls that publish, as over a limit, until told otherwise: for one to which a bare 429 says nothing. */
  readonly limit?: (isOver: boolean) => void
  /** Whether a doubt about such a part is a person's to settle, by the network's page of the docs. */
  readonly isPersons: (kind: Kind, partIndex: number) => boolean
  /** How many posts a look-up tells apart, of those since so long before the call; where there are more, a doubt is a person's, too. */
  readonly reach: { readonly posts: number; readonly beforeMs: number }
  /** So much time has passed. */
  readonly age: (ms: number) => void
  /** Access tokens end. */
  readonly expireAccess?: () => void
  /** The owner of the account ends the access: it has to be connected again. */
  readonly revoke?: () => void
  /** Where Bluesky looks identities up. */
  readonly directories?: NetworkPlaces['bluesky']
  /** Where Nostr looks accounts up. */
  readonly relays?: NetworkPlaces['nostr']
}

export type Connecting = {
  readonly connect: Connect
  readonly keyring: Keyring
  readonly workspace: AWorkspace
}
export type Standing = { readonly id: string; readonly text: string }
export type Kind = {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly images?: number
  readonly video?: true
  /** How many parts follow the first. */
  readonly thread?: number
  readonly firstComment?: true
  /** It shows media and no words: it is known by the id of its first item. */
  readonly wordless?: true
  /** The video stands upright, as a reel. */
  readonly upright?: true
  /** It has a link. */
  readonly link?: true
}

const isComment: FaultyNetwork['isPersons'] = ({ firstComment }, partIndex) =>
  firstComment === true && partIndex > 0

/** A look-up asks for the one post, or there is none. */
const ANY_NUMBER = { posts: Infinity, beforeMs: 0 }
const HOUR_MS = 3_600_000

const target = ({ workspaceId }: AWorkspace) => ({ workspaceId, channelId: null, actor: OPERATOR })

async function byForm(
  { connect, workspace }: Connecting,
  provider: string,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const result = await connectByForm(connect, target(workspace), connect.providers.get(provider)!, fields)
  if (result.is !== 'connected') throw new Error(result.detail)
  return result.channelId
}

async function inBrowser(
  { connect, workspace }: Connecting,
  provider: string,
  allow: (address: URL) => URLSearchParams,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  const shown = await connectInBrowser(connect, provider, target(workspace), allow, fields)
  if (shown.statusCode !== 200) throw new Error(shown.body)
  const [channel] = await enabledChannels(connect.db, workspace.workspaceId)
  if (channel === undefined) throw new Error('nothing was connected')
  return channel.channelId
}

/** An instance of Mastodon, or of other software that speaks its API. */
async function mastodonAt(software: Software): Promise<FaultyNetwork[]> {
  const instance = await openMastodonDouble()
  Object.assign(instance, { software, ...fullLimit(), postsLeft: 1e6 })
  const proxy = await openFaultProxy(new URL(instance.url))
  return [
    {
      name: software === 'snac' ? 'snac, played' : software,
      provider: 'mastodon',
      proxy,
      kinds: mastodonKinds,
      connect: (parts) => byForm(parts, 'mastodon', { server: proxy.url.origin, accessToken: TOKEN }),
      publishes: (line) => line.startsWith('POST /api/v1/statuses '),
      keepsKeys: software === 'mastodon',
      standing: async () => instance.statuses.map(({ id, text }) => ({ id, text })),
      isPersons: personsOf(software),
      reach: { posts: 20, beforeMs: 0 },
      age: instance.age,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await instance[Symbol.asyncDispose]()
      },
    },
  ]
}

/** What the table in docs/networks/mastodon.md leaves to a person. */
function personsOf(software: Software): FaultyNetwork['isPersons'] {
  return ({ settings = {} }, partIndex) => {
    const { visibility = 'public', contentWarning, sensitive = false } = settings
    if (software === 'snac') return visibility !== 'public'
    if (software !== 'pleroma') return false
    return partIndex > 0 || visibility !== 'public' || contentWarning !== undefined || sensitive !== false
  }
}

const mastodonKinds: readonly Kind[] = [
  {},
  { settings: { visibility: 'public' } },
  { settings: { visibility: 'unlisted' } },
  { settings: { visibility: 'private' } },
  { settings: { contentWarning: 'Birds' } },
  { settings: { sensitive: true }, images: 1 },
  { settings: { language: 'en' } },
  { thread: 1 },
  { thread: 2, settings: { visibility: 'unlisted' } },
  { thread: 1, settings: { visibility: 'private' } },
  { images: 1 },
  { images: 4, thread: 1 },
  { video: true },
  { firstComment: true },
]

async function snac(): Promise<FaultyNetwork[]> {
  const server = await openSnac()
  const proxy = await openFaultProxy(new URL(server.url))
  const account = await server.account('alice')
  const { token } = await server.token(account)
  return [
    {
      name: 'snac',
      provider: 'mastodon',
      proxy,
      keepsKeys: false,
      // The id of a post that only followers see cannot be asked for there, so that a person could not name a thread's first part.
      kinds: mastodonKinds.filter(({ thread, settings }) => thread === undefined || settings === undefined),
      connect: (parts) => byForm(parts, 'mastodon', { server: proxy.url.origin, accessToken: token }),
      publishes: (line) => line.startsWith('POST /api/v1/statuses '),
      standing: async () => (await server.notes()).map((text, place) => ({ id: `note ${place}`, text })),
      isPersons: () => true,
      reach: { posts: 20, beforeMs: 0 },
      age: () => undefined,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await server[Symbol.asyncDispose]()
      },
    },
  ]
}

async function x(): Promise<FaultyNetwork[]> {
  const network = await openXDouble()
  const proxy = await openFaultProxy(new URL(network.url))
  return [
    {
      name: 'x',
      provider: 'x',
      proxy,
      keepsKeys: false,
      connect: (parts) => inBrowser(parts, 'x', network.allow),
      kinds: [
        {},
        { settings: { replies: 'following' } },
        { settings: { replies: 'mentionedUsers', madeWithAi: true } },
        { settings: { paidPartnership: true } },
        { settings: { communityId: '1234' } },
        { thread: 1 },
        { thread: 2, settings: { replies: 'verified' } },
        { images: 1 },
        { images: 4, thread: 1 },
        { video: true },
        { link: true },
        { images: 1, firstComment: true },
      ],
      publishes: (line) => line.startsWith('POST /2/tweets '),
      standing: async () => network.posts.map(({ id, text }) => ({ id, text })),
      isPersons: ({ settings }) => settings?.['communityId'] !== undefined,
      reach: { posts: 500, beforeMs: HOUR_MS },
      age: network.age,
      expireAccess: network.expireAccess,
      revoke: network.revoke,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await network[Symbol.asyncDispose]()
      },
    },
  ]
}

/** A page and a member: one app, one address, two accounts. */
async function linkedin(): Promise<FaultyNetwork[]> {
  const network = await openLinkedinDouble()
  network.approved = true
  const proxy = await openFaultProxy(new URL(network.url))
  const common = {
    provider: 'linkedin',
    proxy,
    keepsKeys: false,
    expireAccess: network.expireAccess,
    revoke: network.revoke,
    reach: { posts: 200, beforeMs: HOUR_MS },
    publishes: (line: string) => line.startsWith('POST /rest/posts '),
    standing: async () =>
      network.posts.map(({ id, request }) => ({ id, text: String(request['commentary']) })),
  }
  const kinds: readonly Kind[] = [
    {},
    { settings: { visibility: 'PUBLIC', resharing: false } },
    { settings: { visibility: 'LOGGED_IN' } },
    { images: 1 },
    { images: 3 },
    { video: true },
    { link: true },
    { link: true, settings: { linkCard: false } },
  ]
  return [
    {
      ...common,
      name: 'linkedin page',
      kinds,
      age: network.age,
      connect: (parts) => inBrowser(parts, 'linkedin', network.allow, { organization: PAGE_NUMBER }),
      isPersons: ({ settings }) => (settings?.['visibility'] ?? 'PUBLIC') !== 'PUBLIC',
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await network[Symbol.asyncDispose]()
      },
    },
    {
      ...common,
      name: 'linkedin member',
      kinds: [...kinds, { settings: { visibility: 'CONNECTIONS' } }],
      connect: (parts) => inBrowser(parts, 'linkedin', network.allow),
      isPersons: () => true,
      // The page's does all of it.
      age: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    },
  ]
}

async function telegram(): Promise<FaultyNetwork[]> {
  const network = await openTelegramDouble()
  const proxy = await openFaultProxy(new URL(network.url))
  return [
    {
      name: 'telegram',
      provider: 'telegram',
      proxy,
      keepsKeys: false,
      connect: (parts) =>
        byForm(parts, 'telegram', {
          chat: `@${CHANNEL.username}`,
          botToken: BOT_TOKEN,
          server: proxy.url.origin,
        }),
      kinds: [
        {},
        { settings: { silent: true, protectContent: true } },
        { link: true, settings: { linkPreview: false } },
        { thread: 1 },
        { thread: 2, images: 1 },
        { images: 1 },
        { images: 4 },
        { video: true },
      ],
      publishes: (line) => /^POST \S+\/send/.test(line),
      standing: async () =>
        network.messages.filter(({ text }) => text !== '').map(({ id, text }) => ({ id: String(id), text })),
      isPersons: () => true,
      reach: ANY_NUMBER,
      age: () => undefined,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await network[Symbol.asyncDispose]()
      },
    },
  ]
}

async function discord(): Promise<FaultyNetwork[]> {
  const network = await openDiscordDouble()
  const proxy = await openFaultProxy(new URL(network.url))
  const webhookUrl = `${proxy.url.origin}/api/webhooks/${WEBHOOK_ID}/${WEBHOOK_TOKEN}`
  return [
    {
      name: 'discord',
      provider: 'discord',
      proxy,
      keepsKeys: false,
      connect: (parts) => byForm(parts, 'discord', { webhookUrl }),
      kinds: [
        {},
        { settings: { silent: true, linkPreview: false } },
        { settings: { username: 'Newsroom' }, thread: 1 },
        { thread: 2, images: 1 },
        { images: 4 },
        { video: true },
        { link: true },
      ],
      publishes: (line) => line.startsWith('POST '),
      standing: async () => network.messages.map(({ id, text }) => ({ id, text })),
      isPersons: () => true,
      reach: ANY_NUMBER,
      age: () => undefined,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await network[Symbol.asyncDispose]()
      },
    },
  ]
}

/** A relay, and a media server: its files are no posts. */
async function nostr(): Promise<FaultyNetwork[]> {
  const relay = await openRelay()
  const proxy = await openRelayProxy(new URL(relay.url))
  const media = await openBlossomDouble()
  const mediaProxy = await openFaultProxy(new URL(media.url))
  const secretKey = randomBytes(32).toString('hex')
  const address = proxy.url.href.replace(/^http/, 'ws').replace(/\/$/, '')
  return [
    {
      relays: { directory: [address], mediaServer: mediaProxy.url.origin },
      mediaProxy,
      name: 'nostr',
      provider: 'nostr',
      proxy,
      keepsKeys: true,
      connect: (parts) => byForm(parts, 'nostr', { secretKey, relays: address }),
      kinds: [
        {},
        { settings: { tags: ['birds'] } },
        { settings: { contentWarning: 'Birds' }, images: 1 },
        { thread: 1 },
        { thread: 2, images: 1 },
        { images: 4 },
        { video: true },
        { link: true },
      ],
      publishes: (line) => line.startsWith('EVENT '),
      async standing() {
        const events = await relay.events({ kinds: [1], limit: 10_000 })
        return events.map(({ id, content }) => ({ id, text: content.split('\n\nhttp://')[0] ?? '' }))
      },
      isPersons: () => false,
      reach: ANY_NUMBER,
      age: () => undefined,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await relay[Symbol.asyncDispose]()
        await mediaProxy[Symbol.asyncDispose]()
        await media[Symbol.asyncDispose]()
      },
    },
  ]
}

async function facebook(): Promise<FaultyNetwork[]> {
  const network = await openFacebookDouble()
  const proxy = await openFaultProxy(new URL(network.url))
  network.looksUntilReady = 2
  network.uploadsAt = proxy.url.origin
  const usage = { call_count: 28, total_time: 25, total_cputime: 25 }
  network.usage = { 'x-app-usage': JSON.stringify(usage) }
  return [
    {
      name: 'facebook',
      provider: 'facebook',
      proxy,
      keepsKeys: true,
      connect: (parts) => inBrowser(parts, 'facebook', network.allow),
      kinds: [
        {},
        { link: true },
        { link: true, settings: { linkCard: false } },
        { settings: { link: 'https://example.com/roasting' } },
        { images: 1 },
        { images: 4 },
        { video: true },
        { video: true, upright: true, settings: { reel: true } },
        { firstComment: true },
        { images: 2, firstComment: true },
        { video: true, upright: true, settings: { reel: true }, firstComment: true },
      ],
      // What shows a draft or a video, finishes a reel, or comments; drafts themselves are made before it.
      publishes: (line) =>
        /^POST \/v[\d.]+\/(?:(?:\d+_\d+|\d{8,})(?:\/comments)?|\d+\/video_reels)[? ]/.test(line),
      keyless: /\/(?:comments|video_reels)[? ]/,
      standing: async () => [
        ...network.posts.map(({ id, text }) => ({ id, text })),
        ...network.comments.map(({ id, message: text }) => ({ id, text })),
      ],
      unseen: async () =>
        [...network.made.values()]
          .filter(({ shown }) => !shown)
          .map(({ id, kind }): DraftName => `${kind}:${id}`),
      limit(isOver) {
        network.orders.splice(
          0,
          Infinity,
          ...Array.from({ length: isOver ? 50 : 0 }, () => 'rate limit' as const),
        )
      },
      // Facebook does not promise to list every comment: that one is missing proves nothing.
      isPersons: isComment,
      reach: ANY_NUMBER,
      age: () => undefined,
      revoke: network.revoke,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await network[Symbol.asyncDispose]()
      },
    },
  ]
}

async function threads(): Promise<FaultyNetwork[]> {
  const network = await openThreadsDouble()
  network.total = { posts: 1e6, replies: 1e6 }
  network.looksUntilReady = 0
  const proxy = await openFaultProxy(new URL(network.url))
  return [
    {
      name: 'threads',
      provider: 'threads',
      proxy,
      keepsKeys: false,
      connect: (parts) => inBrowser(parts, 'threads', network.allow),
      kinds: [
        {},
        { settings: { replies: 'following', topic: 'Coffee' } },
        { link: true, settings: { link: 'https://example.com/' } },
        { thread: 1 },
        { thread: 2, images: 1 },
        { images: 1 },
        { images: 4, thread: 1 },
        { video: true },
      ],
      publishes: (line) => /^POST \S+\/threads_publish[ ?]/.test(line),
      standing: async () => network.posts.map(({ id, text }) => ({ id, text })),
      isPersons: () => false,
      reach: { posts: 100, beforeMs: 600_000 },
      age: network.age,
      revoke: network.revoke,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await network[Symbol.asyncDispose]()
      },
    },
  ]
}

async function instagram(): Promise<FaultyNetwork[]> {
  const network = await openInstagramDouble()
  network.total = 1e6
  network.looksUntilReady = 0
  const proxy = await openFaultProxy(new URL(network.url))
  return [
    {
      name: 'instagram',
      provider: 'instagram',
      proxy,
      keepsKeys: false,
      connect: (parts) => inBrowser(parts, 'instagram', network.allow),
      kinds: [
        { images: 1 },
        { images: 4 },
        { video: true },
        { video: true, settings: { shareToFeed: false } },
        { images: 1, wordless: true, settings: { story: true } },
        { video: true, wordless: true, settings: { story: true } },
        { images: 2, video: true },
        { images: 1, firstComment: true },
        { video: true, firstComment: true },
      ],
      publishes: (line) => /^POST \S+\/(?:media_publish|comments)[ ?]/.test(line),
      standing: async () => [
        ...network.posts.map(({ id, text, container: { form } }) => ({
          id,
          text: text === '' ? `${form['image_url'] ?? form['video_url']}` : text,
        })),
        ...network.comments.map(({ id, text }) => ({ id, text })),
      ],
      // Instagram does not promise to list every comment: that one is missing proves nothing.
      isPersons: isComment,
      reach: { posts: 100, beforeMs: 600_000 },
      age: network.age,
      revoke: network.revoke,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await network[Symbol.asyncDispose]()
      },
    },
  ]
}

async function youtube(): Promise<FaultyNetwork[]> {
  const network = await openYoutubeDouble()
  const proxy = await openFaultProxy(new URL(network.url))
  network.looksUntilReady = 2
  network.uploadsAt = proxy.url.origin
  return [
    {
      name: 'youtube',
      provider: 'youtube',
      proxy,
      keepsKeys: true,
      connect: (parts) => inBrowser(parts, 'youtube', network.allow),
      kinds: [
        { video: true },
        { video: true, settings: { privacy: 'unlisted', madeForKids: true } },
        { video: true, settings: { playlistId: 'PL-roasting', tags: ['coffee'] } },
        { video: true, images: 1 },
      ],
      publishes: (line) => line.startsWith('PUT /youtube/v3/videos'),
      standing: async () =>
        network.videos
          .filter(({ privacy }) => privacy !== 'private')
          .map(({ id, description }) => ({ id, text: description })),
      unseen: async () =>
        network.videos.filter(({ privacy }) => privacy === 'private').map(({ id }) => `video:${id}` as const),
      isPersons: () => false,
      reach: ANY_NUMBER,
      age: () => undefined,
      expireAccess: network.expireAccess,
      revoke: network.revoke,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await network[Symbol.asyncDispose]()
      },
    },
  ]
}

/** A real site: its drafts are no posts. */
async function wordpress(): Promise<FaultyNetwork[]> {
  const site = await openSite()
  const proxy = await openFaultProxy(new URL(site.url))
  return [
    {
      name: 'wordpress',
      provider: 'wordpress',
      proxy,
      keepsKeys: true,
      connect: (parts) =>
        byForm(parts, 'wordpress', {
          site: proxy.url.origin,
          user: 'alice',
          applicationPassword: site.passwords.alice,
        }),
      kinds: [
        {},
        { settings: { title: 'Birds', categories: ['News'], tags: ['Birds', 'Nests'] } },
        { settings: { title: 'Birds', format: 'plain', excerpt: 'All about birds' } },
        { images: 1 },
        { images: 3, settings: { featuredImage: false, comments: false } },
        { link: true },
      ],
      publishes: (line) => /^POST \/wp-json\/wp\/v2\/posts\/\d+\?_fields=id%2Cstatus%2Clink /.test(line),
      standing: async () =>
        (await site.posts()).map(({ id, title, content }) => ({
          id: String(id),
          text: `${title.raw} ${content.raw}`,
        })),
      unseen: async () => (await site.posts('draft')).map(({ id }) => `post:${id}` as const),
      isPersons: () => false,
      reach: ANY_NUMBER,
      age: () => undefined,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await site[Symbol.asyncDispose]()
      },
    },
  ]
}

async function bluesky(): Promise<FaultyNetwork[]> {
  const pds = await openPds()
  const proxy = await openFaultProxy(new URL(pds.url))
  const account = await pds.account('alice')
  return [
    {
      directories: { resolver: pds.url, plc: pds.plcUrl },
      name: 'bluesky',
      provider: 'bluesky',
      proxy,
      keepsKeys: true,
      async connect(parts) {
        const { connect, keyring, workspace } = parts
        const { handle, appPassword } = account
        const channelId = await byForm(parts, 'bluesky', { handle, appPassword })
        // The account's document names the server itself: from now on its channel goes by the proxy.
        const key = { workspaceId: workspace.workspaceId, channelId }
        const { authorizationSealed } = (await findAuthorization(connect.db, key))!
        const authorization = {
          ...openAuthorization(keyring, channelId, authorizationSealed),
          server: proxy.url.origin,
        }
        await connect.db`
        update channel set authorization_sealed = ${sealAuthorization(keyring, channelId, authorization)}, provider_origin = null
        where  id = ${channelId}`
        return channelId
      },
      kinds: [
        {},
        { settings: { languages: ['en'], tags: ['birds'] } },
        { settings: { labels: ['graphic-media'] }, images: 1 },
        { settings: { replies: 'nobody' } },
        { settings: { replies: ['mentioned', 'followers'], quotes: false } },
        { settings: { quotes: false }, thread: 1 },
        { thread: 1 },
        { thread: 2, images: 1 },
        { images: 4 },
        { video: true },
        { link: true },
        { link: true, settings: { linkCard: false } },
        { firstComment: true },
      ],
      publishes: (line) => /^POST \/xrpc\/com\.atproto\.repo\.(?:putRecord|applyWrites) /.test(line),
      async standing() {
        const found: Standing[] = []
        for (let cursor: string | undefined; ;) {
          const query = { repo: account.did, collection: 'app.bsky.feed.post', limit: '100' }
          const page = await pds.ask('com.atproto.repo.listRecords', {
            query: cursor === undefined ? query : { ...query, cursor },
          })
          for (const { uri, value } of page.records as { uri: string; value: { text: string } }[])
            found.push({ id: uri, text: value.text })
          cursor = page.cursor as string | undefined
          if (cursor === undefined) return found
        }
      },
      isPersons: () => false,
      reach: ANY_NUMBER,
      age: () => undefined,
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        await pds[Symbol.asyncDispose]()
      },
    },
  ]
}

export type FaultyNetworks = AsyncDisposable & {
  readonly all: readonly FaultyNetwork[]
  readonly order: Pick<PublisherOrder, 'places' | 'apps' | 'trustedOrigins'>
}

const makers: Readonly<Record<string, () => Promise<readonly FaultyNetwork[]>>> = {
  bluesky,
  x,
  linkedin,
  mastodon: () => mastodonAt('mastodon'),
  gotosocial: () => mastodonAt('gotosocial'),
  'snac, played': () => mastodonAt('snac'),
  pleroma: () => mastodonAt('pleroma'),
  snac,
  telegram,
  discord,
  facebook,
  instagram,
  nostr,
  threads,
  wordpress,
  youtube,
}

/** The names of all of them. One maker opens two. */
export const faultyNetworkNames: readonly string[] = Object.keys(makers).flatMap((name) =>
  name === 'linkedin' ? ['linkedin page', 'linkedin member'] : [name],
)

/** Opens those that are wanted: `await using networks = await openFaultyNetworks(() => true)`. */
export async function openFaultyNetworks(wanted: (name: string) => boolean): Promise<FaultyNetworks> {
  await using opened = new AsyncDisposableStack()
  const all: FaultyNetwork[] = []
  for (const [name, make] of Object.entries(makers))
    if (wanted(name)) for (const network of await make()) all.push(opened.use(network))
  const originOf = (provider: string) =>
    all.find((network) => network.provider === provider)?.proxy.url.origin ?? NOWHERE
  const directories = all.find((network) => network.directories !== undefined)?.directories
  const relays = all.find((network) => network.relays !== undefined)?.relays
  const places = {
    nostr: relays ?? { directory: [], mediaServer: NOWHERE },
    bluesky: directories ?? { resolver: NOWHERE, plc: NOWHERE },
    x: originOf('x'),
    facebook: originOf('facebook'),
    linkedin: originOf('linkedin'),
    instagram: originOf('instagram'),
    threads: originOf('threads'),
    youtube: originOf('youtube'),
  }
  const origins = [
    ...all.map(({ proxy }) => proxy.url.href),
    ...Object.values(places.bluesky),
    places.nostr.mediaServer,
  ]
  const running = opened.move()
  return {
    all,
    order: {
      places,
      apps: {
        x: X_APP,
        facebook: META_APP,
        instagram: META_APP,
        linkedin: LINKEDIN_APP,
        threads: THREADS_APP,
        youtube: YOUTUBE_APP,
      },
      trustedOrigins: [...new Set(origins.map((address) => new URL(address).origin))],
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

const NOWHERE = 'http://127.0.0.1:1'
