import type { app } from '@postrider/contract'
import type { Invitation } from '../members/invitation-store.ts'
import type { Passkey } from './passkey/passkey-store.ts'
import type { Session, SignedIn } from './session/session-store.ts'

/** A session as its person sees it. */
export function viewSession(session: Session, signedIn: SignedIn): app.SessionView {
  const { sessionId, address, userAgent, createdAt, seenAt, endsAt } = session
  return {
    sessionId,
    current: sessionId === signedIn.sessionId,
    address,
    userAgent,
    createdAt: createdAt.toISOString(),
    seenAt: seenAt.toISOString(),
    endsAt: endsAt.toISOString(),
  }
}

/** A passkey as its person sees it. */
export function viewPasskey({ passkeyId, name, createdAt, lastUsedAt }: Passkey): app.PasskeyView {
  return {
    passkeyId,
    name,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}

/** An open invitation as the members who invite see it. */
export function viewInvitation(invitation: Invitation): app.InvitationView {
  const { invitationId, email, role, invitedBy, byMail, expiresAt, createdAt } = invitation
  return {
    invitationId,
    email,
    role,
    invitedBy,
    deliverBy: byMail ? 'mail' : 'link',
    expiresAt: expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}
