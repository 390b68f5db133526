/**
 * Text as search compares it: without difference of case or of compatible forms (NFKC), in any script. Upper-casing
 * before lower-casing makes one of the letters that lower-casing alone keeps apart (ß, ẞ and ss; σ and final ς), and
 * the dots of the Turkish İ and i fall together.
 */
export function fold(text: string): string {
  const folded = text.normalize('NFKC').toUpperCase().toLowerCase()
  // Lower-casing writes ς at the end of a word, where the word searched for may go on.
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC')
}

/** Whether PostgreSQL can hold the text: no NUL, and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
