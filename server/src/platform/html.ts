import { createHash } from 'node:crypto'

/** One style for the few pages the API itself shows; light or dark as the reader's system is. */
const STYLE = `
:root { color-scheme: light dark; --ink: #1c1b19; --paper: #fbfaf7; --line: #dcd8cf; --quiet: #6b675f; --accent: #1f5f8b }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e6df; --paper: #181714; --line: #3a3732; --quiet: #a09b90; --accent: #8cc4ec } }
body { margin: 0 auto; max-width: 44rem; padding: 3rem 1.25rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; line-height: 1.25 } h2 { font-size: 1.1rem; margin-top: 2rem } a { color: var(--accent) }
pre { overflow-x: auto; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; font-size: .875rem } code { font-family: ui-monospace, monospace }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
nav, footer { color: var(--quiet); font-size: .875rem }
form { margin: 1rem 0 } label { display: block; margin: 0 0 .9rem; font-size: .875rem; color: var(--quiet) }
input:not([type=hidden]), select, textarea { display: block; box-sizing: border-box; width: 100%; margin-top: .2rem; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: .375rem; background: transparent; color: var(--ink); font: inherit; font-size: 1rem }
button { padding: .65rem 1.1rem; border: 1px solid var(--accent); border-radius: .375rem; background: var(--accent); color: var(--paper); font: inherit; font-weight: 600; cursor: pointer }
button.plain { background: transparent; color: var(--accent) } button.danger { border-color: #b3382c; background: #b3382c; color: #fff }
input:focus-visible, button:focus-visible, a:focus-visible, textarea:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.notice { padding: .7rem .9rem; border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: .375rem } .fault { border-left-color: #b3382c }
.row { display: flex; gap: .75rem; flex-wrap: wrap; align-items: center } .row form { margin: .25rem 0 }
input:is([type=checkbox], [type=radio]) { display: inline-block; width: auto; margin: 0 .4rem 0 0 }
fieldset { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0 } legend { font-weight: 600; padding: 0 .35rem } label.choice { margin: .35rem 0; font-size: 1rem; color: var(--ink) }
img { max-width: 100%; height: auto; border-radius: .5rem }`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/**
 * Allows a page its own style, images of ours, its forms these targets, and scripts from files of ours that ask this server alone,
 * where it runs one. To browsers, a redirect is part of a form's action, too.
 */
export function pagePolicy({
  formTargets = [],
  runsScript = false,
}: {
  readonly formTargets?: readonly string[]
  readonly runsScript?: boolean
} = {}): string {
  const scripts = runsScript ? " script-src 'self'; connect-src 'self';" : ''
  const actions = formTargets.length === 0 ? "'none'" : formTargets.join(' ')
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self';${scripts} base-uri 'none'; form-action ${actions}; frame-ancestors 'none'`
}

/** A complete page. `body` is HTML of ours. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Postrider</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`
}

/** HTML that is safe to send. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type HtmlValue = Html | string | number | null | readonly HtmlValue[]

/** HTML of ours, in which every value that is no HTML is escaped; null is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(render)))
}

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (value === null) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return value.map(render).join('')
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
