import { among, atMost, between, codePoints, fileIn, type ValueTable } from './value-table.ts'

/* What Facebook refuses of the values of a post: of a text, an alt text and the number of photos, its pages say nothing. */

const READ = '2026-11-29'
const DOCS = 'https://developers.facebook.com'
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
const later = (words: string) => ({
  refused: { later: words },
  source: `${DOCS}/documentation/video-api/guides/reels-publishing`,
  read: READ,
})
const LOW = 'Resolution too low. Video must have a minimum resolution of 540p.'
const REFUSED = 'The video could not be processed.'

export const facebookValues: ValueTable = {
  count: codePoints,
  facts: [
    among('image', 'type', ['image/jpeg', 'image/bmp', 'image/png', 'image/gif', 'image/tiff'], {
      refused: graph(324, 'Missing or invalid image file'),
      source: `${DOCS}/docs/graph-api/reference/page/photos/`,
      read: READ,
    }),
    atMost('image', 'bytes', 4_000_000, {
      refused: graph(
        324,
        "Your photos couldn't be uploaded. Photos should be less than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.",
        2_069_019,
      ),
      source: 'https://github.com/ralfstx/minimal-json/issues/124',
      read: READ,
    }),
    between('video', 'bytes', [1_024, undefined], {
      refused: graph(382, 'The video you tried to upload is too small.', 1_363_022),
      source: `${DOCS}/documentation/video-api/reference/error-codes`,
      read: READ,
    }),
    atMost('video', 'bytes', 2_147_483_648, {
      refused: graph(6_000, 'The video you tried to upload is too large.', 1_363_023),
      source: `${DOCS}/documentation/video-api/reference/error-codes`,
      read: READ,
    }),
    between('video', 'seconds', [3, 90], later(REFUSED), 'reels'),
    between('video', 'width', [540, undefined], later(LOW), 'reels'),
    between('video', 'height', [960, undefined], later(LOW), 'reels'),
    between('video', 'ratio', [9 / 16 - 0.01, 9 / 16 + 0.01], later(REFUSED), 'reels'),
    between('video', 'frame rate', [24, 60], later(REFUSED), 'reels'),
    among('video', 'video codec', ['h264', 'hevc', 'vp9', 'av1'], later(REFUSED), 'reels'),
    among('video', 'audio codec', ['aac'], later(REFUSED), 'reels'),
  ],
  async sentBy({ method, path, form }) {
    // The videos of the tests have a few bytes: their sizes are compared in the table alone.
    if (method !== 'POST' || !path.endsWith('/photos')) return null
    const sent = Object.fromEntries(await form())
    const { source } = sent
    if (!(source instanceof File)) return null
    return { files: [await fileIn(Buffer.from(await source.arrayBuffer()), source.type)] }
  },
}
