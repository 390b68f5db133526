type Picture = { readonly width: number | null; readonly height: number | null }

export const REEL_RATIO = 9 / 16
/** Encoders pad pictures to whole blocks: a few pixels are no other ratio. */
const TOLERANCE = 0.01

/**
 * Whether a picture is one of a reel: 9:16, at least 540 × 960 pixels (https://developers.facebook.com/docs/video-api/guides/reels-publishing).
 * What is not known of a file is left to Facebook.
 */
export function isReelPicture({ width, height }: Picture): boolean {
  if (width === null || height === null) return true
  return width >= 540 && height >= 960 && Math.abs(width / height - REEL_RATIO) <= TOLERANCE
}
