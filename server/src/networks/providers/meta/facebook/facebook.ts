import Type from 'typebox'
import { answered, type Bound, limitsOf, ours, published } from '../../port/bounds.ts'
import type { PartFault, PartToCheck, Provider, ProviderFacts } from '../../port/port.ts'
import { flag, line, settingsOf, stillImages } from '../../port/settings.ts'
import type { FacebookOrigins } from './origins.ts'
import { PERMISSIONS } from './permissions.ts'
import { REEL_RATIO } from './reel.ts'
import { GRAPH_VERSION } from '../graph-version.ts'

const settings = settingsOf({
  stillImages,
  link: Type.Optional(
    line(2_000, {
      description:
        'The address whose card a post without media shows; the first link of its text when left out.',
      pattern: '^https?://[^\\s]+$',
      examples: ['https://example.com/roasting'],
    }),
  ),
  linkCard: flag(
    true,
    'Whether the first link of a post without media is shown as a card with title, description and picture.',
  ),
  reel: flag(
    false,
    'Whether the video of a post is published as a reel: upright, from 3 to 90 seconds long.',
  ),
})

const READ = '2026-11-29'
const PHOTOS = published('https://developers.facebook.com/docs/graph-api/reference/page/photos/', READ)
const REELS = published(
  'https://developers.facebook.com/documentation/video-api/guides/reels-publishing',
  READ,
)
/** “Session Initialization Phase”: 1363023 and 1363022. */
const VIDEO_ERRORS = published(
  'https://developers.facebook.com/documentation/video-api/reference/error-codes',
  READ,
)
const SENT_IN_PIECES = ours(
  'the guide to uploads in pieces, which said 1.75 GB and 45 minutes, can no longer be read; the page on errors names 2 GB and no length',
)
const AS_REEL = { name: 'reel', is: true, called: 'a reel on Facebook' } as const

/** Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  {
    of: 'text',
    measure: 'characters',
    max: 63_206,
    source: ours('Facebook itself is said to take so many; the pages of its API name no limit of a message'),
  },
  {
    of: 'part',
    measure: 'files',
    max: 10,
    source: ours('the page on photos names no limit of the photos in a post; so many always went'),
  },
  {
    of: 'videos',
    measure: 'count',
    max: 1,
    source: ours('a video is a post of its own: one call makes both'),
  },
  {
    of: 'alt text',
    measure: 'characters',
    max: 1_000,
    source: ours(
      'the page on photos names no limit of `alt_text_custom`; Instagram and Threads take so many',
    ),
  },
  {
    of: 'image',
    measure: 'type',
    oneOf: ['image/jpeg', 'image/png'],
    source: PHOTOS,
  },
  {
    of: 'image',
    measure: 'animation',
    oneOf: [],
    source: ours('no page says that a GIF in a photo post moves, and Facebook makes stills of them'),
  },
  // The page says 10 MB, and Facebook refuses photos with these words: the smaller of the two.
  {
    of: 'image',
    measure: 'bytes',
    max: 4_000_000,
    source: answered('https://github.com/ralfstx/minimal-json/issues/124', READ),
  },
  {
    of: 'image',
    measure: 'width',
    max: 8_192,
    source: ours('no page names a width; no larger one is shown, and a picture of this size fits 4 MB'),
  },
  {
    of: 'image',
    measure: 'height',
    max: 8_192,
    source: ours('no page names a height; no larger one is shown, and a picture of this size fits 4 MB'),
  },
  {
    of: 'video',
    measure: 'type',
    oneOf: ['video/mp4', 'video/quicktime'],
    source: ours('Facebook takes many types, and Meta recommends these two'),
  },
  { of: 'video', measure: 'bytes', max: 1_750_000_000, source: SENT_IN_PIECES },
  { of: 'video', measure: 'bytes', min: 1_024, source: VIDEO_ERRORS },
  { of: 'video', measure: 'seconds', max: 2_700, source: SENT_IN_PIECES },
  { of: 'video', measure: 'seconds', min: 3, max: 90, source: REELS, setting: AS_REEL },
  { of: 'video', measure: 'width', min: 540, source: REELS, setting: AS_REEL },
  { of: 'video', measure: 'height', min: 960, source: REELS, setting: AS_REEL },
  {
    of: 'video',
    measure: 'ratio',
    min: REEL_RATIO - 0.01,
    max: REEL_RATIO + 0.01,
    source: REELS,
    setting: AS_REEL,
  },
  { of: 'video', measure: 'frame rate', min: 24, max: 60, source: REELS, setting: AS_REEL },
  {
    of: 'video',
    measure: 'video codec',
    oneOf: ['h264', 'hevc', 'vp9', 'av1'],
    source: REELS,
    setting: AS_REEL,
  },
  { of: 'video', measure: 'audio codec', oneOf: ['aac'], source: REELS, setting: AS_REEL },
]

const facts: ProviderFacts = {
  provider: 'facebook',
  displayName: 'Facebook',
  atHandles: null,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: false,
  }),
  bounds,
  supports: { threads: false, lookup: true, firstComment: true },
  drafts: { endAfterMs: null },
  idAt,
  // To show again what is shown already makes nothing new; a comment has no key, and a reel is asked about by its video.
  repeatable: { windowMs: 5 * 60_000, ifServerKeepsKeys: true },
  settlingMs: 60_000,
  settings,
  check: checkPost,
  apiVersion: GRAPH_VERSION,
  connecting: {
    form: null,
    oauth: {
      fields: Type.Object({}),
      client: 'configured',
      scope: PERMISSIONS.join(','),
      several: true,
    },
  },
}

/** Addresses with a number tell it; the ones with `pfbid` do not. */
function idAt(
  { pathname, searchParams }: URL,
  { remoteAccountId: page }: { readonly remoteAccountId: string },
): string | null {
  const whole = /^\/(\d+_\d+)\/?$/.exec(pathname)?.[1]
  if (whole !== undefined) return whole
  const post = /^\/[^/]+\/posts\/(?:[^/]+\/)?(\d+)\/?$/.exec(pathname)?.[1]
  const story = pathname === '/permalink.php' ? (searchParams.get('story_fbid') ?? '') : ''
  const number = post ?? (/^\d+$/.test(story) ? story : undefined)
  if (number !== undefined) return `${page}_${number}`
  const watched = /^\/watch\/?$/.test(pathname) ? (searchParams.get('v') ?? '') : ''
  const video =
    /^\/(?:reel|[^/]+\/videos(?:\/[^/]+)?)\/(\d+)\/?$/.exec(pathname)?.[1] ??
    (/^\d+$/.test(watched) ? watched : undefined)
  return video ?? null
}

function checkPost({
  kind: part,
  mediaKinds,
  mediaCount,
  settings: { link, reel },
}: PartToCheck): PartFault[] {
  if (part === 'first_comment') return []
  const faults: PartFault[] = []
  const videos = mediaKinds.filter((kind) => kind === 'video').length
  if (reel === true && (mediaCount !== 1 || (mediaKinds.length === 1 && videos === 0))) {
    faults.push({
      severity: 'error',
      message: 'A reel on Facebook is one video.',
      fix: 'Attach one video, or leave `reel` out.',
    })
  }
  if (link !== undefined && mediaCount > 0) {
    faults.push({
      severity: 'error',
      message: 'A Facebook post with media shows no link card.',
      fix: 'Leave `link` out and write the address in the text, or leave the media out.',
    })
  }
  return faults
}

/** Facebook at these origins: its own unless told otherwise. */
export function facebookAt(origins: FacebookOrigins): Provider {
  return {
    ...facts,
    load: async () => (await import('./facebook-adapter.ts')).facebookAdapter(facts, origins),
  }
}

export const facebook = facebookAt({
  api: 'https://graph.facebook.com',
  site: 'https://www.facebook.com',
  video: 'https://graph-video.facebook.com',
})
