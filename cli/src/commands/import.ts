import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { decodeText, type Fault, importOf, type PlannedMedia } from '@postrider/contract/plan'
import { isProblem, type Operations, type Postrider } from '@postrider/sdk'
import { channelCell, channelsForNames, placeOf } from '../channels.ts'
import { type Context, isSet, textOf, textsOf } from '../command.ts'
import { usageError } from '../exits.ts'
import { nameOf, uploadAll } from '../plan/media.ts'
import { refuse } from '../plan/prepare.ts'
import { findFile } from '../plan/read-files.ts'
import { counted, excerpt, table, timeCell, visible } from '../terminal.ts'

type Import = Operations['importPosts']['body']
type Imported = Operations['importPosts']['answer']

/** `postrider import`: a CSV file or a plan becomes posts, all or none; what is there already stays. */
export async function run(context: Context): Promise<void> {
  const { args, values, signal } = context
  const path = args[0] ?? ''
  const client = context.client()
  const file = decodeText(await readText(path))
  const { format, name } = importOf(path)
  const named = textOf(values, 'name')
  if (format === 'plan' && named !== undefined)
    throw usageError('A plan has a name of its own: leave --name out.')
  const places = textsOf(values, 'to').flatMap((text) => text.split(','))
  const channels = places.length === 0 ? [] : await client.channels({ signal })
  const timeZone = textOf(values, 'time-zone')
  const dryRun = isSet(values, 'dry-run')
  const body: Import = {
    format,
    file,
    dryRun,
    ...(format === 'csv' ? { name: named ?? name } : {}),
    ...(places.length === 0 ? {} : { channelIds: places.map((place) => placeOf(channels, place.trim())) }),
    ...(timeZone === undefined ? {} : { timeZone }),
  }
  const imported = await importFile(context, client, path, body)
  context.answer(imported, await textOfImport(context, client, imported, dryRun))
}

async function readText(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch {
    throw usageError(`${path} is no file that can be read.`)
  }
}

/** Uploads what the file names and the server does not have, and sends it again. */
async function importFile(
  context: Context,
  client: Postrider,
  path: string,
  body: Import,
): Promise<Imported> {
  const { signal } = context
  try {
    return await client.posts.import(body, { signal })
  } catch (error) {
    if (!isProblem(error, 'import_refused')) throw error
    const missing = error.errors.filter(({ code }) => code === 'media_missing')
    if (missing.length === 0 || body.media !== undefined) {
      refuse(error.errors.map((fault) => placed(path, fault)))
      throw error
    }
    const media = missing.map((fault) => mediumOf(path, fault))
    refuse(media.flatMap((one) => ('message' in one ? [one] : [])))
    const planned = media.flatMap((one) => ('message' in one ? [] : [one]))
    if (body.dryRun === true) {
      context.note(`${counted(planned.length, 'file')} would be uploaded first.`)
      throw error
    }
    const ids = await uploadAll(client, body.name ?? 'plan', planned, signal)
    const names = missing.map(nameIn)
    const given = Object.fromEntries(
      planned.flatMap((one, index) => {
        const id = ids.get(nameOf(one))
        return id === undefined ? [] : [[names[index] ?? '', id]]
      }),
    )
    return importFile(context, client, path, { ...body, media: given })
  }
}

type Told = {
  pointer: string
  code: string
  detail: string
  line?: number
  column?: number
  altText?: string
}

function placed(file: string, { line = 1, column = 1, detail }: Told): Fault {
  return { file, line, column, message: detail }
}

/** The name under which the file has it. */
function nameIn({ pointer }: Told): string {
  return pointer.slice('/media/'.length).replaceAll('~1', '/').replaceAll('~0', '~')
}

function mediumOf(path: string, told: Told): PlannedMedia | Fault {
  const place = placed(path, told)
  const common = { alt: told.altText ?? null, place }
  const name = nameIn(told)
  if (name.startsWith('https://')) return { ...common, is: 'url', url: name }
  const found = findFile(dirname(path), name)
  return 'path' in found ? { ...common, is: 'file', path: found.path } : { ...place, message: found.fault }
}

async function textOfImport(
  context: Context,
  client: Postrider,
  { created, posts }: Imported,
  dryRun: boolean,
): Promise<string> {
  const channels = await channelsForNames(context, client)
  const rows = table(
    {
      LINE: ({ line }) => String(line),
      POST: ({ created: isNew, postId }) => (isNew ? (postId ?? 'new') : 'unchanged'),
      WHEN: ({ destinations }) => timeCell(destinations[0]?.publishAt ?? null),
      CHANNELS: ({ destinations }) =>
        destinations.map((one) => channelCell(channels, { ...one, provider: one.channelId })).join(', '),
      TEXT: ({ text }) => excerpt(visible(text)),
    },
    posts,
  )
  const done = dryRun ? 'to create' : 'created'
  return `${rows}\n${counted(posts.length, 'post')}: ${created} ${done}, ${posts.length - created} unchanged.`
}
