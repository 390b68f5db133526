/** The letters of a code, which are not taken for others and make no words. */
const CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/

/** A code as it is stored, of what a person has typed: however it is spaced, in letters of any size. Null for what is none. */
export function readCode(typed: string): string | null {
  const code = typed.toUpperCase().replaceAll(/[\s\p{P}]/gu, '')
  return CODE.test(code) ? code : null
}

/** As a device shows it. */
export function shownCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`
}
