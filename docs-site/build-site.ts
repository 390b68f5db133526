import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { THIRD_PARTY, thirdPartyLicenses } from '../tools/third-party.ts'
import { layout } from './layout.ts'
import { type MarkdownIt, type Passage, renderPage } from './markdown.ts'
import { type Page, readPages, ROOT, sectionsOf } from './pages.ts'

/* What of Eleventy is used here: https://www.11ty.dev/docs/config/ */
type Eleventy = {
  addTemplate(path: string, content: string, data: object): void
  addPassthroughCopy(paths: Record<string, string>): void
  on(event: 'eleventy.after', listener: (built: { directories: { output: string } }) => void): void
  addExtension(name: string, how: object): void
  addTemplateFormats(name: string): void
  setUseGitIgnore(use: boolean): void
}

const SEARCH_PAGE = `<h1>Search</h1>
<form action="search.html" role="search" class="wide-search"><input type="search" name="q" aria-label="Search for"><button>Search</button></form>
<p id="told" role="status">Type what you look for. The search runs in this page and needs JavaScript; <a href="#pages">all pages</a> need none.</p>
<ol id="found"></ol>`

/** Makes the site of the Markdown in the repository: static files, each page complete without a script. */
export function buildSite(eleventy: Eleventy): object {
  const pages = readPages()
  const sections = sectionsOf(pages)
  const known = new Set(pages.map(({ url }) => url))
  const byPath = new Map(pages.map((page) => [pathOf(page), page]))
  const library = newMarkdown({ html: true, linkify: true })
  const passages: { url: string; title: string; passage: Passage }[] = []

  eleventy.setUseGitIgnore(false)
  // The pages are written as they come out of the layout: no template language reads the documents, which have braces of their own.
  eleventy.addTemplateFormats('page')
  eleventy.addExtension('page', {
    compile: () => (data: { path: string }) => {
      const page = byPath.get(data.path)
      if (page === undefined)
        return layout(SEARCH, { html: SEARCH_PAGE, headings: [], sections }, 'search.js')
      const { html, headings, passages: found } = renderPage(library, page, known)
      passages.push(...found.map((passage) => ({ url: page.url, title: page.title, passage })))
      return layout(page, { html, headings, sections })
    },
  })
  for (const page of pages)
    eleventy.addTemplate(pathOf(page), '', { permalink: page.url, path: pathOf(page) })
  eleventy.addTemplate('search.page', '', { permalink: SEARCH.url, path: 'search.page' })

  eleventy.addPassthroughCopy({
    [join(import.meta.dirname, 'assets')]: '/',
    [join(ROOT, 'dashboard/public/icon.svg')]: 'icon.svg',
    [join(ROOT, 'cli/plan.schema.json')]: 'plan.schema.json',
    ...Object.fromEntries(
      ['images', 'examples', 'monitoring'].map((name) => [join(ROOT, 'docs', name), name]),
    ),
  })
  eleventy.on('eleventy.after', ({ directories: { output } }) => {
    const entries = passages
      .filter(({ url }) => url !== 'changelog.html')
      .map(({ url, title, passage: { id, text, content } }) => ({
        url: id === '' ? url : `${url}#${id}`,
        title,
        heading: id === '' ? headingOf(url, title) : text,
        ...shortened(content.trim()),
      }))
    writeFileSync(join(output, 'search-index.json'), JSON.stringify(entries))
    // Without the note that names a file for debuggers, which is not there.
    const script = readFileSync(fileURLToPath(import.meta.resolve('minisearch')), 'utf8')
    writeFileSync(join(output, 'minisearch.js'), script.replace(/\n\/\/# sourceMappingURL=.*/, ''))
    writeFileSync(
      join(output, THIRD_PARTY),
      thirdPartyLicenses([fileURLToPath(import.meta.resolve('minisearch'))]),
    )
    compress(output)
  })
  return { dir: { input: 'pages', output: relative('.', process.env['DOCS_OUTPUT'] ?? 'dist') } }
}

/** Who meets a problem knows its code. */
function headingOf(url: string, title: string): string {
  const [, code] = /^problems\/(\w+)\.html$/.exec(url) ?? []
  return code === undefined || code === 'index' ? title : `${title} (${code})`
}

const SHOWN_CHARACTERS = 200
const FURTHER_WORDS = 120

/** The beginning of a passage, which is shown, and each further word that can be found once: the index is read over the network. */
function shortened(content: string): { readonly text: string; readonly words: string } {
  const text = content
    .slice(0, SHOWN_CHARACTERS)
    .replace(/\S+$/, (cut) => (cut.length < SHOWN_CHARACTERS ? '' : cut))
  const wordsOf = (some: string) => some.toLowerCase().split(/[^\p{L}\p{N}_]+/u)
  const shown = new Set(wordsOf(text))
  const words = new Set(
    wordsOf(content.slice(text.length)).filter(
      (word) => word.length > 1 && !shown.has(word) && !COMMON.has(word),
    ),
  )
  return { text: text.trim(), words: [...words].slice(0, FURTHER_WORDS).join(' ') }
}

const load = createRequire(import.meta.url)

// What the page runs has no types.
const { COMMON } = load('./assets/search-options.js') as { COMMON: ReadonlySet<string> }

// Its types are a package of their own.
const newMarkdown = load('markdown-it') as (options: object) => MarkdownIt

const SEARCH = { url: 'search.html', title: 'Search', source: null }

function pathOf({ url }: Page): string {
  return url.replace(/\.html$/, '.page').replaceAll('/', '--')
}

/** What is text is there compressed, too: a server then sends it as it is. */
function compress(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(html|css|js|json|svg)$/.test(name)) continue
    const bytes = readFileSync(join(folder, name))
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params: quality }))
  }
}
