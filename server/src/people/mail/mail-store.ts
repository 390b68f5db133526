import type { Sql, Tx } from '../../platform/postgres/db.ts'
import type { EmailAddress } from '../../platform/text/email-address.ts'
import { keyIdOf, sealedColumn } from '../../platform/sealing/sealed-kind.ts'
import { type Keyring, tryUnseal } from '../../platform/sealing/sealing.ts'
import type { Message } from './message.ts'
import { type Language, writtenIn } from '../../platform/text/language.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'

export type MailKind = 'password_reset' | 'email_change' | 'invitation' | 'approval' | 'notice' | 'attention'

export type NewMail = {
  readonly kind: MailKind
  readonly to: EmailAddress
  /** What it says: a function writes it in the language of its receiver. */
  readonly message: Message | (() => Message)
  /** That of the receiver; English where it is left out. */
  readonly language?: Language
  /** For how long it is worth sending. */
  readonly hours: number
  /** What there may be one mail of. */
  readonly once?: string
  /** When it is sent at the earliest; at once where it is left out. Of two of the same, the earlier one counts. */
  readonly inSeconds?: number
}

/** Takes mail in: what is written here in a transaction is sent once that is committed. */
export type MailQueue = {
  readonly enqueue: (sql: Sql, mail: NewMail) => Promise<void>
  /** The address under which people open the server. */
  readonly baseUrl: string
}

export function mailQueue(keyring: Pick<Keyring, 'seal'>, baseUrl: string): MailQueue {
  return {
    baseUrl,
    async enqueue(sql, { kind, to, message, language = 'en', hours, once = null, inSeconds = 0 }) {
      const id = uuidv7()
      const written = typeof message === 'function' ? await writtenIn(language, message) : message
      const sealed = keyring.seal(
        JSON.stringify(language === 'en' ? written : { ...written, language }),
        mailContext(id),
      )
      await sql`
        insert into mail (id, kind, recipient, once, content_sealed, expires_at, due_at)
        values (${id}, ${kind}, ${to}, ${once}, ${sealed}, now() + ${hours} * interval '1 hour',
                now() + ${inSeconds} * interval '1 second')
        on     conflict (once) do update
        set    due_at = excluded.due_at, expires_at = greatest(mail.expires_at, excluded.expires_at)
        where  mail.attempts = 0 and mail.due_at > excluded.due_at`
    },
  }
}

/** A mail, claimed to be sent now. */
export type ClaimedMail = {
  readonly id: string
  readonly kind: MailKind
  readonly to: string
  readonly once: string | null
  /** Null when the key that sealed it is lost. */
  readonly message: Message | null
  /** How many times it was claimed, this time included. */
  readonly attempt: number
  readonly createdAt: Date
  /** Whether it is too late for it. */
  readonly late: boolean
}

/**
 * Which of the mails that are due comes first: the one that has waited longest, the one that is of use for the shortest time, or of
 * those that were tried least often the one that is.
 */
export type MailOrder = 'due' | 'expiring' | 'least tried'

const ORDERS = {
  due: (sql) => sql`due_at`,
  expiring: (sql) => sql`expires_at`,
  'least tried': (sql) => sql`attempts, expires_at`,
} satisfies Record<MailOrder, (sql: Sql) => unknown>

/** Claims a mail that is due, for so many seconds; null when none is. */
export async function claimMail(
  sql: Sql,
  keyring: Pick<Keyring, 'unseal'>,
  leaseSeconds: number,
  first: MailOrder = 'due',
): Promise<ClaimedMail | null> {
  const [row] = await sql<(Omit<ClaimedMail, 'message'> & { sealed: Buffer })[]>`
    update mail
    set    attempts = attempts + 1, due_at = now() + ${leaseSeconds} * interval '1 second'
    where  id = (
      select id from mail
      where  content_sealed is not null and due_at <= now()
      order  by ${ORDERS[first](sql)}
      limit  1
      for    update skip locked)
    returning id, kind, recipient as "to", once, content_sealed as sealed, attempts as attempt, created_at as "createdAt",
              expires_at <= now() as late`
  if (row === undefined) return null
  const { sealed, ...claimed } = row
  const opened = tryUnseal(keyring, sealed, mailContext(row.id))
  return { ...claimed, message: opened === null ? null : (JSON.parse(opened.toString()) as Message) }
}

/** Whether the mail that has this as its `once` is still to be sent. */
export async function isUnsent(sql: Sql, once: string): Promise<boolean> {
  const rows = await sql`select from mail where once = ${once} and content_sealed is not null`
  return rows.length === 1
}

/** The mail was accepted by the server; its content is forgotten. Nothing happens when another process has it by now. */
export async function markSent(sql: Sql, { id, attempt }: ClaimedMail): Promise<void> {
  await sql`
    update mail set sent_at = now(), content_sealed = null, last_error = null
    where  id = ${id} and attempts = ${attempt} and content_sealed is not null`
}

/** This mail is not sent; its content is forgotten. */
export async function giveUpMail(sql: Sql, { id, attempt }: ClaimedMail, reason: string): Promise<void> {
  await sql`
    update mail set given_up_at = now(), content_sealed = null, last_error = ${reason}
    where  id = ${id} and attempts = ${attempt} and content_sealed is not null`
}

/** This mail is not sent, since what it told of is settled; another one of the same may be written once that is open again. */
export async function dropMail(tx: Tx, { id, attempt }: Pick<ClaimedMail, 'id' | 'attempt'>): Promise<void> {
  await tx`
    update mail set once = null, given_up_at = now(), content_sealed = null, last_error = 'What it told of was settled.'
    where  id = ${id} and attempts = ${attempt} and content_sealed is not null`
}

/** Has a mail that is being sent stand for no more than itself: what comes from now on is another one. */
export async function sealOff(
  tx: Tx,
  { id, attempt }: Pick<ClaimedMail, 'id' | 'attempt'>,
  once: string,
): Promise<void> {
  await tx`
    update mail set once = ${once}
    where  id = ${id} and attempts = ${attempt} and content_sealed is not null`
}

/** Tries again after so many seconds; false when that is too late, and the mail is given up. */
export async function retryMail(
  sql: Sql,
  { id, attempt }: ClaimedMail,
  reason: string,
  afterSeconds: number,
): Promise<boolean> {
  const [row] = await sql<{ again: boolean }[]>`
    update mail
    set    due_at = now() + ${afterSeconds} * interval '1 second', last_error = ${reason},
           given_up_at = case when expires_at <= now() + ${afterSeconds} * interval '1 second' then now() end,
           content_sealed = case when expires_at > now() + ${afterSeconds} * interval '1 second' then content_sealed end
    where  id = ${id} and attempts = ${attempt} and content_sealed is not null
    returning content_sealed is not null as again`
  return row?.again ?? true
}

const KEPT = '30 days'

/** Removes mail that was done with so long ago, at most so many; returns how many. */
export async function pruneMail(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    delete from mail where id in (
      select id from mail where content_sealed is null and created_at < now() - ${KEPT}::interval limit ${limit})`
  return count
}

function mailContext(id: string): string {
  return `mail:${id}`
}

/** Mail that waits to be sent. What its key is lost for is given up. */
export const sealedMail = sealedColumn({
  name: 'unsent mail',
  table: 'mail',
  column: 'content_sealed',
  contextOf: ({ id }) => mailContext(id),
  async giveUp(tx, keyIds) {
    await tx`
      update mail set content_sealed = null, given_up_at = now(), last_error = 'its secret key was lost'
      where  ${keyIdOf(tx, 'content_sealed')} = any (${[...keyIds]})`
  },
})

/** Forgets all mail that is still to be sent. */
export async function dropUnsentMail(sql: Sql): Promise<void> {
  await sql`delete from mail where content_sealed is not null`
}
