import { html } from '../platform/html.ts'
import { emailOf } from '../platform/email-address.ts'
import { isRefusal, type Refusal } from '../operations/refusal.ts'
import { changeEmail, confirmEmail, openEmailLink, refuseOther } from '../sign-in/change-email.ts'
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
          title: 'Confirm your e-mail address',
          body: html`<h1>Confirm your e-mail address</h1>
            <p>Your account has ${link.newEmail} instead of ${link.email} from then on.</p>
            ${form(`/confirm-email/${secret}`, null, 'Confirm')}`,
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
          title: 'Your e-mail address',
          body: html`<h1>It is changed</h1>
            <p>You sign in with ${done.email} from now on.</p>
            ${done.proof === undefined ? null : html`<p>${done.proof}</p>`}
            <p><a href="/account">Your account</a></p>`,
        }
      },
    },
  ]
}

function emailPage(email: string, refusal: Refusal | null): Page {
  return {
    title: 'Change email address',
    back: TO_ACCOUNT,
    ...statusOf(refusal),
    body: html`<h1>Change email address</h1>
      <p>It is ${email} now.</p>
      ${faultNotice(refusal)}
      ${form(HERE, field('email', 'New email address', { type: 'email', autocomplete: 'email' }), 'Change email address')}`,
  }
}

function linkSentPage(email: string): Page {
  return messagePage(
    'Look into your mail',
    `A link is on its way to ${email}. The address changes once you have opened it.`,
    html`<p><a href="/account">Your account</a></p>`,
  )
}
