const rules = new Intl.PluralRules('en')
const numbers = new Intl.NumberFormat('en')

/** `1 post`, `2,000 posts`. */
export function plural(count: number, one: string, other: string): string {
  return `${numbers.format(count)} ${pluralWord(count, one, other)}`
}

export function pluralWord(count: number, one: string, other: string): string {
  return rules.select(count) === 'one' ? one : other
}
