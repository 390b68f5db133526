/*
 * Networks change texts: they shorten links, add mentions, cut off ends. What differs in spelling alone may still be
 * the same text, and must not count as another one.
 */

/** Letters and digits of a text, without its links. */
function wordsOf(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\S+:\/\/\S+/g, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}

/** Whether one of two texts may be a changed copy of the other: their words are equal, or begin or end alike. */
export function mayBeSameText(one: string, other: string): boolean {
  const [long = '', short = ''] = [wordsOf(one), wordsOf(other)].toSorted((a, b) => b.length - a.length)
  return long.startsWith(short) || long.endsWith(short)
}
