import type { Role } from '@postrider/contract'
import { findWorkspace } from './workspace-store.ts'
import { isOpenInvitation } from './invitation-store.ts'
import type { ClaimedMail, MailQueue } from '../mail/mail-store.ts'
import type { Message } from '../mail/message.ts'
import type { Db, Tx } from '../../platform/postgres/db.ts'
import type { EmailAddress } from '../../platform/text/email-address.ts'
import { moment } from '../../platform/text/moments.ts'
import { invitationUrl } from '../../platform/outbound/site.ts'
import { languageAround, languageOf } from './person-store.ts'
import { words } from './words.ts'

const HOURS = 72

/** Writes an invitation to whom it is for, in the transaction that makes it. */
export async function mailInvitation(
  tx: Tx,
  mail: MailQueue | null,
  invitation: {
    readonly workspaceId: string
    readonly invitationId: string
    readonly email: EmailAddress
    readonly role: Role
    readonly inviter: string
    readonly inviterId: string
    readonly secret: string
    readonly expiresAt: Date
  },
): Promise<void> {
  const { workspaceId, invitationId, email, role, inviter, inviterId, secret, expiresAt } = invitation
  const { name = '', timeZone = 'UTC' } = (await findWorkspace(tx, workspaceId)) ?? {}
  await mail?.enqueue(tx, {
    kind: 'invitation',
    to: email,
    hours: HOURS,
    once: `invitation ${workspaceId} ${invitationId}`,
    // Those who are invited have mostly chosen none yet.
    language: await languageOf(tx, email, await languageAround(tx, { workspaceId, personId: inviterId })),
    message: () => ({
      subject: words.subject(name),
      paragraphs: [words.invited(inviter, name, role)],
      link: { label: words.accept, url: invitationUrl(mail.baseUrl, secret) },
      after: [words.hint(moment(expiresAt, timeZone), inviter)],
    }),
  })
}

/** Null for an invitation that was withdrawn, or replaced by another, before it was sent. */
export function rewriteInvitation(db: Db) {
  return async ({ once, message }: Pick<ClaimedMail, 'once' | 'message'>): Promise<Message | null> => {
    const [, workspaceId = '', invitationId = ''] = (once ?? '').split(' ')
    // One that was written before invitations had a name here.
    if (invitationId === '') return message
    return (await isOpenInvitation(db, workspaceId, invitationId)) ? message : null
  }
}
