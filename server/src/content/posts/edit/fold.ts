import { normalizeText } from '../../../platform/text/normalize-text.ts'

/**
 * Text as search compares it: without difference of case or of compatible forms (NFKC), in any script. Going by way of
 * upper case makes one of the letters that lower-casing alone keeps apart (ß and ss, ς and σ), and the dot of the
 * Turkish İ is dropped. Upper-casing spares only ẞ, so that is lower-cased first.
 */
export function fold(text: string): string {
  const folded = normalizeText(text, 'NFKC').toLowerCase().toUpperCase().toLowerCase()
  // Lower-casing writes ς at the end of a word, where the word searched for may go on.
  const searchable = folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i')
  return normalizeText(searchable, 'NFC')
}
