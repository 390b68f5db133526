import { createRequire } from 'node:module'
import { domainToASCII } from 'node:url'
import type { CharacterCounting } from '@postrider/contract'
import type TwitterText from 'twitter-text'
import { normalizeText } from '../../../platform/text/normalize-text.ts'
import { toLittleText } from './little-text.ts'

/** Loaded with the first text that needs it: it takes 15 MB. */
const twitterText = once(() => createRequire(import.meta.url)('twitter-text') as typeof TwitterText)

const counters: Record<CharacterCounting, (text: string) => number> = {
  code_points: countCodePoints,
  graphemes: countGraphemes,
  x_weighted: weighX,
  mastodon: countMastodon,
  linkedin: (text) => toLittleText(text).length,
  threads: countThreads,
}

/**
 * How long a text is to a provider that counts this way. Linear in the length of the text, whatever is in it;
 * text in ASCII without addresses is not even looked at twice.
 */
export function countCharacters(text: string, counting: CharacterCounting): number {
  return counters[counting](text)
}

/** A way to count that counts each text once, however often it is asked. */
export function characterCounter(): (text: string, counting: CharacterCounting) => number {
  const counted = new Map<string, Map<string, number>>()
  return (text, counting) => {
    const counts = counted.get(counting) ?? new Map<string, number>()
    counted.set(counting, counts)
    const characters = counts.get(text) ?? countCharacters(text, counting)
    counts.set(text, characters)
    return characters
  }
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

/** A cluster with an emoji in it, however it is joined together. */
const WITH_EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\u20e3/u

/** https://developers.facebook.com/documentation/threads/posts: "Emojis are counted as the number of UTF-8 bytes". */
function countThreads(text: string): number {
  if (ASCII.test(text)) return text.length
  let count = 0
  for (const { segment } of segmenter.segment(text))
    count += WITH_EMOJI.test(segment) ? Buffer.byteLength(segment) : countCodePoints(segment)
  return count
}

/** What an address counts at X and at Mastodon, up to the longest that twitter-text takes for one. */
const ADDRESS_WEIGHT = 23
/** With a scheme, and the domain in ASCII (`MAX_URL_LENGTH`, twitter-text 3.1). */
const MAX_ADDRESS_CHARACTERS = 4_096

function isAddress(address: string): boolean {
  const whole = /^https?:\/\//i.test(address) ? address : `https://${address}`
  if (whole.length > MAX_ADDRESS_CHARACTERS) return false
  const host = /^https?:\/\/([^/?#:]*)/i.exec(whole)?.[1] ?? ''
  return whole.length + domainToASCII(host).length - host.length <= MAX_ADDRESS_CHARACTERS
}

/**
 * Mastodon's count (app/validators/status_length_validator.rb): grapheme clusters, of an address with a scheme 23, of a
 * mention without its domain.
 */
function countMastodon(text: string): number {
  if (!text.includes('://') && !text.includes('@')) return countGraphemes(text)
  let shown = ''
  let end = 0
  for (const { start, length } of spansOf(text, addressWithScheme())) {
    if (!isAddress(text.slice(start, start + length))) continue
    shown += text.slice(end, start) + 'x'.repeat(ADDRESS_WEIGHT)
    end = start + length
  }
  return countGraphemes((shown + text.slice(end)).replaceAll(MENTION, '@$1'))
}

/** A mention with its domain (app/models/account.rb, MENTION_RE). */
const MENTION =
  /(?<![=/\p{L}\p{M}\p{N}\p{Pc}])@([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)@[\p{L}\p{M}\p{N}\p{Pc}.-]*[\p{L}\p{M}\p{N}\p{Pc}]/giu

/**
 * X's count (twitter-text 3.1, configuration v3): an address weighs 23, most of what is neither Latin nor punctuation
 * 2, an emoji 2 however it is joined together. `twitter-text` decides what is an address and what an emoji; around it,
 * three things differ. Emoji newer than its own (Unicode 11) are exchanged for an old one. It gets only short pieces to
 * find addresses in, since its search takes quadratic time (15 s for 40,000 ideographs and a full stop). And the
 * weights of plain characters are added up here.
 */
function weighX(text: string): number {
  if (ASCII.test(text) && !text.includes('.')) return text.length
  const composed = withOldEmoji(normalizeText(text, 'NFC'))
  if (!composed.includes('.')) return weigh(composed)

  let weight = 0
  let end = 0
  for (const { start, length } of addressesIn(composed)) {
    if (start < end || !isAddress(composed.slice(start, start + length))) continue
    weight += weigh(composed.slice(end, start)) + ADDRESS_WEIGHT
    end = start + length
  }
  return weight + weigh(composed.slice(end))
}

/** A keycap, a flag, or a pictograph with its modifier or variation selector (UTS #51, 1.4). */
const EMOJI =
  /[#*0-9]\ufe0f?\u20e3|\p{RI}\p{RI}|\u{1f3f4}[\u{e0061}-\u{e007a}]{5}\u{e007f}|\p{Extended_Pictographic}(?:\p{EMod}|[\ufe0e\ufe0f])?/gu

/** The weight of text without addresses. */
function weigh(text: string): number {
  if (ASCII.test(text)) return text.length
  let weight = 0
  let end = 0
  for (const { 0: emoji, index } of text.matchAll(EMOJI)) {
    weight += weighPlain(text, end, index) + weighEmoji(emoji)
    end = index + emoji.length
  }
  return weight + weighPlain(text, end, text.length)
}

/** The sum of characters that are no emoji. A pair of surrogates weighs 2, as half of one does. */
function weighPlain(text: string, from: number, to: number): number {
  let weight = 0
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    weight += isLight(unit) ? 1 : 2
    if (unit >= 0xd800 && unit < 0xdc00 && at + 1 < to && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at++
  }
  return weight
}

/** The ranges of twitter-text's configuration v3. */
function isLight(unit: number): boolean {
  return (
    unit <= 4_351 ||
    (unit >= 8_192 && unit <= 8_205) ||
    (unit >= 8_208 && unit <= 8_223) ||
    (unit >= 8_242 && unit <= 8_247)
  )
}

/** What twitter-text takes for an emoji weighs 2 as a whole. It is asked once about each. */
const weighEmoji = remember((emoji) => twitterText().parseTweet(emoji).weightedLength)

const MAYBE_NEW_EMOJI = /\u200d|\ufe0f|\p{RI}|\p{EMod}/u

/** Emoji of several characters: of the others, the newest weigh as much as the oldest. */
const COMPOSED_EMOJI =
  /\p{RI}\p{RI}|\p{Extended_Pictographic}(?:\p{EMod}|\ufe0f)?(?:\u200d\p{Extended_Pictographic}(?:\p{EMod}|\ufe0f)?)+|\p{Extended_Pictographic}(?:\p{EMod}|\ufe0f)/gu
const isRgiEmoji = remember((text) => /^\p{RGI_Emoji}$/v.test(text))

/** Today no emoji joins more than four. */
const MAX_JOINED = 8

/**
 * Emoji that `twitter-text` might not know become one that it knows: those of the newest Unicode, and what is joined
 * like one, which may be newer still.
 */
function withOldEmoji(text: string): string {
  if (!MAYBE_NEW_EMOJI.test(text)) return text
  return text.replaceAll(COMPOSED_EMOJI, (found) => (isOneEmoji(found) ? '\u{1f600}' : found))
}

function isOneEmoji(composed: string): boolean {
  const joined = composed.split('\u200d').length
  return joined > 1 ? joined <= MAX_JOINED : isRgiEmoji(composed)
}

const MAX_REMEMBERED = 20_000

/** The function with a memory of its results. */
function remember<Result>(work: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = work(text)
    if (results.size < MAX_REMEMBERED) results.set(text, result)
    return result
  }
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
  return twitterText()
    .extractUrlsWithIndices(piece, { extractUrlsWithoutProtocol: true })
    .map(({ url, indices: [from] }) => ({ start: before + from, length: url.length }))
}

function addressesInLong(text: string, { start, length }: Span): Span[] {
  const piece = text.slice(start, start + length)
  return spansOf(piece, plainAddress()).map((span) => ({ start: start + span.start, length: span.length }))
}

const SCHEME = '(?<![A-Za-z0-9@\uff20$#\uff03])https?://'

/** twitter-text's grammar, tried at a scheme and at the beginning and nowhere else: that keeps it linear. */
const plainAddress = once(() => addressAfter(`(?:^(?=[a-z0-9.-]{4,253}(?:[/?:]|$))|${SCHEME})`))
const addressWithScheme = once(() => addressAfter(SCHEME))

function addressAfter(beginning: string): RegExp {
  const { validDomain, validUrlPath } = twitterText().regexen
  return new RegExp(
    `${beginning}${validDomain.source}(?::[0-9]+)?(?:/${validUrlPath.source}*)?` +
      "(?:\\?[a-z0-9!?*'@();:&=+$/%#\\[\\]\\-_.,~|]*[a-z0-9\\-_&=#/])?",
    'gi',
  )
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}

function spansOf(text: string, pattern: RegExp): Span[] {
  return Array.from(text.matchAll(pattern), (match) => ({ start: match.index, length: match[0].length }))
}
