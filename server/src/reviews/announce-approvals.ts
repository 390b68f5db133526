import {
  type ReviewedDestination,
  reviewedOf,
  takeUnannounced,
  type Unannounced,
} from '../approvals/approval-store.ts'
import { reviewUrl } from '../approvals/approval.ts'
import { findChannels } from '../channels/channel-store.ts'
import type { MailQueue } from '../mail/mail-store.ts'
import type { Message } from '../mail/message.ts'
import type { Db, Tx } from '../platform/db.ts'
import { creatorOf } from '../posts/post-store.ts'
import { listApprovers } from './approver-store.ts'
import { words } from './words.ts'

const AT_ONCE = 20
const QUOTE_MAX = 1_000

/**
 * Writes one mail to each approver of each open request without a mail. The request itself says whether that
 * was done, in the transaction that writes the mail: none is forgotten, and none is written twice.
 */
export async function announceApprovals({ db, mail }: { db: Db; mail: MailQueue }): Promise<void> {
  for (let announced = AT_ONCE; announced === AT_ONCE;) {
    announced = await db.begin(async (tx) => {
      const requests = await takeUnannounced(tx, AT_ONCE)
      for (const request of requests) await announce(tx, mail, request)
      return requests.length
    })
  }
}

async function announce(tx: Tx, mail: MailQueue, request: Unannounced): Promise<void> {
  const { workspaceId, approvalId, hours } = request
  const message = await describe(tx, mail, request)
  for (const { personId, email, language } of await listApprovers(tx, workspaceId)) {
    const once = `approval ${approvalId} ${personId}`
    await mail.enqueue(tx, { kind: 'approval', to: email, language, message, hours, once })
  }
}

async function describe(tx: Tx, { baseUrl }: MailQueue, request: Unannounced): Promise<() => Message> {
  const { workspaceId, postId, approvalId, workspaceName, expiresAt } = request
  const author = await creatorOf(tx, workspaceId, postId)
  const reviewed = await reviewedOf(tx, workspaceId, postId)
  const { channels } = await findChannels(
    tx,
    workspaceId,
    reviewed.map(({ channelId }) => channelId),
  )
  const places = [...channels.values()].map(({ handle, provider }) => `@${handle} (${provider})`)
  const text = reviewed[0]?.parts.join('\n\n') ?? ''
  return () => ({
    subject: words.subject(workspaceName),
    paragraphs: [
      `${words.wantsToPublish(author, places.join(', '), workspaceName)} ${publishesWords(reviewed)}`,
    ],
    ...(text === '' ? {} : { quote: shortened(text) }),
    link: { label: words.review, url: reviewUrl(baseUrl, approvalId) },
    after: [words.decideBy(minute(expiresAt))],
  })
}

/** When it is published once it is approved: a time that is past counts for now. */
function publishesWords(reviewed: readonly Pick<ReviewedDestination, 'publishAt'>[]): string {
  const times = reviewed.flatMap(({ publishAt }) => (publishAt === null ? [] : [publishAt.getTime()]))
  const first = Math.min(...times)
  return times.length === 0 || first <= Date.now()
    ? words.publishesNow
    : words.publishesAt(minute(new Date(first)))
}

function shortened(text: string): string {
  const characters = Array.from(text)
  return characters.length <= QUOTE_MAX ? text : `${characters.slice(0, QUOTE_MAX).join('')}…`
}

function minute(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
