import Type from 'typebox'
import { type Bound, copied, limitsOf, ours, published } from '../../port/bounds.ts'
import { metaCoding } from '../meta-coding.ts'
import type { Origins, PartFault, PartToCheck, Provider, ProviderFacts } from '../../port/port.ts'
import { line, settingsOf, stillImages } from '../../port/settings.ts'

const READ = '2026-11-29'
const DOCS = 'https://developers.facebook.com/documentation/threads'
/** “Limitations and Specifications”. */
const OVERVIEW = published(`${DOCS}/overview`, READ)
const PUBLISHING = published(`${DOCS}/reference/publishing`, READ)

/** That page could not be read itself. */
const POSTS = copied('quotations of it in several public projects', `${DOCS}/posts`, READ)
const SCALED = ours('the page names no height; what is larger than 1,440 pixels in width is scaled there')

const TOPIC = {
  of: 'topic',
  measure: 'characters',
  max: 50,
  source: POSTS,
} as const

/** https://developers.facebook.com/documentation/threads/reference/publishing */
const settings = settingsOf({
  stillImages,
  replies: Type.Optional(
    Type.Enum(['everyone', 'following', 'mentioned', 'followers'], {
      default: 'everyone',
      description:
        'Who may reply to the first part: everyone, profiles that the author follows, profiles that are mentioned, or followers.',
    }),
  ),
  topic: Type.Optional(
    line(TOPIC.max, {
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

/** More links are refused, with the one that is attached. */
const LINKS = { of: 'links', measure: 'count', max: 5, source: POSTS } as const
const LINK = /https?:\/\/[^\s<>"]+/gi
const DAY_MS = 24 * 60 * 60_000

/** Images are scaled there to a width from 320 to 1,440 pixels. Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 500, source: OVERVIEW },
  LINKS,
  TOPIC,
  { of: 'part', measure: 'files', max: 20, source: OVERVIEW },
  { of: 'alt text', measure: 'characters', max: 1_000, source: PUBLISHING },
  { of: 'image', measure: 'type', oneOf: ['image/jpeg', 'image/png'], source: OVERVIEW },
  { of: 'image', measure: 'animation', oneOf: [], source: OVERVIEW },
  { of: 'image', measure: 'bytes', max: 8_000_000, source: OVERVIEW },
  { of: 'image', measure: 'width', max: 4_096, source: SCALED },
  { of: 'image', measure: 'height', max: 4_096, source: SCALED },
  { of: 'image', measure: 'ratio', max: 10, source: OVERVIEW },
  { of: 'video', measure: 'type', oneOf: ['video/mp4', 'video/quicktime'], source: OVERVIEW },
  { of: 'video', measure: 'bytes', max: 1_000_000_000, source: OVERVIEW },
  { of: 'video', measure: 'width', max: 1_920, source: OVERVIEW },
  { of: 'video', measure: 'ratio', min: 0.01, max: 10, source: OVERVIEW },
  { of: 'video', measure: 'seconds', max: 300, source: OVERVIEW },
  ...metaCoding(OVERVIEW),
]

const facts: ProviderFacts = {
  provider: 'threads',
  displayName: 'Threads',
  atHandles: /^/,
  limits: limitsOf(bounds, {
    characterCounting: 'threads',
    mixedKinds: true,
  }),
  bounds,
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
  apiVersion: { name: 'v1.0', endsOn: null },
  connecting: {
    form: null,
    oauth: { fields: Type.Object({}), client: 'configured', scope: SCOPE },
  },
}

function check({ text, index, mediaCount, settings: { link } }: PartToCheck): readonly PartFault[] {
  const first = index === 0 && typeof link === 'string'
  const links = new Set([...text.matchAll(LINK)].map(([address]) => address))
  if (first) links.add(link)
  const faults: PartFault[] = []
  if (links.size > LINKS.max) {
    faults.push({
      severity: 'error',
      message: `The post has ${links.size} links; Threads allows ${LINKS.max}.`,
      fix: `Leave ${links.size - LINKS.max} out, or move them to a follow-up.`,
    })
  }
  if (first && mediaCount > 0) {
    faults.push({
      severity: 'error',
      message: 'Threads shows the preview of `link` only if the post has no media.',
      fix: 'Leave `link` out, or publish without media.',
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
