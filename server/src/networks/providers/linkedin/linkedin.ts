import Type from 'typebox'
import { type Bound, files, images, limitsOf } from '../port/bounds.ts'
import type { Origins, Provider, ProviderFacts } from '../port/port.ts'
import { flag, settingsOf } from '../port/settings.ts'

/** What a post shows beside its text, as the author may set it (`POSTS` in answers.ts). */
const settings = settingsOf({
  visibility: Type.Optional(
    Type.Enum(['PUBLIC', 'LOGGED_IN', 'CONNECTIONS'], {
      default: 'PUBLIC',
      description:
        'Who sees the post: everybody; members of LinkedIn; or, for members and not for pages, the first-degree connections.',
    }),
  ),
  resharing: flag(true, 'Whether others may reshare the post.'),
  linkCard: flag(
    true,
    'Whether the first link of a post without media is shown as a card with title, description and picture. LinkedIn makes none for posts by its API.',
  ),
})

/** To know who signs in, and to post as that member. */
const MEMBER_SCOPE = 'openid profile w_member_social'

const READ = '2026-11'
const SHARES = 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares'

/**
 * An image has up to 36,152,320 pixels in all: a square of 6,000 holds every one that is scaled; its bytes are ours. Derived from this table: the limits,
 * the check, and the tests.
 */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 3_000, source: `${SHARES}/posts-api`, read: READ },
  { of: 'part', measure: 'files', max: 20, source: `${SHARES}/multiimage-post-api`, read: READ },
  { of: 'alt text', measure: 'characters', max: 4_086, source: `${SHARES}/multiimage-post-api`, read: READ },
  { of: 'image', measure: 'bytes', max: 8_000_000, source: `${SHARES}/images-api`, read: READ },
  { of: 'image', measure: 'width', max: 6_000, source: `${SHARES}/images-api`, read: READ },
  { of: 'image', measure: 'height', max: 6_000, source: `${SHARES}/images-api`, read: READ },
  {
    of: 'video',
    measure: 'bytes',
    min: 75_000,
    max: 500_000_000,
    source: `${SHARES}/videos-api`,
    read: READ,
  },
  { of: 'video', measure: 'seconds', min: 3, max: 1_800, source: `${SHARES}/videos-api`, read: READ },
]

const facts: ProviderFacts = {
  provider: 'linkedin',
  displayName: 'LinkedIn',
  atHandles: null,
  limits: limitsOf(bounds, {
    characterCounting: 'linkedin',
    mixedKinds: false,
    kinds: [images(['image/jpeg', 'image/png'], ['image/gif']), files('video', ['video/mp4'])],
  }),
  bounds,
  supports: { threads: false, lookup: true },
  // What people copy often names an activity, which is not the post.
  idAt: ({ pathname }) =>
    /\/(urn:li:(?:share|ugcPost):\d+)(?:\/|$)/.exec(pathname.replaceAll(/%3a/gi, ':'))?.[1] ?? null,
  // The API has no key for repeats.
  repeatable: null,
  refusesEqualTexts: true,
  settlingMs: 60_000,
  settings,
  connecting: {
    form: null,
    oauth: {
      fields: Type.Object({
        organization: Type.Optional(
          Type.String({
            title: 'Organization',
            description:
              'the number of the page, from its admin address (linkedin.com/company/2414183/admin), or “all” to choose of yourself and the pages that you administer; leave it empty to post as yourself',
            examples: ['2414183', 'all'],
            pattern: '^(?:[0-9]{1,19}|all)$',
          }),
        ),
      }),
      client: 'configured',
      scope: MEMBER_SCOPE,
      several: true,
    },
  },
}

/** LinkedIn at these origins: its own unless told otherwise. */
export function linkedinAt(origins: Origins): Provider {
  return {
    ...facts,
    load: async () => (await import('./linkedin-adapter.ts')).linkedinAdapter(facts, origins, MEMBER_SCOPE),
  }
}

export const linkedin = linkedinAt({ api: 'https://api.linkedin.com', site: 'https://www.linkedin.com' })
