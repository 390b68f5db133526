import { html, type Html } from '../../platform/text/html.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import {
  afterRefusal,
  field,
  form,
  hidden,
  type Page,
  type PageAnswer,
  type PageRoute,
  personalPage,
  type PersonalPageRequest,
  TO_ACCOUNT,
} from './page-kit.ts'
import { listPasskeys, type Passkey } from '../sign-in/passkey/passkey-store.ts'
import { changePasskeyName, type PasskeyParts, removePasskey } from '../sign-in/passkey/passkeys.ts'
import { PASSKEY_SCRIPT } from './passkey-script.ts'
import { personFault } from './person-fault.ts'
import { hasPasskeys } from '../sign-in/passkey/webauthn.ts'
import { words } from './words.ts'

const HERE = '/account/passkeys'

/** The page on which a person sees to their passkeys. */
export function passkeyPages(parts: PasskeyParts): PageRoute[] {
  const page = (
    id: string,
    at: PageRoute['at'],
    answer: (request: PersonalPageRequest) => Promise<PageAnswer>,
  ) => personalPage(id, at, answer, HERE)
  return [
    page('passkeysPage', `GET ${HERE}`, async ({ signedIn }) =>
      passkeysPage(await listPasskeys(parts.db, signedIn.personId), hasPasskeys(parts.site)),
    ),
    page('renamePasskeyByForm', `POST ${HERE}/rename`, async ({ signedIn, field: sent, browser }) => {
      const passkey = { passkeyId: sent('passkeyId'), name: sent('name').trim() }
      return after(
        personFault(passkey) ?? (await changePasskeyName(parts, signedIn, passkey, browser.client)),
      )
    }),
    page('removePasskeyByForm', `POST ${HERE}/remove`, async ({ signedIn, field: sent, browser }) =>
      after(await removePasskey(parts, signedIn, sent('passkeyId'), browser.client)),
    ),
  ]
}

function after(outcome: { done: true } | Refusal): PageAnswer {
  return isRefusal(outcome) ? afterRefusal(outcome, HERE) : { to: HERE }
}

function passkeysPage(passkeys: readonly Passkey[], possible: boolean): Page {
  const name = field('name', words.passkeyName, { value: 'Passkey' })
  const add = possible
    ? passkeyForm('register', HERE, name, words.addPasskey)
    : html`<p>${words.passkeysNeed} <code>BASE_URL</code>.</p>`
  return {
    title: words.passkeys,
    back: TO_ACCOUNT,
    script: PASSKEY_SCRIPT,
    body: html`<h1>${words.passkeys}</h1>
      <p>${words.passkeysHint}</p>
      ${passkeys.map(passkeyItem)}${add}`,
  }
}

function passkeyItem({ passkeyId, name, createdAt, lastUsedAt }: Passkey): Html {
  const used = lastUsedAt === null ? words.notUsed : words.lastUsedOn(day(lastUsedAt))
  const id = hidden('passkeyId', passkeyId)
  return html`<h2>${name}</h2>
    <p>${words.added(day(createdAt), used)}</p>
    ${form(`${HERE}/rename`, [id, field('name', words.name, { value: name })], words.rename, 'plain')}
    ${form(`${HERE}/remove`, id, words.remove, 'danger')}`
}

/** A form that the script sees to. Without the script it does nothing. */
export function passkeyForm(
  ceremony: 'register' | 'sign-in' | 'prove',
  next: string,
  fields: Html | null,
  button: string,
): Html {
  return html`<form
    data-passkey="${ceremony}"
    data-next="${next}"
    data-too-long="${words.tooLong}"
    data-known="${words.hasPasskey}"
    data-none="${words.noPasskeys}"
  >
    ${fields}<button class="plain">${button}</button> <output role="alert"></output>
  </form>`
}

function day(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
