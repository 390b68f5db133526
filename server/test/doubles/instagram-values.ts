import { among, atMost, between, codePoints, type ValueTable } from './value-table.ts'

/*
 * What Instagram refuses of the values of a container, by the table of its error codes
 * (https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes).
 */

const READ = '2026-11-29'
const MEDIA =
  'https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media'
const graph = (code: number, message: string, subcode?: number) => ({
  status: 400,
  body: {
    error: {
      message,
      type: 'OAuthException',
      code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      fbtrace_id: 'A6LJylpZRKw',
    },
  },
})
const told = (code: number, message: string, subcode?: number) => ({
  refused: graph(code, message, subcode),
  source: MEDIA,
  read: READ,
})
const later = { refused: { later: '2207026' }, source: MEDIA, read: READ }
const CAPTION = told(36_004, 'The caption is too long', 2_207_010)

export const instagramValues: ValueTable = {
  count: codePoints,
  facts: [
    atMost('text', 'characters', 2_200, CAPTION),
    atMost('hashtags', 'count', 30, CAPTION),
    atMost('mentions', 'count', 20, CAPTION),
    atMost('part', 'files', 10, told(100, 'Invalid parameter: children')),
    atMost('alt text', 'characters', 1_000, told(100, 'Invalid parameter: alt_text')),
    among('image', 'type', ['image/jpeg'], told(36_001, 'The image format is not supported', 2_207_005)),
    among('image', 'animation', [], told(36_001, 'The image format is not supported', 2_207_005)),
    atMost('image', 'bytes', 8_000_000, told(36_000, 'The image size is too large.', 2_207_004)),
    atMost('image', 'width', 1_440, { refused: 'fitted there', source: MEDIA, read: READ }),
    between(
      'image',
      'ratio',
      [0.8, 1.91],
      told(36_003, 'The aspect ratio is not supported.', 2_207_009),
      'posts in the feed',
    ),
    among('video', 'type', ['video/mp4', 'video/quicktime'], later),
    atMost('video', 'bytes', 300_000_000, later),
    atMost('video', 'bytes', 100_000_000, later, 'stories'),
    atMost('video', 'width', 1_920, later),
    between('video', 'seconds', [3, 900], later),
    atMost('video', 'seconds', 60, later, 'stories'),
    between('video', 'ratio', [0.01, 10], later, 'posts in the feed'),
    between('video', 'ratio', [0.1, 10], later, 'stories'),
    among('video', 'video codec', ['h264', 'hevc'], later),
    among('video', 'audio codec', ['aac'], later),
    between('video', 'frame rate', [23, 60], later),
    atMost('video', 'audio channels', 2, later),
    atMost('video', 'audio rate', 48_000, later),
  ],
  async sentBy({ method, path, form }) {
    if (method !== 'POST' || !path.endsWith('/media')) return null
    const sent = Object.fromEntries(await form())
    const { caption, children, alt_text: alt, media_type: type } = sent as Record<string, string | undefined>
    return {
      ...(caption === undefined ? {} : { text: caption }),
      ...(alt === undefined ? {} : { altTexts: [alt] }),
      fileCount: children === undefined ? 1 : children.split(',').length,
      as: type === 'STORIES' ? 'stories' : 'posts in the feed',
    }
  },
}
