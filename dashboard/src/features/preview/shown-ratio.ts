/* What networks show of a picture in their feeds. */

export type Size = { readonly width: number; readonly height: number }

export type Ratio = readonly [number, number]
/** Null where any is shown whole. */
type Shown = { readonly widest: Ratio | null; readonly tallest: Ratio }

/**
 * The widest and the tallest picture that a network's own app shows whole in its feed, width to height; what is beyond is usually cut
 * there, and shown whole after a click. None but Instagram refuses it. Where the numbers are from:
 *
 * - X: 2:1 and 3:4 for a single picture in its apps, as it announced in May 2021. Read in reports of it
 *   (weareshootingstar.co.uk/news/369-twitter-crop-is-gone); its own words were not found. Approximate.
 * - LinkedIn: 3:1 as HubSpot's help has it (knowledge.hubspot.com, "Image size requirements for social posts": beyond 3:1 to 2:3 it is
 *   centered and cropped); the tallest is 4:5, which guides advise, and so the careful one of the two. Approximate.
 * - Instagram: refuses what is beyond, but for stories (docs/networks/instagram.md). Exact.
 * - Bluesky: "max of 1:2 ratio in feeds" in the source of its app (bluesky-social/social-app, src/components/images/AutoSizedImage.tsx).
 *   Exact.
 */
const SHOWN: Readonly<Record<string, Shown>> = {
  x: { widest: [2, 1], tallest: [3, 4] },
  linkedin: { widest: [3, 1], tallest: [4, 5] },
  instagram: { widest: [1.91, 1], tallest: [4, 5] },
  bluesky: { widest: null, tallest: [1, 2] },
}

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

/** As people write it. */
export const nameOfRatio = ([width, height]: Ratio) => `${width}:${height}`

export const valueOf = ([width, height]: Ratio) => width / height

/** How much of a picture is shown, along the side that is cut: from 0 to 1. */
export function shownShare({ width, height }: Size, { is, limit }: OutOfRatio): number {
  const beyond = width / height / valueOf(limit)
  return is === 'wide' ? 1 / beyond : beyond
}
