import { html, type Html } from '../platform/html.ts'
import { isRefusal } from '../operations/refusal.ts'
import { hasIdentity } from '../sign-in/issuer-identity-store.ts'
import { type PageRoute, refusalPage } from './mount-pages.ts'
import { form, ownPath } from './page-kit.ts'
import type { SignedIn } from '../sign-in/session-store.ts'
import {
  beginAtProvider,
  disconnectProvider,
  type ProviderParts,
  returnFromProvider,
} from '../sign-in/sign-in-at-issuer.ts'
import { tookTooLong } from '../sign-in/sign-in.ts'
import { goOn, HOME } from './sign-in-pages.ts'

const ACCOUNT = '/account'
const CONNECT = '/account/provider'

/** The way to the identity provider and back. */
export function providerPages(parts: ProviderParts): PageRoute[] {
  return [
    {
      id: 'providerSignIn',
      at: 'GET /sign-in/provider',
      answer: async ({ query, browser }) => {
        const begun = await beginAtProvider(
          parts,
          { next: ownPath(query('next'), HOME), connects: null },
          browser.client,
        )
        if (isRefusal(begun)) return refusalPage(begun)
        browser.keepStep(begun.secret)
        return { to: begun.to.href }
      },
    },
    {
      id: 'connectProviderByForm',
      at: `POST ${CONNECT}`,
      answer: async ({ signedIn, browser }) => {
        if (signedIn === null) return { to: '/sign-in' }
        const begun = await beginAtProvider(parts, { next: ACCOUNT, connects: signedIn }, browser.client)
        if (isRefusal(begun)) {
          return begun.refused === 'fresh_proof_required'
            ? { to: `/prove?next=${encodeURIComponent(ACCOUNT)}` }
            : refusalPage(begun)
        }
        browser.keepStep(begun.secret)
        const { name } = parts.oidc.settings
        // A link, since browsers hold a form to our own pages through every redirect.
        return {
          title: `Connect ${name}`,
          body: html`<h1>Connect ${name}</h1>
            <p>From then on you sign in with your account there, too.</p>
            <p><a href="${begun.to.href}">Go on to ${name}</a></p>`,
        }
      },
    },
    {
      id: 'disconnectProviderByForm',
      at: `POST ${CONNECT}/disconnect`,
      answer: async ({ signedIn, browser }) => {
        if (signedIn === null) return { to: '/sign-in' }
        const done = await disconnectProvider(parts, signedIn, browser.client)
        if (!isRefusal(done)) return { to: ACCOUNT }
        return done.refused === 'fresh_proof_required'
          ? { to: `/prove?next=${encodeURIComponent(ACCOUNT)}` }
          : refusalPage(done)
      },
    },
    {
      id: 'providerReturn',
      at: 'GET /sign-in/provider/callback',
      answer: async (request) => {
        const { browser, signedIn, search } = request
        if (browser.step === null) {
          return refusalPage(tookTooLong())
        }
        const back = await returnFromProvider(
          parts,
          { secret: browser.step, search, signedIn },
          browser.client,
        )
        browser.forgetStep()
        if (isRefusal(back)) return refusalPage(back)
        return back.entry === null ? { to: back.next } : goOn(parts, request, back.entry, back.next)
      },
    },
  ]
}

/** What the account page says of the provider. */
export async function providerSection({ db, oidc }: ProviderParts, { personId }: SignedIn): Promise<Html> {
  const { issuer, name } = oidc.settings
  return (await hasIdentity(db, personId, issuer))
    ? html`<p>Connected with ${name}.</p>
        ${form(`${CONNECT}/disconnect`, null, `Disconnect ${name}`, 'plain')}`
    : form(CONNECT, null, `Connect ${name}`, 'plain')
}
