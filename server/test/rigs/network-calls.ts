import type { Provider, PublishWork } from '../../src/networks/providers/port/port.ts'
import { bluesky } from '../../src/networks/providers/bluesky/bluesky.ts'
import { discord } from '../../src/networks/providers/discord/discord.ts'
import { facebookAt } from '../../src/networks/providers/meta/facebook/facebook.ts'
import { instagramAt } from '../../src/networks/providers/meta/instagram/instagram.ts'
import { linkedinAt } from '../../src/networks/providers/linkedin/linkedin.ts'
import { mastodon } from '../../src/networks/providers/mastodon/mastodon.ts'
import { nostr } from '../../src/networks/providers/nostr/nostr.ts'
import { telegram } from '../../src/networks/providers/telegram/telegram.ts'
import { threadsAt } from '../../src/networks/providers/meta/threads/threads.ts'
import { wordpress } from '../../src/networks/providers/wordpress/wordpress.ts'
import { xAt } from '../../src/networks/providers/x/x.ts'
import { youtubeAt } from '../../src/networks/providers/youtube/youtube.ts'
import type { Answered } from '../doubles/http-double.ts'
import { aPartFile, aPublishWork } from './publish-work.ts'

/* Every kind of publish call that an adapter makes, and what its network answers when all goes well. */

export type PublishCall = {
  readonly work: (origin: string) => PublishWork
  readonly published: Answered
}

export type NetworkCalls = {
  /** The network at this origin. */
  readonly at: (origin: string) => Provider
  /** `post` is the plain one. */
  readonly calls: Readonly<{ post: PublishCall } & Record<string, PublishCall>>
  /** What the network answers to anything that a look asks, where the post is not there. */
  readonly looked: Answered | ((url: string) => Answered)
}

const session = { accessToken: 'a', refreshToken: 'r', accessEndsAt: '2026-11-21T11:00:00.000Z' }
const meta = { accessToken: 'a', proof: 'ab'.repeat(32) }
const atOrigin = (origin: string) => ({ api: origin, site: origin })
const sharedAt = (origin: string) => ({ ...atOrigin(origin), video: origin, token: origin })

type Change = Partial<PublishWork>

const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const rkey = '3k2aaaaaaaaa2'
const record = { createdAt: '2026-11-21T09:00:00.000Z', text: 'Hello' }
const written = {
  uri: `at://${did}/app.bsky.feed.post/${rkey}`,
  cid: 'bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454',
}
const onBluesky =
  (gates: readonly { collection: string; value: Record<string, string> }[]) => (server: string) =>
    aPublishWork(
      { kind: 'password', server, did, handle: 'alice.example', ...session },
      { prepared: { rkey, record, gates } },
    )
const gate = { collection: 'app.bsky.feed.threadgate', value: { $type: 'app.bsky.feed.threadgate' } }

const onMastodon = (change: Change) => (server: string) =>
  aPublishWork({ server, accountId: '7', accessToken: 'a' }, { prepared: { newestId: null }, ...change })

const onX = (change: Change) => () => aPublishWork({ accountId: '7', username: 'alice', ...session }, change)

const onTelegram = (change: Change) => (server: string) =>
  aPublishWork({ server, token: '123456:AAE', chatId: -5 }, change)
const message = (id: number) => ({ message_id: id, date: 1, chat: { id: -5, type: 'channel' } })
const photo = aPartFile('image', 'image/jpeg')
const clip = aPartFile('video', 'video/mp4')

const onDiscord = (change: Change) => (server: string) =>
  aPublishWork(
    { server, webhookId: '300', token: 't', channelId: '200', guildId: '100', threadId: null },
    change,
  )
const discordMessage = { id: '91', channel_id: '200', content: 'Hello', type: 0 }

const onLinkedin = (token: { accessSince?: string }) => () =>
  aPublishWork(
    {
      author: 'urn:li:organization:5',
      accessToken: 'a',
      refresh: null,
      accessEndsAt: session.accessEndsAt,
      ...token,
    },
    { prepared: { article: null } },
  )

const POST = '1001_7'
const onFacebook = (change: Change) => () => aPublishWork({ pageId: '1001', ...meta }, change)

const onInstagram = (change: Change) => () => aPublishWork({ userId: '7', ...meta }, change)

const onThreads = (change: Change) => () =>
  aPublishWork(
    { userId: '7', accessToken: 'a', accessEndsAt: session.accessEndsAt },
    { prepared: { container: '500' }, ...change },
  )

const VIDEO = 'dQw4w9WgXcQ'
const video = (privacyStatus: string) => ({
  kind: 'youtube#video',
  id: VIDEO,
  snippet: { title: 'Hello' },
  status: { privacyStatus, uploadStatus: 'processed' },
})
const onYoutube = (change: Change) => () =>
  aPublishWork(
    { channelId: 'UC7', ...session },
    { media: [{ kind: 'video', altText: null, remoteId: VIDEO }], ...change },
  )

/** The note that relays are given, and the relay. */
export const NOTE = 'a'.repeat(64)
export const RELAY = 'wss://relay.example'
const event = {
  id: NOTE,
  pubkey: 'b'.repeat(64),
  created_at: 1,
  kind: 1,
  tags: [],
  content: 'x',
  sig: 'c'.repeat(128),
}

/** What a relay said of the note, as the adapter gets it. */
export function saidOfNote(accepted: boolean, words: string): Answered {
  const report = { relay: RELAY, sent: true, silence: null, said: [['OK', NOTE, accepted, words]] }
  return { status: 101, body: [report] }
}

export const networkCalls: Readonly<Record<string, NetworkCalls>> = {
  bluesky: {
    at: () => bluesky,
    calls: {
      post: { work: onBluesky([]), published: { status: 200, body: written } },
      gated: {
        work: onBluesky([gate]),
        published: {
          status: 200,
          body: { results: [written, { uri: `${written.uri}x`, cid: written.cid }] },
        },
      },
    },
    looked: { status: 200, body: { ...written, value: record } },
  },
  discord: {
    at: () => discord,
    calls: {
      post: { work: onDiscord({}), published: { status: 200, body: discordMessage } },
      file: { work: onDiscord({ files: [photo] }), published: { status: 200, body: discordMessage } },
    },
    looked: { status: 404 },
  },
  facebook: {
    at: (origin) => facebookAt(sharedAt(origin)),
    calls: {
      post: {
        work: onFacebook({ prepared: { as: 'post', id: POST } }),
        published: { status: 200, body: { id: POST, is_published: true } },
      },
      video: {
        work: onFacebook({ prepared: { as: 'video', id: '81' } }),
        published: { status: 200, body: { id: '81', published: true } },
      },
      reel: {
        work: onFacebook({ prepared: { as: 'reel', id: '81' } }),
        published: {
          status: 200,
          body: { id: '81', status: { video_status: 'ready', publishing_phase: { status: 'complete' } } },
        },
      },
      comment: {
        work: onFacebook({ kind: 'first_comment', root: { remoteId: POST }, prepared: { as: 'comment' } }),
        published: { status: 200, body: { id: '7_9' } },
      },
    },
    looked: { status: 200, body: { id: POST, is_published: false } },
  },
  instagram: {
    at: (origin) => instagramAt(atOrigin(origin)),
    calls: {
      post: {
        work: onInstagram({ prepared: { container: '500' } }),
        published: { status: 200, body: { id: '91' } },
      },
      comment: {
        work: onInstagram({ kind: 'first_comment', root: { remoteId: '90' }, prepared: { as: 'comment' } }),
        published: { status: 200, body: { id: '91' } },
      },
    },
    looked: (path) => ({
      status: 200,
      body: path.includes('/media') ? { data: [] } : { status_code: 'FINISHED', id: '500' },
    }),
  },
  linkedin: {
    at: (origin) => linkedinAt(atOrigin(origin)),
    calls: {
      post: {
        work: onLinkedin({}),
        published: { status: 201, headers: { 'x-restli-id': 'urn:li:share:101' } },
      },
      // LinkedIn gave it ten seconds before `nine`.
      'with a new token': {
        work: onLinkedin({ accessSince: '2026-11-21T08:59:50Z' }),
        published: { status: 201, headers: { 'x-restli-id': 'urn:li:share:101' } },
      },
    },
    looked: { status: 200, body: { elements: [] } },
  },
  mastodon: {
    at: () => mastodon,
    calls: {
      post: {
        work: onMastodon({}),
        published: { status: 200, body: { id: '101', url: 'https://social.example/@alice/101' } },
      },
      reply: {
        work: onMastodon({ parent: { remoteId: '100' }, root: { remoteId: '100' } }),
        published: { status: 200, body: { id: '101', url: 'https://social.example/@alice/101' } },
      },
    },
    looked: (path) => (path.includes('nodeinfo') ? { status: 404 } : { status: 200, body: [] }),
  },
  nostr: {
    at: () => nostr,
    calls: {
      post: {
        work: () =>
          aPublishWork(
            {
              secretKey: '1'.repeat(64),
              pubkey: event.pubkey,
              named: [RELAY],
              listed: [],
              mediaServer: 'https://media.example',
            },
            { prepared: { event, relays: [RELAY] } },
          ),
        published: saidOfNote(true, ''),
      },
    },
    looked: { status: 101, body: [] },
  },
  telegram: {
    at: () => telegram,
    calls: {
      post: { work: onTelegram({}), published: { status: 200, body: { ok: true, result: message(91) } } },
      reply: {
        work: onTelegram({ parent: { remoteId: '90' }, root: { remoteId: '90' } }),
        published: { status: 200, body: { ok: true, result: message(91) } },
      },
      photo: {
        work: onTelegram({ files: [photo] }),
        published: { status: 200, body: { ok: true, result: message(91) } },
      },
      album: {
        work: onTelegram({ files: [photo, clip] }),
        published: { status: 200, body: { ok: true, result: [message(91), message(92)] } },
      },
    },
    looked: { status: 404 },
  },
  threads: {
    at: (origin) => threadsAt(atOrigin(origin)),
    calls: {
      post: { work: onThreads({}), published: { status: 200, body: { id: '91' } } },
      reply: {
        work: onThreads({ parent: { remoteId: '90' }, root: { remoteId: '90' } }),
        published: { status: 200, body: { id: '91' } },
      },
    },
    looked: (path) => ({
      status: 200,
      body: /threads|replies/.test(path) ? { data: [] } : { status: 'FINISHED', id: '500' },
    }),
  },
  wordpress: {
    at: () => wordpress,
    calls: {
      post: {
        work: (origin) =>
          aPublishWork(
            { root: `${origin}/wp-json/`, user: 'alice', password: 'p' },
            { prepared: { postId: 7, slug: '' } },
          ),
        published: { status: 200, body: { id: 7, status: 'publish', link: 'https://example.com/hello/' } },
      },
    },
    looked: { status: 200, body: { id: 7, status: 'draft', slug: 'k', link: 'https://example.com/?p=7' } },
  },
  x: {
    at: (origin) => xAt(atOrigin(origin)),
    calls: {
      post: { work: onX({}), published: { status: 201, body: { data: { id: '101', text: 'Hello' } } } },
      reply: {
        work: onX({ parent: { remoteId: '100' }, root: { remoteId: '100' } }),
        published: { status: 201, body: { data: { id: '101', text: 'Hello' } } },
      },
    },
    looked: { status: 200, body: { meta: { result_count: 0 } } },
  },
  youtube: {
    at: (origin) => youtubeAt(sharedAt(origin)),
    calls: {
      post: { work: onYoutube({}), published: { status: 200, body: video('public') } },
      unlisted: {
        work: onYoutube({ settings: { privacy: 'unlisted' } }),
        published: { status: 200, body: video('unlisted') },
      },
      private: {
        work: onYoutube({ settings: { privacy: 'private' } }),
        published: { status: 200, body: video('private') },
      },
    },
    looked: { status: 200, body: { items: [video('private')] } },
  },
}
