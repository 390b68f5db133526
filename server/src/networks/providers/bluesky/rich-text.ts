import twitterText from 'twitter-text'
import { withoutEnd } from '../shared/address-end.ts'

/** A stretch of the text that is more than text, in UTF-16 units. */
export type Annotation = { readonly from: number; readonly to: number } & (
  | { readonly is: 'link'; readonly uri: string }
  | { readonly is: 'mention'; readonly handle: string }
  | { readonly is: 'tag'; readonly tag: string }
)

// A handle is a host name (https://atproto.com/specs/handle); what stands before it must end a word.
const MENTION =
  /(?<=^|[\s(])@([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+)(?![\w.-]*@)/gi
// A hashtag ends at white space and at what joins or parts words without being seen, as at Bluesky (packages/api/src/rich-text).
const TAG = /(?<=^|[\s(])[#＃](?!\ufe0f)([^\u20e2\u00AD\u2060\u200A-\u200D\s#＃]{1,128})/gu
const TRAILING_PUNCTUATION = /\p{P}+$/u
/**
 * As at Bluesky, an address goes on to the next white space, whatever its script. Without `https://` it begins with a host name;
 * what is part of a mention or of an e-mail address is none.
 */
const LINK =
  /(?<![\p{L}\p{N}@＠#＃$._/-])(?:https?:\/\/[^\s<>"]+|(?<host>[a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)+)(?![\w.-]*@)(?:[/?#:][^\s<>"]*)?)/giu
const MAX_TAG_GRAPHEMES = 64
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Links, mentions and hashtags of a text, in order, none over another. The text has to be short: a post's. */
export function annotate(text: string): Annotation[] {
  const found: Annotation[] = []
  for (const { 0: whole, index, groups } of text.matchAll(LINK)) {
    const url = withoutEnd(whole)
    const host = groups?.['host']
    if (host !== undefined && !isHost(host)) continue
    const uri = host === undefined ? url : `https://${url}`
    if (URL.parse(uri)?.host) found.push({ is: 'link', from: index, to: index + url.length, uri })
  }
  for (const { 0: whole, 1: handle = '', index } of text.matchAll(MENTION)) {
    found.push({ is: 'mention', from: index, to: index + whole.length, handle: handle.toLowerCase() })
  }
  for (const { 0: whole, 1: rest = '', index } of text.matchAll(TAG)) {
    const tag = rest.replace(TRAILING_PUNCTUATION, '')
    // A number alone is none.
    if (tag === '' || /^[\d\p{P}\ufe0f\u20e3]+$/u.test(tag)) continue
    if ([...graphemes.segment(tag)].length > MAX_TAG_GRAPHEMES) continue
    found.push({ is: 'tag', from: index, to: index + whole.length - (rest.length - tag.length), tag })
  }
  found.sort((a, b) => a.from - b.from)
  let end = 0
  return found.filter(({ from, to }) => {
    if (from < end) return false
    end = to
    return true
  })
}

/** Where a stretch stands in the text's UTF-8, as facets count (https://docs.bsky.app/docs/advanced-guides/post-richtext). */
export function byteRange(text: string, { from, to }: Pick<Annotation, 'from' | 'to'>) {
  const byteStart = Buffer.byteLength(text.slice(0, from))
  return { byteStart, byteEnd: byteStart + Buffer.byteLength(text.slice(from, to)) }
}

/** Whether a host name has an end that exists. */
function isHost(host: string): boolean {
  const [url = ''] = twitterText.extractUrls(host, { extractUrlsWithoutProtocol: true })
  return url === host
}
