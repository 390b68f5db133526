import { escapeHtml, html } from '../platform/html.ts'
import type { Language } from '../platform/language.ts'

/** What a mail says. Its texts may hold untrusted input: they are shown as they are, and as nothing else. */
export type Message = {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** A foreign text, set apart. */
  readonly quote?: string
  /** What is said of that text, below it. */
  readonly afterQuote?: string
  /** Where to go on; the label is a verb phrase, such as `Set a new password`. */
  readonly link?: { readonly label: string; readonly url: string }
  /** What is said below the link. */
  readonly after?: readonly string[]
  /** Set as it is taken in. */
  readonly language?: Language
}

const SUBJECT_MAX = 150

/** The subject as one line: names of people and workspaces stand in it. */
export function subjectOf({ subject }: Message): string {
  const line = subject.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line.length <= SUBJECT_MAX ? line : `${line.slice(0, SUBJECT_MAX - 1).trimEnd()}…`
}

export function textOf({ paragraphs, quote, afterQuote, link, after = [] }: Message): string {
  const quoted = quote === undefined ? [] : [quote.replaceAll(/^/gm, '> ')]
  const linked = link === undefined ? [] : [`${link.label}:\n${link.url}`]
  const beside = afterQuote === undefined ? [] : [afterQuote]
  return [...paragraphs, ...quoted, ...beside, ...linked, ...after].join('\n\n') + '\n'
}

const BODY =
  'margin:0 auto;max-width:36rem;padding:1.5rem;font:16px/1.5 system-ui,sans-serif;color:#1c1b19;background:#fff'
const QUOTE =
  'margin:1rem 0;padding:.5rem 1rem;border-left:3px solid #dcd8cf;white-space:pre-wrap;overflow-wrap:anywhere'
const BUTTON =
  'display:inline-block;padding:.6rem 1.1rem;border-radius:.375rem;background:#1f5f8b;color:#fff;text-decoration:none'

/** The same in HTML, without images, styles or scripts from anywhere. */
export function htmlOf(message: Message): string {
  const { paragraphs, quote, afterQuote, link, after = [], language = 'en' } = message
  const paragraph = (text: string) => html`<p>${text}</p>`
  const quoted = quote === undefined ? null : html`<blockquote style="${QUOTE}">${quote}</blockquote>`
  const linked =
    link === undefined
      ? null
      : html`<p><a href="${link.url}" style="${BUTTON}">${link.label}</a></p>
          <p>${link.url}</p>`
  const beside = afterQuote === undefined ? null : paragraph(afterQuote)
  const body = html`${paragraphs.map(paragraph)}${quoted}${beside}${linked}${after.map(paragraph)}`
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(subjectOf(message))}</title></head><body style="${BODY}">${body.text}</body></html>`
}
