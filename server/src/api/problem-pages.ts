import { readFileSync } from 'node:fs'
import { type ProblemCode, problemCodes, problems } from '@postrider/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../operations/refusal.ts'
import { escapeHtml, htmlPage, pagePolicy } from '../platform/html.ts'
import { onFirstUse } from '../platform/on-first-use.ts'
import type { SendProblem } from './problem.ts'

const PAGES = new URL('../../../docs/problems/', import.meta.url)

/** The Markdown of a problem's page. */
export function readProblemPage(code: ProblemCode): string {
  return readFileSync(new URL(`${code}.md`, PAGES), 'utf8')
}

/**
 * Serves the page that each problem's `type` points to, for people as HTML and for programs as Markdown. Each is made when it is
 * first asked for.
 */
export function mountProblemPages(app: FastifyInstance, baseUrl: string, sendProblem: SendProblem): void {
  const index = onFirstUse(() => renderPage('Problems', indexMarkdown(baseUrl), baseUrl))
  const pages = new Map<string, typeof index>(
    problemCodes.map((code) => [code, onFirstUse(() => renderProblem(code, baseUrl))]),
  )

  app.get('/problems', async (request, reply) => sendPage(request, reply, await index.get()))
  app.get<{ Params: { code: string } }>('/problems/:code', async (request, reply) => {
    const page = pages.get(request.params.code)
    if (page !== undefined) return sendPage(request, reply, await page.get())
    return sendProblem(
      request,
      reply,
      refuse('not_found', 'There is no problem of this name. All of them are listed at /problems.'),
    )
  })
}

type Page = { markdown: string; html: string }

function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  request.operationId = 'problemPages'
  reply.header('vary', 'accept').header('cache-control', 'public, max-age=300')
  if (wantsMarkdown(request.headers.accept)) {
    return reply.header('content-type', 'text/markdown; charset=utf-8').send(page.markdown)
  }
  reply.header('content-security-policy', pagePolicy())
  return reply.header('content-type', 'text/html; charset=utf-8').send(page.html)
}

/** Markdown for a client that accepts it and does not accept HTML. */
function wantsMarkdown(accept: string | undefined): boolean {
  return accept !== undefined && accept.includes('text/markdown') && !accept.includes('text/html')
}

function renderProblem(code: ProblemCode, baseUrl: string): Promise<Page> {
  // Links become absolute: Markdown is read away from its place.
  return renderPage(problems[code].title, readProblemPage(code).replaceAll('](/', `](${baseUrl}/`), baseUrl)
}

async function renderPage(title: string, markdown: string, baseUrl: string): Promise<Page> {
  const { marked } = await import('marked')
  const nav = `<nav><a href="${baseUrl}/problems">All problems</a> · <a href="${baseUrl}/openapi">API reference</a></nav>`
  return { markdown, html: htmlPage(title, `${nav}\n${marked.parse(markdown, { async: false })}`) }
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
