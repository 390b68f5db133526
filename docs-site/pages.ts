import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { posix } from 'node:path'
import { problemsPage, referencePage } from './reference.ts'

export const ROOT = join(import.meta.dirname, '..')

/** One page of the site, and the Markdown that it is made of. */
export type Page = {
  /** Below the root of the site, such as `networks/bluesky.html`. */
  readonly url: string
  /** The file that it is made of, from the root of the repository; null where it is made of the contract. */
  readonly source: string | null
  readonly markdown: string
  readonly title: string
  /** What the list of pages calls it. */
  readonly label: string
}

export type Section = { readonly title: string; readonly pages: readonly Page[] }

/** Files outside of docs/ that are pages, too. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'README.md': 'index.html',
  'sdk/README.md': 'sdk.html',
  'integrations/n8n-nodes-postrider/README.md': 'n8n.html',
  'integrations/github-action/README.md': 'github-action.html',
  'ARCHITECTURE.md': 'architecture.html',
  'CONTRIBUTING.md': 'contributing.html',
  'CHANGELOG.md': 'changelog.html',
}

/** The order in which a reader finds them; a page that is in no list stands under the last. */
const SECTIONS: readonly (readonly [string, readonly (string | readonly [string, string])[]])[] = [
  ['Start', [['index', 'Quick start'], 'dashboard', ['sandbox', 'Sandbox network']]],
  [
    'Concepts',
    [
      ...([
        ['states', 'States'],
        ['evidence', 'Evidence'],
        ['approvals', 'Approvals'],
      ] as const),
      ...([
        ['posts', 'Posts, tokens, times'],
        ['rehearsing', 'Rehearse every status'],
        ['media', 'Media'],
      ] as const),
    ],
  ],
  [
    'Networks',
    [
      ...([
        ['networks/index', 'All networks'],
        ['first-real-post', 'Your first real post'],
        'networks/bluesky',
        'networks/mastodon',
        'networks/x',
      ] as const),
      ...([
        'networks/linkedin',
        'networks/telegram',
        'networks/discord',
        'networks/facebook',
        'networks/instagram',
        'networks/nostr',
        'networks/threads',
        'networks/wordpress',
        'networks/youtube',
      ] as const),
    ],
  ],
  [
    'Agents and programs',
    [
      ...([
        ['mcp', 'MCP'],
        ['keys', 'Agent keys'],
        ['oauth', 'OAuth'],
        ['ai', 'Drafts by a model'],
        'webhooks',
      ] as const),
      ...([
        ['sdk', 'SDK'],
        ['cli', 'Command line'],
        ['plan', 'Plan as code'],
        ['import', 'Import and export'],
        ['commands', 'Commands on the server'],
        ['n8n', 'n8n'],
      ] as const),
      ...([['github-action', 'GitHub Action']] as const),
    ],
  ],
  [
    'Self-hosting',
    [
      ...([
        ['operating', 'Operating'],
        ['high-availability', 'High availability'],
        'on-call',
        ['doctor', 'What doctor finds'],
        ['checks', 'Checks of connections'],
        'retention',
      ] as const),
      ...(['secret-keys', 'security', 'sign-in', 'roles', 'mail'] as const),
    ],
  ],
  [
    'Reference',
    [['reference', 'API'], ['problems/index', 'Problems'], 'architecture', 'contributing', 'changelog'],
  ],
]
/** Not in the list: other pages lead to them. */
const UNLISTED = /^(problems|adr)\/(?!index)/

export function readPages(): readonly Page[] {
  const below = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join('docs', name.replaceAll('\\', '/')))
    .filter((name) => name.endsWith('.md'))
  const elsewhere = Object.keys(ELSEWHERE).filter((name) => existsSync(join(ROOT, name)))
  const files = [...elsewhere, ...below].map((source) => {
    const url = urlOfFile(source)
    return pageOf(url, source, readFileSync(join(ROOT, source), 'utf8'))
  })
  const decisions = files.filter(({ url }) => url.startsWith('adr/'))
  return [
    ...files,
    pageOf('reference.html', null, referencePage()),
    pageOf('problems/index.html', null, problemsPage()),
    pageOf(
      'adr/index.html',
      null,
      `# Decisions\n\nWhat was expensive to decide, and why it was decided so.\n\n${decisions
        .map(({ url, title }) => `- [${title}](${posix.basename(url)})`)
        .join('\n')}\n`,
    ),
  ]
}

function pageOf(url: string, source: string | null, markdown: string): Page {
  const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll(/[*_`]/g, '') ?? url
  return { url, source, markdown, title, label: labels.get(url) ?? title }
}

const labels = new Map<string, string>(
  SECTIONS.flatMap(([, names]) =>
    names.flatMap((name) => (typeof name === 'string' ? [] : [[`${name[0]}.html`, name[1]] as const])),
  ),
)

/** Where the site has a file of the repository; null where it does not. */
export function urlOfFile(file: string): string
export function urlOfFile(file: string, known: ReadonlySet<string>): string | null
export function urlOfFile(file: string, known?: ReadonlySet<string>): string | null {
  const inDocs = relative('docs', file).replaceAll('\\', '/')
  const url = ELSEWHERE[file] ?? inDocs.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html')
  if (known === undefined) return url
  if (inDocs.startsWith('..') && ELSEWHERE[file] === undefined) return null
  for (const found of [url, posix.join(url, 'index.html')]) if (known.has(found)) return found
  return COPIED.test(inDocs) ? inDocs : null
}

/** Folders of docs/ whose files are copied as they are. */
export const COPIED = /^(images|examples|monitoring)\//

export function sectionsOf(pages: readonly Page[]): readonly Section[] {
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  const listed = SECTIONS.map(([title, names]) => ({
    title,
    pages: names.flatMap((name) => byUrl.get(`${typeof name === 'string' ? name : name[0]}.html`) ?? []),
  }))
  const known = new Set(listed.flatMap((section) => section.pages))
  const others = pages.filter((page) => !known.has(page) && !UNLISTED.test(page.url))
  return others.length === 0 ? listed : [...listed, { title: 'More', pages: others }]
}

/** The address of one page as seen from another. */
export function relativeUrl(from: string, to: string): string {
  return posix.relative(dirname(from), to) || posix.basename(to)
}
