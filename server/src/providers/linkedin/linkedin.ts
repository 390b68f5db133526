import Type from 'typebox'
import { files, images } from '../media-kinds.ts'
import type { Origins, Provider, ProviderFacts } from '../port.ts'
import { flag, settingsOf } from '../settings.ts'

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

const facts: ProviderFacts = {
  provider: 'linkedin',
  displayName: 'LinkedIn',
  atHandles: null,
  // Images: up to 36,152,320 pixels, up to 20 in a post; videos: MP4 from 75 kB to 500 MB, from 3 s to 30 min.
  // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api, multiimage-post-api, videos-api
  limits: {
    maxCharacters: 3_000,
    characterCounting: 'linkedin',
    media: {
      maxItems: 20,
      mixedKinds: false,
      maxAltCharacters: 4_086,
      kinds: [
        images(['image/jpeg', 'image/png'], { maxBytes: 8_000_000, maxSide: 6_000 }),
        files('video', ['video/mp4'], { maxBytes: 500_000_000, maxSeconds: 1_800 }),
      ],
    },
  },
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
