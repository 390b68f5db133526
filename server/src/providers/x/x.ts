import Type from 'typebox'
import { files, images } from '../media-kinds.ts'
import type { Origins, Provider, ProviderFacts } from '../port.ts'
import { flag, settingsOf } from '../settings.ts'

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

const facts: ProviderFacts = {
  provider: 'x',
  displayName: 'X',
  atHandles: /^/,
  // Media: https://docs.x.com/x-api/media; a video of accounts without a subscription lasts up to 140 s
  // of at most 60 frames per second, and its sound has to be AAC, mono or stereo; H.264 is recommended (https://docs.x.com/x-api/media/quickstart/best-practices). Alt texts: https://docs.x.com/x-api/media/create-media-metadata
  limits: {
    maxCharacters: 280,
    characterCounting: 'x_weighted',
    subscribed: { subscriptions: ['Basic', 'Premium', 'PremiumPlus'], maxCharacters: 25_000 },
    media: {
      maxItems: 4,
      mixedKinds: false,
      maxAltCharacters: 1_000,
      kinds: [
        images(['image/jpeg', 'image/png', 'image/webp'], { maxBytes: 5_000_000, maxSide: 8_192 }),
        files('video', ['video/mp4'], {
          maxBytes: 512_000_000,
          maxSeconds: 140,
          audioCodecs: ['aac'],
          maxFrameRate: 60,
          maxAudioChannels: 2,
        }),
      ],
    },
  },
  supports: { threads: true, lookup: true, firstComment: true },
  idAt: ({ pathname }) => /\/status\/(\d+)(?:\/|$)/.exec(pathname)?.[1] ?? null,
  // The API has no key for repeats, and refuses an equal text only for a while.
  repeatable: null,
  refusesEqualTexts: true,
  settlingMs: 60_000,
  settings,
  connecting: {
    form: null,
    oauth: { fields: Type.Object({}), client: 'configured', scope: SCOPE },
  },
}

/** X at these origins: its own unless told otherwise. */
export function xAt(origins: Origins): Provider {
  return { ...facts, load: async () => (await import('./x-adapter.ts')).xAdapter(facts, origins, SCOPE) }
}

export const x = xAt({ api: 'https://api.x.com', site: 'https://x.com' })
