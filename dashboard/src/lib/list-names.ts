const SHOWN = 3

/** `A, B and C`; of many, the first and how many more. */
export function listNames(names: readonly string[], shown = SHOWN): string {
  const more = names.length - shown
  // One more costs as much room as its name.
  const items = more > 1 ? [...names.slice(0, shown), `${more} more`] : names
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(items)
}
