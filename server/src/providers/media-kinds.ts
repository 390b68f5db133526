import type { KindLimits, MediaKind } from '@postrider/contract'

/* Bounds of files, as networks name them. */

type Bounds = { readonly maxBytes: number; readonly maxSide?: number; readonly maxSeconds?: number }

/** Pictures, which are fitted to their bounds; `maxSide` is the most pixels of either side. */
export function images(contentTypes: string[], bounds: Bounds): KindLimits {
  return { ...files('image', contentTypes, bounds), fitted: true }
}

/** Files that go as they are. */
export function files(kind: MediaKind, contentTypes: string[], bounds: Bounds): KindLimits {
  const { maxBytes, maxSide = null, maxSeconds = null } = bounds
  return { kind, contentTypes, maxBytes, maxWidth: maxSide, maxHeight: maxSide, maxSeconds, fitted: false }
}
