import { setTimeout as delay } from 'node:timers/promises'
import { activityNotes } from '../platform/activity-store.ts'
import { type Db, isDatabaseAway } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { runPeriodically } from '../platform/run-periodically.ts'
import type { Keyring } from '../platform/sealing.ts'
import { claimMail, type ClaimedMail, giveUpMail, type MailKind, markSent, retryMail } from './mail-store.ts'
import type { Message } from './message.ts'
import { sendBySmtp, type SmtpSettings } from './smtp.ts'

export type MailSenderParts = {
  readonly db: Db
  readonly keyring: Pick<Keyring, 'unseal'>
  readonly log: Log
  readonly smtp: SmtpSettings
  /** What may have mail to write, such as requests that no mail was sent for; each is asked before every round. */
  readonly sources: readonly (() => Promise<void>)[]
  readonly everyMs: number
  readonly rewrites: Rewrites
}

/** Of each kind of mail, what it says when it is sent, null for nothing any more; null for a kind that says what it said when it was written. */
export type Rewrites = Readonly<Record<MailKind, ((mail: ClaimedMail) => Promise<Message | null>) | null>>

/** Longer than a mail may take: no other process sends it meanwhile. */
const LEASE_SECONDS = 180
const FIRST_RETRY_SECONDS = 30
const LONGEST_RETRY_SECONDS = 3_600
/** So many mails are under way at once. */
const LANES = 2

/** Seconds until the next attempt after this one, the first being 1. */
export function retryAfterSeconds(attempt: number): number {
  return Math.min(FIRST_RETRY_SECONDS * 2 ** (attempt - 1), LONGEST_RETRY_SECONDS)
}

/** Writes what is to be mailed and sends what is due, every few seconds, until it is stopped. */
export function startMailSender(parts: MailSenderParts): { stop(withinMs: number): Promise<void> } {
  let stopping = false
  const onFault = (err: unknown) => parts.log.error({ err }, 'mail could not be written or claimed')
  const noteRound = activityNotes(parts.db, 'mail')
  const sender = runPeriodically(
    async () => {
      for (const source of parts.sources) await source().catch(onFault)
      await sendDueMail(parts, () => stopping)
      await noteRound()
    },
    parts.everyMs,
    onFault,
  )
  return {
    async stop(withinMs) {
      stopping = true
      await Promise.race([sender.stop(), delay(withinMs, undefined, { ref: false })])
    },
  }
}

/** Sends all mail that is due. */
export async function sendDueMail(
  parts: SendParts & Pick<MailSenderParts, 'keyring'>,
  stopping = () => false,
): Promise<void> {
  const { db, keyring } = parts
  async function lane(): Promise<void> {
    while (!stopping()) {
      const mail = await claimMail(db, keyring, LEASE_SECONDS)
      if (mail === null) return
      await sendOne(parts, mail)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

type SendParts = Pick<MailSenderParts, 'db' | 'log' | 'smtp'> & { readonly rewrites?: Partial<Rewrites> }

async function sendOne(parts: SendParts, mail: ClaimedMail): Promise<void> {
  const { db, log, smtp, rewrites = {} } = parts
  const { id, kind, to, message, attempt, createdAt, late } = mail
  const facts = { mailId: id, kind, attempt }
  if (message === null || late) {
    const reason = late ? 'It was too late to send it.' : 'The key that sealed it is lost.'
    await giveUpMail(db, mail, reason)
    log.error({ ...facts, reason }, 'mail was given up')
    return
  }
  let now: Message | null
  try {
    now = await (rewrites[kind]?.(mail) ?? message)
  } catch (err) {
    if (isDatabaseAway(err)) throw err
    log.error({ ...facts, err }, 'mail could not be written')
    await sendAgain(parts, mail, 'It could not be written.')
    return
  }
  if (now === null) {
    await giveUpMail(db, mail, 'What it told of was settled.')
    log.info(facts, 'mail was no longer needed')
    return
  }
  const { is, detail } = await sendBySmtp(smtp, { id, to, message: now, createdAt })
  switch (is) {
    case 'sent':
      await markSent(db, mail)
      log.info(facts, 'mail was sent')
      return
    case 'refused':
      await giveUpMail(db, mail, detail)
      log.error({ ...facts, reason: detail }, 'mail was given up')
      return
    case 'failed':
      await sendAgain(parts, mail, detail)
      return
    default:
      is satisfies never
  }
}

async function sendAgain({ db, log }: SendParts, mail: ClaimedMail, reason: string): Promise<void> {
  const { id: mailId, kind, attempt } = mail
  const facts = { mailId, kind, attempt, reason }
  const afterSeconds = retryAfterSeconds(attempt)
  const again = await retryMail(db, mail, reason, afterSeconds)
  if (again) log.warn({ ...facts, afterSeconds }, 'mail is tried again')
  else log.error(facts, 'mail was given up')
}
