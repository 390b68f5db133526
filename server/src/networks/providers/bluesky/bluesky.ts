import Type from 'typebox'
import { type Bound, limitsOf, ours, published } from '../port/bounds.ts'
import type { Provider, ProviderFacts } from '../port/port.ts'
import { flag, line, settingsOf, stillImages } from '../port/settings.ts'
import type { Directories } from './directories.ts'

const READ = '2026-11-29'
const LEXICONS = 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky'
const POST = published(`${LEXICONS}/feed/post.json`, READ)
const IMAGES = published(`${LEXICONS}/embed/images.json`, READ)
const VIDEO = published(`${LEXICONS}/embed/video.json`, READ)
/** What Bluesky's own app takes, where the lexicons say nothing. */
const APP = published('https://github.com/bluesky-social/social-app/blob/main/src/lib/constants.ts', READ)

const TAG = { of: 'tag', measure: 'characters', max: 64, source: POST } as const
const TAGS = { of: 'tags', measure: 'count', max: 8, source: POST } as const
const LANGUAGES = { of: 'languages', measure: 'count', max: 3, source: POST } as const

/** A server may take less of a video. Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 300, source: POST },
  { of: 'text', measure: 'bytes', max: 3_000, source: POST },
  // And 640 bytes, which fewer characters than 64 of four bytes never have.
  TAG,
  TAGS,
  LANGUAGES,
  { of: 'part', measure: 'files', max: 4, source: IMAGES },
  { of: 'videos', measure: 'count', max: 1, source: VIDEO },
  { of: 'alt text', measure: 'characters', max: 2_000, source: APP },
  {
    of: 'image',
    measure: 'type',
    oneOf: ['image/jpeg', 'image/png', 'image/webp'],
    source: ours('the lexicon takes every type of image; these are what its apps show everywhere'),
  },
  {
    of: 'image',
    measure: 'animation',
    oneOf: [],
    source: ours('no page says that an image in a post moves; its apps upload animations as videos'),
  },
  { of: 'image', measure: 'bytes', max: 2_000_000, source: IMAGES },
  { of: 'image', measure: 'width', max: 4_000, source: APP },
  { of: 'image', measure: 'height', max: 4_000, source: APP },
  { of: 'video', measure: 'type', oneOf: ['video/mp4'], source: VIDEO },
  { of: 'video', measure: 'bytes', max: 300_000_000, source: VIDEO },
  { of: 'video', measure: 'seconds', max: 600, source: APP },
]

/** What a post shows beside its text, as the author may set it. */
const settings = settingsOf({
  stillImages,
  linkCard: flag(
    true,
    'Whether the first link of a part without media is shown as a card with title, description and picture. Bluesky makes none by itself.',
  ),
  languages: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$', maxLength: 35 }), {
      maxItems: LANGUAGES.max,
      uniqueItems: true,
      description: 'The languages of the text, as BCP 47 tags.',
      examples: [['en', 'pt-BR']],
    }),
  ),
  labels: Type.Optional(
    Type.Array(Type.Enum(['sexual', 'nudity', 'porn', 'graphic-media']), {
      uniqueItems: true,
      description: 'Content warnings.',
    }),
  ),
  tags: Type.Optional(
    Type.Array(line(TAG.max, { pattern: '^[^#\\s]+$' }), {
      maxItems: TAGS.max,
      uniqueItems: true,
      description: 'Hashtags besides those in the text, without `#`.',
    }),
  ),
  replies: Type.Optional(
    Type.Union(
      [
        Type.Enum(['everyone', 'nobody']),
        Type.Array(Type.Enum(['mentioned', 'followers', 'following']), { minItems: 1, uniqueItems: true }),
      ],
      { default: 'everyone', description: 'Who may reply to the first part.' },
    ),
  ),
  quotes: flag(true, 'Whether others may quote the first part.'),
})

const account = {
  title: 'Handle',
  description: 'the handle of the account, such as alice.bsky.social, or its DID',
  examples: ['alice.bsky.social'],
  maxLength: 2_048,
}

const facts: ProviderFacts = {
  provider: 'bluesky',
  displayName: 'Bluesky',
  atHandles: /^(?!did:)/,
  limits: limitsOf(bounds, {
    characterCounting: 'graphemes',
    mixedKinds: false,
  }),
  bounds,
  supports: { threads: true, lookup: true, firstComment: true },
  idAt({ pathname }, { remoteAccountId }) {
    const key = /^\/profile\/[^/]+\/post\/([\w.~:-]+)\/?$/.exec(pathname)?.[1]
    return key === undefined ? null : `at://${remoteAccountId}/app.bsky.feed.post/${key}`
  },
  // Under its record key the same record can be put any number of times, for ever. Calls in doubt are repeated for this
  // long, and looked for by their key after that.
  repeatable: { windowMs: 5 * 60_000 },
  settings,
  check: ({ mediaCount, settings: { linkCard } }) =>
    linkCard === true && mediaCount > 0
      ? [
          {
            severity: 'warning',
            message: 'Bluesky shows either media or a link card, so this post gets no card.',
            fix: 'Leave the media out, or accept that there is no card.',
          },
        ]
      : [],
  connecting: {
    form: {
      fields: Type.Object({
        handle: Type.String(account),
        appPassword: Type.String({
          title: 'App password',
          description: 'create one at Bluesky under Settings, Privacy and security, App passwords',
          format: 'password',
          maxLength: 256,
        }),
        server: Type.Optional(
          Type.String({
            title: 'Server',
            description: "the address of the account's server (PDS); by default found by the handle",
            examples: ['https://bsky.social'],
            maxLength: 255,
          }),
        ),
      }),
    },
    oauth: {
      fields: Type.Object({ handle: Type.String(account) }),
      client: 'published',
      scope: 'atproto transition:generic',
    },
  },
}

const PUBLIC_DIRECTORIES: Directories = {
  resolver: 'https://public.api.bsky.app',
  plc: 'https://plc.directory',
}

/** Bluesky, on the public network unless told otherwise. */
export function blueskyOn(directories: Directories): Provider {
  return {
    ...facts,
    load: async () => (await import('./bluesky-adapter.ts')).blueskyAdapter(facts, directories),
  }
}

export const bluesky = blueskyOn(PUBLIC_DIRECTORIES)
