import { createHash } from 'node:crypto'
import { languageOfReader } from './language.ts'

/**
 * The style of every page outside of the dashboard, in the dashboard's own colours and sizes: a test holds each of these names to what
 * it is in `dashboard/src/styles/tokens.css`. Light or dark as the reader's system is.
 */
const STYLE = `
:root { color-scheme: light dark;
  --font: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif;
  --font-mono: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, monospace;
  --text-sm: 0.8125rem; --text-md: 0.875rem; --text-lg: 1rem; --text-xl: 1.25rem;
  --radius: 6px; --radius-lg: 10px;
  --bg: light-dark(#ffffff, #131417); --bg-raised: light-dark(#ffffff, #1e2025); --bg-hover: light-dark(#eff1f4, #25282e);
  --border: light-dark(#e3e6eb, #2c2f36); --border-control: light-dark(#858d9b, #737b89); --paper: light-dark(#fbf4ea, #211b15);
  --text: light-dark(#16181d, #eceef1); --text-muted: light-dark(#565d69, #a4abb8);
  --accent: light-dark(#2f5bd7, #7ea2ff); --accent-bg: light-dark(#2f5bd7, #4169e1); --accent-bg-hover: light-dark(#264cb8, #365bd1); --on-accent: #ffffff;
  --red: light-dark(#b3261e, #ff8a80); --red-bg: light-dark(#c0332a, #b3362d); --red-subtle: light-dark(#fdecea, #3a1a18); --accent-subtle: light-dark(#ecf1fe, #1f2a47);
  --shadow: 0 1px 2px light-dark(#1018280d, #0006); --focus: 0 0 0 2px var(--bg), 0 0 0 4px var(--accent) }
*, *::before, *::after { box-sizing: border-box }
body { margin: 0; min-height: 100dvh; background: var(--paper); color: var(--text); font: 400 var(--text-md)/1.5 var(--font); overflow-wrap: anywhere }
.top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; padding: 1rem 1.25rem }
.brand { display: inline-flex; align-items: center; gap: .5rem; color: var(--text); font-size: var(--text-lg); font-weight: 600; text-decoration: none } .brand svg { width: 1.6rem; height: 1.6rem }
main { width: calc(100% - 2rem); max-width: 26rem; margin: max(1rem, 6dvh) auto 3rem; padding: 1.5rem; border: 1px solid var(--border); border-radius: var(--radius-lg); background: var(--bg-raised); box-shadow: var(--shadow) }
main:has(table, fieldset, pre, h2) { max-width: 46rem }
main > :first-child { margin-top: 0 } main > :last-child { margin-bottom: 0 }
h1 { margin: 0 0 .75rem; font-size: var(--text-xl); line-height: 1.3; letter-spacing: -.01em } h2 { margin: 1.75rem 0 .5rem; font-size: var(--text-lg) } p { margin: 0 0 .75rem }
a { color: var(--accent); text-underline-offset: 2px }
pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--border); border-radius: var(--radius); background: var(--bg-hover) } code, pre { font-family: var(--font-mono); font-size: .92em }
table { border-collapse: collapse; width: 100%; margin-bottom: 1rem } td, th { text-align: left; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--border); vertical-align: top } th { font-weight: 500; font-size: var(--text-sm); color: var(--text-muted) }
nav, footer, small { color: var(--text-muted); font-size: var(--text-sm) } small { display: block; margin-top: .25rem }
form { margin: 1rem 0 } label { display: block; margin: 0 0 1rem; font-weight: 500 }
input:not([type=hidden]), select, textarea { display: block; width: 100%; min-height: 2.25rem; margin-top: .25rem; padding: .3rem .6rem; border: 1px solid var(--border-control); border-radius: var(--radius); background: var(--bg-raised); color: var(--text); font: inherit; font-weight: 400 }
button { min-height: 2.25rem; padding: 0 .9rem; border: 1px solid var(--accent-bg); border-radius: var(--radius); background: var(--accent-bg); color: var(--on-accent); font: inherit; font-weight: 500; cursor: pointer } button:hover { background: var(--accent-bg-hover) }
button.plain { border-color: var(--border-control); background: var(--bg-raised); color: var(--text) } button.plain:hover { background: var(--bg-hover) } button.danger { border-color: var(--red-bg); background: var(--red-bg); color: var(--on-accent) }
input:focus-visible, select:focus-visible, button:focus-visible, a:focus-visible, textarea:focus-visible, summary:focus-visible { outline: none; box-shadow: var(--focus); border-radius: var(--radius) }
.notice { padding: .6rem .75rem; border-radius: var(--radius); background: var(--accent-subtle) } .fault { background: var(--red-subtle); color: var(--red) }
.row { display: flex; gap: .75rem; flex-wrap: wrap; align-items: center } .row form, td form { margin: 0 } .quiet { color: var(--text-muted) }
input:is([type=checkbox], [type=radio]) { display: inline-block; width: 1rem; min-height: 0; height: 1rem; margin: 0 .5rem 0 0; vertical-align: -.15em; accent-color: var(--accent-bg) }
fieldset { min-width: 0; border: 1px solid var(--border); border-radius: var(--radius); margin: 1rem 0; padding: .75rem } legend { font-weight: 600; padding: 0 .35rem } label.choice { margin: .35rem 0; font-weight: 400 }
summary { cursor: pointer; font-weight: 500 } img { max-width: 100%; height: auto; border-radius: var(--radius) }
@media (max-width: 30rem) { input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea { font-size: 1rem } button { min-height: 2.75rem } }`

/** The mark of the product, as it stands in `dashboard/public/icon.svg`. */
const MARK = `<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#2f5bd7"/><path d="M8 11.5 16 17l8-5.5M9 9h14a1.5 1.5 0 0 1 1.5 1.5v11A1.5 1.5 0 0 1 23 23H9a1.5 1.5 0 0 1-1.5-1.5v-11A1.5 1.5 0 0 1 9 9Z" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>`

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

/** Where a page leads back to. */
export type WayBack = { readonly to: string; readonly label: string }

/** A complete page. `body` is HTML of ours; `home` is the address of the dashboard. */
export function htmlPage(
  title: string,
  body: string,
  { back = null, home = '/' }: { readonly back?: WayBack | null; readonly home?: string } = {},
): string {
  const way = back === null ? '' : `<a href="${escapeHtml(back.to)}">${escapeHtml(back.label)}</a>`
  return `<!doctype html>
<html lang="${languageOfReader()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Postrider</title>
<style>${STYLE}</style>
</head>
<body>
<header class="top"><a class="brand" href="${escapeHtml(home)}">${MARK}Postrider</a>${way}</header>
<main>
${body}
</main>
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
