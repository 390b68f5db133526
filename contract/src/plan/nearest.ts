/** What is longer is no word that was mistyped, and would take long to compare. */
const LONGEST = 100

/** The candidate that a mistyped word most likely means; null where none is near. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  if (word.length > LONGEST) return null
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((one, other) => one.distance - other.distance)
  return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length / 3))
    ? best.candidate
    : null
}

/** How many letters have to be put, taken or replaced (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (const [i, letter] of Array.from(one).entries()) {
    const next = [i + 1]
    for (const [j, against] of Array.from(other).entries()) {
      const kept = (row[j] ?? 0) + (letter === against ? 0 : 1)
      next.push(Math.min(kept, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
