import { firstCharacters } from '../networks/providers/shared/characters.ts'

/** What a page says of itself to those who link to it. */
export type PageCard = {
  readonly title: string
  readonly description: string
  /** Where its picture is; null for none. */
  readonly pictureUrl: URL | null
}

const MAX_TITLE = 300
const MAX_DESCRIPTION = 1_000

/**
 * Reads the card of an HTML page: the Open Graph properties (ogp.me), Twitter's, or what every page has. Null where it
 * names no title. Takes linear time, whatever the page holds.
 */
export function readPageCard(html: string, pageUrl: URL): PageCard | null {
  const facts = metaOf(html)
  const first = (...names: string[]) =>
    names.map((name) => facts.get(name) ?? '').find((text) => text !== '') ?? ''
  const title = firstCharacters(first('og:title', 'twitter:title', 'title'), MAX_TITLE)
  if (title === '') return null
  const picture = first(
    'og:image:secure_url',
    'og:image',
    'og:image:url',
    'twitter:image',
    'twitter:image:src',
  )
  return {
    title,
    description: firstCharacters(
      first('og:description', 'twitter:description', 'description'),
      MAX_DESCRIPTION,
    ),
    pictureUrl: picture === '' ? null : URL.parse(picture, pageUrl.href),
  }
}

const TAG = /<(meta|title|\/head|body)(?=[\s>/])/gi
/** A name is read from its first character only: from each one, a long name without a value would take the time of a square. */
const ATTRIBUTE = /(?<![^\s"'=<>/])([^\s"'=<>/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g
/** How much of a tag is read, and how many tags are: what has more is no page that names a card. */
const MAX_TAG = 4_096
const MAX_TAGS = 200

/** The properties of a page's head, each as it comes first. */
function metaOf(html: string): Map<string, string> {
  const found = new Map<string, string>()
  function note(name: string, text: string): void {
    const plain = decodeEntities(text).replace(/\s+/g, ' ').trim()
    if (!found.has(name) && plain !== '') found.set(name, plain)
  }

  let seen = 0
  for (const { 0: start, 1: name = '', index } of html.matchAll(TAG)) {
    const kind = name.toLowerCase()
    if (kind === '/head' || kind === 'body' || ++seen > MAX_TAGS) break
    const rest = html.slice(index + start.length, index + MAX_TAG)
    if (kind === 'title') note('title', rest.slice(rest.indexOf('>') + 1).split('<', 1)[0] ?? '')
    else {
      const attributes = attributesOf(rest)
      const property = attributes.get('property') ?? attributes.get('name')
      if (property !== undefined) note(property.toLowerCase(), attributes.get('content') ?? '')
    }
  }
  return found
}

/** The attributes up to the end of a tag; a `>` in quotes does not end it. */
function attributesOf(rest: string): Map<string, string> {
  const found = new Map<string, string>()
  let end = 0
  for (const { 0: whole, 1: name = '', 2: double, 3: single, 4: bare, index } of rest.matchAll(ATTRIBUTE)) {
    if (rest.slice(end, index).includes('>')) break
    end = index + whole.length
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), double ?? single ?? bare ?? '')
  }
  return found
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
}

/** Character references by number, and the names that pages really use. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name as string] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      ? String.fromCodePoint(code)
      : whole
  })
}
