/* Whether a text that stands at an instance is the one that was sent there. */

/** By its source: the server trims it, and nothing else. */
export function sameSource(source: string, sent: string): boolean {
  return plain(source) === plain(sent)
}

/** By what is shown: HTML, in which white space is lost and mentions have lost their domain. */
export function sameVisibleText(content: string, sent: string): boolean {
  return words(visibleText(content)) === words(sent)
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function words(text: string): string {
  return text
    .replaceAll(/(@[A-Za-z0-9_]+)@[A-Za-z0-9.-]+/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#34': '"',
  nbsp: ' ',
}

/** The text of simple HTML: breaks and paragraphs are white space, all other tags are nothing. */
export function visibleText(html: string): string {
  return html
    .replaceAll(/<(?:br|\/p|\/div|\/li)\b[^<>]*>/gi, '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(#?\w{1,6});/g, (entity, name: string) => ENTITIES[name] ?? entity)
}
