import Type from 'typebox'
import { files, images } from '../media-kinds.ts'
import { META_CODING } from '../meta-coding.ts'
import type { Origins, PartFault, PartToCheck, Provider, ProviderFacts } from '../port.ts'
import { line, settingsOf } from '../settings.ts'

/** https://developers.facebook.com/documentation/threads/reference/publishing */
const settings = settingsOf({
  replies: Type.Optional(
    Type.Enum(['everyone', 'following', 'mentioned', 'followers'], {
      default: 'everyone',
      description:
        'Who may reply to the first part: everyone, profiles that the author follows, profiles that are mentioned, or followers.',
    }),
  ),
  topic: Type.Optional(
    line(50, {
      pattern: '^[^.&]+$',
      description:
        'The topic of the first part, without #: up to 50 characters, no full stop and no ampersand.',
      examples: ['Coffee'],
    }),
  ),
  link: Type.Optional(
    Type.String({
      format: 'uri',
      pattern: '^https?://',
      description:
        'The address whose preview the first part shows, where it has no media. Without it, that of the first link in the text.',
      examples: ['https://example.com/'],
    }),
  ),
})

/** What posts, replies and look-ups need (https://developers.facebook.com/documentation/threads/get-started). */
const SCOPE = 'threads_basic threads_content_publish threads_manage_replies threads_read_replies'

/** https://developers.facebook.com/documentation/threads/posts: more links are refused, with the one that is attached. */
const MAX_LINKS = 5
const LINK = /https?:\/\/[^\s<>"]+/gi
const DAY_MS = 24 * 60 * 60_000
/** https://developers.facebook.com/documentation/threads/posts#media-specifications, of images and videos: "10:1". */
const WIDEST = 10

const facts: ProviderFacts = {
  provider: 'threads',
  displayName: 'Threads',
  atHandles: /^/,
  // https://developers.facebook.com/documentation/threads/posts#media-specifications; alt texts have up to 1,000 characters
  // (https://developers.facebook.com/documentation/threads/create-posts/accessibility).
  limits: {
    maxCharacters: 500,
    characterCounting: 'threads',
    media: {
      maxItems: 20,
      mixedKinds: true,
      maxAltCharacters: 1_000,
      kinds: [
        images(['image/jpeg', 'image/png'], { maxBytes: 8_000_000, maxSide: 4_096 }),
        {
          ...files('video', ['video/mp4', 'video/quicktime'], {
            maxBytes: 1_000_000_000,
            maxSeconds: 300,
            ...META_CODING,
          }),
          maxWidth: 1_920,
        },
      ],
    },
  },
  supports: { threads: true, lookup: true },
  fetchesMedia: true,
  drafts: { endAfterMs: DAY_MS },
  // Addresses have a short code, from which the id does not follow.
  idAt: () => null,
  // That a container which was published is refused is not documented: nothing is repeated on the strength of it.
  repeatable: null,
  settlingMs: 60_000,
  settings,
  check,
  connecting: {
    form: null,
    oauth: { fields: Type.Object({}), client: 'configured', scope: SCOPE },
  },
}

function check({
  text,
  index,
  mediaCount,
  mediaSizes,
  settings: { link },
}: PartToCheck): readonly PartFault[] {
  const first = index === 0 && typeof link === 'string'
  const links = new Set([...text.matchAll(LINK)].map(([address]) => address))
  if (first) links.add(link)
  const faults: PartFault[] = []
  if (links.size > MAX_LINKS) {
    faults.push({
      severity: 'error',
      message: `The post has ${links.size} links; Threads allows ${MAX_LINKS}.`,
      fix: `Leave ${links.size - MAX_LINKS} out, or move them to a follow-up.`,
    })
  }
  if (first && mediaCount > 0) {
    faults.push({
      severity: 'error',
      message: 'Threads shows the preview of `link` only if the post has no media.',
      fix: 'Leave `link` out, or publish without media.',
    })
  }
  if (mediaSizes.some(({ width, height }) => (width ?? 0) > WIDEST * (height ?? Infinity))) {
    faults.push({
      severity: 'error',
      message: `An image or video on Threads is at most ${WIDEST} times as wide as high.`,
      fix: 'Crop it, and use the result.',
    })
  }
  return faults
}

/** Threads at these origins: its own unless told otherwise. */
export function threadsAt(origins: Origins): Provider {
  return {
    ...facts,
    load: async () => (await import('./threads-adapter.ts')).threadsAdapter(facts, origins, SCOPE),
  }
}

export const threads = threadsAt({ api: 'https://graph.threads.net', site: 'https://threads.net' })
