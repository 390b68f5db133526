import Type from 'typebox'
import { type Bound, files, images, limitsOf } from '../port/bounds.ts'
import type { Origins, PartFault, PartToCheck, Provider, ProviderFacts } from '../port/port.ts'
import { flag, settingsOf } from '../port/settings.ts'

/** What a post shows beside its text, as the author may set it (https://docs.x.com/x-api/posts/create-post). */
const settings = settingsOf({
  replies: Type.Optional(
    Type.Enum(['everyone', 'following', 'mentionedUsers', 'subscribers', 'verified'], {
      default: 'everyone',
      description:
        'Who may reply to the first part: everyone, accounts that the author follows, accounts that are mentioned, subscribers, or verified accounts.',
    }),
  ),
  madeWithAi: flag(false, 'Whether the media are disclosed as made with AI.'),
  paidPartnership: flag(false, 'Whether the post is disclosed as a paid partnership.'),
  communityId: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,19}$',
      description: 'The community that the first part is posted to; the account has to be a member.',
      examples: ['1146654567674912769'],
    }),
  ),
})

/** `offline.access` is what brings a refresh token (https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code). */
const SCOPE = 'tweet.read tweet.write users.read media.write offline.access'

const READ = '2026-11'
const DOCS = 'https://docs.x.com'
const MEDIA = `${DOCS}/x-api/media/quickstart/best-practices`

/** Of accounts without a subscription. Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 280, source: `${DOCS}/x-api/posts/create-post`, read: READ },
  { of: 'part', measure: 'files', max: 4, source: MEDIA, read: READ },
  {
    of: 'alt text',
    measure: 'characters',
    max: 1_000,
    source: `${DOCS}/x-api/media/create-media-metadata`,
    read: READ,
  },
  { of: 'image', measure: 'bytes', max: 5_000_000, source: MEDIA, read: READ },
  { of: 'image', measure: 'width', min: 4, max: 8_192, source: MEDIA, read: READ },
  { of: 'image', measure: 'height', min: 4, max: 8_192, source: MEDIA, read: READ },
  { of: 'video', measure: 'bytes', max: 512_000_000, source: MEDIA, read: READ },
  { of: 'video', measure: 'seconds', min: 0.5, max: 140, source: MEDIA, read: READ },
  { of: 'video', measure: 'ratio', min: 1 / 3, max: 3, source: MEDIA, read: READ },
]

const facts: ProviderFacts = {
  provider: 'x',
  displayName: 'X',
  atHandles: /^/,
  limits: {
    ...limitsOf(bounds, {
      characterCounting: 'x_weighted',
      mixedKinds: false,
      kinds: [
        images(['image/jpeg', 'image/png', 'image/webp'], ['image/gif']),
        // H.264 is recommended, and another codec is not refused (best-practices).
        files('video', ['video/mp4'], { audioCodecs: ['aac'], maxFrameRate: 60, maxAudioChannels: 2 }),
      ],
    }),
    subscribed: { subscriptions: ['Basic', 'Premium', 'PremiumPlus'], maxCharacters: 25_000 },
  },
  bounds,
  supports: { threads: true, lookup: true, firstComment: true },
  idAt: ({ pathname }) => /\/status\/(\d+)(?:\/|$)/.exec(pathname)?.[1] ?? null,
  // The API has no key for repeats, and refuses an equal text only for a while.
  repeatable: null,
  check: checkAnimation,
  refusesEqualTexts: true,
  settlingMs: 60_000,
  settings,
  connecting: {
    form: null,
    oauth: { fields: Type.Object({}), client: 'configured', scope: SCOPE },
  },
}

/** One animation, or up to four pictures (`MEDIA`). */
function checkAnimation({ mediaCount, mediaSizes }: PartToCheck): PartFault[] {
  if (mediaCount < 2 || !mediaSizes.some(({ animated }) => animated === true)) return []
  return [
    {
      severity: 'error',
      message: 'A post on X shows one animation, without other images.',
      fix: 'Keep the animation alone, or move it to a follow-up.',
    },
  ]
}

/** X at these origins: its own unless told otherwise. */
export function xAt(origins: Origins): Provider {
  return { ...facts, load: async () => (await import('./x-adapter.ts')).xAdapter(facts, origins, SCOPE) }
}

export const x = xAt({ api: 'https://api.x.com', site: 'https://x.com' })
