import { html, type Html } from '../../platform/text/html.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { hasIdentity } from '../sign-in/issuer/issuer-identity-store.ts'
import {
  afterRefusal,
  form,
  messagePage,
  ownPath,
  type PageRoute,
  personalPage,
  refusalPage,
} from './page-kit.ts'
import type { SignedIn } from '../sign-in/session/session-store.ts'
import {
  beginAtIssuer,
  disconnectIssuer,
  type IssuerParts,
  returnFromIssuer,
} from '../sign-in/issuer/sign-in-at-issuer.ts'
import { tookTooLong } from '../sign-in/sign-in.ts'
import { continueSignIn, HOME } from './sign-in-pages.ts'
import { words } from './words.ts'

const ACCOUNT = '/account'
const CONNECT = '/account/issuer'

/** The way to the issuer and back. */
export function issuerPages(parts: IssuerParts): PageRoute[] {
  return [
    {
      id: 'issuerSignIn',
      at: 'GET /sign-in/issuer',
      answer: async ({ query, browser }) => {
        const begun = await beginAtIssuer(
          parts,
          { next: ownPath(query('next'), HOME), connects: null },
          browser.client,
        )
        if (isRefusal(begun)) return refusalPage(begun)
        browser.keepStep(begun.secret)
        return { to: begun.to.href }
      },
    },
    personalPage('connectIssuerByForm', `POST ${CONNECT}`, async ({ signedIn, browser }) => {
      const begun = await beginAtIssuer(parts, { next: ACCOUNT, connects: signedIn }, browser.client)
      if (isRefusal(begun)) return afterRefusal(begun, ACCOUNT)
      browser.keepStep(begun.secret)
      const { name } = parts.oidc.settings
      // A link, since browsers hold a form to our own pages through every redirect.
      return messagePage(
        words.connect(name),
        words.issuerHint,
        html`<p><a href="${begun.to.href}">${words.goOnTo(name)}</a></p>`,
      )
    }),
    personalPage('disconnectIssuerByForm', `POST ${CONNECT}/disconnect`, async ({ signedIn, browser }) => {
      const done = await disconnectIssuer(parts, signedIn, browser.client)
      return isRefusal(done) ? afterRefusal(done, ACCOUNT) : { to: ACCOUNT }
    }),
    {
      id: 'issuerReturn',
      at: 'GET /sign-in/issuer/callback',
      answer: async (request) => {
        const { browser, signedIn, search } = request
        if (browser.step === null) return refusalPage(tookTooLong())
        const back = await returnFromIssuer(parts, { secret: browser.step, search, signedIn }, browser.client)
        browser.forgetStep()
        if (isRefusal(back)) return afterRefusal(back, ACCOUNT)
        return back.entry === null ? { to: back.next } : continueSignIn(parts, request, back.entry, back.next)
      },
    },
  ]
}

/** What the account page says of the issuer. */
export async function issuerSection({ db, oidc }: IssuerParts, { personId }: SignedIn): Promise<Html> {
  const { issuer, name } = oidc.settings
  return (await hasIdentity(db, personId, issuer))
    ? html`<p>${words.connectedWith(name)}</p>
        ${form(`${CONNECT}/disconnect`, null, words.disconnect(name), 'plain')}`
    : form(CONNECT, null, words.connect(name), 'plain')
}
