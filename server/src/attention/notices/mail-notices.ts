import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import type { ClaimedMail, MailQueue } from '../../people/mail/mail-store.ts'
import { isUnsent } from '../../people/mail/mail-store.ts'
import type { Message } from '../../people/mail/message.ts'
import {
  databaseTrouble,
  type Db,
  isDatabaseDown,
  type Sql,
  type Tx,
  useIndexPlans,
} from '../../platform/postgres/db.ts'
import { writtenIn } from '../../platform/text/language.ts'
import { siteOf } from '../../platform/outbound/site.ts'
import type { VersionEnd } from '../../networks/channels/version-ends.ts'
import { newsOf, type Span } from './new-trouble-store.ts'
import { noteTroubles } from './notice-store.ts'
import {
  type DueReader,
  mailReaders,
  putOffReader,
  type Reader,
  settleReader,
  takeDueReader,
} from './reader-store.ts'
import { writeNotice } from './write-notice.ts'

/** What comes within that time of a mail is one more mail. */
const QUIET_MINUTES = 15
/** While a mail has not been sent, the next one waits. */
const UNSENT_MINUTES = 5
/** After a mail could not be written, another is tried. */
const FAULT_MINUTES = 5
const HOURS = 72

type Parts = {
  readonly db: Db
  readonly mail: MailQueue
  /** Of the versions of networks' APIs. */
  readonly ends: readonly VersionEnd[]
  /** A mail to this reader could not be written, or, without one, what is new could not be noted. */
  readonly onFault: (fault: unknown, reader?: DueReader) => void
}

/**
 * Notes what needs attention, and writes one mail to each member who is to be told of what is new. What a reader was told of is
 * recorded in the transaction that writes the mail: nothing is mailed twice. A fault delays only the reader whose mail has it.
 */
export async function mailNotices(parts: Parts): Promise<void> {
  await noteTroubles(parts.db, parts.ends).catch((fault: unknown) => {
    if (databaseTrouble(fault) !== null) throw fault
    parts.onFault(fault)
  })
  while (await mailNext(parts));
}

/** False when no reader is due. */
async function mailNext({ db, mail, ends, onFault }: Parts): Promise<boolean> {
  let due: DueReader | null = null
  try {
    return await writeInTransaction(db, async (tx) => {
      await useIndexPlans(tx)
      due = await takeDueReader(tx)
      if (due !== null) await mailOne(tx, { mail, ends }, due)
      return due !== null
    })
  } catch (fault) {
    if (due === null || isDatabaseDown(fault)) throw fault
    onFault(fault, due)
    await putOffReader(db, due, FAULT_MINUTES)
    return true
  }
}

async function mailOne(tx: Tx, { mail, ends }: Pick<Parts, 'mail' | 'ends'>, due: DueReader): Promise<void> {
  if (due.lastMail !== null && (await isUnsent(tx, due.lastMail)))
    return putOffReader(tx, due, UNSENT_MINUTES)
  const written = await write(tx, { baseUrl: mail.baseUrl, ends }, due, due.memberId)
  if (written === null) return settleReader(tx, due, null)
  const { reader, message } = written
  const once = onceOf(due)
  const { email: to, language } = reader
  await mail.enqueue(tx, { kind: 'attention', to, language, message, hours: HOURS, once })
  await settleReader(tx, due, { once, quietMinutes: QUIET_MINUTES })
}

const onceOf = ({ workspaceId, memberId, after, upTo }: Span & { memberId: string }) =>
  `attention ${workspaceId} ${memberId} ${after} ${upTo}`

/**
 * What a mail says when it is sent, which may be long after it was written: only what still is so, to who may still be told. Null for nothing.
 */
export function rewriteNotice(db: Db, baseUrl: string, ends: readonly VersionEnd[]) {
  return async ({ once, to }: Pick<ClaimedMail, 'once' | 'to'>): Promise<Message | null> => {
    const [, workspaceId = '', memberId = '', after = '', upTo = ''] = (once ?? '').split(' ')
    const written = await db.begin(async (tx) => {
      await useIndexPlans(tx)
      return write(tx, { baseUrl, ends }, { workspaceId, after, upTo }, memberId)
    })
    if (written === null || written.reader.email !== to) return null
    const { language } = written.reader
    return { ...written.message, ...(language === 'en' ? {} : { language }) }
  }
}

async function write(
  sql: Sql,
  { baseUrl, ends }: { readonly baseUrl: string; readonly ends: readonly VersionEnd[] },
  span: Span,
  memberId: string,
): Promise<{ reader: Reader; message: Message } | null> {
  const [reader] = await mailReaders(sql, span.workspaceId, memberId)
  if (reader === undefined) return null
  const all = []
  for (const kind of reader.kinds) all.push(await newsOf(sql, kind, span, ends))
  const news = all.filter(({ count }) => count > 0)
  if (news.length === 0) return null
  const workspaceUrl = `${siteOf(baseUrl).url}/w/${span.workspaceId}`
  const { language, workspaceName, timeZone } = reader
  const message = await writtenIn(language, () =>
    writeNotice(news, { workspaceName, timeZone, workspaceUrl }),
  )
  return { reader, message }
}
