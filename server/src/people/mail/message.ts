import { toLine } from '@postrider/contract/names'
import { escapeHtml, html } from '../../platform/text/html.ts'
import type { Language } from '../../platform/text/language.ts'

/** Several things of one kind, each with the page that it is about. */
export type Section = {
  readonly heading: string
  readonly items: readonly { readonly title: string; readonly text: string; readonly url: string }[]
  /** What is said of those that are left out. */
  readonly more?: string
}

/** What a mail says. Its texts may hold untrusted input: each is shown as one line and as nothing else, the quote as it is. */
export type Message = {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** A foreign text, set apart. */
  readonly quote?: string
  /** What is said of that text, below it. */
  readonly afterQuote?: string
  readonly sections?: readonly Section[]
  /** Where to go on; the label is a verb phrase, such as `Set a new password`. */
  readonly link?: { readonly label: string; readonly url: string }
  /** What is said below the link. */
  readonly after?: readonly string[]
  /** Set as it is taken in. */
  readonly language?: Language
}

const SUBJECT_MAX = 150

/** Names and texts of others stand in it: no line end of theirs, and no mark that turns the direction of what follows. */
export function oneLine(text: string, max = Infinity): string {
  const line = toLine(text.replaceAll(/[\u061c\u200e\u200f]/g, ''))
  if (line.length <= max) return line
  const characters = Array.from(line)
  return characters.length <= max
    ? line
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
}

export function subjectOf({ subject }: Message): string {
  return oneLine(subject, SUBJECT_MAX)
}

/** With each sentence as one line. */
function inLines({ paragraphs, afterQuote, sections = [], after = [], ...message }: Message): Message {
  const lines = (texts: readonly string[]) => texts.map((text) => oneLine(text))
  return {
    ...message,
    paragraphs: lines(paragraphs),
    ...(afterQuote === undefined ? {} : { afterQuote: oneLine(afterQuote) }),
    sections: sections.map(({ heading, items, ...section }) => ({
      ...section,
      heading: oneLine(heading),
      items: items.map(({ title, text, url }) => ({ title: oneLine(title), text: oneLine(text), url })),
    })),
    after: lines(after),
  }
}

export function textOf(message: Message): string {
  const { paragraphs, quote, afterQuote, sections = [], link, after = [] } = inLines(message)
  const quoted = quote === undefined ? [] : [quote.replaceAll(/^/gm, '> ')]
  const linked = link === undefined ? [] : [`${link.label}:\n${link.url}`]
  const beside = afterQuote === undefined ? [] : [afterQuote]
  const listed = sections.flatMap(sectionText)
  return [...paragraphs, ...quoted, ...beside, ...listed, ...linked, ...after].join('\n\n') + '\n'
}

function sectionText({ heading, items, more }: Section): string[] {
  return [
    `${heading}:`,
    ...items.map(({ title, text, url }) => `- ${title}\n  ${text}\n  ${url}`),
    ...(more === undefined ? [] : [more]),
  ]
}

const BODY =
  'margin:0 auto;max-width:36rem;padding:1.5rem;font:16px/1.5 system-ui,sans-serif;color:#1c1b19;background:#fff'
const QUOTE =
  'margin:1rem 0;padding:.5rem 1rem;border-left:3px solid #dcd8cf;white-space:pre-wrap;overflow-wrap:anywhere'
const HEADING = 'margin:1.5rem 0 0;font-size:1rem'
const BUTTON =
  'display:inline-block;padding:.6rem 1.1rem;border-radius:.375rem;background:#1f5f8b;color:#fff;text-decoration:none'

/** The same in HTML, without images, styles or scripts from anywhere. */
export function htmlOf(message: Message): string {
  const { paragraphs, quote, afterQuote, sections = [], link, after = [], language = 'en' } = inLines(message)
  const paragraph = (text: string) => html`<p>${text}</p>`
  const quoted = quote === undefined ? null : html`<blockquote style="${QUOTE}">${quote}</blockquote>`
  const linked =
    link === undefined
      ? null
      : html`<p><a href="${link.url}" style="${BUTTON}">${link.label}</a></p>
          <p>${link.url}</p>`
  const beside = afterQuote === undefined ? null : paragraph(afterQuote)
  const listed = sections.map(sectionHtml)
  const body = html`${paragraphs.map(paragraph)}${quoted}${beside}${listed}${linked}${after.map(paragraph)}`
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(subjectOf(message))}</title></head><body style="${BODY}">${body.text}</body></html>`
}

function sectionHtml({ heading, items, more }: Section) {
  const item = ({ title, text, url }: Section['items'][number]) =>
    html`<li style="margin:.5rem 0"><a href="${url}">${title}</a><br />${text}</li>`
  return html`<h2 style="${HEADING}">${heading}</h2>
    <ul style="padding-left:1.25rem">
      ${items.map(item)}
    </ul>
    ${more === undefined ? null : html`<p>${more}</p>`}`
}
