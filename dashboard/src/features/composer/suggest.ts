/* Mentions and hashtags that were used before, for the one that is being typed. */

/** A mention or hashtag that is begun: where it begins, and what of it stands before the caret. */
export type Begun = { readonly from: number; readonly word: string }

const BEGUN = /(?<=^|[\s(])[@#][\p{L}\p{N}\p{M}_.@-]*$/u
const USED = /(?<=^|[\s(])(?:@[\p{L}\p{N}_][\p{L}\p{N}_.@-]*[\p{L}\p{N}_]|#[\p{L}\p{N}\p{M}_]+)/gu
const LONGEST = 100

/** What is begun at the caret; null for nothing, and within a word. */
export function begunAt(text: string, caret: number): Begun | null {
  if (/^[\p{L}\p{N}\p{M}_]/u.test(text.slice(caret))) return null
  const before = text.slice(Math.max(0, caret - LONGEST), caret)
  const word = BEGUN.exec(before)?.[0]
  return word === undefined ? null : { from: caret - word.length, word }
}

/** The mentions and hashtags of these texts, those that are used most in front. */
export function usedIn(texts: readonly string[]): string[] {
  const counts = new Map<string, { word: string; count: number }>()
  for (const [word] of texts.flatMap((text) => [...text.matchAll(USED)])) {
    const known = counts.get(word.toLowerCase())
    if (known === undefined) counts.set(word.toLowerCase(), { word, count: 1 })
    else known.count++
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count).map(({ word }) => word)
}

/** Of what was used, what begins with the word and goes on. */
export function suggestionsFor({ word }: Begun, used: readonly string[], most: number): string[] {
  const asked = word.toLowerCase()
  return used.filter((one) => one.length > word.length && one.toLowerCase().startsWith(asked)).slice(0, most)
}

/** The text with the word in place of what was begun, and where the caret is then. */
export function completed(
  text: string,
  caret: number,
  { from }: Begun,
  word: string,
): { text: string; caret: number } {
  const after = text.slice(caret)
  const space = /^\s/.test(after) ? '' : ' '
  const before = text.slice(0, from) + word + space
  return { text: before + after, caret: before.length + (space === '' ? 1 : 0) }
}
