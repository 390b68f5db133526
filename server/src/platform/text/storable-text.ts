/** Whether PostgreSQL can hold the text: no NUL, and no unpaired surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
