import { type ProblemCode, problems } from '@postrider/contract'
import { html, Html, type HtmlValue } from '../platform/html.ts'
import type { Refusal } from '../operations/refusal.ts'

export type Page = {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** The refusal that it shows, for metrics and logs. */
  readonly code?: ProblemCode
  /** A file of ours that the page runs. */
  readonly script?: string
}

/** What a page is answered with: another page, or an address of ours to go on to. */
export type PageAnswer = Page | { readonly to: string }

export type FieldOptions = {
  readonly type?: 'text' | 'email' | 'password' | 'hidden'
  readonly value?: string
  /** What a password manager or a phone fills in (HTML, autofill detail tokens). */
  readonly autocomplete?: string
  readonly inputmode?: 'numeric'
  readonly optional?: true
  readonly minLength?: number
}

export function field(name: string, label: string, options: FieldOptions = {}): Html {
  const { type = 'text', value = '', autocomplete = 'off', inputmode, optional, minLength } = options
  const more = new Html(
    [
      optional === true ? '' : ' required',
      inputmode === undefined ? '' : ` inputmode="${inputmode}"`,
      minLength === undefined ? '' : ` minlength="${minLength}"`,
    ].join(''),
  )
  return html`<label
    >${label}<input name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" ${more}
  /></label>`
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}

export type ButtonKind = 'primary' | 'plain' | 'danger'

export function form(action: string, fields: HtmlValue, button: string, kind: ButtonKind = 'primary'): Html {
  return html`<form method="post" action="${action}">
    ${fields}<button class="${kind}">${button}</button>
  </form>`
}

/** The HTTP status and the code of a page that shows a form again, with what was wrong. */
export function statusOf(refusal: Refusal | null): Pick<Page, 'status' | 'code'> {
  return refusal === null ? {} : { status: problems[refusal.refused].status, code: refusal.refused }
}

/** What went wrong, above the form that is shown again. */
export function faultNotice(refusal: Refusal | null): Html | null {
  return refusal === null ? null : html`<p class="notice fault" role="alert">${refusal.detail}</p>`
}

export function notice(text: HtmlValue): Html {
  return html`<p class="notice" role="status">${text}</p>`
}

/** Absolute, and not the start of another site's address. */
const OWN_PATH = /^\/(?![/\\])/

/** A path of ours to go on to; whatever else is given becomes the other one. */
export function ownPath(given: string, otherwise: string): string {
  if (!OWN_PATH.test(given) || given.length > 2_000) return otherwise
  try {
    const base = 'http://own.invalid'
    const url = new URL(given, base)
    const path = url.pathname + url.search
    // Also what it was normalised to: of `/.//host` that is `//host`, which browsers take for another site.
    return url.origin === base && OWN_PATH.test(path) ? path : otherwise
  } catch {
    return otherwise
  }
}
