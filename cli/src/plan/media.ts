import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { MediaItem, Postrider } from '@postrider/sdk'
import { type Current, isOpen, type SameMedia } from './diff.ts'
import type { PlannedMedia, PlannedPost } from '@postrider/contract/plan'

/** The media items that were made of each file, by its path. */
export type MadeOf = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Whether a part carries what the plan means. Items are known by their ids, files by their bytes where these were asked about.
 * Of an address nothing is kept that tells it again: it is the item in its place, of its kind, with its alt text.
 */
export function sameMediaBy(madeOf: MadeOf): SameMedia {
  return (planned, mediaIds, post) =>
    planned.media.length === mediaIds.length &&
    planned.media.every((media, index) => {
      if (media.is === 'item') return media.mediaId === mediaIds[index]
      const item = post.media.find(({ mediaId }) => mediaId === mediaIds[index])
      if (item === undefined || item.altText !== media.alt || !isOfKind(media, item)) return false
      return media.is === 'url' || (madeOf.get(media.path)?.has(item.mediaId) ?? true)
    })
}

const AT_ONCE = 4
const LARGEST_PAGE = 100

/** Asks which items were made of the files of posts that are there already, and of which something can still be changed. */
export async function readMadeOf(
  client: Postrider,
  posts: readonly PlannedPost[],
  current: ReadonlyMap<string, Current>,
  signal: AbortSignal,
): Promise<MadeOf> {
  const open = posts.filter(({ id }) => current.get(id)?.post.destinations.some(isOpen) === true)
  const files = open.flatMap(mediaOf).flatMap((media) => (media.is === 'file' ? [media.path] : []))
  const left = [...new Set(files)]
  const madeOf = new Map<string, Set<string>>()
  const lane = async () => {
    for (let path = left.shift(); path !== undefined; path = left.shift()) {
      const hash = createHash('sha256')
      await pipeline(createReadStream(path), hash)
      const query = { sentSha256: hash.digest('hex'), limit: LARGEST_PAGE }
      const items = new Set<string>()
      for await (const { mediaId } of client.media.list(query, { signal })) items.add(mediaId)
      madeOf.set(path, items)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return madeOf
}

const KINDS: Readonly<Record<string, MediaItem['kind']>> = {
  jpg: 'image',
  jpeg: 'image',
  png: 'image',
  gif: 'image',
  webp: 'image',
  avif: 'image',
  heic: 'image',
  mp4: 'video',
  mov: 'video',
  webm: 'video',
  mp3: 'audio',
  m4a: 'audio',
  ogg: 'audio',
  wav: 'audio',
  pdf: 'document',
}

function isOfKind(media: Extract<PlannedMedia, { is: 'file' | 'url' }>, { kind }: MediaItem): boolean {
  const name = media.is === 'file' ? media.path : new URL(media.url).pathname
  const known = KINDS[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '']
  return known === undefined || known === kind
}

export function mediaOf({ targets }: Pick<PlannedPost, 'targets'>): PlannedMedia[] {
  return targets.flatMap(({ parts }) => parts.flatMap(({ media }) => media))
}

/** What tells a planned medium from another one. */
export function nameOf(media: PlannedMedia): string {
  return JSON.stringify([
    media.is === 'file' ? media.path : media.is === 'url' ? media.url : media.mediaId,
    media.alt,
  ])
}

/** Uploads what the posts carry, each once, under keys made of the bytes. */
export async function uploadAll(
  client: Postrider,
  plan: string,
  media: readonly PlannedMedia[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const each of media) {
    const name = nameOf(each)
    if (each.is === 'item' || ids.has(name)) continue
    const fields = each.alt === null ? {} : { altText: each.alt }
    const bytes = each.is === 'file' ? await readFile(each.path) : null
    const digest = createHash('sha256')
      .update(JSON.stringify([plan, each.alt, each.is === 'url' ? each.url : null]))
      .update(bytes ?? '')
      .digest('base64url')
    const options = { signal, idempotencyKey: `plan-media-${digest}` }
    const { mediaId } =
      bytes === null || each.is === 'url'
        ? await client.media.uploadFrom(each.is === 'url' ? each.url : '', fields, options)
        : await client.media.upload(new Blob([bytes]), fields, options)
    ids.set(name, mediaId)
  }
  return ids
}
