import Type from 'typebox'
import { codecFaults } from '../../shared/codec-faults.ts'
import { type Bound, files, images, limitsOf } from '../../port/bounds.ts'
import type { MediaSize, PartFault, PartToCheck, Provider, ProviderFacts } from '../../port/port.ts'
import { flag, line, settingsOf, stillImages } from '../../port/settings.ts'
import type { FacebookOrigins } from './origins.ts'
import { PERMISSIONS } from './permissions.ts'
import { REEL_RATIO } from './reel.ts'

const REELS = 'https://developers.facebook.com/docs/video-api/guides/reels-publishing'
/** "Video Specifications" of that page. */
const REEL_CODING = {
  videoCodecs: ['h264', 'hevc', 'vp9', 'av1'],
  audioCodecs: ['aac'],
  minFrameRate: 24,
  maxFrameRate: 60,
}

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

const READ = '2026-11'
const DOCS = 'https://developers.facebook.com/docs/graph-api'
const AS_REEL = { name: 'reel', is: true, called: 'a reel on Facebook' } as const

/**
 * Videos sent in pieces: the smaller of what two pages of video-uploads name (the newer one: 10 GB and 4 hours). Meta documents no limit of
 * texts, alt texts and photos in a post: 63,206 is what Facebook itself is said to take, the others are ours. Derived from this table: the
 * limits, the check, and the tests.
 */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 63_206, source: `${DOCS}/reference/page/feed`, read: READ },
  { of: 'part', measure: 'files', max: 10, source: `${DOCS}/reference/page/feed`, read: READ },
  { of: 'alt text', measure: 'characters', max: 1_000, source: `${DOCS}/reference/page/photos`, read: READ },
  { of: 'image', measure: 'bytes', max: 4_000_000, source: `${DOCS}/photo-uploads`, read: READ },
  { of: 'image', measure: 'width', max: 8_192, source: `${DOCS}/photo-uploads`, read: READ },
  { of: 'image', measure: 'height', max: 8_192, source: `${DOCS}/photo-uploads`, read: READ },
  { of: 'video', measure: 'bytes', max: 1_750_000_000, source: `${DOCS}/video-uploads`, read: READ },
  { of: 'video', measure: 'seconds', max: 2_700, source: `${DOCS}/video-uploads`, read: READ },
  { of: 'video', measure: 'seconds', min: 3, max: 90, source: REELS, read: READ, setting: AS_REEL },
  { of: 'video', measure: 'width', min: 540, source: REELS, read: READ, setting: AS_REEL },
  { of: 'video', measure: 'height', min: 960, source: REELS, read: READ, setting: AS_REEL },
  {
    of: 'video',
    measure: 'ratio',
    min: REEL_RATIO - 0.01,
    max: REEL_RATIO + 0.01,
    source: REELS,
    read: READ,
    setting: AS_REEL,
  },
]

const facts: ProviderFacts = {
  provider: 'facebook',
  displayName: 'Facebook',
  atHandles: null,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: false,
    kinds: [images(['image/jpeg', 'image/png']), files('video', ['video/mp4', 'video/quicktime'])],
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
  mediaSizes,
  settings: { link, reel },
}: PartToCheck): PartFault[] {
  if (part === 'first_comment') return []
  const faults: PartFault[] = []
  const videos = mediaKinds.filter((kind) => kind === 'video').length
  if (videos > 1) {
    faults.push({
      severity: 'error',
      message: 'A post on Facebook shows one video.',
      fix: 'Keep one video, and publish the others as separate posts.',
    })
  }
  if (reel === true && (mediaCount !== 1 || (mediaKinds.length === 1 && videos === 0))) {
    faults.push({
      severity: 'error',
      message: 'A reel on Facebook is one video.',
      fix: 'Attach one video, or leave `reel` out.',
    })
  }
  if (reel === true) faults.push(...mediaSizes.filter(({ kind }) => kind === 'video').flatMap(reelFaults))
  if (link !== undefined && mediaCount > 0) {
    faults.push({
      severity: 'error',
      message: 'A Facebook post with media shows no link card.',
      fix: 'Leave `link` out and write the address in the text, or leave the media out.',
    })
  }
  return faults
}

function reelFaults(video: MediaSize): PartFault[] {
  return codecFaults(video, REEL_CODING, 'Facebook Reels').map((fault) => ({ severity: 'error', ...fault }))
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
