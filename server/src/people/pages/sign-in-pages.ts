import { html, type Html } from '../../platform/text/html.ts'
import { emailOf } from '../../platform/text/email-address.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import {
  faultNotice,
  field,
  form,
  hidden,
  messagePage,
  notice,
  ownPath,
  personalPage,
  type Page,
  type PageAnswer,
  type PageRequest,
  type PageRoute,
  refusalPage,
  signInFirst,
  statusOf,
} from './page-kit.ts'
import type { OidcClient } from '../sign-in/issuer/issuer-client.ts'
import { makeKnownBrowser } from '../sign-in/session/known-browser.ts'
import { requestReset } from '../sign-in/password/mail-reset.ts'
import { passkeyForm } from './passkey-pages.ts'
import { PASSKEY_SCRIPT } from './passkey-script.ts'
import { personFault } from './person-fault.ts'
import { passwordLength } from '../sign-in/password/password.ts'
import { openResetLink, resetPassword } from '../sign-in/password/reset-password.ts'
import { listPasskeys } from '../sign-in/passkey/passkey-store.ts'
import type { SignedIn } from '../sign-in/session/session-store.ts'
import { replaceSession, storeEntry } from '../sign-in/store-entry.ts'
import { hasPeople } from '../sign-in/link/link-store.ts'
import { openOwnerLink, setUpOwner } from '../sign-in/link/set-up-owner.ts'
import {
  type Entry,
  type PeopleParts,
  proveAgain,
  signInWithPassword,
  signInWithCode,
} from '../sign-in/sign-in.ts'
import { endOneSession } from '../sign-in/account.ts'
import type { Site } from '../../platform/outbound/site.ts'
import { hasPasskeys } from '../sign-in/passkey/webauthn.ts'
import { words } from './words.ts'

export const HOME = '/'

export type SignInPagesParts = PeopleParts & {
  readonly site: Site
  /** Where people sign in elsewhere; null where that is not configured. */
  readonly oidc: OidcClient | null
}

/** The pages by which people come in and go out. */
export function signInPages(parts: SignInPagesParts): PageRoute[] {
  return [
    { id: 'setUpPage', at: 'GET /set-up/:secret', answer: (request) => setUpPage(parts, request) },
    { id: 'setUp', at: 'POST /set-up/:secret', answer: (request) => setUp(parts, request) },
    { id: 'signInPage', at: 'GET /sign-in', answer: async (request) => signInPage(parts, request) },
    { id: 'signInByForm', at: 'POST /sign-in', answer: (request) => signInByForm(parts, request) },
    { id: 'secondFactorPage', at: 'GET /sign-in/code', answer: async (request) => codePage(request) },
    { id: 'secondFactorByForm', at: 'POST /sign-in/code', answer: (request) => signInByCode(parts, request) },
    { id: 'provePage', at: 'GET /prove', answer: (request) => provePage(parts, request) },
    { id: 'proveByForm', at: 'POST /prove', answer: (request) => proveByForm(parts, request) },
    personalPage('provedPage', 'GET /proved', async () => provedPage()),
    { id: 'forgotPage', at: 'GET /forgot-password', answer: async () => forgotPage(parts, null) },
    { id: 'forgotByForm', at: 'POST /forgot-password', answer: (request) => forgot(parts, request) },
    { id: 'resetPage', at: 'GET /reset-password/:secret', answer: (request) => resetPage(parts, request) },
    {
      id: 'resetByForm',
      at: 'POST /reset-password/:secret',
      answer: (request) => resetByForm(parts, request),
    },
    { id: 'signOutByForm', at: 'POST /sign-out', answer: (request) => signOut(parts, request) },
  ]
}

const newPassword = { type: 'password', autocomplete: 'new-password', minLength: passwordLength.min } as const

async function setUpPage(parts: PeopleParts, { params }: PageRequest): Promise<PageAnswer> {
  const link = await openOwnerLink(parts, params['secret'] ?? '')
  return isRefusal(link)
    ? refusalPage(link)
    : setUpForm(params['secret'] ?? '', { name: '', email: '' }, null)
}

function setUpForm(secret: string, typed: { name: string; email: string }, refusal: Refusal | null): Page {
  const fields = [
    field('name', words.yourName, { value: typed.name, autocomplete: 'name' }),
    field('email', words.email, { type: 'email', value: typed.email, autocomplete: 'username' }),
    field('password', words.password(passwordLength.min), newPassword),
  ]
  return {
    title: words.setUp,
    ...statusOf(refusal),
    body: html`<h1>${words.welcome}</h1>
      <p>${words.setUpHint}</p>
      ${faultNotice(refusal)}${form(`/set-up/${secret}`, fields, words.createAccount)}`,
  }
}

async function setUp(parts: PeopleParts, request: PageRequest): Promise<PageAnswer> {
  const { params, field: sent, browser } = request
  const secret = params['secret'] ?? ''
  const typed = { name: sent('name').trim(), email: sent('email').trim() }
  const fault = personFault(typed)
  if (fault !== null) return setUpForm(secret, typed, fault)
  const owner = { ...typed, email: emailOf(typed.email), password: sent('password') }
  const done = await setUpOwner(parts, secret, owner, browser.client)
  if (!isRefusal(done)) {
    await replaceSession(parts.db, browser, done.secret)
    return { to: HOME }
  }
  return done.refused === 'link_not_valid' ? refusalPage(done) : setUpForm(secret, typed, done)
}

async function signInPage(parts: SignInPagesParts, { signedIn, query }: PageRequest): Promise<PageAnswer> {
  const next = ownPath(query('next'), HOME)
  if (signedIn !== null) return { to: next }
  const done = (await hasPeople(parts.db)) ? {} : { done: words.noOwner }
  return signInForm(parts, { email: '', next, ...done }, null)
}

function signInForm(
  { oidc, site }: SignInPagesParts,
  { email, next, done }: { email: string; next: string; done?: string },
  refusal: Refusal | null,
): Page {
  const fields = [
    hidden('next', next),
    field('email', words.email, { type: 'email', value: email, autocomplete: 'username' }),
    field('password', words.passwordShort, { type: 'password', autocomplete: 'current-password' }),
  ]
  return {
    title: words.signIn,
    ...statusOf(refusal),
    script: PASSKEY_SCRIPT,
    body: html`<h1>${words.signIn}</h1>
      ${done === undefined ? null : notice(done)}${faultNotice(refusal)}
      ${form('/sign-in', fields, words.signIn)}
      ${hasPasskeys(site) ? passkeyForm('sign-in', next, null, words.signInWithPasskey) : null}
      ${issuerLink(oidc, next)}
      <p><a href="/forgot-password">${words.forgot}</a></p>`,
  }
}

/** The way in by the issuer; null where there is none. */
export function issuerLink(oidc: OidcClient | null, next: string): Html | null {
  if (oidc === null) return null
  return html`<p>
    <a href="/sign-in/issuer?next=${encodeURIComponent(next)}">${words.signInAt(oidc.settings.name)}</a>
  </p>`
}

async function signInByForm(parts: SignInPagesParts, request: PageRequest): Promise<PageAnswer> {
  const { field: sent, browser } = request
  const [email, next] = [sent('email').trim(), ownPath(sent('next'), HOME)]
  const fault = personFault({ email })
  if (fault !== null) return signInForm(parts, { email, next }, fault)
  const credentials = { email: emailOf(email), password: sent('password') }
  const entry = await signInWithPassword(parts, credentials, browser.client)
  if (isRefusal(entry)) return signInForm(parts, { email, next }, entry)
  return continueSignIn(parts, request, entry, next)
}

/** Where a browser goes whose person is signed in, or is asked for a code first. */
export async function continueSignIn(
  parts: PeopleParts,
  request: PageRequest,
  entry: Entry,
  next: string,
): Promise<PageAnswer> {
  await storeEntry(parts, request.browser, entry)
  return { to: entry.is === 'signed_in' ? next : `/sign-in/code?next=${encodeURIComponent(next)}` }
}

function codePage({ browser, query }: PageRequest): PageAnswer {
  return browser.step === null ? { to: '/sign-in' } : codeForm(ownPath(query('next'), HOME), null)
}

const codeField = () => field('code', words.code, { autocomplete: 'one-time-code' })

function codeForm(next: string, refusal: Refusal | null): Page {
  return {
    title: words.enterCode,
    ...statusOf(refusal),
    body: html`<h1>${words.enterCode}</h1>
      ${faultNotice(refusal)} ${form('/sign-in/code', [hidden('next', next), codeField()], words.signIn)}
      <p><a href="/sign-in">${words.startOver}</a></p>`,
  }
}

async function signInByCode(parts: PeopleParts, request: PageRequest): Promise<PageAnswer> {
  const { field: sent, browser } = request
  const next = ownPath(sent('next'), HOME)
  if (browser.step === null) return { to: '/sign-in' }
  const entry = await signInWithCode(parts, { step: browser.step, code: sent('code') }, browser.client)
  return isRefusal(entry) ? codeForm(next, entry) : continueSignIn(parts, request, entry, next)
}

async function provePage(parts: SignInPagesParts, { signedIn, query }: PageRequest): Promise<PageAnswer> {
  const next = ownPath(query('next'), HOME)
  if (signedIn === null) return signInFirst(next)
  return signedIn.fresh ? { to: next } : proveForm(parts, signedIn, next, null)
}

async function proveForm(
  { db }: PeopleParts,
  { email, personId }: SignedIn,
  next: string,
  refusal: Refusal | null,
): Promise<Page> {
  const passkeys = await listPasskeys(db, personId)
  const fields = [
    hidden('next', next),
    field('password', words.passwordOf(email), { type: 'password', autocomplete: 'current-password' }),
    field('code', words.codeIfAny, {
      autocomplete: 'one-time-code',
      optional: true,
    }),
  ]
  return {
    title: words.prove,
    ...statusOf(refusal),
    script: PASSKEY_SCRIPT,
    body: html`<h1>${words.prove}</h1>
      <p>${words.proveHint}</p>
      ${faultNotice(refusal)}${form('/prove', fields, words.proveContinue)}
      ${passkeys.length === 0 ? null : passkeyForm('prove', next, null, words.usePasskey)}`,
  }
}

async function proveByForm(
  parts: PeopleParts,
  { signedIn, field: sent, browser }: PageRequest,
): Promise<PageAnswer> {
  const next = ownPath(sent('next'), HOME)
  if (signedIn === null) return signInFirst(next)
  const proof = { password: sent('password'), code: sent('code').trim() || null }
  const proved = await proveAgain(parts, signedIn, proof)
  if (isRefusal(proved)) return proveForm(parts, signedIn, next, proved)
  browser.keepSession(proved.secret)
  return { to: next }
}

const provedPage = () => messagePage(words.proved, words.provedHint)

function forgotPage({ mail }: SignInPagesParts, refusal: Refusal | null): Page {
  const title = words.forgot
  if (mail === null) {
    return {
      title,
      body: html`<h1>${title}</h1>
        <p>
          ${words.noMail}
          <code>postrider member reset &lt;your email&gt;</code>.
        </p>
        <p><a href="/sign-in">${words.signIn}</a></p>`,
    }
  }
  const address = field('email', words.email, { type: 'email', autocomplete: 'username' })
  return {
    title,
    ...statusOf(refusal),
    body: html`<h1>${title}</h1>
      <p>${words.forgotHint}</p>
      ${faultNotice(refusal)} ${form('/forgot-password', address, words.sendLink)}
      <p><a href="/sign-in">${words.signIn}</a></p>`,
  }
}

/** The same answer whether anybody has the address or not. */
async function forgot(parts: SignInPagesParts, { field: sent, browser }: PageRequest): Promise<PageAnswer> {
  if (parts.mail === null) return forgotPage(parts, null)
  const email = sent('email').trim()
  const refusal = personFault({ email }) ?? (await requestReset(parts, emailOf(email), browser.client))
  if (refusal !== null) return forgotPage(parts, refusal)
  return messagePage(words.checkEmail, words.resetSent, html`<p><a href="/sign-in">${words.signIn}</a></p>`)
}

async function resetPage(parts: PeopleParts, { params }: PageRequest): Promise<PageAnswer> {
  const secret = params['secret'] ?? ''
  const link = await openResetLink(parts, secret)
  return isRefusal(link) ? refusalPage(link) : resetForm(secret, link.email, null)
}

function resetForm(secret: string, email: string, refusal: Refusal | null): Page {
  const fields = [
    // Seen by password managers alone: they keep the new password under it.
    html`<input type="hidden" name="email" value="${email}" autocomplete="username" />`,
    field('password', words.newPassword(passwordLength.min), newPassword),
  ]
  return {
    title: words.newPasswordTitle,
    ...statusOf(refusal),
    body: html`<h1>${words.newPasswordTitle}</h1>
      <p>${words.resetHint(email)}</p>
      ${faultNotice(refusal)}${form(`/reset-password/${secret}`, fields, words.setPassword)}`,
  }
}

async function resetByForm(parts: SignInPagesParts, request: PageRequest): Promise<PageAnswer> {
  const { params, field: sent, browser } = request
  const secret = params['secret'] ?? ''
  const done = await resetPassword(parts, secret, sent('password'), browser.client)
  if (isRefusal(done)) {
    return done.refused === 'link_not_valid' ? refusalPage(done) : resetForm(secret, sent('email'), done)
  }
  browser.forgetSession()
  // What others try from now on does not keep them from signing in with it.
  browser.keepKnown(makeKnownBrowser(parts.keyring, { personId: done.personId, twoFactors: false }))
  return signInForm(
    parts,
    {
      email: done.email,
      next: HOME,
      done: words.passwordSet(done.proof === undefined ? '' : ` ${done.proof}`),
    },
    null,
  )
}

async function signOut(parts: PeopleParts, { signedIn, browser }: PageRequest): Promise<PageAnswer> {
  if (signedIn !== null) await endOneSession(parts, signedIn, signedIn.sessionId, browser.client)
  browser.forgetSession()
  return { to: '/sign-in' }
}
