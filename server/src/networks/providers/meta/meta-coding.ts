import type { Bound, Source } from '../port/bounds.ts'

/** How Instagram and Threads want videos coded, reels, stories and carousels alike. Their bit rates are not read from files. */
export function metaCoding(source: Source): Bound[] {
  return [
    { of: 'video', measure: 'video codec', oneOf: ['h264', 'hevc'], source },
    { of: 'video', measure: 'audio codec', oneOf: ['aac'], source },
    { of: 'video', measure: 'frame rate', min: 23, max: 60, source },
    { of: 'video', measure: 'audio channels', max: 2, source },
    { of: 'video', measure: 'audio rate', max: 48_000, source },
  ]
}
