import type { FileToSend } from '../../networks/providers/port/calls.ts'
import {
  boxFor,
  type Limits,
  type PartFile,
  type ProviderFacts,
  rangesFor,
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

/** What a file is for: a network, what this channel's account may post there, and what its author has set. */
export type Taker = {
  readonly provider: Pick<ProviderFacts, 'displayName' | 'bounds'>
  readonly limits: Limits
  readonly settings: Readonly<Record<string, unknown>>
}

/** Opens a media item in the form that the channel takes: scaled or converted where it has to be. */
export async function openMedia(
  engine: Pick<Engine, 'media'>,
  taker: Taker,
  item: WorkMedia,
): Promise<OpenMedia | { readonly refused: PartRefusal }> {
  const bounds = boundsOf(item, taker)
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
  taker: Taker,
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
    const one = await openMedia(engine, taker, item)
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

/** What the channel takes of this item. */
export function boundsOf(
  item: Pick<WorkMedia, 'kind' | 'animated' | 'width' | 'height'>,
  { provider: { displayName, bounds }, limits, settings }: Taker,
): MediaBounds | { readonly refused: PartRefusal } {
  const { kind, animated, width, height } = item
  const taken = limits.media.kinds.find((one) => one.kind === kind)
  if (taken === undefined) return unfit(`${displayName} takes no media of this kind.`)
  const ranges = rangesFor(taken, animated, { bounds, settings, displayName })
  const least = (measure: 'bytes' | 'width' | 'height') =>
    Math.min(...ranges.flatMap((range) => (range.measure === measure ? [range.max] : [])))
  const finite = (most: number) => (most === Infinity ? null : most)
  const sides = { maxWidth: finite(least('width')), maxHeight: finite(least('height')) }
  const ofArea = ranges.filter(({ measure }) => measure === 'sides' || measure === 'pixels')
  const isPicture = width !== null && height !== null && width > 0 && height > 0
  const box = isPicture && kind === 'image' ? boxFor(ofArea, { width, height }) : null
  const isSmaller =
    box !== null && width !== null && box.maxWidth < Math.min(width, sides.maxWidth ?? Infinity)
  return {
    contentTypes: animated && kind === 'image' ? typesOfAnimation(taken) : taken.contentTypes,
    maxBytes: least('bytes'),
    ...(isSmaller ? box : sides),
    fitted: taken.fitted,
  }
}

export function unfit(detail: string): { refused: PartRefusal } {
  return { refused: { is: 'rejected', code: 'media_refused', detail } }
}
