// Apart from that of English: see `german` in language.ts.
const rules = new Intl.PluralRules('de')
const numbers = new Intl.NumberFormat('de')

/** `1 Beitrag`, `2.000 Beiträge`. */
export function plural(count: number, one: string, other: string): string {
  return `${numbers.format(count)} ${pluralWord(count, one, other)}`
}

export function pluralWord(count: number, one: string, other: string): string {
  return rules.select(count) === 'one' ? one : other
}
