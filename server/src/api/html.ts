import { createHash } from 'node:crypto'

/** One style for the few pages the API itself shows; light or dark as the reader's system is. */
const STYLE = `
:root { color-scheme: light dark; --ink: #1c1b19; --paper: #fbfaf7; --line: #dcd8cf; --quiet: #6b675f; --accent: #1f5f8b }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e6df; --paper: #181714; --line: #3a3732; --quiet: #a09b90; --accent: #8cc4ec } }
body { margin: 0 auto; max-width: 44rem; padding: 3rem 1.25rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif }
h1 { font-size: 1.6rem; line-height: 1.25 } h2 { font-size: 1.1rem; margin-top: 2rem } a { color: var(--accent) }
pre { overflow-x: auto; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; font-size: .875rem } code { font-family: ui-monospace, monospace }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
nav, footer { color: var(--quiet); font-size: .875rem }`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Allows the page its own style and nothing else. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** A complete page. `body` is HTML of ours. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
