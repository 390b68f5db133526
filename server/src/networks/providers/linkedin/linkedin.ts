import Type from 'typebox'
import { type Bound, copied, limitsOf, ours, published } from '../port/bounds.ts'
import type { Origins, Provider, ProviderFacts } from '../port/port.ts'
import { flag, settingsOf } from '../port/settings.ts'
import { API_VERSION } from './api-version.ts'

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

const READ = '2026-11-29'
const SHARES = 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares'
const MULTI_IMAGE = published(`${SHARES}/multiimage-post-api`, READ)
/** Its pages of the API are long, and of these only the beginnings could be read. */
const GUIDE = 'https://www.ayrshare.com/docs/media-guidelines/linkedin'
const IMAGES = copied(GUIDE, `${SHARES}/images-api`, READ)
const VIDEOS = copied(GUIDE, `${SHARES}/videos-api`, READ)

/** Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  {
    of: 'text',
    measure: 'characters',
    max: 3_000,
    source: copied(
      'https://help.blotato.com/platforms/linkedin/supported-posts-and-media',
      `${SHARES}/posts-api`,
      READ,
    ),
  },
  { of: 'part', measure: 'files', max: 20, source: MULTI_IMAGE },
  {
    of: 'videos',
    measure: 'count',
    max: 1,
    source: ours('a post has one video or several images: the API has no field for more'),
  },
  {
    of: 'alt text',
    measure: 'characters',
    max: 4_086,
    source: ours('as the API is said to take it; its page could be read in its beginning alone'),
  },
  { of: 'image', measure: 'type', oneOf: ['image/jpeg', 'image/png'], source: IMAGES },
  { of: 'image', measure: 'animation', oneOf: ['image/gif'], source: IMAGES },
  {
    of: 'image',
    measure: 'bytes',
    max: 8_000_000,
    source: ours('the page on images is said to name pixels alone; others say 5 or 8 MB'),
  },
  { of: 'image', measure: 'pixels', max: 36_152_319, source: IMAGES },
  { of: 'video', measure: 'type', oneOf: ['video/mp4'], source: VIDEOS },
  { of: 'video', measure: 'bytes', max: 500_000_000, source: VIDEOS },
  {
    of: 'video',
    measure: 'bytes',
    min: 75_000,
    source: copied(
      'https://app.system4win.com/amp/linkedin-coaching-eng/c/0/i/78036369/kopie-von-posting-formate',
      `${SHARES}/videos-api`,
      READ,
    ),
  },
  { of: 'video', measure: 'seconds', min: 3, max: 1_800, source: VIDEOS },
  { of: 'video', measure: 'ratio', min: 1 / 2.4, max: 2.4, source: VIDEOS },
]

const facts: ProviderFacts = {
  provider: 'linkedin',
  displayName: 'LinkedIn',
  atHandles: null,
  limits: limitsOf(bounds, {
    characterCounting: 'linkedin',
    mixedKinds: false,
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
  apiVersion: API_VERSION,
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
