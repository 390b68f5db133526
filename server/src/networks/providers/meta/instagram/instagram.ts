import Type from 'typebox'
import { DAY_MS } from '../meta-containers.ts'
import { type Bound, files, images, limitsOf } from '../../port/bounds.ts'
import { META_CODING } from '../meta-coding.ts'
import type { Origins, PartFault, PartToCheck, Provider, ProviderFacts } from '../../port/port.ts'
import { flag, settingsOf, stillImages } from '../../port/settings.ts'
import { PERMISSIONS } from './permissions.ts'

/** https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media */
const settings = settingsOf({
  stillImages,
  story: flag(false, 'Whether the image or video is published as a story, for 24 hours and without a text.'),
  shareToFeed: flag(true, 'Whether a reel is shown in the feed of the profile, too.'),
})

const MAX_HASHTAGS = 30
const MAX_MENTIONS = 20
const HASHTAG = /(?<![\p{L}\p{N}_&])#[\p{L}\p{N}_]+/gu
const MENTION = /(?<![\w/@.])@[\w.]{1,30}/g
const READ = '2026-11'
const DOCS = 'https://developers.facebook.com/documentation/instagram-platform'
/** "Image", "Reel" and "Story Video Specifications". */
const MEDIA = `${DOCS}/instagram-graph-api/reference/ig-user/media`
const IN_FEED = { name: 'story', is: false, called: 'Instagram' } as const
const AS_STORY = { name: 'story', is: true, called: 'a story on Instagram' } as const

/** Wider images are scaled there; of a reel, older copies of the page say 1 GB instead of 300 MB. Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 2_200, source: MEDIA, read: READ },
  { of: 'part', measure: 'files', max: 10, source: `${DOCS}/content-publishing`, read: READ },
  { of: 'alt text', measure: 'characters', max: 1_000, source: MEDIA, read: READ },
  { of: 'image', measure: 'bytes', max: 8_000_000, source: MEDIA, read: READ },
  { of: 'image', measure: 'width', max: 1_440, source: MEDIA, read: READ },
  { of: 'image', measure: 'ratio', min: 4 / 5, max: 1.91, source: MEDIA, read: READ, setting: IN_FEED },
  { of: 'video', measure: 'bytes', max: 300_000_000, source: MEDIA, read: READ },
  { of: 'video', measure: 'width', max: 1_920, source: MEDIA, read: READ },
  { of: 'video', measure: 'seconds', min: 3, max: 900, source: MEDIA, read: READ },
  { of: 'video', measure: 'ratio', min: 0.01, max: 10, source: MEDIA, read: READ, setting: IN_FEED },
  { of: 'video', measure: 'ratio', min: 0.1, max: 10, source: MEDIA, read: READ, setting: AS_STORY },
  { of: 'video', measure: 'bytes', max: 100_000_000, source: MEDIA, read: READ, setting: AS_STORY },
  { of: 'video', measure: 'seconds', max: 60, source: MEDIA, read: READ, setting: AS_STORY },
]

const facts: ProviderFacts = {
  provider: 'instagram',
  displayName: 'Instagram',
  atHandles: /^/,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: true,
    kinds: [images(['image/jpeg']), files('video', ['video/mp4', 'video/quicktime'], META_CODING)],
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
  if (hashtags > MAX_HASHTAGS) {
    faults.push(
      error(
        where === 'caption'
          ? `The caption has ${hashtags} hashtags; Instagram allows ${MAX_HASHTAGS}.`
          : `The comment has ${hashtags} hashtags; Instagram allows ${MAX_HASHTAGS}.`,
        `Leave ${hashtags - MAX_HASHTAGS} of the hashtags out.`,
      ),
    )
  }
  if (mentions > MAX_MENTIONS) {
    faults.push(
      error(
        where === 'caption'
          ? `The caption has ${mentions} mentions; Instagram allows ${MAX_MENTIONS}.`
          : `The comment has ${mentions} mentions; Instagram allows ${MAX_MENTIONS}.`,
        `Leave ${mentions - MAX_MENTIONS} of the mentions out.`,
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
