export type Profile = 'short' | 'professional'

const URL_WEIGHT = 23
const ADDRESS = /https?:\/\/[\x21-\x7e]*[\w/#&=+%@~$*-]/gi
const EMOJI = /\p{RGI_Emoji}/gv

// Code points that weigh one; every other one, CJK among them, weighs two.
const lightRanges: readonly (readonly [from: number, to: number])[] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
]

const counters: Record<Profile, (text: string) => number> = {
  short: weightedLength,
  professional: codePointLength,
}

/** The length of a text as this network counts it for an account of the profile. */
export function characterCount(profile: Profile, text: string): number {
  return counters[profile](text)
}

function codePointLength(text: string): number {
  return Array.from(text).length
}

/** An address weighs 23 whatever its length, an emoji 2 however it is composed, a CJK character 2. */
function weightedLength(text: string): number {
  const composed = compose(text)
  const withoutUrls = composed.replace(ADDRESS, '')
  const urls = composed.match(ADDRESS)?.length ?? 0
  const withoutEmoji = withoutUrls.replace(EMOJI, '')
  const emojis = withoutUrls.match(EMOJI)?.length ?? 0
  let weight = urls * URL_WEIGHT + emojis * 2
  for (const character of withoutEmoji) weight += isLight(character.codePointAt(0) ?? 0) ? 1 : 2
  return weight
}

/** A run of more combining marks than 30 is in no language (UAX #15, 13), and would take quadratic time. */
const MARKS_AT_ONCE = /\P{M}*\p{M}{0,30}/gu

function compose(text: string): string {
  return Array.from(text.matchAll(MARKS_AT_ONCE), ([piece]) => piece.normalize('NFC')).join('')
}

function isLight(codePoint: number): boolean {
  return lightRanges.some(([from, to]) => codePoint >= from && codePoint <= to)
}
