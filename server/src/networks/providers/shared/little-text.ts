/*
 * LinkedIn's format of a post's text
 * (https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format): fifteen characters
 * are reserved, and a post is cut off without a word at one that stands there without its backslash.
 */

const RESERVED = '[\\\\|{}@[\\]()<>#*_~]'
/** A hashtag is an element of the format; one with an underscore stays text, as does the fragment of an address. */
const HASHTAG = '(?<![\\p{L}\\p{N}_#/])#[\\p{L}\\p{N}]+(?![\\p{L}\\p{N}_])'
const ESCAPED = new RegExp(`${HASHTAG}|${RESERVED}`, 'gu')

/** A text as LinkedIn takes it: its hashtags are hashtags, everything else is what it says. */
export function toLittleText(text: string): string {
  return text.replaceAll(ESCAPED, (found) => (found.length > 1 ? found : `\\${found}`))
}

/** The text that such a text shows. LinkedIn gives hashtags back as templates. */
export function fromLittleText(written: string): string {
  return written.replaceAll(/\{hashtag\|\\?#\|([^}]*)\}/g, '#$1').replaceAll(/\\([\\|{}@[\]()<>#*_~])/g, '$1')
}
