import Type from 'typebox'
import { answered, type Bound, copied, limitsOf, ours, published } from '../port/bounds.ts'
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

const READ = '2026-11-29'
const DOCS = 'https://docs.x.com'
const COUNTING = published(`${DOCS}/fundamentals/counting-characters`, READ)
/** “Image specifications”, “Animated GIF recommendations”, and “Advanced” of videos. */
const MEDIA = published(`${DOCS}/x-api/media/quickstart/best-practices`, READ)
/** “Image dimensions must be >= 4x4 and <= 8192x8192.” */
const DIMENSIONS = answered('https://github.com/DocNow/diffengine/issues/18', READ)

/**
 * Of accounts without a subscription. Not here: that a video is between 32 × 32 and 1,280 × 1,024 pixels, of which the same page recommends
 * 720 × 1,280 and lets subscribers upload 1,080p: the least of it alone; and the frames of an animation, which are not counted. Derived from
 * this table: the limits, the check, and the tests.
 */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 280, source: COUNTING },
  { of: 'part', measure: 'files', max: 4, source: MEDIA },
  { of: 'videos', measure: 'count', max: 1, source: MEDIA },
  { of: 'animations', measure: 'count', max: 1, source: MEDIA },
  {
    of: 'alt text',
    measure: 'characters',
    max: 1_000,
    source: published(`${DOCS}/x-api/media/create-media-metadata`, READ),
  },
  { of: 'image', measure: 'type', oneOf: ['image/jpeg', 'image/png', 'image/webp'], source: MEDIA },
  { of: 'image', measure: 'animation', oneOf: ['image/gif'], source: MEDIA },
  { of: 'image', measure: 'bytes', max: 5_000_000, source: MEDIA },
  { of: 'image', measure: 'width', min: 4, max: 8_192, source: DIMENSIONS },
  { of: 'image', measure: 'height', min: 4, max: 8_192, source: DIMENSIONS },
  { of: 'image', measure: 'bytes', max: 15_000_000, animated: true, source: MEDIA },
  { of: 'image', measure: 'width', min: 4, max: 1_280, animated: true, source: MEDIA },
  { of: 'image', measure: 'height', min: 4, max: 1_080, animated: true, source: MEDIA },
  {
    of: 'video',
    measure: 'type',
    oneOf: ['video/mp4'],
    source: ours('the API takes four types of videos; what is said of their coding is said of this one'),
  },
  { of: 'video', measure: 'bytes', max: 512_000_000, source: MEDIA },
  { of: 'video', measure: 'seconds', min: 0.5, max: 140, source: MEDIA },
  { of: 'video', measure: 'ratio', min: 1 / 3, max: 3, source: MEDIA },
  { of: 'video', measure: 'width', min: 32, source: MEDIA },
  { of: 'video', measure: 'height', min: 32, source: MEDIA },
  // H.264 is recommended, and another codec is not refused.
  { of: 'video', measure: 'audio codec', oneOf: ['aac'], source: MEDIA },
  { of: 'video', measure: 'frame rate', max: 60, source: MEDIA },
  { of: 'video', measure: 'audio channels', max: 2, source: MEDIA },
]

/** Of accounts with a subscription. */
const LONG_POST = {
  of: 'text',
  measure: 'characters',
  max: 25_000,
  source: copied(
    'https://publer.com/docs/posting/create-posts/content-types/platform-specific-formats/twitter-x-long-form-posts',
    'https://help.x.com/en/using-x/x-premium',
    READ,
  ),
} as const satisfies Bound

const facts: ProviderFacts = {
  provider: 'x',
  displayName: 'X',
  atHandles: /^/,
  limits: {
    ...limitsOf(bounds, {
      characterCounting: 'x_weighted',
      mixedKinds: false,
    }),
    subscribed: { subscriptions: ['Basic', 'Premium', 'PremiumPlus'], maxCharacters: LONG_POST.max },
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
  apiVersion: { name: '2', endsOn: null },
  connecting: {
    form: null,
    oauth: { fields: Type.Object({}), client: 'configured', scope: SCOPE },
  },
}

/** One animation, or up to four pictures (`MEDIA`); of several animations, the table says so. */
function checkAnimation({ mediaCount, mediaSizes }: PartToCheck): PartFault[] {
  const animations = mediaSizes.filter(({ animated }) => animated === true).length
  if (mediaCount < 2 || animations !== 1) return []
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
