import { html } from '../../platform/text/html.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import { acceptAsNew, acceptSignedIn, openInvitation } from '../sign-in/link/accept-invitation.ts'
import type { OpenedInvitation } from '../members/invitation-store.ts'
import {
  faultNotice,
  field,
  form,
  messagePage,
  type Page,
  type PageAnswer,
  type PageRequest,
  type PageRoute,
  refusalPage,
  signInFirst,
  statusOf,
} from './page-kit.ts'
import { passwordLength } from '../sign-in/password/password.ts'
import { personFault } from './person-fault.ts'
import { HOME, issuerLink, type SignInPagesParts } from './sign-in-pages.ts'
import type { PeopleParts } from '../sign-in/sign-in.ts'
import { words } from './words.ts'

/** The pages behind the link of an invitation. */
type Parts = PeopleParts & Pick<SignInPagesParts, 'oidc'>

export function invitationPages(parts: Parts): PageRoute[] {
  return [
    { id: 'invitationPage', at: 'GET /invitation/:secret', answer: (request) => open(parts, request) },
    { id: 'acceptByForm', at: 'POST /invitation/:secret', answer: (request) => accept(parts, request) },
  ]
}

async function open(parts: Parts, request: PageRequest): Promise<PageAnswer> {
  const invitation = await openInvitation(parts.db, request.params['secret'] ?? '')
  return isRefusal(invitation) ? refusalPage(invitation) : invitationPage(parts, invitation, request, null)
}

function invitationPage(
  { oidc }: Parts,
  invitation: OpenedInvitation,
  { params, signedIn, field: sent }: PageRequest,
  refusal: Refusal | null,
): Page {
  const { workspaceName, inviterName, role, email, known } = invitation
  const path = `/invitation/${params['secret'] ?? ''}`
  const isTheirs = signedIn?.email === email
  const fields = [
    field('name', words.yourName, { value: sent('name'), autocomplete: 'name' }),
    field('password', words.password(passwordLength.min), {
      type: 'password',
      autocomplete: 'new-password',
      minLength: passwordLength.min,
    }),
  ]
  const wayToSignIn = html`<p>
    ${words.haveAccount}
    <a href="${signInFirst(path).to}">${words.signInToAccept}</a>
  </p>`
  const isAnother = html`<p>${words.signedInAs(signedIn?.email ?? '')}</p>
    ${form('/sign-out', null, words.signOut, 'plain')}`
  const way = isTheirs
    ? form(path, null, words.accept)
    : signedIn !== null
      ? isAnother
      : known
        ? wayToSignIn
        : form(path, fields, words.accept)
  return {
    title: words.join(workspaceName),
    ...statusOf(refusal),
    body: html`<h1>${words.join(workspaceName)}</h1>
      <p>
        ${words.invites(inviterName, email)} <strong>${words.roles[role]}</strong>. ${words.roleHints[role]}
      </p>
      ${faultNotice(refusal)}${way}${signedIn === null ? issuerLink(oidc, path) : null}`,
  }
}

async function accept(parts: Parts, request: PageRequest): Promise<PageAnswer> {
  const { params, signedIn, browser, field: sent } = request
  const secret = params['secret'] ?? ''
  if (signedIn !== null) {
    const joined = await acceptSignedIn(parts, secret, signedIn, browser.client)
    if (isRefusal(joined)) return refusalPage(joined)
    return joined.proof === undefined ? { to: HOME } : joinedPage(joined.proof)
  }
  const invitation = await openInvitation(parts.db, secret)
  if (isRefusal(invitation)) return refusalPage(invitation)
  const name = sent('name').trim()
  const fault = personFault({ name })
  if (fault !== null) return invitationPage(parts, invitation, request, fault)
  const joined = await acceptAsNew(parts, secret, { name, password: sent('password') }, browser.client)
  if (!isRefusal(joined)) {
    browser.keepSession(joined.secret)
    return { to: HOME }
  }
  return joined.refused === 'link_not_valid'
    ? refusalPage(joined)
    : invitationPage(parts, invitation, request, joined)
}

function joinedPage(proof: string): Page {
  return messagePage(words.member, proof, html`<p><a href="${HOME}">${words.continueLink}</a></p>`)
}
