import { expect, test } from 'vitest'
import { providers } from './registry.ts'

/* A person copies an address; what is kept, and replied to, is the id. */

const DID = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'

/** Of each network: the account, addresses that tell an id, and such that do not. */
const cases: Readonly<
  Record<string, { account: string; told: readonly [string, string][]; untold: readonly string[] }>
> = {
  bluesky: {
    account: DID,
    told: [
      [`https://bsky.app/profile/${DID}/post/3lbxyz`, `at://${DID}/app.bsky.feed.post/3lbxyz`],
      ['https://bsky.app/profile/ada.bsky.social/post/3lbxyz', `at://${DID}/app.bsky.feed.post/3lbxyz`],
    ],
    untold: ['https://bsky.app/profile/ada.bsky.social', 'https://bsky.app/profile/a/feed/3lbxyz'],
  },
  discord: {
    account: '20',
    told: [['https://discord.com/channels/10/20/30', '30']],
    untold: ['https://discord.com/channels/10/20', 'https://discord.com/channels/@me'],
  },
  facebook: {
    account: '1001',
    told: [
      ['https://www.facebook.com/1001_7', '1001_7'],
      ['https://www.facebook.com/exampleroasters/posts/7', '1001_7'],
      ['https://www.facebook.com/permalink.php?story_fbid=7&id=1001', '1001_7'],
      ['https://www.facebook.com/reel/9/', '9'],
      ['https://www.facebook.com/watch/?v=9', '9'],
      ['https://www.facebook.com/exampleroasters/videos/9/', '9'],
    ],
    untold: [
      'https://www.facebook.com/exampleroasters/posts/pfbid02ab',
      'https://www.facebook.com/exampleroasters',
      'https://www.facebook.com/permalink.php?story_fbid=pfbid0&id=1001',
    ],
  },
  instagram: {
    account: '7',
    told: [],
    untold: ['https://www.instagram.com/p/C91/', 'https://www.instagram.com/coffee/'],
  },
  linkedin: {
    account: 'urn:li:person:a',
    told: [
      ['https://www.linkedin.com/feed/update/urn:li:share:7/', 'urn:li:share:7'],
      ['https://www.linkedin.com/feed/update/urn%3Ali%3AugcPost%3A7?utm_source=share', 'urn:li:ugcPost:7'],
    ],
    untold: [
      'https://www.linkedin.com/feed/update/urn:li:activity:7/',
      'https://www.linkedin.com/posts/ada_words-activity-7-abcd',
      'https://www.linkedin.com/feed/update/%E0%A4%A',
    ],
  },
  mastodon: {
    account: 'example.social/1',
    told: [
      ['https://example.social/@ada/113', '113'],
      ['https://example.social/@ada/statuses/01JD9W3FDKR0M2N8QKZ1T6V5XY', '01JD9W3FDKR0M2N8QKZ1T6V5XY'],
    ],
    untold: [
      'https://other.social/@ada/113',
      'https://example.social/@ada',
      'https://example.social/ada/p/1763858.12',
    ],
  },
  nostr: {
    account: '7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e',
    told: [
      [
        'https://njump.me/note1fntxtkcy9pjwucqwa9mddn7v03wwwsu9j330jj350nvhpky2tuaspk6nqc',
        '4cd665db042864ee600ee976d6cfcc7c5ce743859462f94a347cd970d88a5f3b',
      ],
    ],
    untold: [
      'https://njump.me/npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg',
      'https://njump.me/note1fntxtkcy9pjwucqwa9mddn7v03wwwsu9j330jj350nvhpky2tuaspk6nqd',
    ],
  },
  telegram: {
    account: '-1001234',
    told: [
      ['https://t.me/example/12', '12'],
      ['https://t.me/c/1234/5/12?single', '12'],
    ],
    untold: ['https://t.me/example', 'https://t.me/12'],
  },
  youtube: {
    account: 'UC7',
    told: [
      ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=3s', 'dQw4w9WgXcQ'],
      ['https://youtu.be/dQw4w9WgXcQ?si=abc', 'dQw4w9WgXcQ'],
      ['https://www.youtube.com/shorts/dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
    ],
    untold: ['https://www.youtube.com/@ada', 'https://youtu.be/', 'https://www.youtube.com/watch?v=short'],
  },
  threads: {
    account: '7',
    told: [],
    untold: ['https://www.threads.com/@coffee/post/C91', 'https://www.threads.com/@coffee'],
  },
  wordpress: {
    account: 'example.com/1',
    told: [['https://example.com/?p=12', '12']],
    untold: ['https://example.com/hello/', 'https://example.com/?p=hello'],
  },
  x: {
    account: '1',
    told: [
      ['https://x.com/ada/status/123?s=20', '123'],
      ['https://twitter.com/ada/status/123/photo/1', '123'],
    ],
    untold: ['https://x.com/ada', 'https://t.co/abc'],
  },
  'sandbox-short': {
    account: 'a',
    told: [['http://127.0.0.1:4300/@ada/7', '7']],
    untold: ['http://127.0.0.1:4300/@ada', 'https://example.com/77'],
  },
  'sandbox-professional': {
    account: 'a',
    told: [['http://127.0.0.1:4300/@ada/7', '7']],
    untold: ['http://127.0.0.1:4300/'],
  },
}

test.each([...providers.values()])('$provider: an address that a person copied', ({ provider, idAt }) => {
  const { account, told, untold } = cases[provider]!
  const read = (address: string) => idAt(new URL(address), { remoteAccountId: account })
  expect(told.map(([address]) => read(address))).toEqual(told.map(([, id]) => id))
  expect(untold.map(read)).toEqual(untold.map(() => null))
})
