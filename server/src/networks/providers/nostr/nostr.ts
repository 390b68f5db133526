import Type from 'typebox'
import { countCharacters } from '../shared/characters.ts'
import { type Bound, limitsOf, ours } from '../port/bounds.ts'
import type { PartFault, PartToCheck, Provider, ProviderFacts } from '../port/port.ts'
import { line, settingsOf } from '../port/settings.ts'
import { eventIn } from './nip19.ts'
import type { NostrPlaces } from './places.ts'

const NOBODY = ours('the protocol has no limit of it, and each media server its own')
const OF_AN_EVENT = ours(
  'the commonest relay takes an event of 64 KiB (`maxEventSize` of strfry); the rest is for its tags and its signature',
)
const TYPES = ours('a media server takes every type; these are what apps show')

const WARNING = { of: 'content warning', measure: 'characters', max: 500, source: OF_AN_EVENT } as const
const TAG = { of: 'tag', measure: 'characters', max: 64, source: OF_AN_EVENT } as const
const TAGS = { of: 'tags', measure: 'count', max: 20, source: OF_AN_EVENT } as const

/**
 * Nostr has no limit, relays have: what an account's own relays say of themselves (NIP-11) is its limit where it is less. Derived from this
 * table: the limits, the check, and the tests.
 */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 50_000, source: OF_AN_EVENT },
  { of: 'text', measure: 'bytes', max: 50_000, source: OF_AN_EVENT },
  WARNING,
  TAG,
  TAGS,
  { of: 'part', measure: 'files', max: 10, source: OF_AN_EVENT },
  { of: 'alt text', measure: 'characters', max: 2_000, source: OF_AN_EVENT },
  {
    of: 'image',
    measure: 'type',
    oneOf: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
    source: TYPES,
  },
  { of: 'image', measure: 'animation', oneOf: ['image/webp', 'image/gif'], source: TYPES },
  { of: 'image', measure: 'bytes', max: 20_000_000, source: NOBODY },
  { of: 'video', measure: 'type', oneOf: ['video/mp4', 'video/webm'], source: TYPES },
  { of: 'video', measure: 'bytes', max: 100_000_000, source: NOBODY },
]

/** What a note carries beside its text, as the author may set it. */
const settings = settingsOf({
  contentWarning: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: WARNING.max,
      description: 'Why the note is sensitive. Apps hide it behind this until a reader opens it (NIP-36).',
    }),
  ),
  tags: Type.Optional(
    Type.Array(line(TAG.max, { pattern: '^[^#\\s]+$' }), {
      maxItems: TAGS.max,
      uniqueItems: true,
      description: 'Hashtags besides those in the text, without `#`.',
    }),
  ),
})

/** What the address of a file takes of a text, with the line that it stands in. */
const ADDRESS_CHARACTERS = 200

const facts: ProviderFacts = {
  provider: 'nostr',
  displayName: 'Nostr',
  atHandles: null,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: true,
  }),
  bounds,
  supports: { threads: true, lookup: true },
  // Of any page that shows notes: njump.me, primal.net and others end with the note.
  idAt({ pathname }) {
    const last = pathname.replace(/\/$/, '').split('/').at(-1) ?? ''
    return /^[0-9a-f]{64}$/.test(last) ? last : (eventIn(last)?.id ?? null)
  },
  // The id of a note is its digest: a relay that has it makes nothing of it again.
  repeatable: { windowMs: 5 * 60_000 },
  settings,
  check: checkAddresses,
  connecting: {
    form: {
      fields: Type.Object({
        secretKey: Type.String({
          title: 'Private key or remote signer',
          description:
            'the key of the account (nsec1… or 64 hex digits), or the address of a remote signer (bunker://…)',
          format: 'password',
          maxLength: 2_000,
        }),
        relays: Type.Optional(
          Type.String({
            title: 'Relays',
            description: 'more relays to publish to, separated by spaces',
            examples: ['wss://relay.example.com'],
            maxLength: 2_000,
          }),
        ),
        mediaServer: Type.Optional(
          Type.String({
            title: 'Media server',
            description:
              "a Blossom server for images and videos; by default the first in the account's list, or a public one",
            examples: ['https://blossom.example.com'],
            maxLength: 255,
          }),
        ),
      }),
    },
    oauth: null,
  },
}

/** The addresses of media stand in the text of a note. */
function checkAddresses({ text, mediaCount, limits }: PartToCheck): PartFault[] {
  const { maxCharacters, characterCounting } = limits
  const characters = countCharacters(text, characterCounting)
  const over = characters + mediaCount * ADDRESS_CHARACTERS - maxCharacters
  if (mediaCount === 0 || over <= 0 || characters > maxCharacters) return []
  return [
    {
      severity: 'error',
      message: `On Nostr, the addresses of media are part of the text. With them, this post is up to ${over} characters over the ${maxCharacters} that the account's relays take.`,
      fix: `Shorten the text by ${over} characters, or move the media to a follow-up.`,
    },
  ]
}

/** Relays that most apps ask for profiles and relay lists, and the media server of Primal, which takes files of everybody. */
const PUBLIC_PLACES: NostrPlaces = {
  directory: ['wss://purplepag.es', 'wss://relay.damus.io', 'wss://relay.primal.net', 'wss://nos.lol'],
  mediaServer: 'https://blossom.primal.net',
}

/** Nostr, with the directory of the public network unless told otherwise. */
export function nostrOn(places: NostrPlaces): Provider {
  return {
    ...facts,
    load: async () => (await import('./nostr-adapter.ts')).nostrAdapter(facts, places),
  }
}

export const nostr = nostrOn(PUBLIC_PLACES)
