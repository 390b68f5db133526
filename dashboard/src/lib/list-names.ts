import { language } from './language.ts'
import { words } from './words.ts'
const SHOWN = 3

/** `A, B and C`; of many, the first and how many more. */
export function listNames(names: readonly string[], shown = SHOWN): string {
  const more = names.length - shown
  // One more costs as much room as its name.
  const items = more > 1 ? [...names.slice(0, shown), words.more(more)] : names
  return new Intl.ListFormat(language === 'de' ? 'de' : 'en-GB', { type: 'conjunction' }).format(items)
}
