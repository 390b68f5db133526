/** A run of words that stayed, came or went. */
export type DiffRun = { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }

/** Above this many comparisons, texts are shown as replaced altogether. */
const MAX_CELLS = 4_000_000

/** What changed from one text to another, by words: a longest common subsequence. */
export function wordDiff(before: string, after: string): DiffRun[] {
  const [old, now] = [splitWords(before), splitWords(after)]
  if (old.length * now.length > MAX_CELLS) return merged([...runs('removed', old), ...runs('added', now)])
  const common = commonLengths(old, now)
  const found: DiffRun[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const [was, is] = [old[i], now[j]]
    if (was !== undefined && was === is) {
      found.push({ kind: 'same', text: was })
      i += 1
      j += 1
    } else if (
      is === undefined ||
      (was !== undefined && lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1))
    ) {
      found.push({ kind: 'removed', text: was ?? '' })
      i += 1
    } else {
      found.push({ kind: 'added', text: is })
      j += 1
    }
  }
  return merged(found)
}

/** Words, the white space between them, and each other sign by itself. */
function splitWords(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{M}\p{N}]+|./gsu) ?? []
}

/** How many words the rests of both lists have in common, from each pair of places on. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const length =
        old[i] === now[j]
          ? lengthAt(rows, i + 1, j + 1) + 1
          : Math.max(lengthAt(rows, i + 1, j), lengthAt(rows, i, j + 1))
      rows[i]?.fill(length, j, j + 1)
    }
  }
  return rows
}

function lengthAt(rows: readonly Uint32Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0
}

function runs(kind: DiffRun['kind'], words: readonly string[]): DiffRun[] {
  return words.map((text) => ({ kind, text }))
}

/** Neighbours of one kind as one run. */
function merged(found: readonly DiffRun[]): DiffRun[] {
  const result: DiffRun[] = []
  for (const { kind, text } of found) {
    const last = result.at(-1)
    if (last?.kind === kind) result[result.length - 1] = { kind, text: last.text + text }
    else result.push({ kind, text })
  }
  return result
}
