import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { MediaItem, Post, Postrider } from '@postrider/sdk'
import type { PlannedMedia, PlannedPart, PlannedPost } from './read-plan.ts'

/**
 * Whether a part carries what the plan means. Items are known by their ids. Of a file or an address nothing is kept that tells it
 * again: it is the item in its place, of its kind, with its alt text.
 */
export function sameMedia(planned: PlannedPart, mediaIds: readonly string[], post: Post): boolean {
  return (
    planned.media.length === mediaIds.length &&
    planned.media.every((media, index) => {
      if (media.is === 'item') return media.mediaId === mediaIds[index]
      const item = post.media.find(({ mediaId }) => mediaId === mediaIds[index])
      return item !== undefined && item.altText === media.alt && isOfKind(media, item)
    })
  )
}

const KINDS: Readonly<Record<string, MediaItem['kind']>> = {
  ...{ jpg: 'image', jpeg: 'image', png: 'image', gif: 'image', webp: 'image', avif: 'image', heic: 'image' },
  ...{
    mp4: 'video',
    mov: 'video',
    webm: 'video',
    mp3: 'audio',
    m4a: 'audio',
    ogg: 'audio',
    wav: 'audio',
    pdf: 'document',
  },
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
