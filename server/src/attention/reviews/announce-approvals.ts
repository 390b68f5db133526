import {
  type ReviewedDestination,
  reviewedOf,
  takeUnannounced,
} from '../../content/approvals/approval-store.ts'
import { reviewUrl } from '../../content/approvals/approval.ts'
import { approversToTell, type OpenRequest, tellOpen } from './told-store.ts'
import { findChannels } from '../../networks/channels/channel-store.ts'
import { type ClaimedMail, dropMail, type MailQueue, sealOff } from '../../people/mail/mail-store.ts'
import { type Message, oneLine, type Section } from '../../people/mail/message.ts'
import { mailReaders, type Reader } from '../notices/reader-store.ts'
import type { Db, Tx } from '../../platform/postgres/db.ts'
import { writtenIn } from '../../platform/text/language.ts'
import { listed, moment } from '../../platform/text/moments.ts'
import { siteOf } from '../../platform/outbound/site.ts'
import { creatorOf } from '../../content/posts/post-store.ts'
import { words } from './words.ts'

const AT_ONCE = 1_000
const QUOTE_MAX = 1_000
/** So many requests are described in one mail; the others are counted. */
const SHOWN = 10
const EXCERPT_MAX = 100

/**
 * Has each approver who wants it mailed of the open requests that they were not told of: one mail for all of them, a quarter of an
 * hour after the last one at the earliest (told-store.ts). What it tells is found when it is sent. One whose decision was taken
 * back is told of again, to those who were not told of it.
 */
export async function announceApprovals({ db, mail }: { db: Db; mail: MailQueue }): Promise<void> {
  for (let more = true; more;) {
    more = await db.begin(async (tx) => {
      const { workspaceIds, taken } = await takeUnannounced(tx, AT_ONCE)
      for (const workspaceId of workspaceIds) await announce(tx, mail, workspaceId)
      return taken === AT_ONCE
    })
  }
}

async function announce(tx: Tx, mail: MailQueue, workspaceId: string): Promise<void> {
  const readers = (await mailReaders(tx, workspaceId)).filter(isTold)
  const toTell = await approversToTell(
    tx,
    workspaceId,
    readers.map(({ personId }) => personId),
  )
  for (const { personId, inSeconds, openHours } of toTell) {
    const reader = readers.find((one) => one.personId === personId)
    if (reader === undefined) continue
    const { email: to, language, workspaceName } = reader
    const message = () => ({
      subject: words.subject(workspaceName),
      paragraphs: [],
      link: linkToAll(mail.baseUrl, workspaceId),
    })
    const once = `approvals ${workspaceId} ${personId}`
    const hours = openHours + inSeconds / 3_600
    await mail.enqueue(tx, { kind: 'approval', to, language, message, hours, once, inSeconds })
  }
}

const isTold = ({ kinds }: Reader) => kinds.includes('approvals')

/** Tells those who may still decide, and want to know, of what is still open; null, and dropped, where that is nothing. */
export function rewriteRequests(db: Db, baseUrl: string) {
  return async ({
    once,
    to,
    id,
    attempt,
    message: before,
  }: Pick<ClaimedMail, 'id' | 'attempt' | 'once' | 'to' | 'message'>): Promise<Message | null> => {
    const [kind, workspaceId = '', personId = ''] = (once ?? '').split(' ')
    // One that was written before several requests were one mail.
    if (kind !== 'approvals') return before
    return db.begin(async (tx) => {
      await sealOff(tx, { id, attempt }, `approvals ${workspaceId} ${personId} ${id}`)
      const reader = (await mailReaders(tx, workspaceId)).find(
        (one) => one.personId === personId && one.email === to && isTold(one),
      )
      const told =
        reader === undefined
          ? { count: 0, first: [] }
          : await tellOpen(tx, { workspaceId, personId }, id, SHOWN)
      if (reader === undefined || told.count === 0) {
        await dropMail(tx, { id, attempt })
        return null
      }
      const requests: Described[] = []
      for (const request of told.first) requests.push(await describe(tx, workspaceId, request))
      const { language } = reader
      const message = await writtenIn(language, () =>
        requestsMail(requests, { ...reader, workspaceId, baseUrl, count: told.count }),
      )
      return { ...message, ...(language === 'en' ? {} : { language }) }
    })
  }
}

type Described = OpenRequest & {
  readonly author: string
  readonly places: readonly string[]
  readonly reviewed: readonly ReviewedDestination[]
}

async function describe(tx: Tx, workspaceId: string, request: OpenRequest): Promise<Described> {
  const { postId } = request
  const author = await creatorOf(tx, workspaceId, postId)
  const reviewed = (await reviewedOf(tx, workspaceId, postId)).filter(({ status }) => status !== 'cancelled')
  const { channels } = await findChannels(
    tx,
    workspaceId,
    reviewed.map(({ channelId }) => channelId),
  )
  const places = [...channels.values()].map(({ displayName }) => displayName)
  return { ...request, author, places, reviewed }
}

type Told = {
  readonly workspaceId: string
  readonly workspaceName: string
  readonly baseUrl: string
  readonly count: number
}

function requestsMail(requests: readonly Described[], told: Told): Message {
  const { workspaceId, workspaceName, baseUrl, count } = told
  const [first] = requests
  if (count === 1 && first !== undefined) return requestMail(first, baseUrl)
  return {
    subject: words.subjectOfSeveral(count, workspaceName),
    paragraphs: [],
    sections: [
      {
        heading: words.waiting(workspaceName),
        items: requests.map((request) => itemOf(request, baseUrl)),
        ...(count > requests.length ? { more: words.andMore(count - requests.length) } : {}),
      },
    ],
    link: linkToAll(baseUrl, workspaceId),
  }
}

/** All that a person has to know of one request before they decide. */
function requestMail(request: Described, baseUrl: string): Message {
  const { approvalId, author, places, reviewed, workspaceName, timeZone, expiresAt } = request
  return {
    subject: words.subject(workspaceName),
    paragraphs: [
      `${words.wantsToPublish(author, placesWords(places), workspaceName)} ${publishesWords(reviewed, timeZone)}`,
    ],
    ...quoteOf(reviewed),
    link: { label: words.review, url: reviewUrl(baseUrl, approvalId) },
    after: [words.decideBy(moment(expiresAt, timeZone))],
  }
}

function itemOf(request: Described, baseUrl: string): Section['items'][number] {
  const { approvalId, author, places, reviewed, timeZone, expiresAt } = request
  const text = oneLine(reviewed[0]?.parts.find((part) => part !== '') ?? '', EXCERPT_MAX)
  return {
    title: text === '' ? words.withoutText : words.quoted(text),
    text: `${words.publishesOn(author, placesWords(places))} ${publishesWords(reviewed, timeZone)} ${words.decideBy(moment(expiresAt, timeZone))}`,
    url: reviewUrl(baseUrl, approvalId),
  }
}

function linkToAll(baseUrl: string, workspaceId: string) {
  return { label: words.reviewAll, url: `${siteOf(baseUrl).url}/w/${workspaceId}/approvals` }
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
