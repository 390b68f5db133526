/* What networks show of a picture in their feeds, and what is cut out of one to fit. */

export type Size = { readonly width: number; readonly height: number }

type Ratio = readonly [number, number]
/** Null where any is shown whole. */
type Shown = { readonly widest: Ratio | null; readonly tallest: Ratio }

/**
 * The widest and the tallest picture that a network's own app shows whole in its feed, width to height; what is beyond is usually cut
 * there, and shown whole after a click. None but Instagram refuses it. X: as it announced in May 2021, for a single picture in its apps.
 * LinkedIn: 3:1 as HubSpot's help has it (knowledge.hubspot.com, "Image size requirements for social posts": beyond 3:1 to 2:3 it is
 * centered and cropped); the tallest is 4:5, which guides advise, and so the careful one of the two. LinkedIn's own help was not read.
 * Instagram refuses images beyond its ratios, but for stories (docs/networks/instagram.md).
 * Bluesky: the source of its app (`AutoSizedImage`, 1:2 in feeds).
 */
const SHOWN: Readonly<Record<string, Shown>> = {
  x: { widest: [2, 1], tallest: [3, 4] },
  linkedin: { widest: [3, 1], tallest: [4, 5] },
  instagram: { widest: [1.91, 1], tallest: [4, 5] },
  bluesky: { widest: null, tallest: [1, 2] },
}

/** The ratios that a picture can be cropped to, as people write them. */
export const ratios = [
  [1, 1],
  [4, 5],
  [3, 4],
  [1.91, 1],
  [16, 9],
  [2, 1],
  [3, 1],
  [9, 16],
  [1, 2],
] as const

export const nameOfRatio = ([width, height]: Ratio) => `${width}:${height}`

export type OutOfRatio = { readonly is: 'wide' | 'tall'; readonly limit: Ratio }

/** How a picture is beyond what a network shows whole; null where it is not, or the network shows any. */
export function outOfRatio(provider: string, { width, height }: Size): OutOfRatio | null {
  const shown = SHOWN[provider]
  if (shown === undefined || width === 0 || height === 0) return null
  // A pixel more or less is no other ratio.
  if (shown.widest !== null && (width - 1) / height > valueOf(shown.widest))
    return { is: 'wide', limit: shown.widest }
  if ((width + 1) / height < valueOf(shown.tallest)) return { is: 'tall', limit: shown.tallest }
  return null
}

const valueOf = ([width, height]: Ratio) => width / height

export type Cut = {
  readonly ratio: Ratio
  /** 1 for as much as there is; 2 for half of its width and height. */
  readonly zoom: number
  /** Where it is cut out, from 0 (left, top) to 1. */
  readonly across: number
  readonly down: number
}

/** The piece of a picture that is kept, in whole pixels of it; never beyond its edges, and never empty. */
export function cropOf(
  { width, height }: Size,
  { ratio, zoom, across, down }: Cut,
): Size & { left: number; top: number } {
  const wanted = valueOf(ratio)
  const widest = Math.min(width, height * wanted) / Math.max(1, zoom)
  const kept = {
    width: Math.min(width, Math.max(1, Math.round(widest))),
    height: Math.min(height, Math.max(1, Math.round(widest / wanted))),
  }
  return {
    ...kept,
    left: Math.round((width - kept.width) * across),
    top: Math.round((height - kept.height) * down),
  }
}
