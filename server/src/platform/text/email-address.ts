import { domainToASCII, domainToUnicode } from 'node:url'

declare const canonical: unique symbol

/** An e-mail address in its one canonical form, in which it is stored and compared; `parseEmail` alone makes it. */
export type EmailAddress = string & { readonly [canonical]: true }

/** RFC 5321, 4.5.3.1.3: a path has at most 256 octets, and two of them are its angle brackets. */
const LENGTH_MAX = 254
/** The `atext` of RFC 5322, 3.2.3, and dots: what browsers take, too (HTML, `input type=email`). At most 64 octets (RFC 5321, 4.5.3.1.1). */
const LOCAL_PART = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The canonical form of an e-mail address; null for what has none. Nothing is folded but the case of ASCII letters: `toLowerCase`
 * and a database's `lower` fold other letters too, and so take two people for one (`İ` becomes an `i`). The local part is ASCII, since mail to others needs SMTPUTF8 (RFC 6531) at every server on its way. That
 * its case says nothing is less than RFC 5321, 2.4 demands, and how mail is delivered everywhere.
 */
export function parseEmail(text: string): EmailAddress | null {
  const [local = '', domain = '', ...more] = text.split('@')
  if (more.length > 0 || !LOCAL_PART.test(local)) return null
  const host = parseEmailDomain(domain)
  const address = `${lowerAscii(local)}@${host}`
  return host === null || address.length > LENGTH_MAX ? null : (address as EmailAddress)
}

/** The same of a text that was judged before. Throws for what is no address. */
export function emailOf(text: string): EmailAddress {
  const email = parseEmail(text)
  if (email === null) throw new Error('a text that is no e-mail address was taken for one')
  return email
}

/**
 * The domain of an address as DNS knows it, in A-labels; null for what is none. A label that is not ASCII has to be a U-label
 * (RFC 5890, 2.3.2.1), which is what its A-label shows: what IDNA would map to something else first (full-width letters,
 * the Kelvin sign, capitals) is refused.
 */
export function parseEmailDomain(text: string): string | null {
  const labels = text.split('.').map(parseLabel)
  return labels.every((label) => label !== null) ? labels.join('.') : null
}

function parseLabel(text: string): string | null {
  const label = isAscii(text) ? lowerAscii(text) : domainToASCII(text)
  if (!isAscii(text) && domainToUnicode(label) !== text) return null
  return LABEL.test(label) ? label : null
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
