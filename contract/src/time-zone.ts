/*
 * Time zones by the names of the IANA database. A name is kept and shown as it was written: a zone can have several, and machines disagree
 * which of them is the one.
 */

/** The short names that the database has. Machines know others, which mean another zone to each reader (IST, BST). */
const SHORT: ReadonlySet<string> = new Set(
  'gb nz cet eet est gmt hst met mst prc roc rok uct utc wet'.split(' '),
)

/**
 * What zones have been called in the last ten years, with the name that machines know which are older than that (tz database, NEWS of
 * releases 2016g, 2020a, 2021b and 2022b, read 2026-11).
 */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['asia/yangon', 'Asia/Rangoon'],
  ['america/nuuk', 'America/Godthab'],
  ['pacific/kanton', 'Pacific/Enderbury'],
  ['europe/kyiv', 'Europe/Kiev'],
])

/**
 * The name by which the clocks of this machine know the zone of this name, in whatever case it is written: to be read by, and never to be
 * stored or shown. Null for a name that the database does not have.
 */
export function knownZone(name: string, clockOf = intlClock): string | null {
  const key = name.toLowerCase()
  // Neither a distance such as +01:00, nor an abbreviation.
  if (!/^[a-z]/.test(key) || (key.length <= 3 && !SHORT.has(key)) || key.startsWith('systemv/')) return null
  return clockOf(name) ?? clockOf(RENAMED.get(key) ?? '')
}

function intlClock(name: string): string | null {
  try {
    return name === '' ? null : new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch (fault) {
    if (fault instanceof RangeError) return null
    throw fault
  }
}
