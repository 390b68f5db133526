import { testWireFaults } from '../../test/rigs/wire-faults.ts'
import { bluesky } from './bluesky/bluesky.ts'
import { linkedinAt } from './linkedin/linkedin.ts'
import { mastodon } from './mastodon/mastodon.ts'
import { xAt } from './x/x.ts'

/* Every network behind a proxy that breaks connections: each entry is what it answers when all goes well. */

const session = { accessToken: 'a', refreshToken: 'r', accessEndsAt: '2026-11-21T11:00:00.000Z' }

const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const rkey = '3k2aaaaaaaaa2'
const value = { createdAt: '2026-11-21T09:00:00.000Z' }
const written = {
  uri: `at://${did}/app.bsky.feed.post/${rkey}`,
  cid: 'bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454',
}
testWireFaults({
  at: () => bluesky,
  published: { status: 200, body: written },
  looked: { status: 200, body: { ...written, value } },
  work: (server) => ({
    authorization: { kind: 'password', server, did, handle: 'alice.example', ...session },
    prepared: { rkey, record: { ...value, text: 'Hello' }, gates: [] },
  }),
})

testWireFaults({
  at: () => mastodon,
  published: { status: 200, body: { id: '101', url: 'https://social.example/@alice/101' } },
  looked: (path) => (path.includes('nodeinfo') ? { status: 404 } : { status: 200, body: [] }),
  work: (server) => ({
    authorization: { server, accountId: '7', accessToken: 'a' },
    prepared: { newestId: null },
  }),
})

testWireFaults({
  at: (origin) => xAt({ api: origin, site: origin }),
  published: { status: 201, body: { data: { id: '101', text: 'Hello' } } },
  looked: { status: 200, body: { meta: { result_count: 0 } } },
  work: () => ({ authorization: { accountId: '7', username: 'alice', ...session } }),
})

testWireFaults({
  at: (origin) => linkedinAt({ api: origin, site: origin }),
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
})
