import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type ApiDescription, openApiDocument, type Operation } from '@postrider/contract'
import type { FastifyInstance } from 'fastify'
import { onFirstUse } from '../../../platform/process/on-first-use.ts'
import { compressedText, type CompressedText } from '../http/compressed-answer.ts'
import { escapeHtml } from '../../../platform/text/html.ts'

const SCRIPT = 'text/javascript; charset=utf-8'
const SHEET = 'text/css; charset=utf-8'

const START = `const root = document.getElementById('swagger-ui')
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({
  url: root.dataset.document,
  domNode: root,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`

const STYLE = `body { margin: 0; font-family: system-ui, sans-serif }
nav { display: flex; gap: 1.25rem; padding: .75rem 1.5rem; border-bottom: 1px solid #8884 }
nav a { color: #1f5f8b; text-decoration: none } nav a:hover { text-decoration: underline }
nav strong { margin-right: auto }
html.dark-mode body { background: #1c2022; color: #e9e6df } html.dark-mode nav a { color: #8cc4ec }
`

/** Where a family of operations is described, and as what. */
export type ApiReference = {
  /** The path of the reference; the document is at `<at>/json` and `<at>.json`, and the part of one tag at `<at>/<tag>.json`. */
  readonly at: string
  readonly about: ApiDescription
  /** The JSON Schemas of what may be set for each provider, by its name. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** The name of the document that describes the operations of one tag alone. */
export const documentName = (tag: string): string => `${tag.toLowerCase().replaceAll(' ', '-')}.json`

/** Serves the description of operations, as JSON and as a page to read and try it. Nothing comes from another host. */
export function mountOpenApi(
  app: FastifyInstance,
  { at, about, settings = {} }: ApiReference,
  options: { baseUrl: string; version: string; operations: readonly Operation[] },
): void {
  const { baseUrl, version, operations } = options
  const describe = (described: readonly Operation[]) =>
    compressedText(() =>
      JSON.stringify(openApiDocument({ baseUrl, version, about, settings, operations: described })),
    )
  const page = Buffer.from(referencePage(about.title, at, '/problems'))
  // Trying an operation sends a request to the address of the installation, whatever address the page came from.
  const policy = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self' ${new URL(baseUrl).origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

  const serve = (path: string, document: CompressedText) =>
    app.get(path, (request, reply) => {
      request.operationId = 'openapi'
      reply.header('cache-control', 'no-cache').header('access-control-allow-origin', '*')
      return document.send(request, reply.header('content-type', 'application/json; charset=utf-8'))
    })

  const whole = describe(operations)
  serve(`${at}/json`, whole)
  // Tools look here that know no other address.
  serve(`${at}.json`, whole)
  // A model that only writes posts need not read about webhooks.
  for (const [tag, tagged] of Map.groupBy(operations, (operation) => operation.tag)) {
    serve(`${at}/${documentName(tag)}`, describe(tagged))
  }

  app.get(at, (request, reply) => {
    request.operationId = 'openapi'
    reply.header('cache-control', 'no-cache').header('content-security-policy', policy)
    return reply.header('content-type', 'text/html; charset=utf-8').send(page)
  })

  app.get<{ Params: { file: string } }>(`${at}/assets/:file`, async (request, reply) => {
    request.operationId = 'openapi'
    const asset = ASSETS.get(request.params.file)
    if (asset === undefined) return reply.callNotFound()
    reply.header('cache-control', 'public, max-age=86400').header('content-type', asset.type)
    return reply.send(await asset.bytes())
  })
}

type Asset = { readonly type: string; readonly bytes: () => Buffer | Promise<Buffer> }

/** What the reference loads: files of swagger-ui-dist, and ours beside them. */
const ASSETS = new Map<string, Asset>([
  ['swagger-ui.css', fileAsset(SHEET, import.meta.resolve('swagger-ui-dist/swagger-ui.css'))],
  ['swagger-ui-bundle.js', fileAsset(SCRIPT, import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))],
  ['start.js', textAsset(SCRIPT, START)],
  ['page.css', textAsset(SHEET, STYLE)],
])

function textAsset(type: string, text: string): Asset {
  const bytes = Buffer.from(text)
  return { type, bytes: () => bytes }
}

/** Read with the first request, and once: clients that do not read their answers share the bytes that they hold up. */
function fileAsset(type: string, url: string): Asset {
  return { type, bytes: onFirstUse(() => readFile(fileURLToPath(url))).get }
}

function referencePage(title: string, path: string, problemsPath: string): string {
  const at = escapeHtml(path)
  const name = escapeHtml(title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="stylesheet" href="${at}/assets/swagger-ui.css">
<link rel="stylesheet" href="${at}/assets/page.css">
</head>
<body>
<nav><strong>${name}</strong><a href="${at}/json">OpenAPI document</a><a href="${escapeHtml(problemsPath)}">Problems</a></nav>
<main id="swagger-ui" data-document="${at}/json"></main>
<script src="${at}/assets/swagger-ui-bundle.js"></script>
<script src="${at}/assets/start.js"></script>
</body>
</html>
`
}
