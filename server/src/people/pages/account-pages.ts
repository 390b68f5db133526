import { browserName } from '@postrider/contract/names'
import { html, type Html } from '../../platform/text/html.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import {
  changeName,
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
  ago,
  faultNotice,
  field,
  form,
  hidden,
  notice,
  type Page,
  type PageRoute,
  personalPage,
  refusalPage,
  statusOf,
  TO_ACCOUNT,
  TO_DASHBOARD,
} from './page-kit.ts'
import { moment } from '../../platform/text/moments.ts'
import { personFault } from './person-fault.ts'
import { passwordLength } from '../sign-in/password/password.ts'
import { issuerSection } from './issuer-pages.ts'
import { secondFactorOf, type SecondFactorState } from '../sign-in/second-factor/second-factor-store.ts'
import { listSessions, type Session, type SignedIn } from '../sign-in/session/session-store.ts'
import type { SignInPagesParts } from './sign-in-pages.ts'
import type { PeopleParts } from '../sign-in/sign-in.ts'
import { words } from './words.ts'

/** The pages on which a person sees to how they sign in, until and beside the dashboard. */
type Parts = PeopleParts & Pick<SignInPagesParts, 'oidc'>

export function accountPages(parts: Parts): PageRoute[] {
  return [
    personalPage('accountPage', 'GET /account', ({ signedIn }) => showAccount(parts, signedIn, null)),
    personalPage('changeNameByForm', 'POST /account/name', async ({ signedIn, field: sent, browser }) => {
      const name = sent('name').trim()
      const fault = personFault({ name })
      if (fault !== null) return showAccount(parts, signedIn, fault)
      await changeName(parts, signedIn, name, browser.client)
      return { to: '/account' }
    }),
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

async function showAccount(parts: Parts, signedIn: SignedIn, refusal: Refusal | null): Promise<Page> {
  const { db, oidc } = parts
  const [workspaces, sessions, factor] = await Promise.all([
    listWorkspacesOf(db, signedIn.personId),
    listSessions(db, signedIn.personId),
    secondFactorOf(db, signedIn.personId),
  ])
  const name = field('name', words.yourName, { value: signedIn.name, autocomplete: 'name' })
  return {
    title: words.yourAccount,
    back: TO_DASHBOARD,
    ...statusOf(refusal),
    body: html`<h1>${signedIn.name}</h1>
      <p>${signedIn.email}</p>
      ${faultNotice(refusal)}${form('/account/name', name, words.saveName, 'plain')}
      <h2>${words.workspaces}</h2>
      ${workspaceList(workspaces)}
      <p><a href="/review">${words.approvals}</a></p>
      <h2>${words.signingIn}</h2>
      ${factorSection(factor)} ${oidc === null ? null : await issuerSection({ ...parts, oidc }, signedIn)}
      <p><a href="/account/passkeys">${words.passkeys}</a></p>
      <p><a href="/account/password">${words.changePassword}</a></p>
      <p><a href="/account/email">${words.changeEmail}</a></p>
      <h2>${words.sessions}</h2>
      ${sessionTable(sessions, signedIn, workspaces[0]?.timeZone ?? 'UTC')}
      <div class="row">
        ${form('/account/sessions/end-others', null, words.signOutElsewhere, 'plain')}
        ${form('/sign-out', null, words.signOut, 'plain')}
      </div>`,
  }
}

function workspaceList(workspaces: readonly WorkspaceOf[]): Html {
  if (workspaces.length === 0) return html`<p>${words.noWorkspace}</p>`
  return html`<ul>
    ${workspaces.map(
      ({ workspaceId, name, role }) =>
        html`<li><a href="/w/${workspaceId}/calendar">${name}</a>${words.asRole(words.roles[role])}</li>`,
    )}
  </ul>`
}

function factorSection({ totp, recoveryCodesLeft }: SecondFactorState): Html {
  if (!totp)
    return html`<p>
      <a href="/account/authenticator">${words.setUpAuthenticator}</a> ${words.asSecondFactor}
    </p>`
  return html`<p>${words.authenticatorOn(recoveryCodesLeft)}</p>
    <div class="row">
      ${form('/account/recovery-codes', null, words.newCodes, 'plain')}
      ${form('/account/authenticator/remove', null, words.removeApp, 'danger')}
    </div>`
}

/** Times are those of a workspace of the person: the clock of their browser is not known. */
function sessionTable(sessions: readonly Session[], signedIn: SignedIn, timeZone: string): Html {
  const rows = sessions.map(({ sessionId, address, userAgent, seenAt }) => {
    const end =
      sessionId === signedIn.sessionId
        ? html`<span class="quiet">${words.thisBrowser}</span>`
        : form('/account/sessions/end', hidden('sessionId', sessionId), words.signOut, 'plain')
    return html`<tr>
      <td>${browserName(userAgent)}<br /><small>${address ?? ''}</small></td>
      <td>${ago(seenAt, timeZone)}<br /><small>${moment(seenAt, timeZone)}</small></td>
      <td>${end}</td>
    </tr>`
  })
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${words.browser}</th>
        <th scope="col">${words.lastUsed}</th>
        <td></td>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`
}

function passwordPage(refusal: Refusal | null): Page {
  const password = field('password', words.newPassword(passwordLength.min), {
    type: 'password',
    autocomplete: 'new-password',
    minLength: passwordLength.min,
  })
  return {
    title: words.changePassword,
    back: TO_ACCOUNT,
    ...statusOf(refusal),
    body: html`<h1>${words.changePassword}</h1>
      <p>${words.signsOutElsewhere}</p>
      ${faultNotice(refusal)}${form('/account/password', password, words.changePassword)}`,
  }
}

function authenticatorPage({ secret, uri }: OfferedTotp, refusal: Refusal | null): Page {
  const code = field('code', words.codeShown, {
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
  })
  return {
    title: words.authenticator,
    back: TO_ACCOUNT,
    ...statusOf(refusal),
    body: html`<h1>${words.authenticator}</h1>
      ${faultNotice(refusal)}
      <p>${words.addSecret} <a href="${uri}">${words.oneTap}</a>:</p>
      <pre><code>${secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code></pre>
      ${form('/account/authenticator', code, words.turnOn)}`,
  }
}

function recoveryCodesPage(codes: readonly string[]): Page {
  return {
    title: words.recoveryCodes,
    back: TO_ACCOUNT,
    body: html`<h1>${words.recoveryCodes}</h1>
      ${notice(words.codesHint)}
      <pre><code>${codes.join('\n')}</code></pre>
      <p><a href="/account">${words.done}</a></p>`,
  }
}
