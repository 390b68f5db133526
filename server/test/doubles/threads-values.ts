import { among, atMost, between, type ValueTable } from './value-table.ts'

/* What Threads refuses of the values of a container. */

const READ = '2026-11-29'
const DOCS = 'https://developers.facebook.com/documentation/threads'
const graph = (message: string, subcode?: number) => ({
  status: 400,
  body: {
    error: {
      message,
      type: 'OAuthException',
      code: 100,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      fbtrace_id: 'A6LJylpZRKw',
    },
  },
})
const told = (page: string, message: string, subcode?: number) => ({
  refused: graph(message, subcode),
  source: `${DOCS}/${page}`,
  read: READ,
})
/** A container's `error_message` (https://developers.facebook.com/documentation/threads/troubleshooting). */
const later = (words: string) => ({ refused: { later: words }, source: `${DOCS}/overview`, read: READ })
const UNPROCESSED = later('FAILED_PROCESSING_VIDEO')

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Of an emoji its bytes count. */
function count(text: string): number {
  return [...clusters.segment(text)].reduce(
    (sum, { segment }) =>
      sum +
      (/\p{Extended_Pictographic}/u.test(segment) ? Buffer.byteLength(segment) : Array.from(segment).length),
    0,
  )
}

export const threadsValues: ValueTable = {
  count,
  facts: [
    atMost('text', 'characters', 500, told('overview', 'Param text must be at most 500 characters long.')),
    atMost('links', 'count', 5, told('posts', 'Too many links', 4_279_060)),
    atMost('topic', 'characters', 50, told('posts', 'Param topic_tag')),
    atMost('part', 'files', 20, told('overview', 'A carousel has 2 to 20 items')),
    atMost('alt text', 'characters', 1_000, told('reference/publishing', 'Param alt_text')),
    among('image', 'type', ['image/jpeg', 'image/png'], told('overview', 'The media could not be fetched')),
    among('image', 'animation', [], told('overview', 'The media could not be fetched')),
    atMost('image', 'bytes', 8_000_000, told('overview', 'The media could not be fetched')),
    atMost('image', 'ratio', 10, told('overview', 'The aspect ratio is not supported')),
    among('video', 'type', ['video/mp4', 'video/quicktime'], UNPROCESSED),
    atMost('video', 'bytes', 1_000_000_000, UNPROCESSED),
    atMost('video', 'width', 1_920, UNPROCESSED),
    between('video', 'ratio', [0.01, 10], later('INVALID_ASPEC_RATIO')),
    atMost('video', 'seconds', 300, later('INVALID_DURATION')),
    among('video', 'video codec', ['h264', 'hevc'], UNPROCESSED),
    among('video', 'audio codec', ['aac'], later('FAILED_PROCESSING_AUDIO')),
    between('video', 'frame rate', [23, 60], later('INVALID_FRAME_RATE')),
    atMost('video', 'audio channels', 2, later('INVALID_AUDIO_CHANNELS')),
    atMost('video', 'audio rate', 48_000, later('FAILED_PROCESSING_AUDIO')),
  ],
  async sentBy({ method, path, form }) {
    if (method !== 'POST' || !path.endsWith('/threads')) return null
    const sent = Object.fromEntries(await form()) as Record<string, string | undefined>
    const { text, children, alt_text: alt, topic_tag: topic, link_attachment: link } = sent
    return {
      ...(text === undefined ? {} : { text }),
      ...(alt === undefined ? {} : { altTexts: [alt] }),
      ...(topic === undefined ? {} : { topic }),
      ...(link === undefined ? {} : { links: [link] }),
      fileCount: children === undefined ? 0 : children.split(',').length,
    }
  },
}
