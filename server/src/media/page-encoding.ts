/* In which encoding a page is written, by the names and the rules of the Encoding standard, which TextDecoder has. */

const MARKS: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** The encoding that its byte order mark tells; null where it has none. */
export function encodingOfMark(bytes: Uint8Array): string | null {
  return MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0] ?? null
}

/** The encoding of this name; null where none has it. */
export function encodingNamed(label: string | null): string | null {
  if (label === null) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/** The name of an encoding in a media type; null where there is none. */
export function charsetOf(contentType: string): string | null {
  const found = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(contentType.slice(0, 1_000))
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null
}

/** Of a page that names none: UTF-8 where it is that, and else what browsers in most countries take it for. */
export function likelyEncoding(bytes: Uint8Array): string {
  try {
    // Bytes that were cut within a character are no fault.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

export function decode(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes)
}
