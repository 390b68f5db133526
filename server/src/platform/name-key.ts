/** A name as names are compared: composed as Unicode composes it (NFC), and without case. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}
