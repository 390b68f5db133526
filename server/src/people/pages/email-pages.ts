import { html } from '../../platform/text/html.ts'
import { emailOf } from '../../platform/text/email-address.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import { changeEmail, confirmEmail, openEmailLink, refuseOther } from '../sign-in/link/change-email.ts'
import {
  afterRefusal,
  faultNotice,
  field,
  form,
  messagePage,
  type Page,
  type PageRoute,
  personalPage,
  refusalPage,
  signInFirst,
  statusOf,
  TO_ACCOUNT,
} from './page-kit.ts'
import { personFault } from './person-fault.ts'
import type { PeopleParts } from '../sign-in/sign-in.ts'
import { words } from './words.ts'

const HERE = '/account/email'

/** The pages by which a person gets another e-mail address. */
export function emailPages(parts: PeopleParts): PageRoute[] {
  return [
    personalPage('emailPage', `GET ${HERE}`, async ({ signedIn }) => emailPage(signedIn.email, null), HERE),
    personalPage('changeEmailByForm', `POST ${HERE}`, async ({ signedIn, field: sent, browser }) => {
      const email = sent('email').trim()
      const done =
        personFault({ email }) ?? (await changeEmail(parts, signedIn, emailOf(email), browser.client))
      if (isRefusal(done)) return afterRefusal(done, HERE, emailPage(signedIn.email, done))
      return done.linkSent ? linkSentPage(email) : { to: '/account' }
    }),
    {
      id: 'confirmEmailPage',
      at: 'GET /confirm-email/:secret',
      answer: async ({ params, signedIn }) => {
        const secret = params['secret'] ?? ''
        const link = await openEmailLink(parts, secret)
        if (isRefusal(link)) return refusalPage(link)
        if (signedIn === null) return signInFirst(`/confirm-email/${secret}`)
        if (signedIn.personId !== link.personId) return refusalPage(refuseOther(link))
        return {
          title: words.confirmEmail,
          body: html`<h1>${words.confirmEmail}</h1>
            <p>${words.emailChange(link.newEmail, link.email)}</p>
            ${form(`/confirm-email/${secret}`, null, words.confirm)}`,
        }
      },
    },
    {
      id: 'confirmEmailByForm',
      at: 'POST /confirm-email/:secret',
      answer: async ({ params, signedIn, browser }) => {
        const done = await confirmEmail(parts, params['secret'] ?? '', signedIn, browser.client)
        if (isRefusal(done)) return refusalPage(done)
        return {
          title: words.yourEmail,
          body: html`<h1>${words.emailChanged}</h1>
            <p>${words.signInWith(done.email)}</p>
            ${done.proof === undefined ? null : html`<p>${done.proof}</p>`}
            <p><a href="/account">${words.yourAccount}</a></p>`,
        }
      },
    },
  ]
}

function emailPage(email: string, refusal: Refusal | null): Page {
  return {
    title: words.changeEmail,
    back: TO_ACCOUNT,
    ...statusOf(refusal),
    body: html`<h1>${words.changeEmail}</h1>
      <p>${words.emailNow(email)}</p>
      ${faultNotice(refusal)}
      ${form(HERE, field('email', words.newEmail, { type: 'email', autocomplete: 'email' }), words.changeEmail)}`,
  }
}

function linkSentPage(email: string): Page {
  return messagePage(
    words.checkEmail,
    words.linkSent(email),
    html`<p><a href="/account">${words.yourAccount}</a></p>`,
  )
}
