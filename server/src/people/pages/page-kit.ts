import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ProblemCode, problems } from '@postrider/contract'
import { relativeTime } from '@postrider/contract/names'
import { languageOfReader } from '../../platform/text/language.ts'
import { dateIn } from '../../platform/text/moments.ts'
import { html, Html, type HtmlValue, type WayBack } from '../../platform/text/html.ts'
import type { Refusal } from '../../edge/operations/refusal.ts'
import type { Browser } from '../sign-in/session/browser.ts'
import type { SignedIn } from '../sign-in/session/session-store.ts'
import { words } from './words.ts'

export type Page = {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** The refusal that it shows, for metrics and logs. */
  readonly code?: ProblemCode
  /** A file of ours that the page runs. */
  readonly script?: string
  /** Where a person comes from who is in the middle of something; the name of the product leads home from every page. */
  readonly back?: WayBack
  /**
   * The other sites that its forms may lead to: none, where left out. Such a page is one on a person's way between sites, which
   * may have been opened by another site that waits for it.
   */
  readonly leadsTo?: readonly string[]
}

/** The ways back that most pages have. */
export const TO_DASHBOARD: WayBack = {
  to: '/',
  get label() {
    return words.toDashboard
  },
}
export const TO_ACCOUNT: WayBack = {
  to: '/account',
  get label() {
    return words.yourAccount
  },
}

/** What a request is answered with: a page, or an address to go on to. */
export type PageAnswer = Page | { readonly to: string }

/** One request for a page. */
export type PageRequest = {
  readonly browser: Browser
  readonly signedIn: SignedIn | null
  readonly params: Readonly<Record<string, string>>
  /** The query of the address as it was sent, with its question mark; empty where there is none. */
  readonly search: string
  /** A parameter of the address; empty where there is none. */
  readonly query: (name: string) => string
  /** A field of the form that was sent; empty where there is none. */
  readonly field: (name: string) => string
  /** All fields of that name. */
  readonly fields: (name: string) => readonly string[]
  /** The first field of each name. */
  readonly form: Readonly<Record<string, string>>
  /** By which metrics, log and audit log know it. */
  readonly requestId: string
  /** What is underneath, for a library that reads it by itself. */
  readonly raw: { readonly req: IncomingMessage; readonly res: ServerResponse }
}

export type PageRoute = {
  /** The name that metrics and logs know it by. */
  readonly id: string
  readonly at: `${'GET' | 'POST'} /${string}`
  readonly answer: (request: PageRequest) => Promise<PageAnswer>
}

export type PersonalPageRequest = PageRequest & { readonly signedIn: SignedIn }

/** A page for people who are signed in. Others sign in first, and come to `next` where there is one. */
export function personalPage(
  id: string,
  at: PageRoute['at'],
  answer: (request: PersonalPageRequest) => Promise<PageAnswer>,
  next: string | null = null,
): PageRoute {
  return {
    id,
    at,
    answer: async (request) => {
      const { signedIn } = request
      return signedIn === null ? signInFirst(next) : answer({ ...request, signedIn })
    },
  }
}

/** The way to the sign-in, and from there to an address of ours. */
export function signInFirst(next: string | null): { readonly to: string } {
  return { to: next === null ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}` }
}

/** The way to a proof of identity, and from there to an address of ours. */
export function proveFirst(next: string): { readonly to: string } {
  return { to: `/prove?next=${encodeURIComponent(next)}` }
}

/** Where a refused form leads: to a proof of identity where that is what it lacks, and to a page that says why not. */
export function afterRefusal(refusal: Refusal, next: string, page = refusalPage(refusal)): PageAnswer {
  return refusal.refused === 'fresh_proof_required' ? proveFirst(next) : page
}

/** A page that says why not. */
export function refusalPage({ refused, detail }: Refusal, httpStatus?: number): Page {
  const { status } = problems[refused]
  const back = html`<p><a href="/account">${words.yourAccount}</a></p>`
  return {
    ...messagePage(words.problemTitle(refused), words.sentence(detail), back),
    code: refused,
    status: httpStatus ?? status,
  }
}

/** A page where there is none, and the way from there. */
export function notFoundPage({ refused }: Refusal): Page {
  const home = html`<p><a href="${TO_DASHBOARD.to}">${TO_DASHBOARD.label}</a></p>`
  return {
    ...messagePage(words.notFound, words.notFoundHint, home),
    code: refused,
    status: problems[refused].status,
  }
}

/** A page that says one thing, and perhaps where to go from there. */
export function messagePage(title: string, text: string, more: Html | null = null): Page {
  return {
    title,
    body: html`<h1>${title}</h1>
      <p>${text}</p>
      ${more}`,
  }
}

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
export function faultNotice(refusal: { readonly detail: string } | null): Html | null {
  return refusal === null
    ? null
    : html`<p class="notice fault" role="alert">${words.sentence(refusal.detail)}</p>`
}

/** How long ago something was, in words; days are those of the zone's calendar. */
export function ago(instant: Date, timeZone: string, now = new Date()): string {
  const past = instant < now ? instant : now
  const { value, unit } = relativeTime(past, now, (at) => dateIn(at, timeZone))
  return new Intl.RelativeTimeFormat(languageOfReader(), { numeric: 'auto' }).format(value, unit)
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
