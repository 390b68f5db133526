/*
 * Lengths in code points, as JSON Schema counts them. A text has at most as many as UTF-16 units, and at least half as many: it is
 * looked through only where these do not decide, since the texts of strangers have megabytes.
 */

export function codePointsOf(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if (!isBetween(text.charCodeAt(at), 0xd800, 0xdbff)) continue
    if (!isBetween(text.charCodeAt(at + 1), 0xdc00, 0xdfff)) continue
    count--
    at++
  }
  return count
}

export function hasAtMost(text: string, most: number): boolean {
  if (text.length <= most) return true
  return text.length <= 2 * most && codePointsOf(text) <= most
}

export function hasAtLeast(text: string, least: number): boolean {
  if (text.length < least) return false
  return text.length >= 2 * least || codePointsOf(text) >= least
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last
}
