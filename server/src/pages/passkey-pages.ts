import { html, type Html } from '../platform/html.ts'
import { isRefusal, type Refusal } from '../operations/refusal.ts'
import { type PageRequest, type PageRoute, refusalPage } from './mount-pages.ts'
import { field, form, hidden, type Page, type PageAnswer } from './page-kit.ts'
import { listPasskeys, type Passkey } from '../sign-in/passkey-store.ts'
import { changePasskeyName, type PasskeyParts, removePasskey } from '../sign-in/passkeys.ts'
import type { SignedIn } from '../sign-in/session-store.ts'
import { PASSKEY_SCRIPT } from './passkey-script.ts'
import { hasPasskeys } from '../sign-in/webauthn.ts'

const HERE = '/account/passkeys'
const NAME_MAX = 100

/** The page on which a person sees to their passkeys. */
export function passkeyPages(parts: PasskeyParts): PageRoute[] {
  const page = (
    id: string,
    at: PageRoute['at'],
    answer: (request: PageRequest, signedIn: SignedIn) => Promise<PageAnswer>,
  ): PageRoute => ({
    id,
    at,
    answer: async (request) =>
      request.signedIn === null
        ? { to: `/sign-in?next=${encodeURIComponent(HERE)}` }
        : answer(request, request.signedIn),
  })
  return [
    page('passkeysPage', `GET ${HERE}`, async (_, { personId }) =>
      passkeysPage(await listPasskeys(parts.db, personId), hasPasskeys(parts.site)),
    ),
    page('renamePasskeyByForm', `POST ${HERE}/rename`, async ({ field: sent, browser }, signedIn) => {
      const name = sent('name').trim().slice(0, NAME_MAX)
      const passkey = { passkeyId: sent('passkeyId'), name }
      return name === ''
        ? { to: HERE }
        : after(await changePasskeyName(parts, signedIn, passkey, browser.client))
    }),
    page('removePasskeyByForm', `POST ${HERE}/remove`, async ({ field: sent, browser }, signedIn) =>
      after(await removePasskey(parts, signedIn, sent('passkeyId'), browser.client)),
    ),
  ]
}

function after(outcome: { done: true } | Refusal): PageAnswer {
  if (!isRefusal(outcome)) return { to: HERE }
  return outcome.refused === 'fresh_proof_required'
    ? { to: `/prove?next=${encodeURIComponent(HERE)}` }
    : refusalPage(outcome)
}

function passkeysPage(passkeys: readonly Passkey[], possible: boolean): Page {
  const name = field('name', 'Its name, such as “Phone”', { value: 'Passkey' })
  const add = possible
    ? passkeyForm('register', HERE, name, 'Add a passkey')
    : html`<p>
        Browsers have passkeys on https and on localhost only. Whoever runs this server sets
        <code>BASE_URL</code> so.
      </p>`
  return {
    title: 'Passkeys',
    script: PASSKEY_SCRIPT,
    body: html`<h1>Passkeys</h1>
      <p>
        A passkey signs you in without a password: with a fingerprint, a face or a PIN of your device. It
        stands in for the second factor, too.
      </p>
      ${passkeys.map(passkeyItem)}${add}
      <p><a href="/account">Your account</a></p>`,
  }
}

function passkeyItem({ passkeyId, name, createdAt, lastUsedAt }: Passkey): Html {
  const used = lastUsedAt === null ? 'not used yet' : `last used ${day(lastUsedAt)}`
  const id = hidden('passkeyId', passkeyId)
  return html`<h2>${name}</h2>
    <p>Added ${day(createdAt)}, ${used}.</p>
    ${form(`${HERE}/rename`, [id, field('name', 'Name', { value: name })], 'Rename', 'plain')}
    ${form(`${HERE}/remove`, id, 'Remove', 'danger')}`
}

/** A form that the script sees to. Without the script it does nothing. */
export function passkeyForm(
  ceremony: 'register' | 'sign-in' | 'prove',
  next: string,
  fields: Html | null,
  button: string,
): Html {
  return html`<form data-passkey="${ceremony}" data-next="${next}">
    ${fields}<button class="plain">${button}</button> <output role="alert"></output>
  </form>`
}

function day(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
