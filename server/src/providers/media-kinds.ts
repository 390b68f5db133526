import type { KindLimits, MediaKind } from '@postrider/contract'
import type { CodingLimits } from './codec-faults.ts'

/* Bounds of files, as networks name them. */

type Bounds = {
  readonly maxBytes: number
  readonly maxSide?: number
  readonly maxSeconds?: number
  /* How it is coded: only where the network documents that it takes no other. What it recommends refuses nothing. */
} & CodingLimits

/** Pictures, which are fitted to their bounds; `maxSide` is the most pixels of either side. */
export function images(contentTypes: string[], bounds: Bounds): KindLimits {
  return { ...files('image', contentTypes, bounds), fitted: true }
}

/** Files that go as they are. */
export function files(kind: MediaKind, contentTypes: string[], bounds: Bounds): KindLimits {
  const { maxBytes, maxSide = null, maxSeconds = null, ...coding } = bounds
  const sides = { maxWidth: maxSide, maxHeight: maxSide }
  return { kind, contentTypes, maxBytes, ...sides, maxSeconds, ...coding, fitted: false }
}
