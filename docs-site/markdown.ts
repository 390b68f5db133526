import { posix } from 'node:path'
import { type Page, relativeUrl, urlOfFile } from './pages.ts'

/* What of markdown-it is used here: https://github.com/markdown-it/markdown-it */
type Token = {
  type: string
  tag: string
  content: string
  info: string
  children: Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}
type Rule = (tokens: Token[], index: number) => string
export type MarkdownIt = {
  parse(text: string, env: object): Token[]
  utils: { escapeHtml(text: string): string }
  renderer: { render(tokens: Token[], options: object, env: object): string; rules: Record<string, Rule> }
  options: object
}

export type Heading = { readonly level: number; readonly id: string; readonly text: string }
/** What stands under one heading, as plain text. */
export type Passage = Heading & { readonly content: string }
export type Rendered = {
  readonly html: string
  readonly headings: readonly Heading[]
  readonly passages: readonly Passage[]
}

/** Makes the HTML of a page: its headings get the ids that GitHub gives them, its links lead to pages of the site. */
export function renderPage(markdown: MarkdownIt, page: Page, known: ReadonlySet<string>): Rendered {
  useRules(markdown)
  const tokens = markdown.parse(page.markdown, {})
  const passages = withHeadingIds(tokens, page)
  for (const token of tokens)
    if (token.children !== null) token.children = withLinks(token.children, page, known)
  return {
    html: markdown.renderer.render(tokens, markdown.options, {}),
    headings: passages.map(({ level, id, text }) => ({ level, id, text })),
    passages,
  }
}

/** What is wider than the page is scrolled, by the keyboard, too. */
function useRules({ renderer, utils }: MarkdownIt): void {
  renderer.rules['table_open'] = () => '<div class="wide" tabindex="0"><table>'
  renderer.rules['table_close'] = () => '</table></div>'
  renderer.rules['fence'] = (tokens, index) => {
    const { info = '', content = '' } = tokens[index] ?? {}
    return `<pre tabindex="0"><code class="language-${utils.escapeHtml(info.split(' ')[0] ?? '')}">${utils.escapeHtml(content)}</code></pre>\n`
  }
  // Notes on how a file is made are not for readers.
  renderer.rules['html_block'] = (tokens, index) => {
    const { content = '' } = tokens[index] ?? {}
    return content.startsWith('<!--') ? '' : content
  }
}

function withHeadingIds(tokens: Token[], { title }: Page): Passage[] {
  const passages: (Heading & { content: string })[] = [{ level: 1, id: '', text: title, content: '' }]
  const taken = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    const current = passages.at(-1)
    if (token.type === 'heading_open') {
      const text = textOf(tokens[index + 1])
      const plain = slugOf(text)
      const before = taken.get(plain) ?? 0
      taken.set(plain, before + 1)
      const id = before === 0 ? plain : `${plain}-${before}`
      token.attrSet('id', id)
      if (token.tag !== 'h1') passages.push({ level: Number(token.tag.slice(1)), id, text, content: '' })
    } else if (
      token.type === 'inline' &&
      tokens[index - 1]?.type !== 'heading_open' &&
      current !== undefined
    ) {
      current.content += `${textOf(token)} `
    } else if (token.type === 'fence' && current !== undefined) current.content += `${token.content} `
  }
  return passages
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? []).map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('')
}

/** As GitHub makes them: lower case, without punctuation, a hyphen for each space. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** A link to a file that the site has not is told as its words alone. */
function withLinks(children: Token[], page: Page, known: ReadonlySet<string>): Token[] {
  const open: boolean[] = []
  return children.filter((token) => {
    if (token.type === 'image') token.attrSet('src', targetOf(token.attrGet('src') ?? '', page, known) ?? '')
    if (token.type === 'image') token.attrSet('loading', 'lazy')
    if (token.type === 'link_close') return open.pop() ?? true
    if (token.type !== 'link_open') return true
    const target = targetOf(token.attrGet('href') ?? '', page, known)
    if (target !== null) token.attrSet('href', target)
    open.push(target !== null)
    return target !== null
  })
}

function targetOf(link: string, { url, source }: Page, known: ReadonlySet<string>): string | null {
  const problem = /^\/problems(?:\/(\w+))?$/.exec(link)
  if (problem !== null) return relativeUrl(url, `problems/${problem[1] ?? 'index'}.html`)
  if (/^([a-z]+:|\/|#)/.test(link)) return link
  const [path = '', heading] = link.split('#')
  const target =
    source === null
      ? posix.join(posix.dirname(url), path)
      : urlOfFile(posix.join(posix.dirname(source), path), known)
  if (target === null) return null
  return relativeUrl(url, target) + (heading === undefined ? '' : `#${heading}`)
}
