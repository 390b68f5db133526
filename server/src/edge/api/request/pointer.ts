import { escapePointer } from '../../../platform/text/json-pointer.ts'

const STEP_CHARACTERS = 100
const POINTER_CHARACTERS = 500

/** A JSON Pointer (RFC 6901) that can be shown: names are cut, and hold nothing that is no character. */
export function pointerTo(steps: readonly (string | number)[]): string {
  let pointer = ''
  for (const step of steps) {
    pointer += `/${escapePointer(shownName(String(step)))}`
    if (pointer.length > POINTER_CHARACTERS) return `${pointer.slice(0, POINTER_CHARACTERS).toWellFormed()}…`
  }
  return pointer
}

/** A name as it can be shown. */
export function shownName(name: string): string {
  const cut = name.length > STEP_CHARACTERS ? `${name.slice(0, STEP_CHARACTERS)}…` : name
  return cut.toWellFormed().replaceAll('\u0000', '\uFFFD')
}
