import { firstCharacters } from '../networks/providers/shared/characters.ts'
import type { PageCard, PageRead } from './media-job.ts'
import { charsetOf, decode, encodingNamed, encodingOfMark, likelyEncoding } from './page-encoding.ts'

/* Runs in a worker: whatever a page does to its parser, it does not do to the server. */

const MAX_TITLE = 300
const MAX_DESCRIPTION = 1_000
/** Of a text that is shown cut: what is far behind is not even looked at. */
const MAX_TEXT = 16_384
/** A head with more tags is none. Bounds what a parser does for each tag by how many are open. */
const MAX_TAGS = 20_000

/**
 * Reads the card of an HTML page from its first bytes: the Open Graph properties (ogp.me), Twitter's, or what every page has.
 * Encoding: the byte order mark, the header, the page itself, or else UTF-8 where it is that (HTML, 13.2.3.2).
 */
export async function readPageCard({
  bytes,
  contentType,
  address,
}: {
  readonly bytes: Uint8Array
  /** As the header has it. */
  readonly contentType: string
  /** Where the page is, after all redirects. */
  readonly address: string
}): Promise<PageRead> {
  const sure = encodingOfMark(bytes) ?? encodingNamed(charsetOf(contentType))
  const encoding = sure ?? likelyEncoding(bytes)
  const head = await readHead(decode(bytes, encoding))
  const own = sure === null ? encodingNamed(head.charset) : null
  // A page whose tags could be read is in no encoding of two bytes, whatever it says.
  const named = own?.startsWith('utf-16') === true ? 'utf-8' : own
  const read = named === null || named === encoding ? head : await readHead(decode(bytes, named))
  return { headEnded: read.ended, card: cardOf(read, address) }
}

function cardOf({ facts, base }: Head, address: string): PageCard | null {
  const first = (names: readonly string[], most: number) =>
    firstCharacters(names.map((name) => facts.get(name) ?? '').find((text) => text !== '') ?? '', most)
  const title = first(TITLES, MAX_TITLE)
  if (title === '') return null
  const within = URL.parse(base ?? '', address) ?? new URL(address)
  const named = PICTURES.flatMap((name) => facts.get(name) ?? [])
  const urls = named.map((picture) => URL.parse(picture, within.href))
  const url = urls.find((one) => one !== null && /^https?:$/.test(one.protocol))
  return {
    title,
    description: first(DESCRIPTIONS, MAX_DESCRIPTION),
    picture:
      url === undefined || url === null ? (named.length === 0 ? 'none' : 'invalid') : { url: url.href },
  }
}

/* What is first in these lists is what counts. */
const TITLES = ['og:title', 'twitter:title', 'title']
const DESCRIPTIONS = ['og:description', 'twitter:description', 'description']
const PICTURES = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src']
const WANTED: ReadonlySet<string> = new Set([...TITLES, ...DESCRIPTIONS, ...PICTURES])

type Head = {
  /** What the page says of itself, each as it comes first. */
  readonly facts: ReadonlyMap<string, string>
  readonly base: string | null
  readonly charset: string | null
  /** What follows is no word of the page about itself. */
  readonly ended: boolean
}

/**
 * What is read up to `</head>` or `<body>`, as a browser's tokenizer reads it; but other than in a browser, what does not belong into a
 * head does not end it, since pages that begin so are read by every network.
 */
async function readHead(html: string): Promise<Head> {
  const { SAXParser } = await import('parse5-sax-parser')
  const parser = new SAXParser()
  const facts = new Map<string, string>()
  let base: string | null = null
  let charset: string | null = null
  let ended = false
  let tags = 0
  let templates = 0
  let drawings = 0
  let title: string | null = null

  function note(name: string, text: string): void {
    const plain = cleaned(text)
    if (WANTED.has(name) && plain !== '' && !facts.has(name)) facts.set(name, plain)
  }
  function end(): void {
    ended = true
    parser.stop()
  }

  parser.on('startTag', ({ tagName, attrs, selfClosing }) => {
    if (++tags > MAX_TAGS) return end()
    if (tagName === 'template') templates += 1
    if (templates > 0) return
    const value = (name: string) => attrs.find((one) => one.name === name)?.value
    switch (tagName) {
      case 'body':
      case 'frameset':
        return end()
      case 'svg':
        if (!selfClosing) drawings += 1
        return
      case 'title':
        if (drawings === 0) title = ''
        return
      case 'base':
        base ??= value('href')?.trim() ?? null
        return
      case 'meta': {
        drawings = 0 // It ends a drawing that was left open.
        charset ??= value('charset') ?? null
        const content = value('content')?.slice(0, MAX_TEXT)
        if (content === undefined) return
        if (value('http-equiv')?.toLowerCase() === 'content-type') charset ??= charsetOf(content)
        const names = `${value('property') ?? ''} ${value('name') ?? ''}`.slice(0, MAX_TEXT)
        for (const name of names.toLowerCase().split(/\s+/)) note(name, content)
      }
    }
  })
  parser.on('endTag', ({ tagName }) => {
    if (tagName === 'template' && templates > 0) templates -= 1
    if (templates > 0) return
    if (tagName === 'head' || tagName === 'html') return end()
    if (tagName === 'svg' && drawings > 0) drawings -= 1
    if (tagName === 'title' && title !== null) {
      note('title', title)
      title = null
    }
  })
  parser.on('text', ({ text }) => {
    if (title !== null && title.length < MAX_TEXT) title += text.slice(0, MAX_TEXT)
  })
  parser.on('comment', ({ text }) => {
    if (tags === 0 && text.startsWith('?xml'))
      charset ??= /\sencoding\s*=\s*["']([\w.:-]{1,40})/.exec(text.slice(0, 200))?.[1] ?? null
  })
  await new Promise((resolve) => parser.once('finish', resolve).end(html))
  return { facts, base, charset, ended }
}

/** One line, without what no network and no database takes. */
function cleaned(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}
