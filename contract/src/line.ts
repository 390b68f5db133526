/** Ends a line, or begins a paragraph. */
const BREAK = /[\n\v\f\r\u0085\u2028\u2029]/u
const CONTROL = /\p{Cc}/u
/** Embeds and overrides of the direction of writing: what follows them is shown in another order. Marks, which Hebrew and Arabic need, are none. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/u
/** Joiners, fillers, marks and the blank of Braille, which are letters or symbols to Unicode and show nothing by themselves. */
const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]+$/u

export type LineFault = {
  readonly is: 'break' | 'control' | 'direction' | 'unseen'
  /** The first such character, as `U+000A`; empty where none alone is at fault. */
  readonly character: string
}

/** What a text holds that a name, or any other line of text, cannot have; null for nothing. An empty text has no fault. */
export function lineFault(text: string): LineFault | null {
  for (const [is, pattern] of [
    ['break', BREAK],
    ['control', CONTROL],
    ['direction', DIRECTION],
  ] as const) {
    const found = pattern.exec(text)
    if (found !== null) return { is, character: codeOf(found[0]) }
  }
  return UNSEEN.test(text) ? { is: 'unseen', character: '' } : null
}

/** A line of what is no line: without breaks, controls and turns of direction; empty where nothing of it could be seen. */
export function toLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/gu, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return UNSEEN.test(line) ? '' : line
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
