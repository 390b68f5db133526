/** How many characters an n-gram has at most, and how many bits each of their code points takes. */
const LENGTH = 3
const BITS = 21n

/**
 * The n-grams that every text with this one in it has, as `search_grams` of the database writes them: code points in one
 * number, three or as many as there are. Decimal, since they exceed a JavaScript number.
 */
export function searchGrams(folded: string): string[] {
  const codes = Array.from(folded, (character) => BigInt(character.codePointAt(0) ?? 0))
  const length = Math.min(LENGTH, codes.length)
  const grams = codes.slice(length - 1).map((_, place) => gramOf(codes.slice(place, place + length)))
  return [...new Set(grams)].map(String)
}

/** Left-aligned, so that those of fewer characters are no prefix of a number of others. */
function gramOf(codes: readonly bigint[]): bigint {
  const bits = codes.reduce((gram, code) => (gram << BITS) | code, 0n)
  return bits << (BITS * BigInt(LENGTH - codes.length))
}
