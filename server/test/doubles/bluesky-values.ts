import { among, atMost, graphemes, type ValueTable } from './value-table.ts'

/*
 * What the lexicons of Bluesky say of a post: the tests have a real server, which holds records to them, and no double. What its app says,
 * and no server checks, is here, too: nobody sees what goes beyond it.
 */

const READ = '2026-11-29'
const LEXICONS = 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky'
const APP = 'https://github.com/bluesky-social/social-app/blob/main/src/lib/constants.ts'
const invalid = (message: string) => ({ status: 400, body: { error: 'InvalidRequest', message } })
const told = (message: string, page: string) => ({
  refused: invalid(`Invalid app.bsky.feed.post record: ${message}`),
  source: `${LEXICONS}/${page}.json`,
  read: READ,
})
const byApp = (message: string) => ({ refused: invalid(message), source: APP, read: READ })

export const blueskyValues: ValueTable = {
  count: graphemes,
  facts: [
    atMost('text', 'characters', 300, told('grapheme too big (maximum 300) at $.record.text', 'feed/post')),
    atMost('text', 'bytes', 3_000, told('string too big (maximum 3000) at $.record.text', 'feed/post')),
    atMost('tag', 'characters', 64, told('grapheme too big (maximum 64) at $.record.tags', 'feed/post')),
    atMost('tags', 'count', 8, told('array too big (maximum 8) at $.record.tags', 'feed/post')),
    atMost('languages', 'count', 3, told('array too big (maximum 3) at $.record.langs', 'feed/post')),
    atMost('part', 'files', 4, told('array too big (maximum 4) at $.record.embed.images', 'embed/images')),
    atMost('videos', 'count', 1, told('embed has one video', 'embed/video')),
    atMost('image', 'bytes', 2_000_000, {
      ...told('', 'embed/images'),
      refused: {
        status: 400,
        body: {
          error: 'BlobTooLarge',
          message: 'This file is too large. It is 2.1MB but the maximum size is 2MB.',
        },
      },
    }),
    among('video', 'type', ['video/mp4'], told('embed.video has wrong mime type', 'embed/video')),
    atMost('video', 'bytes', 300_000_000, told('blob too large (maximum 300000000)', 'embed/video')),
    atMost('alt text', 'characters', 2_000, byApp('alt text')),
    atMost('image', 'width', 4_000, byApp('width')),
    atMost('image', 'height', 4_000, byApp('height')),
    atMost('video', 'seconds', 600, byApp('duration')),
  ],
  sentBy: () => null,
}
