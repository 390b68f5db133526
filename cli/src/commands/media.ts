import type { MediaItem } from '@postrider/sdk'
import { type Context, isSet, textOf, textsOf } from '../command.ts'
import { usageError } from '../exits.ts'
import { givenOf, readWhole } from '../fields.ts'
import { callOptions, readBytes, uploadKeys } from '../posting.ts'
import { table, timeCell } from '../terminal.ts'

const LIMIT = 20
const LARGEST_PAGE = 100

/** `postrider media upload`, `postrider media list` */
export async function run(context: Context): Promise<void> {
  const [verb, ...files] = context.args
  if (verb === 'list') return list(context)
  if (verb !== 'upload')
    throw usageError(
      `\`postrider media\` has no command "${verb}". It takes upload, list and, on the machine of the server, adopt.`,
    )
  if (files.length === 0) throw usageError('Name the files: `postrider media upload <file…>`.')
  return upload(context, files)
}

async function upload(context: Context, files: readonly string[]): Promise<void> {
  const { values, answer } = context
  const alts = textsOf(values, 'alt')
  const options = callOptions(context)
  const keyOf = uploadKeys(options.idempotencyKey)
  const items: MediaItem[] = []
  for (const [index, file] of files.entries()) {
    const isAddress = file.startsWith('https://')
    const bytes = isAddress ? null : await readBytes(file)
    if (isSet(values, 'dry-run')) {
      context.note(`${file} would be uploaded${bytes === null ? '' : `, ${bytes.size} bytes`}.`)
      continue
    }
    const fields = alts[index] === undefined ? {} : { altText: alts[index] }
    const keyed =
      files.length === 1 ? options : { ...options, idempotencyKey: await keyOf(bytes ?? file, alts[index]) }
    const { media } = context.client()
    items.push(
      await (bytes === null ? media.uploadFrom(file, fields, keyed) : media.upload(bytes, fields, keyed)),
    )
  }
  answer(items, shown(items))
}

async function list(context: Context): Promise<void> {
  const { values, signal } = context
  const limit = textOf(values, 'limit') === undefined ? LIMIT : readWhole('--limit', String(values['limit']))
  const query = { ...givenOf('listMedia', values, ['limit', 'cursor']), limit: Math.min(limit, LARGEST_PAGE) }
  const items: MediaItem[] = []
  for await (const item of context.client().media.list(query, { signal }))
    if (items.push(item) === limit) break
  context.answer(items, items.length === 0 ? 'No media.' : shown(items))
}

function shown(items: readonly MediaItem[]): string {
  return table(
    {
      MEDIA: ({ mediaId }) => mediaId,
      TYPE: ({ contentType }) => contentType,
      BYTES: ({ size }) => String(size),
      ADDED: ({ createdAt }) => timeCell(createdAt),
      ALT: ({ altText }) => altText ?? '–',
    },
    items,
  )
}
