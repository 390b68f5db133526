import {
  holdOpenRequest,
  type ReviewedDestination,
  reviewedOf,
  takeUnannounced,
  type Unannounced,
} from '../approvals/approval-store.ts'
import { reviewUrl } from '../approvals/approval.ts'
import { findChannels } from '../channels/channel-store.ts'
import { type ClaimedMail, dropMail, type MailQueue } from '../mail/mail-store.ts'
import type { Message } from '../mail/message.ts'
import { mailReaders, type Reader } from '../notices/reader-store.ts'
import type { Db, Tx } from '../platform/db.ts'
import { listed, moment } from '../platform/moments.ts'
import { creatorOf } from '../posts/post-store.ts'
import { words } from './words.ts'

const AT_ONCE = 20
const QUOTE_MAX = 1_000

/**
 * Writes one mail to each approver who wants it of each open request without a mail. The request itself says whether that
 * was done, in the transaction that writes the mail: none is forgotten, and none is written twice. One whose decision was taken
 * back is told of again, to those whose mail was dropped in between.
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
  for (const { personId, email, language, kinds } of await mailReaders(tx, workspaceId)) {
    if (!kinds.includes('approvals')) continue
    const once = `approval ${approvalId} ${personId} ${workspaceId}`
    await mail.enqueue(tx, { kind: 'approval', to: email, language, message, hours, once })
  }
}

/** Sent only to who may still decide, and wants to know; null, and dropped, once there is nothing to decide. */
export function rewriteRequest(db: Db) {
  return async ({
    once,
    to,
    message,
    ...mail
  }: Pick<ClaimedMail, 'id' | 'attempt' | 'once' | 'to' | 'message'>): Promise<Message | null> => {
    const [, approvalId = '', personId = '', workspaceId = ''] = (once ?? '').split(' ')
    // One that was written before this was looked at.
    if (workspaceId === '') return message
    return db.begin(async (tx) => {
      const isOpen = await holdOpenRequest(tx, workspaceId, approvalId)
      const isTold = ({ email, kinds, ...reader }: Reader) =>
        reader.personId === personId && email === to && kinds.includes('approvals')
      if (isOpen && (await mailReaders(tx, workspaceId)).some(isTold)) return message
      await dropMail(tx, mail)
      return null
    })
  }
}

async function describe(tx: Tx, { baseUrl }: MailQueue, request: Unannounced): Promise<() => Message> {
  const { workspaceId, postId, approvalId, workspaceName, timeZone, expiresAt } = request
  const author = await creatorOf(tx, workspaceId, postId)
  const reviewed = (await reviewedOf(tx, workspaceId, postId)).filter(({ status }) => status !== 'cancelled')
  const { channels } = await findChannels(
    tx,
    workspaceId,
    reviewed.map(({ channelId }) => channelId),
  )
  const places = [...channels.values()].map(({ displayName }) => displayName)
  return () => ({
    subject: words.subject(workspaceName),
    paragraphs: [
      `${words.wantsToPublish(author, placesWords(places), workspaceName)} ${publishesWords(reviewed, timeZone)}`,
    ],
    ...quoteOf(reviewed),
    link: { label: words.review, url: reviewUrl(baseUrl, approvalId) },
    after: [words.decideBy(moment(expiresAt, timeZone))],
  })
}

const PLACES_MAX = 5

function placesWords(names: readonly string[]): string {
  const more = names.length - PLACES_MAX
  return listed(more > 0 ? [...names.slice(0, PLACES_MAX), words.more(more)] : names)
}

/** When it is published once it is approved: a time that is past counts for now. */
function publishesWords(
  reviewed: readonly Pick<ReviewedDestination, 'publishAt'>[],
  timeZone: string,
): string {
  const now = Date.now()
  const times = new Set(reviewed.map(({ publishAt }) => Math.max(publishAt?.getTime() ?? now, now)))
  const first = Math.min(...times)
  const isSeveral = times.size > 1
  return first <= now
    ? words.publishesNow(isSeveral)
    : words.publishesAt(moment(new Date(first), timeZone), isSeveral)
}

/** What the first channel gets, and whether others get something else. */
function quoteOf(reviewed: readonly ReviewedDestination[]): Pick<Message, 'quote' | 'afterQuote'> {
  const [first] = reviewed
  if (first === undefined) return {}
  const text = first.parts.filter((part) => part !== '').join('\n\n')
  const files = new Set(first.media.flat()).size
  const contentOf = ({ parts, media }: ReviewedDestination) => JSON.stringify([parts, media])
  const differ = reviewed.some((one) => contentOf(one) !== contentOf(first))
  const more = [...(files === 0 ? [] : [words.files(files)]), ...(differ ? [words.differs] : [])]
  return {
    ...(text === '' ? {} : { quote: shortened(text) }),
    ...(more.length === 0 ? {} : { afterQuote: more.join(' ') }),
  }
}

function shortened(text: string): string {
  const characters = Array.from(text)
  return characters.length <= QUOTE_MAX ? text : `${characters.slice(0, QUOTE_MAX).join('')}…`
}
