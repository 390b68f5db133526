const CLOSING: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
  ['）', '（'],
  ['」', '「'],
  ['』', '『'],
  ['】', '【'],
  ['》', '《'],
  ['”', '“'],
  ['»', '«'],
])

const PUNCTUATION = /[.,;:!?'’…。、．，！？；：।؟،]/u

/**
 * An address without what ends the sentence after it: a closing bracket belongs to it if it has the opening one. Takes linear time.
 */
export function withoutEnd(address: string): string {
  const counts = new Map<string, number>()
  const count = (character: string) => counts.get(character) ?? 0
  for (const character of address) counts.set(character, count(character) + 1)
  let end = address.length
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1)
    const opening = CLOSING.get(last)
    const ends = opening === undefined ? PUNCTUATION.test(last) : count(last) > count(opening)
    if (!ends) break
    counts.set(last, count(last) - 1)
  }
  return address.slice(0, end)
}
