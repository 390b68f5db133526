import twitterText from 'twitter-text'
import { among, atMost, between, countOf, type Fact, type ValueTable } from './value-table.ts'

/* What X refuses of the values of a post and of its files, most of the latter once it has processed them. */

const READ = '2026-11-29'
const DOCS = 'https://docs.x.com'
const MEDIA = `${DOCS}/x-api/media/quickstart/best-practices`
const problem = (status: number, title: string, detail: string) => ({
  status,
  body: {
    title,
    detail,
    type: status === 403 ? 'about:blank' : 'https://api.x.com/2/problems/invalid-request',
    status,
  },
})
const invalid = (detail: string) => problem(400, 'Invalid Request', detail)
const later = (later: string) => ({ refused: { later }, source: MEDIA, read: READ })
const DIMENSIONS = {
  refused: { later: 'Image dimensions must be >= 4x4 and <= 8192x8192' },
  source: 'https://github.com/DocNow/diffengine/issues/18',
  read: READ,
}

export const xValues: ValueTable = {
  count: (text) => twitterText.parseTweet(text).weightedLength,
  facts: [
    atMost('text', 'characters', 280, {
      refused: problem(403, 'Forbidden', 'Your Tweet text is too long.'),
      source: `${DOCS}/fundamentals/counting-characters`,
      read: READ,
    }),
    atMost('part', 'files', 4, {
      refused: invalid('Tweet must not have more than 4 mediaIds.'),
      source: MEDIA,
      read: READ,
    }),
    atMost('videos', 'count', 1, {
      refused: invalid('Tweet with media must have exactly 1 gif or video'),
      source: MEDIA,
      read: READ,
    }),
    atMost('animations', 'count', 1, {
      refused: invalid('Tweet with media must have exactly 1 gif or video'),
      source: MEDIA,
      read: READ,
    }),
    atMost('alt text', 'characters', 1_000, {
      refused: invalid('alt_text.text is longer than 1000 characters'),
      source: `${DOCS}/x-api/media/create-media-metadata`,
      read: READ,
    }),
    among('image', 'type', ['image/jpeg', 'image/png', 'image/webp'], later('UnsupportedMedia')),
    among('image', 'animation', ['image/gif'], later('UnsupportedMedia')),
    between('image', 'width', [4, 8_192], DIMENSIONS),
    between('image', 'height', [4, 8_192], DIMENSIONS),
    // A still has less than an animation: which one it is, the category says.
    atMost('image', 'bytes', 5_000_000, {
      refused: invalid('File size exceeds 5242880 bytes.'),
      source: MEDIA,
      read: READ,
    }),
    atMost(
      'image',
      'bytes',
      15_000_000,
      { refused: invalid('File size exceeds 15728640 bytes.'), source: MEDIA, read: READ },
      'animations',
    ),
    between('image', 'width', [4, 1_280], later('InvalidMedia'), 'animations'),
    between('image', 'height', [4, 1_080], later('InvalidMedia'), 'animations'),
    atMost('video', 'bytes', 512_000_000, {
      refused: invalid('File size exceeds 536870912 bytes.'),
      source: MEDIA,
      read: READ,
    }),
    between('video', 'seconds', [0.5, 140], later('InvalidMedia')),
    between('video', 'ratio', [1 / 3, 3], later('InvalidMedia')),
    between('video', 'width', [32, undefined], later('InvalidMedia')),
    between('video', 'height', [32, undefined], later('InvalidMedia')),
    among('video', 'audio codec', ['aac'], later('InvalidMedia')),
    atMost('video', 'frame rate', 60, later('InvalidMedia')),
    atMost('video', 'audio channels', 2, later('InvalidMedia')),
  ],
  sentBy({ method, path, json }) {
    if (method !== 'POST') return null
    if (path === '/2/tweets') {
      // How long a text may be depends on the account: see the double.
      const { media } = json() as { media?: { media_ids?: readonly string[] } }
      return { fileCount: countOf(media?.media_ids) }
    }
    if (path === '/2/media/metadata') {
      const { metadata } = json() as { metadata?: { alt_text?: { text?: string } } }
      return { altTexts: [metadata?.alt_text?.text ?? ''] }
    }
    if (path !== '/2/media/upload/initialize') return null
    const {
      total_bytes: sizeBytes = 0,
      media_type: contentType = '',
      media_category: category,
    } = json() as {
      total_bytes?: number
      media_type?: string
      media_category?: string
    }
    const kind = category === 'tweet_video' ? 'video' : 'image'
    return { files: [{ kind, contentType, sizeBytes, animated: category === 'tweet_gif' }] }
  },
}

/** What a text may have of an account with a subscription. */
export const longText: Fact = atMost('text', 'characters', 25_000, {
  refused: problem(403, 'Forbidden', 'Your Tweet text is too long.'),
  source: 'https://help.x.com/en/using-x/x-premium',
  read: READ,
})
