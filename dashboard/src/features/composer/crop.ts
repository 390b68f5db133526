/* What is cut out of a picture to fit. */

import { type Ratio, type Size, valueOf } from '../preview/shown-ratio.ts'

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
