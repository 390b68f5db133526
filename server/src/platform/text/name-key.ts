/** A name as names are compared: composed as Unicode composes it (NFC), and without case. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}

/**
 * A name as it is stored: without space around it, and composed (NFC). What would be longer that way, as some Hebrew and Indic
 * characters are, stays as it was sent: it could pass the length that its field takes.
 */
export function storedName(name: string): string {
  const trimmed = name.trim()
  const composed = trimmed.normalize('NFC')
  return Array.from(composed).length > Array.from(trimmed).length ? trimmed : composed
}
