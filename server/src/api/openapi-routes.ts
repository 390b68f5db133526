import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openApiDocument, type Operation } from '@postrider/contract'
import type { FastifyInstance } from 'fastify'
import { escapeHtml } from './html.ts'

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

/** Serves the description of the API, as JSON and as a page to read and try it. Nothing comes from another host. */
export function mountOpenApi(
  app: FastifyInstance,
  options: { baseUrl: string; basePath: string; version: string; operations: readonly Operation[] },
): void {
  const { baseUrl, basePath, ...described } = options
  const json = JSON.stringify(openApiDocument({ baseUrl, ...described }))
  const page = referencePage(basePath)
  // Trying an operation sends a request to the address of the installation, whatever address the page came from.
  const policy = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self' ${new URL(baseUrl).origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

  app.get('/openapi/json', (request, reply) => {
    request.operationId = 'openapi'
    reply.header('cache-control', 'no-cache').header('access-control-allow-origin', '*')
    return reply.header('content-type', 'application/json; charset=utf-8').send(json)
  })

  app.get('/openapi', (request, reply) => {
    request.operationId = 'openapi'
    reply.header('cache-control', 'no-cache').header('content-security-policy', policy)
    return reply.header('content-type', 'text/html; charset=utf-8').send(page)
  })

  app.get<{ Params: { file: string } }>('/openapi/assets/:file', async (request, reply) => {
    request.operationId = 'openapi'
    const { file } = request.params
    const asset = ASSETS.get(file)
    if (asset === undefined) return reply.callNotFound()
    reply.header('cache-control', 'public, max-age=86400').header('content-type', asset.type)
    return reply.send('text' in asset ? asset.text : await readFile(fileURLToPath(asset.url)))
  })
}

/** What the reference loads: files of swagger-ui-dist, and ours beside them. */
const ASSETS = new Map<string, { type: string } & ({ text: string } | { url: string })>([
  ['swagger-ui.css', { type: SHEET, url: import.meta.resolve('swagger-ui-dist/swagger-ui.css') }],
  [
    'swagger-ui-bundle.js',
    { type: SCRIPT, url: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js') },
  ],
  ['start.js', { type: SCRIPT, text: START }],
  ['page.css', { type: SHEET, text: STYLE }],
])

function referencePage(basePath: string): string {
  const base = escapeHtml(basePath)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Postrider Agent API</title>
<link rel="stylesheet" href="${base}/openapi/assets/swagger-ui.css">
<link rel="stylesheet" href="${base}/openapi/assets/page.css">
</head>
<body>
<nav><strong>Postrider Agent API</strong><a href="${base}/openapi/json">OpenAPI document</a><a href="${base}/problems">Problems</a></nav>
<main id="swagger-ui" data-document="${base}/openapi/json"></main>
<script src="${base}/openapi/assets/swagger-ui-bundle.js"></script>
<script src="${base}/openapi/assets/start.js"></script>
</body>
</html>
`
}
