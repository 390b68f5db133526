import Type, { type Static } from 'typebox'

/* A text at X as its author wrote it: links are shortened there, media are links at its end, and three signs are escaped. */

const Link = Type.Object({
  url: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  expanded_url: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  media_key: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})

export const ShownText = Type.Object({
  text: Type.String(),
  entities: Type.Optional(Type.Object({ urls: Type.Optional(Type.Union([Type.Array(Link), Type.Null()])) })),
})
export type ShownText = Static<typeof ShownText>

const MEDIA_LINK = /^https:\/\/(?:x|twitter)\.com\/[^/]+\/status\/\d+\/(?:photo|video)\/\d+$/

/** The text with its links as they were written, and without those that stand for media. */
export function shownText({ text, entities }: ShownText): string {
  let written = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  for (const { url, expanded_url: expanded, media_key: mediaKey } of entities?.urls ?? []) {
    if (typeof url !== 'string' || url === '') continue
    const isMedia = typeof mediaKey === 'string' || MEDIA_LINK.test(expanded ?? '')
    written = written.replaceAll(url, () => (isMedia ? '' : (expanded ?? url)))
  }
  return written
}

/** What is left of a text when X has kept it: composed characters, no spaces at its ends, a scheme for every link. */
export function canonical(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/https?:\/\//gi, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
