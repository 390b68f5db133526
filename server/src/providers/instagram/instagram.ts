import Type from 'typebox'
import { DAY_MS } from '../meta-containers.ts'
import { files, images } from '../media-kinds.ts'
import { META_CODING } from '../meta-coding.ts'
import type { MediaSize, Origins, PartFault, PartToCheck, Provider, ProviderFacts } from '../port.ts'
import { flag, settingsOf } from '../settings.ts'
import { PERMISSIONS } from './permissions.ts'

/** https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media */
const settings = settingsOf({
  story: flag(false, 'Whether the image or video is published as a story, for 24 hours and without a text.'),
  shareToFeed: flag(true, 'Whether a reel is shown in the feed of the profile, too.'),
})

const MAX_HASHTAGS = 30
const MAX_MENTIONS = 20
const HASHTAG = /(?<![\p{L}\p{N}_&])#[\p{L}\p{N}_]+/gu
const MENTION = /(?<![\w/@.])@[\w.]{1,30}/g
/** The widest and the tallest, width to height: the same page, "Image", "Reel" and "Story Video Specifications". */
const FEED_IMAGE = { widest: 1.91, tallest: 4 / 5 }
const REEL = { widest: 10, tallest: 0.01 }
const STORY = { widest: 10, tallest: 0.1 }
const MIN_SECONDS = 3
const MAX_STORY_SECONDS = 60
const MAX_STORY_MB = 100

const facts: ProviderFacts = {
  provider: 'instagram',
  displayName: 'Instagram',
  atHandles: /^/,
  // The same page. Wider images are scaled down there; of a reel, older copies of the page say 1 GB instead of 300 MB.
  limits: {
    maxCharacters: 2_200,
    characterCounting: 'code_points',
    media: {
      maxItems: 10,
      mixedKinds: true,
      maxAltCharacters: 1_000,
      kinds: [
        { ...images(['image/jpeg'], { maxBytes: 8_000_000 }), maxWidth: 1_440 },
        {
          ...files('video', ['video/mp4', 'video/quicktime'], {
            maxBytes: 300_000_000,
            maxSeconds: 900,
            ...META_CODING,
          }),
          maxWidth: 1_920,
        },
      ],
    },
  },
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

function mediaFaults({ mediaCount, mediaSizes, settings: own }: PartToCheck): PartFault[] {
  if (mediaCount === 0) {
    return [error('A post on Instagram needs an image or a video.', 'Attach one, or leave this channel out.')]
  }
  const faults: PartFault[] = []
  if (mediaSizes.some(({ kind, durationMs }) => kind === 'video' && isShort(durationMs))) {
    faults.push(
      error(
        `A video on Instagram lasts at least ${MIN_SECONDS} seconds.`,
        'Attach a longer one, or leave this channel out.',
      ),
    )
  }
  if (own['story'] === true) return faults
  if (imagesOf(mediaSizes).some(isOutOf(FEED_IMAGE))) {
    faults.push(
      error(
        'An image on Instagram is at most 1.91 times as wide as high, and at least 0.8 times (4:5).',
        'Crop it, and use the result.',
      ),
    )
  }
  if (videosOf(mediaSizes).some(isOutOf(REEL))) {
    faults.push(
      error(
        'A video on Instagram is at most 10 times as wide as high, and at least 0.01 times.',
        'Crop it, and use the result.',
      ),
    )
  }
  return faults
}

const imagesOf = (sizes: readonly MediaSize[]) => sizes.filter(({ kind }) => kind === 'image')
const videosOf = (sizes: readonly MediaSize[]) => sizes.filter(({ kind }) => kind === 'video')

const isShort = (durationMs: number | null) => durationMs !== null && durationMs < MIN_SECONDS * 1_000

/** A pixel more or less is no other ratio. */
function isOutOf({ widest, tallest }: { readonly widest: number; readonly tallest: number }) {
  return ({ width, height }: MediaSize): boolean =>
    width !== null &&
    height !== null &&
    height !== 0 &&
    ((width - 1) / height > widest || (width + 1) / height < tallest)
}

function storyFaults({ text, mediaCount, mediaSizes }: PartToCheck): PartFault[] {
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
  const videos = videosOf(mediaSizes)
  if (videos.some(isOutOf(STORY))) {
    faults.push(
      error(
        'The video of a story on Instagram is at most 10 times as wide as high, and at least 0.1 times.',
        'Crop it, and use the result.',
      ),
    )
  }
  if (videos.some(({ sizeBytes }) => sizeBytes > MAX_STORY_MB * 1_000_000)) {
    faults.push(
      error(
        `The video of a story on Instagram has at most ${MAX_STORY_MB} MB.`,
        'Export it smaller, and upload the result.',
      ),
    )
  }
  if (videos.some(({ durationMs }) => (durationMs ?? 0) > MAX_STORY_SECONDS * 1_000)) {
    faults.push(
      error(
        `The video of a story on Instagram lasts at most ${MAX_STORY_SECONDS} seconds.`,
        'Cut it shorter, and upload the result.',
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
