import type { CharacterCounting } from '@postrider/contract'

/*
 * About how long a text is to a network, at once and without the server, whose count replaces it a moment later. It is the same
 * for what most posts are made of; the last word has the server (twitter-text, newest emoji).
 */

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const ADDRESS = 23
const LINK = /https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]]/giu
const BARE_LINK =
  /(?<![\p{L}\p{N}@#$._/-])(?:https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]]|[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?![\w.-]*@)(?:\/[^\s<>"]*[^\s<>"'.,;:!?)\]])?)/giu

/** Signs that count twice at LinkedIn; the # of a hashtag is none of them. */
const RESERVED = /[\\|{}@[\]()<>*_~]|(?<=[\p{L}\p{N}_#])#|#(?![\p{L}\p{N}]+(?![\p{L}\p{N}_]))/gu

const counters: Record<CharacterCounting, (text: string) => number> = {
  code_points: (text) => Array.from(text).length,
  graphemes: countGraphemes,
  mastodon: (text) =>
    countGraphemes(withoutLinks(text, LINK).replaceAll(/(?<![\w/=])@([\w.-]+)@[\w.-]+\w/g, '@$1')),
  x_weighted: (text) =>
    graphemesOf(withoutLinks(text, BARE_LINK)).reduce((sum, one) => sum + weightOf(one), 0),
  linkedin: (text) => text.length + (text.match(RESERVED) ?? []).length,
  threads: (text) => graphemesOf(text).reduce((sum, one) => sum + countAtThreads(one), 0),
}

export function countCharacters(text: string, counting: CharacterCounting): number {
  return counters[counting](text)
}

function graphemesOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

function countGraphemes(text: string): number {
  return graphemesOf(text).length
}

/** An emoji is as many as its bytes in UTF-8. */
function countAtThreads(grapheme: string): number {
  const isEmoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\u20e3/u.test(grapheme)
  return isEmoji ? new TextEncoder().encode(grapheme).length : Array.from(grapheme).length
}

function withoutLinks(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, 'x'.repeat(ADDRESS))
}

/** The ranges of X's configuration v3; an emoji is 2 however it is joined together. */
function weightOf(grapheme: string): number {
  if (/\p{Extended_Pictographic}|\p{RI}/u.test(grapheme)) return 2
  return Array.from(grapheme).reduce((sum, one) => sum + (isLight(one.codePointAt(0) ?? 0) ? 1 : 2), 0)
}

function isLight(code: number): boolean {
  return (
    code <= 4_351 ||
    (code >= 8_192 && code <= 8_205) ||
    (code >= 8_208 && code <= 8_223) ||
    (code >= 8_242 && code <= 8_247)
  )
}
