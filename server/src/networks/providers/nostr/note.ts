import type { RemoteMedia } from '../port/port.ts'
import { eventIn, profileIn } from './nip19.ts'

/* What stands in a note: its content and its tags. */

export type Tag = readonly string[]

const REFERENCE = /(?<![\p{L}\p{N}])nostr:((?:npub|nprofile|note|nevent)1[02-9ac-hj-np-z]{6,1400})/giu
const HASHTAG = /(?<![\p{L}\p{N}_&/#])#([\p{L}\p{N}_]*[\p{L}_][\p{L}\p{N}_]*)/gu

/** Who is mentioned in a text, and which notes are quoted (NIP-27, NIP-18). */
export function referencesIn(text: string): {
  readonly mentioned: readonly string[]
  readonly quoted: readonly { readonly id: string; readonly author: string | null }[]
} {
  const references = [...text.matchAll(REFERENCE)].map(([, reference = '']) => reference)
  const mentioned = references.map(profileIn).filter((pubkey) => pubkey !== null)
  const quoted = references.map(eventIn).filter((event) => event !== null)
  return {
    mentioned: [...new Set(mentioned)],
    quoted: quoted.filter(({ id }, at) => quoted.findIndex((other) => other.id === id) === at),
  }
}

/** `maxTagValSize` of the commonest relay (https://github.com/hoytech/strfry/blob/master/strfry.conf, read on 2026-11-29), which refuses a note with more. */
const MAX_TAG_BYTES = 1_024

/** Hashtags of a text in lower case (NIP-24). An address may have one in it, which is none; one that relays refuse stays text. */
export function hashtagsIn(text: string): string[] {
  const withoutAddresses = text.replaceAll(/https?:\/\/\S+/gi, ' ')
  const all = [...withoutAddresses.matchAll(HASHTAG)].map(([, tag = '']) => tag.toLowerCase())
  return all.filter((tag) => Buffer.byteLength(tag) <= MAX_TAG_BYTES)
}

/** The text, and below it the address of each file, which is how a note shows it (NIP-92). */
export function contentOf(text: string, addresses: readonly string[]): string {
  return [text, addresses.join('\n')].filter((piece) => piece !== '').join('\n\n')
}

export function mediaTag(
  { altText, width, height }: RemoteMedia,
  { url, type, sha256 }: { readonly url: string; readonly type: string; readonly sha256: string },
): Tag {
  return [
    'imeta',
    `url ${url}`,
    `m ${type}`,
    `x ${sha256}`,
    ...(width == null || height == null ? [] : [`dim ${width}x${height}`]),
    ...(altText === null || altText === '' ? [] : [`alt ${altText}`]),
  ]
}

/** What a reply names (NIP-10): the first note of the thread, and the one before where that is another. */
export function replyTags(
  { parent, root }: { readonly parent: string; readonly root: string },
  { relay, author }: { readonly relay: string; readonly author: string },
): Tag[] {
  const first: Tag = ['e', root, relay, 'root', author]
  return root === parent ? [first] : [first, ['e', parent, relay, 'reply', author]]
}
