import { isEmailTaken, renamePerson } from '../../members/person-store.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { EmailAddress } from '../../../platform/text/email-address.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { writeInTransaction } from '../../../edge/operations/write-transaction.ts'
import { consumeLink, findLink, lockOwners, makeLink, type Link } from './link-store.ts'
import { hashPassword, passwordFault } from '../password/password.ts'
import { lockPerson, setEmail, setPassword } from '../person-sign-in-store.ts'
import { personalAct } from '../personal-act.ts'
import { type ClientInfo, openSession } from '../session/session-store.ts'
import type { PeopleParts } from '../sign-in.ts'

/** The secret of a link with which a person becomes the first owner; null when the workspace has an owner already. */
export async function makeOwnerLink(tx: Tx, workspaceId: string): Promise<string | null> {
  const { present, awaited } = await lockOwners(tx, workspaceId)
  if (present || awaited === null) return null
  return makeLink(tx, 'owner', { personId: awaited, workspaceId })
}

/** What an owner's link opens; a refusal for one that is used, expired, void or none. */
export async function openOwnerLink(
  { db }: Pick<PeopleParts, 'db'>,
  secret: string,
): Promise<Link | Refusal<'link_not_valid'>> {
  const link = await findLink(db, 'owner', secret)
  if (link === null || link.workspaceId === null) return unknownLink()
  if (link.is === 'used') return linkIsUsed()
  if (link.is === 'expired')
    return linkHasExpired('Create a new one with `postrider owner link` on the server.')
  const { present } = await db.begin((tx) => lockOwners(tx, link.workspaceId ?? ''))
  return present ? ownerExists() : link
}

export type NewOwner = { readonly name: string; readonly email: EmailAddress; readonly password: string }

/**
 * A person becomes the first owner of a workspace: in name, e-mail address and password, and is signed in. All in one
 * transaction, so that of several who come at once one does; the link is void for the others.
 */
export async function setUpOwner(
  parts: PeopleParts,
  secret: string,
  { name, email, password }: NewOwner,
  client: ClientInfo,
): Promise<{ secret: string } | Refusal<'link_not_valid' | 'validation_failed' | 'already_exists'>> {
  const link = await openOwnerLink(parts, secret)
  if ('refused' in link) return link
  const fault = await passwordFault(password, { email })
  if (fault !== null) return weakPassword(fault)
  const passwordHash = await hashPassword(password)

  const { db, recordAct } = parts
  const { personId, workspaceId } = link
  try {
    return await writeInTransaction(db, async (tx) => {
      const { present, awaited } = await lockOwners(tx, workspaceId ?? '')
      const person = await lockPerson(tx, personId)
      if (present || awaited !== personId || person === null) return ownerExists()
      if (!(await consumeLink(tx, 'owner', secret))) return linkIsUsed()
      await renamePerson(tx, personId, name)
      // It was not shown yet that they read the mail of another one, whatever was shown of the one before.
      if (email !== person.email) await setEmail(tx, personId, email, { staysProven: false })
      await setPassword(tx, personId, passwordHash)
      const session = await openSession(tx, personId, client)
      const act = personalAct({ personId, name }, client, 'setUpOwner', { after: { name, email } })
      await recordAct(tx, { ...act, workspaceId })
      return { secret: session }
    })
  } catch (fault) {
    if (isEmailTaken(fault)) return emailIsTaken()
    throw fault
  }
}

export function weakPassword(fault: string): Refusal<'validation_failed'> {
  return refuse('validation_failed', fault, {
    errors: [{ pointer: '/password', code: 'weak_password', detail: fault }],
  })
}

export function unknownLink(): Refusal<'link_not_valid'> {
  return refuse('link_not_valid', 'This link is incomplete or invalid. Ask for a new one.')
}

export function linkIsUsed(): Refusal<'link_not_valid'> {
  return refuse('link_not_valid', 'This link was already used. It works only once.')
}

export function linkHasExpired(remedy: string): Refusal<'link_not_valid'> {
  return refuse('link_not_valid', `This link has expired. ${remedy}`)
}

export function emailIsTaken(): Refusal<'already_exists'> {
  return refuse(
    'already_exists',
    'An account with this email address already exists. Use another address, or sign in with it.',
  )
}

function ownerExists(): Refusal<'link_not_valid'> {
  return refuse('link_not_valid', 'This workspace already has an owner. Sign in instead.')
}
