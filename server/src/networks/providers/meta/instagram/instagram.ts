import Type from 'typebox'
import { DAY_MS } from '../meta-containers.ts'
import { type Bound, limitsOf, published } from '../../port/bounds.ts'
import { metaCoding } from '../meta-coding.ts'
import type { Origins, PartFault, PartToCheck, Provider, ProviderFacts } from '../../port/port.ts'
import { flag, settingsOf, stillImages } from '../../port/settings.ts'
import { PERMISSIONS } from './permissions.ts'
import { GRAPH_VERSION } from '../graph-version.ts'

/** https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media */
const settings = settingsOf({
  stillImages,
  story: flag(false, 'Whether the image or video is published as a story, for 24 hours and without a text.'),
  shareToFeed: flag(true, 'Whether a reel is shown in the feed of the profile, too.'),
})

const HASHTAG = /(?<![\p{L}\p{N}_&])#[\p{L}\p{N}_]+/gu
const MENTION = /(?<![\w/@.])@[\w.]{1,30}/g
const READ = '2026-11-29'
/** "Image", "Reel" and "Story Video Specifications", and `caption`, `alt_text` and `children`. */
const MEDIA = published(
  'https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media',
  READ,
)
const IN_FEED = { name: 'story', is: false, called: 'Instagram' } as const
const AS_STORY = { name: 'story', is: true, called: 'a story on Instagram' } as const

/** Of a caption; a first comment is held to them, too, since Instagram is not known to take more of one. */
const HASHTAGS = { of: 'hashtags', measure: 'count', max: 30, source: MEDIA } as const
const MENTIONS = { of: 'mentions', measure: 'count', max: 20, source: MEDIA } as const

/** Wider images are scaled there, and narrower than 320 pixels, too. Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 2_200, source: MEDIA },
  HASHTAGS,
  MENTIONS,
  { of: 'part', measure: 'files', max: 10, source: MEDIA },
  { of: 'alt text', measure: 'characters', max: 1_000, source: MEDIA },
  { of: 'image', measure: 'type', oneOf: ['image/jpeg'], source: MEDIA },
  { of: 'image', measure: 'animation', oneOf: [], source: MEDIA },
  { of: 'image', measure: 'bytes', max: 8_000_000, source: MEDIA },
  { of: 'image', measure: 'width', max: 1_440, source: MEDIA },
  { of: 'image', measure: 'ratio', min: 4 / 5, max: 1.91, source: MEDIA, setting: IN_FEED },
  { of: 'video', measure: 'type', oneOf: ['video/mp4', 'video/quicktime'], source: MEDIA },
  // Copies of before 2026 say 1 GB of a reel.
  { of: 'video', measure: 'bytes', max: 300_000_000, source: MEDIA },
  { of: 'video', measure: 'width', max: 1_920, source: MEDIA },
  { of: 'video', measure: 'seconds', min: 3, max: 900, source: MEDIA },
  { of: 'video', measure: 'ratio', min: 0.01, max: 10, source: MEDIA, setting: IN_FEED },
  { of: 'video', measure: 'ratio', min: 0.1, max: 10, source: MEDIA, setting: AS_STORY },
  { of: 'video', measure: 'bytes', max: 100_000_000, source: MEDIA, setting: AS_STORY },
  { of: 'video', measure: 'seconds', max: 60, source: MEDIA, setting: AS_STORY },
  ...metaCoding(MEDIA),
]

const facts: ProviderFacts = {
  provider: 'instagram',
  displayName: 'Instagram',
  atHandles: /^/,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: true,
  }),
  bounds,
  supports: { threads: false, lookup: true, firstComment: true },
  fetchesMedia: true,
  drafts: { endAfterMs: DAY_MS },
  // Addresses have a short code, from which the id does not follow.
  idAt: () => null,
  // That a container which was published is refused is not documented: nothing is repeated on the strength of it.
  repeatable: null,
  settlingMs: 60_000,
  settings,
  check,
  app: 'FACEBOOK',
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

const error = (message: string, fix: string) => ({ severity: 'error', message, fix }) as const

function check(part: PartToCheck): readonly PartFault[] {
  const { kind, text, settings: own } = part
  const isStory = own['story'] === true
  if (kind === 'first_comment') {
    return isStory
      ? [error('A story on Instagram has no comments.', 'Leave `firstComment` or `story` out.')]
      : tagFaults(text, 'comment')
  }
  return [...mediaFaults(part), ...(isStory ? storyFaults(part) : tagFaults(text, 'caption'))]
}

function tagFaults(text: string, where: 'caption' | 'comment'): PartFault[] {
  const faults: PartFault[] = []
  const hashtags = (text.match(HASHTAG) ?? []).length
  const mentions = (text.match(MENTION) ?? []).length
  if (hashtags > HASHTAGS.max) {
    faults.push(
      error(
        where === 'caption'
          ? `The caption has ${hashtags} hashtags; Instagram allows ${HASHTAGS.max}.`
          : `The comment has ${hashtags} hashtags; Instagram allows ${HASHTAGS.max}.`,
        `Leave ${hashtags - HASHTAGS.max} of the hashtags out.`,
      ),
    )
  }
  if (mentions > MENTIONS.max) {
    faults.push(
      error(
        where === 'caption'
          ? `The caption has ${mentions} mentions; Instagram allows ${MENTIONS.max}.`
          : `The comment has ${mentions} mentions; Instagram allows ${MENTIONS.max}.`,
        `Leave ${mentions - MENTIONS.max} of the mentions out.`,
      ),
    )
  }
  return faults
}

function mediaFaults({ mediaCount }: PartToCheck): PartFault[] {
  return mediaCount > 0
    ? []
    : [error('A post on Instagram needs an image or a video.', 'Attach one, or leave this channel out.')]
}

function storyFaults({ text, mediaCount }: PartToCheck): PartFault[] {
  const faults: PartFault[] = []
  if (mediaCount > 1) {
    faults.push(
      error(
        'A story on Instagram is one image or one video.',
        'Keep one, and publish the others as separate posts.',
      ),
    )
  }
  if (text.trim() !== '') {
    faults.push(
      error(
        'A story on Instagram shows no text.',
        'Leave the text out for this channel, or leave `story` out.',
      ),
    )
  }
  return faults
}

/** Instagram at these origins: its own unless told otherwise. */
export function instagramAt(origins: Origins): Provider {
  return {
    ...facts,
    load: async () => (await import('./instagram-adapter.ts')).instagramAdapter(facts, origins),
  }
}

export const instagram = instagramAt({
  api: 'https://graph.facebook.com',
  site: 'https://www.facebook.com',
})
