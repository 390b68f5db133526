/*
 * How a network reads a text: what it makes a link, a mention or a hashtag, where it folds, and of which link it shows a card.
 * The facts are those of docs/networks; what a preview cannot know (whether a mentioned account exists) it shows as marked.
 */

export type Segment = { readonly text: string; readonly is: 'text' | 'link' | 'mention' | 'tag' }

type Marks = {
  /** Whether an address needs `https://` to be a link. */
  readonly bareLinks: boolean
  /** Null where an @name stays text. */
  readonly mention: RegExp | null
  /** Null where a #word stays text. */
  readonly tag: RegExp | null
}

const HASHTAG = /(?<![\p{L}\p{N}_&/#])#[\p{L}\p{N}_]*[\p{L}_][\p{L}\p{N}_]*/gu
const NAME = /(?<![\w/@.])@\w{1,30}/g

export const MARKS: Readonly<Record<string, Marks>> = {
  bluesky: {
    bareLinks: true,
    mention: /(?<=^|[\s(])@[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi,
    tag: /(?<=^|[\s(])#(?![\d\p{P}]+(?:\s|$))[^\s#]+/gu,
  },
  facebook: { bareLinks: true, mention: null, tag: HASHTAG },
  instagram: { bareLinks: false, mention: /(?<![\w/@.])@[\w.]{1,30}/g, tag: HASHTAG },
  mastodon: {
    bareLinks: false,
    mention: /(?<![\w/=])@[a-z0-9_](?:[\w.-]*\w)?(?:@[\w.-]+\w)?/gi,
    tag: HASHTAG,
  },
  x: { bareLinks: true, mention: /(?<![\w/@.])@\w{1,15}/g, tag: HASHTAG },
  linkedin: {
    bareLinks: true,
    mention: null,
    tag: /(?<![\p{L}\p{N}_#])#[\p{L}\p{N}]+(?![\p{L}\p{N}_])/gu,
  },
  telegram: { bareLinks: true, mention: /(?<![\w/@.])@\w{4,32}/g, tag: HASHTAG },
  discord: { bareLinks: false, mention: null, tag: null },
  wordpress: { bareLinks: false, mention: null, tag: null },
  nostr: {
    bareLinks: false,
    mention: /(?<![\p{L}\p{N}])nostr:(?:npub|nprofile|note|nevent)1[02-9ac-hj-np-z]{6,}/giu,
    tag: HASHTAG,
  },
  threads: { bareLinks: true, mention: /(?<![\w/@.])@[\w.]{1,30}/g, tag: HASHTAG },
  youtube: { bareLinks: false, mention: /(?<![\w/@.])@[\w.-]{3,30}/g, tag: HASHTAG },
}

const OTHERS: Marks = { bareLinks: false, mention: NAME, tag: HASHTAG }

const LINK = /https?:\/\/[^\s<>"]+/giu
/** Endings of host names that are in common use; the networks know all. */
const ENDINGS =
  '(?!(?:js|ts|cs|cc|hs)\\b)[a-z]{2}|com|org|net|info|biz|edu|gov|int|mil|app|dev|blog|shop|store|site|online|tech|xyz|news|cloud|page|link|live|social|design|studio|world|today|space|club|museum|academy|agency|berlin|london|wien|art|bio|eco|fun|life|media|one|plus|press|pub|run|team|wiki|zone'
const BARE_LINK = new RegExp(
  `(?<![\\p{L}\\p{N}@#$._/-])(?:https?://[^\\s<>"]+|[a-z0-9][a-z0-9-]*(?:\\.[a-z0-9-]+)*\\.(?:${ENDINGS})(?![\\w-])(?![\\w.-]*@)(?:[/?#:][^\\s<>"]*)?)`,
  'giu',
)
/** Ends a sentence rather than an address. */
const AFTER_LINK = /[.,;:!?'"”»)\]}…]$/u

type Found = { from: number; to: number; is: Segment['is'] }

/** A text in stretches, none left out: together they are the text, letter by letter. */
export function segmentsOf(provider: string, text: string): Segment[] {
  const { bareLinks, mention, tag } = MARKS[provider] ?? OTHERS
  const found = [
    ...findAll(text, bareLinks ? BARE_LINK : LINK, 'link').map(withoutEnd(text)),
    ...(mention === null ? [] : findAll(text, mention, 'mention')),
    ...(tag === null ? [] : findAll(text, tag, 'tag').map(withoutEnd(text))),
  ].toSorted((a, b) => a.from - b.from)
  const segments: Segment[] = []
  let end = 0
  for (const { from, to, is } of found) {
    if (from < end || to <= from) continue
    if (from > end) segments.push({ is: 'text', text: text.slice(end, from) })
    segments.push({ is, text: text.slice(from, to) })
    end = to
  }
  if (end < text.length) segments.push({ is: 'text', text: text.slice(end) })
  return segments
}

function findAll(text: string, pattern: RegExp, is: Segment['is']): Found[] {
  return [...text.matchAll(pattern)].map(({ 0: whole, index }) => ({
    is,
    from: index,
    to: index + whole.length,
  }))
}

function withoutEnd(text: string): (found: Found) => Found {
  return (found) => {
    let whole = text.slice(found.from, found.to)
    // A bracket that was opened within the address belongs to it.
    while (AFTER_LINK.test(whole) && !(whole.endsWith(')') && whole.includes('('))) whole = whole.slice(0, -1)
    return { ...found, to: found.from + whole.length }
  }
}

const ANY = Number.POSITIVE_INFINITY

/**
 * After about how many characters, or lines, a network's feed hides the rest of a post behind a click. Where the numbers are from:
 *
 * - Bluesky: 25 lines, `MAX_POST_LINES` in the source of its app (bluesky-social/social-app, src/lib/constants.ts). Exact.
 * - Mastodon: `MAX_HEIGHT`, 32 lines, in the source of its web app (mastodon/mastodon, components/status_content.jsx), of about 75
 *   characters each on a desk. Exact to the line.
 * - X: "capped at 280 characters on your timeline", as it announced longer posts on 8 February 2023 (indy100.com,
 *   twitter-blue-tweet-character-limit, has its words). Exact.
 * - LinkedIn: documents nothing, and folds what it has drawn: three lines, as measured in September 2024 (John Espirian, "See more
 *   breakpoints on LinkedIn posts"), of about 70 characters each on a desk, and fewer on a phone. Approximate.
 * - Facebook: documents nothing. About 480 characters on a desk, as two guides have it (posttruncate.com/en/platform-limits; Dynamic
 *   Signal's help, "Content Sharing Technical Specifications": 483), and about a quarter of that on a phone. Approximate.
 * - Instagram: documents nothing. About 125 characters, as guides agree (posttruncate.com/en/platform-limits). Approximate.
 * - YouTube: documents nothing. Three lines of a description below the video, about 200 characters, as measured on the watch page
 *   (ellipticalpointofview.com, "Optimising Your Youtube Video Descriptions": 200 to 219 characters, or 3 to 4 lines); guides say 150 to
 *   200 (typecount.com/blog/youtube-description-character-limit). Approximate.
 *
 * Without a fold, because none was found: Threads on a desk (posttruncate.com/en/platform-limits: the fold is at 500 characters, which
 * is all that a post has, and at about 250 on a phone), Telegram (4,096 characters, or 1,024 beside media) and Discord (2,000), which are
 * not known to fold what a post may have; Nostr, where each client folds in its own way; and WordPress, where the theme decides.
 */
const FOLDS: Readonly<Record<string, { characters: number; lines: number }>> = {
  bluesky: { characters: ANY, lines: 25 },
  facebook: { characters: 480, lines: ANY },
  instagram: { characters: 125, lines: ANY },
  linkedin: { characters: 210, lines: 3 },
  mastodon: { characters: 2_400, lines: 32 },
  x: { characters: 280, lines: ANY },
  youtube: { characters: 200, lines: 3 },
}

/** About where a network folds a text, in UTF-16 units; null where it shows the whole. */
export function foldOf(provider: string, text: string): number | null {
  const fold = FOLDS[provider]
  if (fold === undefined) return null
  const lines = text.split('\n')
  const byLine = lines.slice(0, fold.lines).join('\n').length
  const byLength = Array.from(text).slice(0, fold.characters).join('').length
  const at = Math.min(byLine, byLength)
  return at >= text.length ? null : at
}

type CardFacts = { readonly on: 'first' | 'each'; readonly withMedia: boolean }

/** Networks that show the card of a link, on which parts, and whether beside media, too. */
const CARDS: Readonly<Record<string, CardFacts>> = {
  bluesky: { on: 'each', withMedia: false },
  facebook: { on: 'first', withMedia: false },
  linkedin: { on: 'first', withMedia: false },
  mastodon: { on: 'each', withMedia: false },
  nostr: { on: 'each', withMedia: true },
  threads: { on: 'each', withMedia: false },
  x: { on: 'each', withMedia: false },
  telegram: { on: 'each', withMedia: false },
  discord: { on: 'each', withMedia: true },
}

/** The host of the link that gets a card on a part; null for none. */
export function cardOf(
  provider: string,
  { text, mediaIds }: { readonly text: string; readonly mediaIds: readonly string[] },
  index: number,
): string | null {
  const facts = CARDS[provider]
  if (facts === undefined || (facts.on === 'first' && index > 0)) return null
  if (!facts.withMedia && mediaIds.length > 0) return null
  const link = segmentsOf(provider, text).find(({ is }) => is === 'link')
  if (link === undefined) return null
  const url = /^https?:/i.test(link.text) ? link.text : `https://${link.text}`
  return URL.canParse(url) ? new URL(url).host : null
}

/** Signs that a network shows as formatting, and not as they are. */
export function hasMarkdown(provider: string, text: string): boolean {
  return (
    (provider === 'discord' || provider === 'wordpress') &&
    /[*_~`|]{1,2}\S[^\n]*[*_~`|]|^\s*(?:#{1,3}|>|-|\*) /m.test(text)
  )
}
