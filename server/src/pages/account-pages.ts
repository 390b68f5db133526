import { html, type Html } from '../platform/html.ts'
import { isRefusal, type Refusal } from '../operations/refusal.ts'
import {
  changePassword,
  confirmAuthenticator,
  endOneSession,
  endOtherSessions,
  offerAuthenticator,
  offeredAuthenticator,
  type OfferedTotp,
  removeAuthenticator,
  renewRecoveryCodes,
} from '../sign-in/account.ts'
import { listWorkspacesOf, type WorkspaceOf } from '../members/membership-store.ts'
import {
  afterRefusal,
  faultNotice,
  field,
  form,
  hidden,
  minute,
  notice,
  type Page,
  type PageRoute,
  personalPage,
  type PersonalPageRequest,
  refusalPage,
  statusOf,
} from './page-kit.ts'
import { passwordLength } from '../sign-in/password.ts'
import { issuerSection } from './issuer-pages.ts'
import { secondFactorOf, type SecondFactorState } from '../sign-in/second-factor-store.ts'
import { listSessions, type Session, type SignedIn } from '../sign-in/session-store.ts'
import type { SignInPagesParts } from './sign-in-pages.ts'
import type { PeopleParts } from '../sign-in/sign-in.ts'

/** The pages on which a person sees to how they sign in, until and beside the dashboard. */
type Parts = PeopleParts & Pick<SignInPagesParts, 'oidc'>

export function accountPages(parts: Parts): PageRoute[] {
  return [
    personalPage('accountPage', 'GET /account', (request) => showAccount(parts, request)),
    ...sessionPages(parts),
    ...secondFactorPages(parts),
  ]
}

function sessionPages(parts: Parts): PageRoute[] {
  return [
    personalPage('endSessionByForm', 'POST /account/sessions/end', async (request) => {
      await endOneSession(parts, request.signedIn, request.field('sessionId'), request.browser.client)
      return { to: '/account' }
    }),
    personalPage('endOtherSessionsByForm', 'POST /account/sessions/end-others', async (request) => {
      await endOtherSessions(parts, request.signedIn, request.browser.client)
      return { to: '/account' }
    }),
    personalPage('passwordPage', 'GET /account/password', async () => passwordPage(null)),
    personalPage(
      'changePasswordByForm',
      'POST /account/password',
      async ({ signedIn, field: sent, browser }) => {
        const done = await changePassword(parts, signedIn, sent('password'), browser.client)
        return isRefusal(done)
          ? afterRefusal(done, '/account/password', passwordPage(done))
          : { to: '/account' }
      },
    ),
  ]
}

function secondFactorPages(parts: Parts): PageRoute[] {
  return [
    personalPage('authenticatorPage', 'GET /account/authenticator', async ({ signedIn }) => {
      const offered = await offerAuthenticator(parts, signedIn)
      return isRefusal(offered)
        ? afterRefusal(offered, '/account/authenticator')
        : authenticatorPage(offered, null)
    }),
    personalPage(
      'confirmAuthenticatorByForm',
      'POST /account/authenticator',
      async ({ signedIn, field: sent, browser }) => {
        const done = await confirmAuthenticator(parts, signedIn, sent('code'), browser.client)
        if (!isRefusal(done)) return recoveryCodesPage(done.recoveryCodes)
        const offered = await offeredAuthenticator(parts, signedIn)
        const again = offered === null ? refusalPage(done) : authenticatorPage(offered, done)
        return afterRefusal(done, '/account/authenticator', again)
      },
    ),
    personalPage(
      'removeAuthenticatorByForm',
      'POST /account/authenticator/remove',
      async ({ signedIn, browser }) => {
        const done = await removeAuthenticator(parts, signedIn, browser.client)
        return isRefusal(done) ? afterRefusal(done, '/account') : { to: '/account' }
      },
    ),
    personalPage('recoveryCodesByForm', 'POST /account/recovery-codes', async ({ signedIn, browser }) => {
      const done = await renewRecoveryCodes(parts, signedIn, browser.client)
      return isRefusal(done) ? afterRefusal(done, '/account') : recoveryCodesPage(done.recoveryCodes)
    }),
  ]
}

async function showAccount(parts: Parts, { signedIn }: PersonalPageRequest): Promise<Page> {
  const { db, oidc } = parts
  const [workspaces, sessions, factor] = await Promise.all([
    listWorkspacesOf(db, signedIn.personId),
    listSessions(db, signedIn.personId),
    secondFactorOf(db, signedIn.personId),
  ])
  return {
    title: 'Your account',
    body: html`<h1>${signedIn.name}</h1>
      <p>${signedIn.email}</p>
      <h2>Workspaces</h2>
      ${workspaceList(workspaces)}
      <p><a href="/review">Approvals</a></p>
      <h2>Signing in</h2>
      ${factorSection(factor)} ${oidc === null ? null : await issuerSection({ ...parts, oidc }, signedIn)}
      <p><a href="/account/passkeys">Passkeys</a></p>
      <p><a href="/account/password">Change the password</a></p>
      <p><a href="/account/email">Change the e-mail address</a></p>
      <h2>Where you are signed in</h2>
      ${sessionTable(sessions, signedIn)}
      <div class="row">
        ${form('/account/sessions/end-others', null, 'Sign out everywhere else', 'plain')}
        ${form('/sign-out', null, 'Sign out', 'plain')}
      </div>`,
  }
}

function workspaceList(workspaces: readonly WorkspaceOf[]): Html {
  if (workspaces.length === 0) return html`<p>You are a member of no workspace.</p>`
  return html`<ul>
    ${workspaces.map(({ name, role }) => html`<li>${name}, as ${role}</li>`)}
  </ul>`
}

function factorSection({ totp, recoveryCodesLeft }: SecondFactorState): Html {
  if (!totp)
    return html`<p><a href="/account/authenticator">Set up an authenticator app</a> as a second factor.</p>`
  return html`<p>An authenticator app is asked for a code. ${recoveryCodesLeft} recovery codes are left.</p>
    <div class="row">
      ${form('/account/recovery-codes', null, 'Make new recovery codes', 'plain')}
      ${form('/account/authenticator/remove', null, 'Remove the app', 'danger')}
    </div>`
}

function sessionTable(sessions: readonly Session[], signedIn: SignedIn): Html {
  const rows = sessions.map(({ sessionId, address, userAgent, seenAt }) => {
    const end =
      sessionId === signedIn.sessionId
        ? html`this browser`
        : form('/account/sessions/end', hidden('sessionId', sessionId), 'Sign out', 'plain')
    return html`<tr>
      <td>${userAgent ?? 'unknown'}<br />${address ?? ''}</td>
      <td>${minute(seenAt)}</td>
      <td>${end}</td>
    </tr>`
  })
  return html`<table>
    <tr>
      <th>Browser</th>
      <th>Last used</th>
      <th></th>
    </tr>
    ${rows}
  </table>`
}

function passwordPage(refusal: Refusal | null): Page {
  const password = field('password', `New password (at least ${passwordLength.min} characters)`, {
    type: 'password',
    autocomplete: 'new-password',
    minLength: passwordLength.min,
  })
  return {
    title: 'Change the password',
    ...statusOf(refusal),
    body: html`<h1>Change the password</h1>
      <p>You are signed out everywhere else with that.</p>
      ${faultNotice(refusal)}${form('/account/password', password, 'Change it')}`,
  }
}

function authenticatorPage({ secret, uri }: OfferedTotp, refusal: Refusal | null): Page {
  const code = field('code', 'The code that it shows', {
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
  })
  return {
    title: 'Authenticator app',
    ...statusOf(refusal),
    body: html`<h1>Authenticator app</h1>
      ${faultNotice(refusal)}
      <p>Add this secret to your app, on a phone <a href="${uri}">with one tap</a>:</p>
      <pre><code>${secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code></pre>
      ${form('/account/authenticator', code, 'Turn it on')}`,
  }
}

function recoveryCodesPage(codes: readonly string[]): Page {
  return {
    title: 'Recovery codes',
    body: html`<h1>Recovery codes</h1>
      ${notice('Each of these stands in for your authenticator app once. They are not shown again: keep them in a safe place.')}
      <pre><code>${codes.join('\n')}</code></pre>
      <p><a href="/account">Done</a></p>`,
  }
}
