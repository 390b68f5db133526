/*
 * Networks change texts: they shorten links, add mentions, cut off ends. What differs in spelling alone may still be
 * the same text, and must not count as another one.
 */

/** What networks make a link of. */
const LINK = /:\/\//
/** `example.com`, which some make a link of, too; `end.Next` looks the same. */
const LINK_OR_HOST = /:\/\/|[\p{L}\p{N}]\.\p{L}[\p{L}\p{N}-]/u

/** Letters and digits of a text, without its links. */
function splitWords(text: string, link: RegExp): string {
  const words = text.normalize('NFKC').split(/\s+/)
  return words
    .filter((word) => !link.test(word))
    .join('')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}

/**
 * Whether one of two texts may be a changed copy of the other: their words are equal, or begin or end alike, with or
 * without what may be a host name.
 */
export function mayBeSameText(one: string, other: string): boolean {
  return [LINK, LINK_OR_HOST].some((link) => {
    const [long = '', short = ''] = [splitWords(one, link), splitWords(other, link)].toSorted(
      (a, b) => b.length - a.length,
    )
    return long.startsWith(short) || long.endsWith(short)
  })
}
