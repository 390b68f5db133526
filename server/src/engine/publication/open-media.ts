import type { FileToSend } from '../../networks/providers/port/calls.ts'
import {
  type Limits,
  type PartFile,
  type ProviderFacts,
  typesOfAnimation,
} from '../../networks/providers/port/port.ts'
import { MEDIA_UNAVAILABLE } from './deferrals.ts'
import type { Engine, MediaBounds, PartRefusal } from './engine-port.ts'
import type { WorkMedia } from '../queue/work.ts'

/** A media item that keeps within the limits of its channel and can be read. */
export type OpenMedia = {
  readonly file: PartFile
  /** Its bytes could not be read to their end: whatever a call came to, the provider had no whole file. */
  readonly failed: () => boolean
  /** To be called when the bytes are needed no longer. */
  readonly release: () => Promise<void>
}

/** Opens a media item in the form that the channel takes: scaled or converted where it has to be. */
export async function openMedia(
  engine: Pick<Engine, 'media'>,
  provider: Pick<ProviderFacts, 'displayName'>,
  limits: Limits,
  item: WorkMedia,
): Promise<OpenMedia | { readonly refused: PartRefusal }> {
  const bounds = boundsOf(item, provider, limits)
  if ('refused' in bounds) return bounds
  const prepared = await engine.media.prepare(item, bounds).catch(() => null)
  if (prepared === null) return { refused: MEDIA_UNAVAILABLE }
  if ('unfit' in prepared) return unfit(prepared.unfit)

  const { kind, altText } = item
  const { width, height, release } = prepared
  const reading = watchReading(prepared.file)
  return { file: { ...reading.file, kind, altText, width, height }, failed: reading.failed, release }
}

/** Opens all media of a part, in order: all of them, or none. */
export async function openAllMedia(
  engine: Pick<Engine, 'media'>,
  provider: Pick<ProviderFacts, 'displayName'>,
  limits: Limits,
  items: readonly WorkMedia[],
): Promise<
  | { readonly files: readonly PartFile[]; readonly failed: () => boolean; release: () => Promise<void> }
  | { readonly refused: PartRefusal }
> {
  const opened: OpenMedia[] = []
  const release = async () => {
    for (const one of opened) await one.release()
  }
  for (const item of items) {
    const one = await openMedia(engine, provider, limits, item)
    if ('refused' in one) {
      await release()
      return one
    }
    opened.push(one)
  }
  const failed = () => opened.some((one) => one.failed())
  return { files: opened.map(({ file }) => file), failed, release }
}

/** The same file, and whether its bytes could not be read to their end. */
function watchReading(file: FileToSend): { readonly file: FileToSend; readonly failed: () => boolean } {
  let failed = false
  async function* open(range?: { from: number; to: number }): AsyncGenerator<Uint8Array> {
    const bytes = file.open(range)[Symbol.asyncIterator]()
    const next = () =>
      bytes.next().catch((fault: unknown) => {
        failed = true
        throw fault
      })
    try {
      // What throws at the yield is a connection that breaks off: that says nothing of the file.
      for (let read = await next(); read.done !== true; read = await next()) yield read.value
    } finally {
      await bytes.return?.()
    }
  }
  return { file: { ...file, open }, failed: () => failed }
}

/** What the channel takes of an item's kind. */
export function boundsOf(
  { kind, animated }: Pick<WorkMedia, 'kind' | 'animated'>,
  { displayName }: Pick<ProviderFacts, 'displayName'>,
  limits: Limits,
): MediaBounds | { readonly refused: PartRefusal } {
  const bounds = limits.media.kinds.find((one) => one.kind === kind)
  if (bounds === undefined) return unfit(`${displayName} takes no media of this kind.`)
  return animated && kind === 'image' ? { ...bounds, contentTypes: typesOfAnimation(bounds) } : bounds
}

export function unfit(detail: string): { refused: PartRefusal } {
  return { refused: { is: 'rejected', code: 'media_refused', detail } }
}
