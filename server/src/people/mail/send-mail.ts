import { setTimeout as delay } from 'node:timers/promises'
import { activityNotes } from '../../platform/postgres/activity-store.ts'
import { databaseTrouble, type Db } from '../../platform/postgres/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { retryCollisions } from '../../platform/postgres/retry-collisions.ts'
import { runPeriodically, settledWithin } from '../../platform/loops/run-periodically.ts'
import { inSpan, noteOnSpan } from '../../platform/process/tracing.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import {
  claimMail,
  type ClaimedMail,
  giveUpMail,
  type MailKind,
  type MailOrder,
  markSent,
  retryMail,
} from './mail-store.ts'
import type { Message } from './message.ts'
import { MAIL_LEASE_SECONDS, sendBySmtp, type SmtpSettings } from './smtp.ts'

export type MailSenderParts = {
  readonly db: Db
  readonly keyring: Pick<Keyring, 'unseal'>
  readonly log: Log
  readonly smtp: SmtpSettings
  /** What may have mail to write, such as requests that no mail was sent for; asked every few seconds, whatever the mail server does. */
  readonly sources: readonly (() => Promise<void>)[]
  readonly everyMs: number
  /** A mail that takes longer leaves its place to the next one; five seconds when left out. */
  readonly slowMs?: number
  /** While too many mails are slow, one more is tried each so often; every 20 seconds when left out. */
  readonly tryMs?: number
  readonly rewrites: Rewrites
}

/** Of each kind of mail, what it says when it is sent, null for nothing any more; null for a kind that says what it said when it was written. */
export type Rewrites = Readonly<Record<MailKind, ((mail: ClaimedMail) => Promise<Message | null>) | null>>

const FIRST_RETRY_SECONDS = 30
const LONGEST_RETRY_SECONDS = 3_600
/** What each lane sends first: a link that expires in an hour does not wait for many mails that are sent again and again. */
const LANES: readonly MailOrder[] = ['due', 'expiring']
/** After that a mail leaves its lane to the next one: servers are slow for some recipients, and quick for the others. */
const SLOW_MS = 5_000
/** So many mails may be slow at once, before it has to be found out whether others are quick. */
const MOST_SLOW = 10
/** A mail is slow for eleven minutes at most: so there are no more than 45 connections, and a mail server takes 50 (Postfix). */
const TRY_MS = 20_000
/** So long after the stop began, what is not handed over is left to the next process. */
const CUT_MS = 2_000

/** Seconds until the next attempt after this one, the first being 1. */
export function retryAfterSeconds(attempt: number): number {
  return Math.min(FIRST_RETRY_SECONDS * 2 ** (attempt - 1), LONGEST_RETRY_SECONDS)
}

/** Writes what is to be mailed, and sends what is due, every few seconds, until it is stopped. */
export function startMailSender(parts: MailSenderParts): { stop(withinMs: number): Promise<void> } {
  const stop = new AbortController()
  const onFault = (err: unknown) =>
    parts.log.error({ err, doing: 'mail' }, 'mail could not be written or claimed')
  const writer = runPeriodically(
    async () => {
      for (const source of parts.sources) await retryCollisions(source).catch(onFault)
    },
    parts.everyMs,
    onFault,
  )
  const lanes = openLanes({ ...parts, stop: stop.signal, onWorked: activityNotes(parts.db, 'mail') })
  const sender = runPeriodically(lanes.sendDue, parts.everyMs, onFault)
  return {
    async stop(withinMs) {
      lanes.close()
      const cut = setTimeout(() => stop.abort(), Math.min(withinMs, CUT_MS))
      await settledWithin(withinMs, async () => {
        await Promise.all([writer.stop(), sender.stop()])
        await lanes.ended()
      })
      clearTimeout(cut)
    },
  }
}

/** Sends all mail that is due. */
export async function sendDueMail(parts: SendParts & Pick<MailSenderParts, 'keyring'>): Promise<void> {
  const lanes = openLanes(parts)
  await lanes.sendDue()
  await lanes.ended()
}

type LaneParts = SendParts &
  Pick<MailSenderParts, 'keyring' | 'slowMs' | 'tryMs'> & { readonly onWorked?: () => Promise<void> }

function openLanes(parts: LaneParts) {
  const { db, keyring, log, onWorked, slowMs = SLOW_MS, tryMs = TRY_MS } = parts
  const slow = new Set<Promise<void>>()
  let nextTryAt = 0
  let closed = false

  async function lane(first: MailOrder): Promise<void> {
    for (;;) {
      await onWorked?.()
      const isTry = slow.size >= MOST_SLOW
      if (closed || (isTry && performance.now() < nextTryAt)) return
      if (isTry) nextTryAt = performance.now() + tryMs
      const mail = await claimMail(db, keyring, MAIL_LEASE_SECONDS, isTry ? 'least tried' : first)
      const isQuick = mail === null || (await sendInLane(mail))
      // The next one may be, too.
      if (isTry && isQuick) nextTryAt = 0
      if (mail === null) return
    }
  }

  /** Whether it ended before it was slow. */
  async function sendInLane(mail: ClaimedMail): Promise<boolean> {
    const sending = sendOne(parts, mail)
    const limit = new AbortController()
    const left = delay(slowMs, true, { signal: limit.signal }).catch(() => false)
    const isSlow = await Promise.race([sending.then(() => false), left]).finally(() => limit.abort())
    if (!isSlow) return true
    const later: Promise<void> = sending
      .catch((err: unknown) => log.error({ err, doing: 'mail' }, 'a mail could not be sent or recorded'))
      .finally(() => slow.delete(later))
    slow.add(later)
    return false
  }

  return {
    /** Begins all mail that is due, or little of it while too much is slow; what is slow continues. */
    sendDue: async () => void (await Promise.all(LANES.map(lane))),
    ended: async () => void (await Promise.all(slow)),
    close() {
      closed = true
    },
  }
}

type SendParts = Pick<MailSenderParts, 'db' | 'log' | 'smtp'> & {
  readonly rewrites?: Partial<Rewrites>
  /** Ends what is not handed over. */
  readonly stop?: AbortSignal
}

function sendOne(parts: SendParts, mail: ClaimedMail): Promise<void> {
  const { id, kind, attempt } = mail
  const attributes = { 'postrider.mail_id': id, 'postrider.kind': kind, 'postrider.attempt': attempt }
  return inSpan('mail', { attributes }, () => sendClaimed(parts, mail))
}

async function sendClaimed(parts: SendParts, mail: ClaimedMail): Promise<void> {
  const { db, log, smtp, rewrites = {}, stop } = parts
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
    if (databaseTrouble(err) !== null) throw err
    log.error({ ...facts, err }, 'mail could not be written')
    await sendAgain(parts, mail, 'It could not be written.')
    return
  }
  if (now === null) {
    await giveUpMail(db, mail, 'What it told of was settled.')
    log.info(facts, 'mail was no longer needed')
    return
  }
  const content = { id, to, message: now, createdAt }
  const { is, detail } = await inSpan('call', { isCall: true }, () => sendBySmtp(smtp, content, stop))
  noteOnSpan({ 'postrider.result': is })
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
