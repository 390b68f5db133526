/*
 * The server's sentences, and what is shown instead of them: in German, or in English without the names of the API. `{}` stands for what
 * is filled in; in what is shown, `<>` stands for a filling that is told, too, and `{2}` and `<2>` name one by its place.
 */

type Pairs = readonly (readonly [said: string, told: string])[]
type Known = { readonly said: string; readonly pattern: RegExp; readonly told: string }

export type SaidTable = {
  /** What the table has for exactly this text. */
  readonly exactly: (text: string) => string | undefined
  /** What it has for this text; null for none. `fill` tells what was filled in. */
  readonly tell: (text: string, fill: (value: string) => string) => string | null
}

/** Compiled when first asked. Of several that fit, the one with the most letters of its own says it best. */
export function saidTable(pairs: Pairs): SaidTable {
  let known: { readonly whole: Map<string, string>; readonly filled: readonly Known[] } | null = null
  const tables = () => (known ??= { whole: new Map(pairs), filled: filledOf(pairs) })
  return {
    exactly: (text) => tables().whole.get(text),
    tell(text, fill) {
      const { whole, filled } = tables()
      const exact = whole.get(text)
      if (exact !== undefined) return exact
      for (const { said, pattern, told } of filled) {
        const found = pattern.exec(text)
        if (found === null || !found.slice(1).every((value, index) => isFilling(value, index, said))) continue
        let at = 0
        return told.replaceAll(/[{<](\d*)(\.?)[}>]/g, (slot, place: string, end: string) => {
          const value = found[place === '' ? ++at : Number(place)] ?? ''
          return slot.startsWith('<') ? fill(`${value}${end}`) : value
        })
      }
      return null
    },
  }
}

function filledOf(pairs: Pairs): Known[] {
  const bare = (text: string) => text.replaceAll('{}', '').length
  return pairs
    .filter(([said]) => said.includes('{}'))
    .toSorted(([one], [other]) => bare(other) - bare(one))
    .map(([said, told]) => ({ said, pattern: patternOf(said), told }))
}

function patternOf(said: string): RegExp {
  const pieces = said.split('{}').map((text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
  return new RegExp(`^${pieces.join('(.*?)')}$`, 's')
}

/** What is filled in is part of a sentence, or one sentence; but between quotes, it is what somebody wrote. */
function isFilling(value: string | undefined, index: number, said: string): boolean {
  return (
    said.split('{}')[index]?.endsWith('“') === true || !/(?:[\p{L})]{3}|\d)[.!?] \p{Lu}/u.test(value ?? '')
  )
}

export const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?”)]) (?=[\p{Lu}(“`@])/u)

/** Names between backticks, as people read them: in the quotes of their language, statuses as words. */
export function quoted(text: string, [open, close]: readonly [string, string]): string {
  return text.replaceAll(
    /`([^`]*)`/g,
    (_, name: string) =>
      `${open}${/^[a-z]+(?:_[a-z]+)+$/.test(name) ? name.replaceAll('_', ' ') : name}${close}`,
  )
}
