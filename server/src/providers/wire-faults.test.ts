import { expect, test } from 'vitest'
import { testWireFaults, type WiredNetwork } from '../../test/rigs/wire-faults.ts'
import { bluesky } from './bluesky/bluesky.ts'
import { discord } from './discord/discord.ts'
import { facebookAt } from './facebook/facebook.ts'
import { instagramAt } from './instagram/instagram.ts'
import { linkedinAt } from './linkedin/linkedin.ts'
import { mastodon } from './mastodon/mastodon.ts'
import { providers } from './registry.ts'
import { telegram } from './telegram/telegram.ts'
import { threadsAt } from './threads/threads.ts'
import { wordpress } from './wordpress/wordpress.ts'
import { xAt } from './x/x.ts'
import { youtubeAt } from './youtube/youtube.ts'

/* Every network behind a proxy that breaks connections: each entry is what it answers when all goes well. */

const session = { accessToken: 'a', refreshToken: 'r', accessEndsAt: '2026-11-21T11:00:00.000Z' }

const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const rkey = '3k2aaaaaaaaa2'
const value = { createdAt: '2026-11-21T09:00:00.000Z' }
const written = {
  uri: `at://${did}/app.bsky.feed.post/${rkey}`,
  cid: 'bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454',
}
const meta = { accessToken: 'a', proof: 'ab'.repeat(32) }
const VIDEO = 'dQw4w9WgXcQ'
const video = (privacyStatus: string) => ({
  kind: 'youtube#video',
  id: VIDEO,
  snippet: { title: 'Hello' },
  status: { privacyStatus, uploadStatus: 'processed' },
})
const atOrigin = (origin: string) => ({ api: origin, site: origin })
const sharedAt = (origin: string) => ({ ...atOrigin(origin), video: origin, token: origin })

const networks: readonly WiredNetwork[] = [
  {
    at: () => bluesky,
    published: { status: 200, body: written },
    looked: { status: 200, body: { ...written, value } },
    work: (server) => ({
      authorization: { kind: 'password', server, did, handle: 'alice.example', ...session },
      prepared: { rkey, record: { ...value, text: 'Hello' }, gates: [] },
    }),
  },
  {
    at: () => mastodon,
    published: { status: 200, body: { id: '101', url: 'https://social.example/@alice/101' } },
    looked: (path) => (path.includes('nodeinfo') ? { status: 404 } : { status: 200, body: [] }),
    work: (server) => ({
      authorization: { server, accountId: '7', accessToken: 'a' },
      prepared: { newestId: null },
    }),
  },
  {
    at: (origin) => xAt(atOrigin(origin)),
    published: { status: 201, body: { data: { id: '101', text: 'Hello' } } },
    looked: { status: 200, body: { meta: { result_count: 0 } } },
    work: () => ({ authorization: { accountId: '7', username: 'alice', ...session } }),
  },
  {
    at: (origin) => linkedinAt(atOrigin(origin)),
    published: { status: 201, headers: { 'x-restli-id': 'urn:li:share:101' } },
    looked: { status: 200, body: { elements: [] } },
    work: () => ({
      authorization: {
        author: 'urn:li:organization:5',
        accessToken: 'a',
        refresh: null,
        accessEndsAt: session.accessEndsAt,
      },
      prepared: { article: null },
    }),
  },
  {
    at: () => telegram,
    published: {
      status: 200,
      body: { ok: true, result: { message_id: 91, date: 1, chat: { id: -5, type: 'channel' } } },
    },
    looked: { status: 404 },
    work: (server) => ({ authorization: { server, token: '123456:AAE', chatId: -5 } }),
  },
  {
    at: () => discord,
    published: { status: 200, body: { id: '91', channel_id: '200', content: 'Hello', type: 0 } },
    looked: { status: 404 },
    work: (server) => ({
      authorization: {
        server,
        webhookId: '300',
        token: 't',
        channelId: '200',
        guildId: '100',
        threadId: null,
      },
    }),
  },
  {
    at: (origin) => facebookAt(sharedAt(origin)),
    published: { status: 200, body: { id: '1001_7', is_published: true } },
    looked: { status: 200, body: { id: '1001_7', is_published: false } },
    work: () => ({ authorization: { pageId: '1001', ...meta }, prepared: { as: 'post', id: '1001_7' } }),
  },
  {
    at: (origin) => instagramAt(atOrigin(origin)),
    published: { status: 200, body: { id: '91' } },
    looked: (path) => ({
      status: 200,
      body: path.includes('/media') ? { data: [] } : { status_code: 'FINISHED', id: '500' },
    }),
    work: () => ({ authorization: { userId: '7', ...meta }, prepared: { container: '500' } }),
  },
  {
    at: (origin) => threadsAt(atOrigin(origin)),
    published: { status: 200, body: { id: '91' } },
    looked: (path) => ({
      status: 200,
      body: /threads|replies/.test(path) ? { data: [] } : { status: 'FINISHED', id: '500' },
    }),
    work: () => ({
      authorization: { userId: '7', accessToken: 'a', accessEndsAt: session.accessEndsAt },
      prepared: { container: '500' },
    }),
  },
  {
    at: () => wordpress,
    published: { status: 200, body: { id: 7, status: 'publish', link: 'https://example.com/hello/' } },
    looked: { status: 200, body: { id: 7, status: 'draft', slug: 'k', link: 'https://example.com/?p=7' } },
    work: (origin) => ({
      authorization: { root: `${origin}/wp-json/`, user: 'alice', password: 'p' },
      prepared: { postId: 7, slug: '' },
    }),
  },
  {
    at: (origin) => youtubeAt(sharedAt(origin)),
    published: { status: 200, body: video('public') },
    looked: { status: 200, body: { items: [video('private')] } },
    work: () => ({
      authorization: { channelId: 'UC7', ...session },
      media: [{ kind: 'video', altText: null, remoteId: VIDEO }],
    }),
  },
]

for (const network of networks) testWireFaults(network)

/** Nostr is asked over web sockets: nostr-relay.test.ts and network-faults.test.ts break those. The sandbox breaks its own. */
const ELSEWHERE = /^(?:nostr$|sandbox-)/

test('no network that is called by HTTP is left out', () => {
  expect(networks.map(({ at }) => at('http://127.0.0.1').provider).toSorted()).toEqual(
    [...providers.keys()].filter((name) => !ELSEWHERE.test(name)).toSorted(),
  )
})
