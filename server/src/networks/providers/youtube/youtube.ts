import Type from 'typebox'
import { type Bound, copied, limitsOf, ours, published } from '../port/bounds.ts'
import type { Origins, PartFault, PartToCheck, Provider, ProviderFacts } from '../port/port.ts'
import { flag, line, settingsOf, stillImages } from '../port/settings.ts'
import { titleOf } from './title.ts'

const READ = '2026-11-29'
const DOCS = 'https://developers.google.com/youtube/v3/docs'
/** The page is long, and only its beginning could be read; these words of it are in many clients. */
const says = (property: string) =>
  copied('clients of the API that quote the page in full', `${DOCS}/videos#snippet.${property}`, READ)
/** Of 2 MB there, and 50 MB in other languages of the page and in `DISCOVERY`, the smaller. */
const THUMBNAIL = published(`${DOCS}/thumbnails/set`, READ)
/** “256 GB or 12 hours.” */
const HELP = copied(
  'quotations of it in several public projects',
  'https://support.google.com/youtube/answer/71673',
  READ,
)
const DISCOVERY = published(
  'https://github.com/googleapis/google-api-python-client/blob/main/googleapiclient/discovery_cache/documents/youtube.v3.json',
  READ,
)
const SCALED = ours('YouTube scales what is larger, and shows 1,280 pixels')

const TITLE = { of: 'title', measure: 'characters', max: 100, source: says('title') } as const
/** Of all tags with the commas between them, and two quotes around one with a space. */
const TAGS = { of: 'tags', measure: 'characters', max: 500, source: says('tags[]') } as const

/** An image is a thumbnail. Derived from this table: the limits, the check, and the tests. */
const bounds: readonly Bound[] = [
  { of: 'text', measure: 'characters', max: 5_000, source: ours('no character has less than a byte') },
  { of: 'text', measure: 'bytes', max: 5_000, source: says('description') },
  TITLE,
  TAGS,
  {
    of: 'part',
    measure: 'files',
    max: 2,
    source: ours('a post is a video, which is one, and may have a thumbnail, which is another'),
  },
  {
    of: 'video',
    measure: 'type',
    oneOf: ['video/mp4', 'video/quicktime', 'video/webm'],
    source: ours('YouTube takes every type; these are the ones that this server can read'),
  },
  { of: 'video', measure: 'bytes', max: 274_877_906_944, source: DISCOVERY },
  { of: 'video', measure: 'seconds', max: 43_200, source: HELP },
  { of: 'image', measure: 'type', oneOf: ['image/jpeg', 'image/png'], source: THUMBNAIL },
  { of: 'image', measure: 'animation', oneOf: [], source: THUMBNAIL },
  { of: 'image', measure: 'bytes', max: 2_000_000, source: THUMBNAIL },
  { of: 'image', measure: 'width', max: 3_840, source: SCALED },
  { of: 'image', measure: 'height', max: 3_840, source: SCALED },
]

/** What an author may set of a video (https://developers.google.com/youtube/v3/docs/videos#properties). */
const settings = settingsOf({
  stillImages,
  title: Type.Optional(
    line(TITLE.max, {
      pattern: '^[^<>]+$',
      description: `The title of the video, up to ${TITLE.max} characters without < and >; the first line of the text when left out.`,
      examples: ['How we roast'],
    }),
  ),
  privacy: Type.Optional(
    Type.Enum(['public', 'unlisted', 'private'], {
      default: 'public',
      description:
        'Who can watch the video: anyone, anyone with the link, or only the owner and who was invited.',
    }),
  ),
  madeForKids: flag(false, 'Whether the video is declared as made for kids.'),
  alteredContent: flag(false, 'Whether realistic content is disclosed as altered or made with AI.'),
  category: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,4}$',
      default: '22',
      description: 'The number of the category; 22 is People & Blogs.',
      examples: ['22'],
    }),
  ),
  tags: Type.Optional(
    Type.Array(line(100, { pattern: '^[^<>,"]+$' }), {
      maxItems: 50,
      description: 'Keywords, up to 500 characters in all.',
      examples: [['coffee']],
    }),
  ),
  playlistId: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{2,100}$',
      description: 'A playlist of the channel that the video is added to.',
      examples: ['PLBCF2DAC6FFB574DE'],
    }),
  ),
})

/** Uploads, thumbnails, playlists and the flip all need it (https://developers.google.com/youtube/v3/docs/videos/update). */
const SCOPE = 'https://www.googleapis.com/auth/youtube'
const facts: ProviderFacts = {
  provider: 'youtube',
  displayName: 'YouTube',
  atHandles: /^(?!UC[\w-]{22}$)/,
  limits: limitsOf(bounds, {
    characterCounting: 'code_points',
    mixedKinds: true,
  }),
  bounds,
  supports: { threads: false, lookup: true },
  drafts: { endAfterMs: null },
  idAt: ({ hostname, pathname, searchParams }) => {
    const id = hostname === 'youtu.be' ? pathname.slice(1) : (searchParams.get('v') ?? lastOfPath(pathname))
    return /^[A-Za-z0-9_-]{11}$/.test(id) ? id : null
  },
  // To make a video public that is public already changes nothing.
  repeatable: { windowMs: 5 * 60_000 },
  settings,
  check: checkVideo,
  apiVersion: { name: 'v3', endsOn: null },
  connecting: {
    form: null,
    oauth: { fields: Type.Object({}), client: 'configured', scope: SCOPE },
  },
}

/** Of `/shorts/ID`, `/live/ID` and `/embed/ID`. */
function lastOfPath(pathname: string): string {
  return /^\/(?:shorts|live|embed)\/([^/]+)\/?$/.exec(pathname)?.[1] ?? ''
}

function checkVideo({ text, mediaKinds, settings }: PartToCheck): PartFault[] {
  const { tags, title, privacy } = settings as { tags?: string[]; title?: string; privacy?: string }
  const error = (message: string, fix: string) => ({ severity: 'error', message, fix }) as const
  const found: PartFault[] = []
  const videos = mediaKinds.filter((kind) => kind === 'video').length
  if (videos !== 1 || mediaKinds[0] !== 'video') {
    found.push(
      error(
        'A post on YouTube is one video, and may have one image after it as its thumbnail.',
        'Give it one video as the first item of `mediaIds`, or leave this channel out.',
      ),
    )
  }
  const shown = titleOf(text, title)
  if (shown === '') {
    found.push(
      error('The video has no title.', 'Set `settings.title`, or write a text: its first line is the title.'),
    )
  } else if (Array.from(shown).length > TITLE.max) {
    found.push(
      error(
        `The first line of the text is the title. It has ${Array.from(shown).length} characters; YouTube allows ${TITLE.max}.`,
        'Shorten the first line, or set `settings.title`.',
      ),
    )
  }
  if (/[<>]/.test(text)) {
    found.push(
      error('YouTube takes no < or > in titles and descriptions.', 'Write the text without < and >.'),
    )
  }
  const counted = (tags ?? []).reduce(
    (sum, tag) => sum + Array.from(tag).length + (tag.includes(' ') ? 3 : 1),
    -1,
  )
  if (counted > TAGS.max) {
    found.push(
      error(
        `The tags have ${counted} characters in all; YouTube allows ${TAGS.max}.`,
        'Leave some of the tags out.',
      ),
    )
  }
  if (privacy !== 'private') {
    found.push({
      severity: 'warning',
      message: "YouTube keeps videos private that were uploaded by an app which Google hasn't audited.",
      fix: "You don't need to do anything if your server's app has passed Google's audit. Otherwise, make the video public in YouTube Studio.",
    })
  }
  return found
}

/** YouTube at these origins: its own unless told otherwise. `site` is where people sign in. */
export function youtubeAt(origins: Origins & { readonly token: string }): Provider {
  return {
    ...facts,
    load: async () => (await import('./youtube-adapter.ts')).youtubeAdapter(facts, origins, SCOPE),
  }
}

export const youtube = youtubeAt({
  api: 'https://www.googleapis.com',
  site: 'https://accounts.google.com',
  token: 'https://oauth2.googleapis.com',
})
