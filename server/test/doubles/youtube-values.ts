import { among, atMost, codePoints, fileIn, type ValueTable } from './value-table.ts'

/* What YouTube refuses of the values of a video (https://developers.google.com/youtube/v3/docs/videos/update#errors). */

const READ = '2026-11-29'
const DOCS = 'https://developers.google.com/youtube/v3/docs'
const google = (status: number, reason: string) => ({
  status,
  body: {
    error: { code: status, message: reason, errors: [{ domain: 'youtube.video', reason, message: reason }] },
  },
})
const told = (reason: string, page: string) => ({
  refused: google(400, reason),
  source: `${DOCS}/${page}`,
  read: READ,
})
const DISCOVERY =
  'https://github.com/googleapis/google-api-python-client/blob/main/googleapiclient/discovery_cache/documents/youtube.v3.json'

export const youtubeValues: ValueTable = {
  count: codePoints,
  facts: [
    atMost('title', 'characters', 100, told('invalidTitle', 'videos#snippet.title')),
    atMost('text', 'bytes', 5_000, told('invalidDescription', 'videos#snippet.description')),
    atMost('tags', 'characters', 500, told('invalidTags', 'videos#snippet.tags[]')),
    atMost('video', 'bytes', 274_877_906_944, {
      refused: google(400, 'mediaBodyTooLarge'),
      source: DISCOVERY,
      read: READ,
    }),
    atMost('video', 'seconds', 43_200, {
      refused: { later: 'length' },
      source: 'https://support.google.com/youtube/answer/71673',
      read: READ,
    }),
    among('image', 'type', ['image/jpeg', 'image/png'], told('invalidImage', 'thumbnails/set')),
    among('image', 'animation', [], told('invalidImage', 'thumbnails/set')),
    atMost('image', 'bytes', 2_000_000, told('invalidImage', 'thumbnails/set')),
  ],
  async sentBy({ method, path, headers, bytes, json }) {
    if (path.endsWith('/thumbnails/set'))
      return { files: [await fileIn(bytes, String(headers['content-type']))] }
    if (method === 'POST' && path === '/upload/youtube/v3/videos') {
      const [contentType, size] = [headers['x-upload-content-type'], headers['x-upload-content-length']]
      return { files: [{ kind: 'video', contentType: String(contentType), sizeBytes: Number(size) }] }
    }
    if (method !== 'PUT' || path !== '/youtube/v3/videos') return null
    const { snippet } = json() as {
      snippet?: { title?: string; description?: string; tags?: readonly string[] }
    }
    return {
      ...(snippet?.title === undefined ? {} : { title: snippet.title }),
      ...(snippet?.description === undefined ? {} : { text: snippet.description }),
      ...(snippet?.tags === undefined ? {} : { tags: snippet.tags }),
    }
  },
}
