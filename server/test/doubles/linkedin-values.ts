import { among, atMost, between, countOf, type ValueTable } from './value-table.ts'

/* What LinkedIn refuses of the values of a post, of its files once it has processed them. */

const READ = '2026-11-29'
const SHARES = 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares'
const error = (status: number, message: string) => ({ status, body: { message, status } })
const later = (page: string) => ({
  refused: { later: 'PROCESSING_FAILED' },
  source: `${SHARES}/${page}`,
  read: READ,
})

export const linkedinValues: ValueTable = {
  // As it is sent: reserved signs have a backslash before them.
  count: (text) => text.length,
  facts: [
    atMost('text', 'characters', 3_000, {
      refused: error(
        400,
        'ShareCommentary text length (3001 characters) exceeded the maximum allowed (3000 characters)',
      ),
      source: `${SHARES}/posts-api`,
      read: READ,
    }),
    atMost('part', 'files', 20, {
      refused: error(400, 'ERROR :: /content/multiImage/images :: length must be between 2 and 20'),
      source: `${SHARES}/multiimage-post-api`,
      read: READ,
    }),
    among('image', 'type', ['image/jpeg', 'image/png'], later('images-api')),
    among('image', 'animation', ['image/gif'], later('images-api')),
    atMost('image', 'pixels', 36_152_319, later('images-api')),
    among('video', 'type', ['video/mp4'], later('videos-api')),
    between('video', 'bytes', [75_000, 500_000_000], later('videos-api')),
    between('video', 'seconds', [3, 1_800], later('videos-api')),
    between('video', 'ratio', [1 / 2.4, 2.4], later('videos-api')),
  ],
  sentBy({ method, path, json }) {
    if (method !== 'POST' || path !== '/rest/posts') return null
    const { commentary, content } = json() as {
      commentary?: string
      content?: { multiImage?: { images?: readonly unknown[] } }
    }
    return {
      ...(commentary === undefined ? {} : { text: commentary }),
      fileCount: countOf(content?.multiImage?.images),
    }
  },
}
