import type { TextLimit } from './part-preview.tsx'

/** The least that any of some channels of one network takes; undefined for none. */
export function limitOf(channels: readonly TextLimit[]): TextLimit | undefined {
  return channels.toSorted((a, b) => a.maxCharacters - b.maxCharacters)[0]
}
