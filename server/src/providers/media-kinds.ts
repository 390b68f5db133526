import type { KindLimits, MediaKind } from '@postrider/contract'

/* Bounds of files, as networks name them. */

type Bounds = {
  readonly maxBytes: number
  readonly maxSide?: number
  readonly maxSeconds?: number
  /** Only where the network documents that it takes no others: what it recommends refuses nothing. */
  readonly videoCodecs?: string[]
  readonly audioCodecs?: string[]
}

/** Pictures, which are fitted to their bounds; `maxSide` is the most pixels of either side. */
export function images(contentTypes: string[], bounds: Bounds): KindLimits {
  return { ...files('image', contentTypes, bounds), fitted: true }
}

/** Files that go as they are. */
export function files(kind: MediaKind, contentTypes: string[], bounds: Bounds): KindLimits {
  const { maxBytes, maxSide = null, maxSeconds = null, ...codecs } = bounds
  const sides = { maxWidth: maxSide, maxHeight: maxSide }
  return { kind, contentTypes, maxBytes, ...sides, maxSeconds, ...codecs, fitted: false }
}
