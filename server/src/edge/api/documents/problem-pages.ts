import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProblemCode, problemCodes, problems } from '@postrider/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../operations/refusal.ts'
import { escapeHtml, htmlPage, pagePolicy } from '../../../platform/text/html.ts'
import { ROOT } from '../../../platform/process/product-files.ts'
import { onFirstUse } from '../../../platform/process/on-first-use.ts'
import type { SendProblem } from './problem.ts'

const UNKNOWN = 'No problem has this name. All of them are listed at /problems.'
const PAGES = join(ROOT, 'docs/problems')

/** The Markdown of a problem's page. */
export function readProblemPage(code: ProblemCode): string {
  return readFileSync(join(PAGES, `${code}.md`), 'utf8')
}

/**
 * Serves the page that each problem's `type` points to, for people as HTML, for models as Markdown and for programs as JSON. Each is
 * made when it is first asked for.
 */
export function mountProblemPages(app: FastifyInstance, baseUrl: string, sendProblem: SendProblem): void {
  const index = onFirstUse(() => {
    const all = { problems: problemCodes.map((code) => summaryOf(code, baseUrl)) }
    return renderPage('Problems', indexMarkdown(baseUrl), all, baseUrl)
  })
  const pages = new Map<string, typeof index>(
    problemCodes.map((code) => [code, onFirstUse(() => renderProblem(code, baseUrl))]),
  )

  const unknown = onFirstUse(() =>
    renderPage(problems.not_found.title, `# ${problems.not_found.title}\n\n${UNKNOWN}\n`, {}, baseUrl),
  )

  app.get('/problems', async (request, reply) => sendPage(request, reply, await index.get()))
  app.get<{ Params: { code: string } }>('/problems/:code', async (request, reply) => {
    const page = pages.get(request.params.code)
    if (page !== undefined) return sendPage(request, reply, await page.get())
    reply.header('vary', 'accept')
    // A person who came by a mistyped link gets a page with the way to those that there are.
    if (opensPage(request))
      return sendHtml(reply.status(problems.not_found.status), (await unknown.get()).html)
    return sendProblem(request, reply, refuse('not_found', UNKNOWN))
  })
}

type Page = { readonly markdown: string; readonly html: string; readonly json: string }

function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  request.operationId = 'problemPages'
  reply.header('vary', 'accept').header('cache-control', 'public, max-age=300')
  const wanted = wantedType(request.headers.accept)
  if (wanted === 'text/markdown')
    return reply.header('content-type', 'text/markdown; charset=utf-8').send(page.markdown)
  // As bytes: JSON has no charset.
  if (wanted === 'application/json') return reply.header('content-type', wanted).send(Buffer.from(page.json))
  return sendHtml(reply, page.html)
}

function sendHtml(reply: FastifyReply, html: string): FastifyReply {
  reply.header('content-security-policy', pagePolicy())
  return reply.header('content-type', 'text/html; charset=utf-8').send(html)
}

function opensPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '')
}

/** Markdown or JSON, the first of them, for a client that names it and does not accept HTML. */
function wantedType(accept = ''): ShownAs | null {
  if (accept.includes('text/html')) return null
  const named = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase() ?? '')
  return named.flatMap((type) => shownAs.get(type) ?? [])[0] ?? null
}

type ShownAs = 'text/markdown' | 'application/json'

const shownAs: ReadonlyMap<string, ShownAs> = new Map([
  ['text/markdown', 'text/markdown'],
  ['application/json', 'application/json'],
  ['application/problem+json', 'application/json'],
])

function summaryOf(code: ProblemCode, baseUrl: string) {
  const { status, title, ...facts } = problems[code]
  const statuses = [status, ...('also' in facts ? facts.also : [])]
  return { type: `${baseUrl}/problems/${code}`, code, title, statuses }
}

/** The page in its parts. */
function partsOf(code: ProblemCode, markdown: string, baseUrl: string) {
  const [, ...sections] = markdown.split(/^## (?=What|Example)/m)
  const section = (heading: string) =>
    sections
      .find((one) => one.startsWith(heading))
      ?.slice(heading.length)
      .trim() ?? ''
  const example = /```json\n([\s\S]+?)\n```/.exec(section('Example'))?.[1] ?? 'null'
  return {
    ...summaryOf(code, baseUrl),
    whatHappened: section('What happened'),
    whatToDo: section('What to do'),
    example: JSON.parse(example) as unknown,
  }
}

function renderProblem(code: ProblemCode, baseUrl: string): Promise<Page> {
  // Links become absolute: Markdown is read away from its place.
  const markdown = readProblemPage(code).replaceAll('](/', `](${baseUrl}/`)
  return renderPage(problems[code].title, markdown, partsOf(code, markdown, baseUrl), baseUrl)
}

async function renderPage(title: string, markdown: string, parts: object, baseUrl: string): Promise<Page> {
  const { marked } = await import('marked')
  const nav = `<nav><a href="${baseUrl}/problems">All problems</a> · <a href="${baseUrl}/openapi">API reference</a></nav>`
  const html = htmlPage(title, `${nav}\n${marked.parse(markdown, { async: false })}`)
  return { markdown, html, json: JSON.stringify(parts) }
}

function indexMarkdown(baseUrl: string): string {
  const rows = problemCodes.map((code) => {
    const { status, title, ...facts } = problems[code]
    const statuses = [status, ...('also' in facts ? facts.also : [])].join(', ')
    return `| [\`${code}\`](${baseUrl}/problems/${code}) | ${statuses} | ${escapeHtml(title)} |`
  })
  const intro =
    'Every error of the API is a problem in the sense of RFC 9457. Its `code` is one of these names and never changes.'
  return `# Problems\n\n${intro}\n\n| Code | HTTP status | What happened |\n|---|---|---|\n${rows.join('\n')}\n`
}
