import { roles, type Role } from '@postrider/contract'
import { findWorkspace } from './workspace-store.ts'
import type { MailQueue } from '../mail/mail-store.ts'
import type { Tx } from '../platform/db.ts'
import type { EmailAddress } from '../platform/email-address.ts'
import { invitationUrl } from '../platform/site.ts'

const HOURS = 72

/** Writes an invitation to whom it is for, in the transaction that makes it. */
export async function mailInvitation(
  tx: Tx,
  mail: MailQueue | null,
  invitation: {
    readonly workspaceId: string
    readonly email: EmailAddress
    readonly role: Role
    readonly inviter: string
    readonly secret: string
    readonly expiresAt: Date
  },
): Promise<void> {
  const { workspaceId, email, role, inviter, secret, expiresAt } = invitation
  const workspace = await findWorkspace(tx, workspaceId)
  await mail?.enqueue(tx, {
    kind: 'invitation',
    to: email,
    hours: HOURS,
    message: {
      subject: `${inviter} invites you to ${workspace?.name}`,
      paragraphs: [
        `${inviter} invites you to the workspace ${workspace?.name} on Postrider, as ${role}. ${roles[role]}`,
      ],
      link: { label: 'Accept the invitation', url: invitationUrl(mail.baseUrl, secret) },
      after: [
        `The link works once, until ${expiresAt.toISOString().slice(0, 10)}. If you do not know ${inviter}, ignore this mail.`,
      ],
    },
  })
}
