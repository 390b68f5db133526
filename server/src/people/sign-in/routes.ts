import { app, rightNames, roleHas } from '@postrider/contract'
import { mayGrant } from '../members/manage-members.ts'
import { readChange } from '../members/workspace-change.ts'
import { lockMembers } from '../members/member-store.ts'
import { viewWorkspace } from '../members/views.ts'
import { createWorkspace, findWorkspace } from '../members/workspace-store.ts'
import { emailOf } from '../../platform/text/email-address.ts'
import { isRefusal, refuse } from '../../edge/operations/refusal.ts'
import { route, type Route } from '../../edge/operations/route.ts'
import { changeName, endOneSession, endOtherSessions, preferOtherwise } from './account.ts'
import { mailInvitation } from '../members/mail-invitation.ts'
import { insertInvitation, listInvitations, revokeInvitation } from '../members/invitation-store.ts'
import { listWorkspacesOf } from '../members/membership-store.ts'
import { preferencesOf } from '../members/person-store.ts'
import { listPasskeys } from './passkey/passkey-store.ts'
import {
  beginPasskeyProof,
  beginPasskeySignIn,
  offerPasskey,
  proveWithPasskey,
  registerPasskey,
  signInWithPasskey,
} from './passkey/passkeys.ts'
import { entryRoute, personalRoute } from './personal-route.ts'
import { personalAct } from './personal-act.ts'
import { secondFactorOf } from './second-factor/second-factor-store.ts'
import { listSessions } from './session/session-store.ts'
import { type PeopleParts, tooManyTries } from './sign-in.ts'
import { storeEntry } from './store-entry.ts'
import { invitationUrl, siteOf } from '../../platform/outbound/site.ts'
import { invitationsPerMember, mailsToStranger, takeTry } from './password/throttle-store.ts'
import { viewInvitation, viewPasskey, viewSession } from './views.ts'
import { writeProven } from './write-with-proof.ts'

export type PeopleRouteParts = PeopleParts & {
  readonly baseUrl: string
}

const DONE = { done: true } as const

/** The routes on who is signed in, and on how. */
export function signInRoutes(parts: PeopleRouteParts): Route[] {
  return [...passkeyRoutes(parts), ...personRoutes(parts), ...sessionRoutes(parts)]
}

function passkeyRoutes(parts: PeopleRouteParts): Route[] {
  const passkeys = { ...parts, site: siteOf(parts.baseUrl) }
  return [
    entryRoute(app.beginPasskeySignIn, () => beginPasskeySignIn(passkeys)),
    entryRoute(app.signInWithPasskey, async ({ body }, { browser }) => {
      const entry = await signInWithPasskey(passkeys, body.credential, browser.client)
      if (isRefusal(entry)) return entry
      await storeEntry(parts, browser, entry)
      return DONE
    }),
    personalRoute(app.beginPasskeyProof, (_, { signedIn }) => beginPasskeyProof(passkeys, signedIn)),
    personalRoute(app.proveWithPasskey, async ({ body }, { signedIn, browser }) => {
      const proved = await proveWithPasskey(passkeys, signedIn, body.credential, browser.client)
      if (isRefusal(proved)) return proved
      browser.keepSession(proved.secret)
      return DONE
    }),
    personalRoute(app.listPasskeys, async (_, { signedIn }) =>
      (await listPasskeys(parts.db, signedIn.personId)).map(viewPasskey),
    ),
    personalRoute(app.offerPasskey, (_, { signedIn }) => offerPasskey(passkeys, signedIn)),
    personalRoute(app.registerPasskey, ({ body }, { signedIn, browser }) => {
      const { name, credential } = body
      return registerPasskey(passkeys, signedIn, { name: name.trim(), credential }, browser.client)
    }),
  ]
}

function personRoutes(parts: PeopleRouteParts): Route[] {
  const { db } = parts
  return [
    personalRoute(app.readPersonalMe, async (_, { signedIn }) => {
      const { personId, name, email, sessionId, fresh } = signedIn
      const [workspaces, preferences] = await Promise.all([
        listWorkspacesOf(db, personId),
        preferencesOf(db, personId),
      ])
      return {
        person: { personId, name, email },
        session: { sessionId, fresh },
        preferences,
        workspaces: workspaces.map((workspace) => ({
          ...workspace,
          rights: rightNames.filter((right) => roleHas(workspace.role, right)),
        })),
      }
    }),
    personalRoute(app.changeMyName, async ({ body }, { signedIn, browser }) => {
      await changeName(parts, signedIn, body.name.trim(), browser.client)
      return DONE
    }),
    personalRoute(app.changeMyPreferences, async ({ body }, { signedIn, browser }) => {
      await preferOtherwise(parts, signedIn, body, browser.client)
      return DONE
    }),
    personalRoute(app.readSecondFactors, async (_, { signedIn }) => {
      const { totp, recoveryCodesLeft } = await secondFactorOf(db, signedIn.personId)
      return { authenticator: totp, recoveryCodesLeft }
    }),
  ]
}

function sessionRoutes(parts: PeopleRouteParts): Route[] {
  return [
    personalRoute(app.signOut, async (_, { signedIn, browser }) => {
      await endOneSession(parts, signedIn, signedIn.sessionId, browser.client)
      browser.forgetSession()
      return DONE
    }),
    personalRoute(app.listMySessions, async (_, { signedIn }) => {
      const sessions = await listSessions(parts.db, signedIn.personId)
      return sessions.map((session) => viewSession(session, signedIn))
    }),
    personalRoute(app.endMySession, async ({ params }, { signedIn, browser }) => {
      const { ended } = await endOneSession(parts, signedIn, params.sessionId, browser.client)
      return ended ? DONE : refuse('not_found', 'You have no such session.')
    }),
    personalRoute(app.endMyOtherSessions, (_, { signedIn, browser }) =>
      endOtherSessions(parts, signedIn, browser.client),
    ),
  ]
}

/** The route by which the owner of a workspace makes another one. */
export function newWorkspaceRoute({ db, recordAct }: PeopleRouteParts): Route {
  return personalRoute(app.createWorkspace, async ({ body }, { signedIn, browser }) => {
    const change = readChange(body)
    if (isRefusal(change)) return change
    const { name = body.name, timeZone = body.timeZone } = change
    return writeProven(db, signedIn, async (tx) => {
      const mine = await listWorkspacesOf(tx, signedIn.personId)
      if (!mine.some(({ role }) => role === 'owner')) {
        return refuse(
          'missing_permission',
          'Only people who own a workspace can create others. Ask one of them.',
          {
            requiredPermission: 'owners:manage',
          },
        )
      }
      const made = await createWorkspace(tx, { name, timeZone, owner: signedIn })
      const workspace = await findWorkspace(tx, made.workspaceId)
      if (workspace === null) throw new Error('a workspace vanished while it was made')
      const act = personalAct(signedIn, browser.client, app.createWorkspace.id, { after: { name, timeZone } })
      await recordAct(tx, { ...act, workspaceId: made.workspaceId })
      return viewWorkspace(workspace)
    })
  })
}

/** The routes on invitations. */
export function invitationRoutes({ baseUrl, mail }: PeopleRouteParts): Route[] {
  return [
    route(app.listInvitations, async (_, { caller, sql }) => {
      const invitations = await listInvitations(sql, caller.workspaceId)
      return invitations.map(viewInvitation)
    }),
    route(app.inviteMember, async ({ body: { email: typed, role, deliverBy } }, { caller, sql, audit }) => {
      const email = emailOf(typed)
      const { workspaceId, member } = caller
      const members = await lockMembers(sql, workspaceId)
      if (!mayGrant(members.get(member.id)?.role ?? 'viewer', role)) {
        return refuse('missing_permission', 'Only owners can invite owners. Ask one of them.', {
          requiredPermission: 'owners:manage',
        })
      }
      if ([...members.values()].some((one) => one.email === email))
        return refuse('already_exists', 'A person with this email address is already a member.')
      const byMail = deliverBy === 'mail'
      if (byMail && mail === null) return noMail()
      if (byMail) {
        const waitSeconds = await takeTry(sql, [...invitationsPerMember(member.id), mailsToStranger(email)])
        if (waitSeconds !== null) return tooManyTries(waitSeconds)
      }
      const invited = await insertInvitation(sql, { workspaceId, email, role, invitedBy: member.id, byMail })
      if (byMail)
        await mailInvitation(sql, mail, {
          workspaceId,
          email,
          role,
          inviter: member.name,
          inviterId: member.personId,
          ...invited,
        })
      audit({ after: { email, role, deliverBy } })
      return {
        invitationId: invited.invitationId,
        link: byMail ? null : invitationUrl(baseUrl, invited.secret),
        expiresAt: invited.expiresAt.toISOString(),
      }
    }),
    route(app.revokeInvitation, async ({ params }, { caller, sql, audit }) => {
      const revoked = await revokeInvitation(sql, caller.workspaceId, params.invitationId)
      if (revoked === null)
        return refuse('not_found', 'No open invitation with this ID was found in this workspace.')
      audit({ before: revoked })
      return DONE
    }),
  ]
}

function noMail() {
  const detail = 'This server sends no mail. Share the link yourself (`"deliverBy": "link"`).'
  return refuse('validation_failed', detail, {
    errors: [{ pointer: '/deliverBy', code: 'not_available', detail }],
  })
}
