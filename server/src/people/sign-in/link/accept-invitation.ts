import { mayGrant } from '../../members/manage-members.ts'
import { insertMember, lockMembers } from '../../members/member-store.ts'
import { insertPerson, isEmailTaken } from '../../members/person-store.ts'
import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import { isRefusal, refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { writeInTransaction } from '../../../edge/operations/write-transaction.ts'
import { consumeInvitation, findInvitation, type OpenedInvitation } from '../../members/invitation-store.ts'
import { hashPassword, passwordFault } from '../password/password.ts'
import { setPassword } from '../person-sign-in-store.ts'
import { personalAct } from '../personal-act.ts'
import { proveEmail } from './prove-email.ts'
import { type ClientInfo, openSession, type SignedIn } from '../session/session-store.ts'
import { emailIsTaken, linkHasExpired, linkIsUsed, unknownLink, weakPassword } from './set-up-owner.ts'
import type { PeopleParts } from '../sign-in.ts'
import { writeSignedIn } from '../write-with-proof.ts'

/** What an invitation's link opens; a refusal for one that is used, withdrawn, expired or none. */
export async function openInvitation(
  sql: Sql,
  secret: string,
): Promise<OpenedInvitation | Refusal<'link_not_valid'>> {
  const invitation = await findInvitation(sql, secret)
  if (invitation === null) return unknownLink()
  const { is, inviterRole, role, inviterName } = invitation
  if (is === 'used') return linkIsUsed()
  if (is === 'expired') return linkHasExpired(`Ask ${inviterName} for another one.`)
  if (is === 'revoked' || !mayGrant(inviterRole, role)) {
    return refuse('link_not_valid', 'This invitation was withdrawn. Ask the member who sent it to you.')
  }
  return invitation
}

type Accepted = { readonly workspaceId: string }
type Refused = Refusal<'link_not_valid' | 'already_exists'>

/**
 * A person without an account accepts an invitation: account, membership and session come to be in one transaction.
 * A person who has an account with the address must sign in with it: a link of one workspace never opens the account by which
 * its person is in another one.
 */
export async function acceptAsNew(
  parts: PeopleParts,
  secret: string,
  { name, password }: { name: string; password: string },
  client: ClientInfo,
): Promise<(Accepted & { secret: string }) | Refused | Refusal<'validation_failed'>> {
  const invitation = await openInvitation(parts.db, secret)
  if (isRefusal(invitation)) return invitation
  const { email, byMail, workspaceId } = invitation
  const fault = await passwordFault(password, { email })
  if (fault !== null) return weakPassword(fault)
  const passwordHash = await hashPassword(password)

  try {
    return await writeInTransaction(parts.db, async (tx) => {
      const personId = await insertPerson(tx, { name, email, proven: byMail })
      await setPassword(tx, personId, passwordHash)
      const refusal = await join(tx, parts, { secret, workspaceId }, { personId, name }, client)
      if (refusal !== null) return refusal
      return { workspaceId, secret: await openSession(tx, personId, client) }
    })
  } catch (fault) {
    if (isEmailTaken(fault)) return emailIsTaken()
    throw fault
  }
}

/** A person who is signed in takes an invitation to their own address up; `proof` is what is to be told where that proves the address. */
export async function acceptSignedIn(
  parts: PeopleParts,
  secret: string,
  signedIn: SignedIn,
  client: ClientInfo,
): Promise<(Accepted & { proof?: string }) | Refused> {
  const invitation = await openInvitation(parts.db, secret)
  if (isRefusal(invitation)) return invitation
  const { email, byMail, workspaceId } = invitation
  return writeSignedIn(parts.db, signedIn, async (tx, person) => {
    // Not as it was when the request came in: who was invited is who reads the mail of the address.
    if (email !== person.email) {
      return refuse(
        'link_not_valid',
        `This invitation is for ${email}, and you are signed in as ${person.email}. Sign out, and open the link again.`,
      )
    }
    const refusal = await join(tx, parts, { secret, workspaceId }, person, client)
    if (refusal !== null) return refusal
    const keptSession = signedIn.sessionId
    const proof = byMail ? await proveEmail(tx, parts, person, client, { keptSession }) : null
    return proof === null ? { workspaceId } : { workspaceId, proof }
  })
}

async function join(
  tx: Tx,
  { recordAct }: PeopleParts,
  { secret, workspaceId }: { secret: string; workspaceId: string },
  person: { personId: string; name: string },
  client: ClientInfo,
): Promise<Refused | null> {
  await lockMembers(tx, workspaceId)
  // Judged again under the lock: the inviter may have lost the right to since the invitation was opened.
  const invitation = await openInvitation(tx, secret)
  if (isRefusal(invitation)) return invitation
  const { invitationId, email, role } = invitation
  if (!(await consumeInvitation(tx, invitation))) return linkIsUsed()
  const memberId = await insertMember(tx, { workspaceId, personId: person.personId, role })
  if (memberId === null)
    return refuse('already_exists', 'You are already a member of this workspace. There is nothing to accept.')
  const act = personalAct(person, client, 'acceptInvitation', {
    subject: { invitationId, memberId },
    after: { email, role },
  })
  await recordAct(tx, { ...act, workspaceId })
  return null
}
