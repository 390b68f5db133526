import type { CharacterCounting } from '@postrider/contract'
import twitterText from 'twitter-text'

const counters: Record<CharacterCounting, (text: string) => number> = {
  code_points: countCodePoints,
  graphemes: countGraphemes,
  x_weighted: weighX,
}

/**
 * How long a text is to a provider that counts this way. Linear in the length of the text, whatever is in it;
 * text in ASCII without addresses is not even looked at twice.
 */
export function countCharacters(text: string, counting: CharacterCounting): number {
  return counters[counting](text)
}

const ASCII = /^[\0-\x7f]*$/

function countCodePoints(text: string): number {
  let pairs = 0
  // A pair of surrogates is one code point; half a pair counts by itself.
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) {
      pairs++
      at++
    }
  }
  return text.length - pairs
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

function countGraphemes(text: string): number {
  if (ASCII.test(text) && !text.includes('\r')) return text.length
  const clusters = segmenter.segment(text)[Symbol.iterator]()
  return clusters.reduce((count) => count + 1, 0)
}

/**
 * The first `most` code points of a text, without a torn grapheme cluster at the end: of a cluster that does not
 * fit nothing is kept, unless it is the first.
 */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text
  const window = text.slice(0, most * 4)
  let kept = ''
  let count = 0
  for (const { segment } of segmenter.segment(window)) {
    count += countCodePoints(segment)
    if (count > most) break
    kept += segment
  }
  return kept === '' ? Array.from(window).slice(0, most).join('') : kept
}

/** What an address weighs at X, whatever its length. */
const ADDRESS_WEIGHT = 23

/**
 * X's count: an address weighs 23, most of what is neither Latin nor punctuation 2, an emoji 2 however it is joined
 * together. `twitter-text` knows the weights; two things are done for it. Its emoji end with Unicode 11, so newer ones
 * are exchanged for an old one first. And its search for addresses takes quadratic time (15 s for
 * 40,000 ideographs and a full stop), so it only ever gets pieces that are short.
 */
function weighX(text: string): number {
  if (ASCII.test(text) && !text.includes('.')) return text.length
  const composed = withOldEmoji(text.normalize())
  if (!composed.includes('.')) return weigh(composed)

  let weight = 0
  let end = 0
  for (const { start, length } of addressesIn(composed)) {
    if (start < end) continue
    weight += weigh(composed.slice(end, start)) + ADDRESS_WEIGHT
    end = start + length
  }
  return weight + weigh(composed.slice(end))
}

/** The weight of text without addresses: without a full stop, twitter-text does not search for any. */
function weigh(text: string): number {
  if (text === '' || ASCII.test(text)) return text.length
  return twitterText.parseTweet(text.replaceAll('.', ',')).weightedLength
}

// Not the keycaps: those are known, and their digit can be the end of an address.
const EMOJI = /(?![0-9#*])\p{RGI_Emoji}/gv
const MAYBE_EMOJI = /[\u200d\u{1f000}-\u{1faff}]/u

function withOldEmoji(text: string): string {
  return MAYBE_EMOJI.test(text) ? text.replace(EMOJI, '\u{1f600}') : text
}

type Span = { start: number; length: number }

/** A host name has at most 253 characters: an address without a scheme fits into less than this. */
const SHORT = 256

const WORDS = /[^\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g
const CLAUSES = /[^\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+/g

/**
 * The addresses in a text, in order. In runs without any space or ideographic punctuation that are longer than
 * a host name can be, only addresses are found that begin with http:// or https://, or with the run itself.
 */
function addressesIn(text: string): Span[] {
  return spansOf(text, WORDS).flatMap((word) => {
    if (word.length <= SHORT) return addressesInShort(text, word)
    const clauses = spansOf(text.slice(word.start, word.start + word.length), CLAUSES)
    return clauses.flatMap(({ start, length }) => {
      const clause = { start: word.start + start, length }
      return length <= SHORT ? addressesInShort(text, clause) : addressesInLong(text, clause)
    })
  })
}

function addressesInShort(text: string, span: Span): Span[] {
  // What stands before an address has a say in where it begins.
  const before = Math.max(span.start - 1, 0)
  const piece = text.slice(before, span.start + span.length)
  if (!piece.includes('.')) return []
  return twitterText
    .extractUrlsWithIndices(piece, { extractUrlsWithoutProtocol: true })
    .map(({ url, indices: [from] }) => ({ start: before + from, length: url.length }))
}

function addressesInLong(text: string, { start, length }: Span): Span[] {
  const piece = text.slice(start, start + length)
  return spansOf(piece, plainAddress).map((span) => ({ start: start + span.start, length: span.length }))
}

const { validDomain, validUrlPath } = twitterText.regexen

/** twitter-text's grammar, tried at a scheme and at the beginning and nowhere else: that keeps it linear. */
const plainAddress = new RegExp(
  `(?:^(?=[a-z0-9.-]{4,253}(?:[/?:]|$))|(?<![A-Za-z0-9@\uff20$#\uff03])https?://)` +
    `${validDomain.source}(?::[0-9]+)?(?:/${validUrlPath.source}*)?` +
    "(?:\\?[a-z0-9!?*'@();:&=+$/%#\\[\\]\\-_.,~|]*[a-z0-9\\-_&=#/])?",
  'gi',
)

function spansOf(text: string, pattern: RegExp): Span[] {
  return Array.from(text.matchAll(pattern), (match) => ({ start: match.index, length: match[0].length }))
}
