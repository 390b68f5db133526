import { Marked, type Token, type Tokens } from 'marked'
import { withoutEnd } from '../shared/address-end.ts'
import type { RemoteMedia } from '../port/port.ts'
import type { Uploaded } from './upload.ts'

/*
 * A post as WordPress keeps it: HTML in blocks (https://developer.wordpress.org/block-editor/explanations/architecture/key-concepts/).
 * What an author writes is text and Markdown, and nothing of it becomes HTML of its own, a block or a shortcode.
 */

const markdown = new Marked({ gfm: true, breaks: true })
markdown.use({
  renderer: {
    html: ({ text }) => escape(text),
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens)
      return isSafe(href) ? `<a href="${escape(href)}">${words}</a>` : words
    },
    image: ({ href, text }) =>
      isSafe(href) ? `<img src="${escape(href)}" alt="${escape(text)}"/>` : escape(text),
  },
})

function isSafe(href: string): boolean {
  return /^(?:https?:|mailto:)/i.test(href)
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** A block; a square bracket in it begins no shortcode. */
function block(name: string, html: string, attributes: object = {}): string {
  const told = Object.keys(attributes).length === 0 ? '' : ` ${JSON.stringify(attributes)}`
  return `<!-- wp:${name}${told} -->\n${html.trim().replaceAll('[', '&#91;')}\n<!-- /wp:${name} -->`
}

export function markdownBlocks(text: string): string[] {
  return markdown
    .lexer(text)
    .filter(({ type }) => type !== 'space' && type !== 'def')
    .map(blockOf)
}

function blockOf(token: Token): string {
  const html = () => markdown.parser([token])
  switch (token.type) {
    case 'paragraph':
      return block('paragraph', html())
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading
      const words = markdown.Parser.parseInline(tokens, markdown.defaults)
      return block('heading', `<h${depth} class="wp-block-heading">${words}</h${depth}>`, { level: depth })
    }
    case 'code':
      return block(
        'code',
        `<pre class="wp-block-code"><code>${escape((token as Tokens.Code).text)}</code></pre>`,
      )
    case 'hr':
      return block('separator', '<hr class="wp-block-separator has-alpha-channel-opacity"/>')
    default:
      return block('html', html())
  }
}

/** Paragraphs as they are written, with links. */
export function plainBlocks(text: string): string[] {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => block('paragraph', `<p>${linked(paragraph).replaceAll('\n', '<br>')}</p>`))
}

function linked(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((piece, at) => {
      const address = at % 2 === 1 ? withoutEnd(piece) : ''
      const link = address === '' ? '' : `<a href="${escape(address)}">${escape(address)}</a>`
      return `${link}${escape(piece.slice(address.length))}`
    })
    .join('')
}

export function mediaBlock({ kind, altText }: RemoteMedia, { id, url }: Uploaded): string {
  if (kind === 'video') {
    const video = `<video controls src="${escape(url)}"></video>`
    return block('video', `<figure class="wp-block-video">${video}</figure>`, { id })
  }
  const image = `<img src="${escape(url)}" alt="${escape(altText ?? '')}" class="wp-image-${id}"/>`
  const attributes = { id, sizeSlug: 'large', linkDestination: 'none' }
  return block('image', `<figure class="wp-block-image size-large">${image}</figure>`, attributes)
}
