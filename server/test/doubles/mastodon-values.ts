import { among, atMost, countOf, fileIn, graphemes, type ValueTable } from './value-table.ts'

/* What Mastodon refuses of the values of a post. Its words are those of config/locales/en.yml and of its models. */

const READ = '2026-11-29'
const INSTANCE = 'https://docs.joinmastodon.org/entities/Instance/#configuration'
const POSTING = 'https://docs.joinmastodon.org/user/posting/#media'
const invalid = (error: string) => ({ status: 422, body: { error: `Validation failed: ${error}` } })
const told = (error: string, source: string) => ({ refused: invalid(error), source, read: READ })

export const mastodonValues: ValueTable = {
  // An address with a scheme is 23, and of a mention its domain is free.
  count: (text) =>
    graphemes(text.replaceAll(/https?:\/\/\S+/g, 'x'.repeat(23)).replaceAll(/(@\w+)@[\w.-]+/g, '$1')),
  facts: [
    atMost('text', 'characters', 500, told('Text character limit of 500 exceeded', INSTANCE)),
    atMost('part', 'files', 4, told('Cannot attach more than 4 files', INSTANCE)),
    atMost(
      'videos',
      'count',
      1,
      told('Cannot attach a video to a post that already contains images', POSTING),
    ),
    atMost('animations', 'count', 1, told('Cannot attach more than one animation', POSTING)),
    atMost(
      'alt text',
      'characters',
      1_500,
      told('Description is too long (maximum is 1500 characters)', INSTANCE),
    ),
    among(
      'image',
      'type',
      ['image/jpeg', 'image/png', 'image/heif', 'image/webp', 'image/avif', 'image/gif'],
      told('File content type is invalid', POSTING),
    ),
    among('image', 'animation', ['image/gif'], told('File content type is invalid', POSTING)),
    among(
      'video',
      'type',
      ['video/mp4', 'video/quicktime', 'video/webm'],
      told('File content type is invalid', POSTING),
    ),
    atMost('image', 'pixels', 33_177_600, told('File images of this size are not supported', INSTANCE)),
    atMost(
      'image',
      'pixels',
      921_600,
      told('File GIF images of this size are not supported', POSTING),
      'animations',
    ),
    atMost('image', 'bytes', 16_777_216, told('File file size must be less than 16 MB', INSTANCE)),
    atMost('video', 'bytes', 103_809_024, told('File file size must be less than 99 MB', INSTANCE)),
    atMost('video', 'pixels', 8_294_400, told('File videos of this size are not supported', INSTANCE)),
    atMost('video', 'frame rate', 120, told('File 121fps videos are not supported', INSTANCE)),
  ],
  async sentBy({ method, path, json, form }) {
    if (method === 'POST' && path === '/api/v2/media') {
      const sent = await form()
      const [file, description] = [sent.get('file'), sent.get('description')]
      if (!(file instanceof File)) return null
      return {
        files: [await fileIn(Buffer.from(await file.arrayBuffer()), file.type)],
        altTexts: typeof description === 'string' ? [description] : [],
      }
    }
    if (method !== 'POST' || path !== '/api/v1/statuses') return null
    // How long a text may be depends on the instance: see the double.
    return { fileCount: countOf(json()['media_ids']) }
  },
}
