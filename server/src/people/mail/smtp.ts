import { OutsideFault } from '../../platform/process/outside-fault.ts'
import type { Secret } from '../../platform/sealing/sealing.ts'
import { htmlOf, type Message, subjectOf, textOf } from './message.ts'

export type SmtpSettings = {
  /** `smtp://` (STARTTLS where it is offered) or `smtps://` (TLS from the first byte), with name and password. */
  readonly url: Secret
  /** The sender: an address, or a name with the address in angle brackets. */
  readonly from: string
}

export type OutgoingMail = {
  readonly id: string
  readonly to: string
  readonly message: Message
  readonly createdAt: Date
}

/** What became of a mail. `refused` is the server's last word on it; after `failed` it may or may not have arrived. */
export type Sending =
  | { readonly is: 'sent'; readonly detail: string }
  | { readonly is: 'refused' | 'failed'; readonly detail: string }

const CONNECT_MS = 10_000
/** For so long the server may be silent while it is only asked whether it takes mail. */
const SILENCE_MS = 30_000
/** For so long a mail may take until all of it is handed over. */
const TALK_MS = 60_000
/** For so long the answer to that may take: a mail that was given up earlier would often arrive, and be sent again (RFC 5321, 4.5.3.2.6). */
const ANSWER_MS = 600_000
/** Longer than a mail may take. */
export const MAIL_LEASE_SECONDS = (TALK_MS + ANSWER_MS) / 1_000 + 60
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Sends one mail over a connection of its own, which ends with it. Never throws: a server that cannot be reached is an answer, too.
 * `stop` ends it, unless all of it is handed over.
 */
export async function sendBySmtp(
  settings: SmtpSettings,
  mail: OutgoingMail,
  stop?: AbortSignal,
): Promise<Sending> {
  const transport = await openTransport(settings, ANSWER_MS)
  const { id, to, message, createdAt } = mail
  const limit = new AbortController()
  const allow = (ms: number) => setTimeout(() => limit.abort(tookLonger(ms)), ms)
  let timer = allow(TALK_MS)
  const cut = () => limit.abort(new Error('Postrider was stopped.'))
  stop?.addEventListener('abort', cut)
  transport.use('stream', ({ message: written }, done) => {
    written.processFunc((content) =>
      content.once('end', () => {
        stop?.removeEventListener('abort', cut)
        clearTimeout(timer)
        timer = allow(ANSWER_MS)
      }),
    )
    done()
  })
  try {
    const { response } = await transport.sendMail({
      from: settings.from,
      to: { name: '', address: to },
      subject: subjectOf(message),
      text: textOf(message),
      html: htmlOf(message),
      date: createdAt,
      // The same for every repeat, so that a mailbox may tell that it has it.
      messageId: `<${id}@${senderDomain(settings.from)}>`,
      // RFC 3834: no absence notice is sent back.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: limit.signal,
    })
    return { is: 'sent', detail: response }
  } catch (fault) {
    if (limit.signal.aborted) return { is: 'failed', detail: describeFault(limit.signal.reason) }
    return { is: isFinal(fault) ? 'refused' : 'failed', detail: describeFault(fault) }
  } finally {
    stop?.removeEventListener('abort', cut)
    clearTimeout(timer)
    transport.close()
  }
}

/** Connects and signs in, without sending anything; null when that works, otherwise what the matter is. */
export async function findSmtpFault(settings: SmtpSettings): Promise<OutsideFault | null> {
  const transport = await openTransport(settings, SILENCE_MS)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tookLonger(TALK_MS)), TALK_MS)
  try {
    await Promise.race([transport.verify(), late.promise])
    return null
  } catch (fault) {
    return new OutsideFault('mail', fault)
  } finally {
    clearTimeout(timer)
    transport.close()
  }
}

const tookLonger = (ms: number) => new Error(`The mail server took longer than ${ms / 1_000} seconds.`)

async function openTransport({ url }: SmtpSettings, silenceMs: number) {
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port, username, password } = new URL(url.reveal())
  const secure = protocol === 'smtps:'
  const user = decodeURIComponent(username)
  return createTransport({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // A password goes unencrypted to this machine only, whatever is stripped on the way to the server.
    requireTLS: !secure && user !== '' && !LOOPBACK.includes(hostname),
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: silenceMs,
  })
}

/** What a server that wants another sign-in or TLS says to any command (RFC 4954, 6; RFC 3207, 4). */
const SIGN_IN_CODES = [530, 534, 535, 538]

/** A 5xx to the sender, the recipient or the message is final (RFC 5321, 4.2.1). One to our sign-in is ours to mend. */
function isFinal(fault: unknown): boolean {
  const { code, responseCode = 0 } = fault as { code?: string; responseCode?: number }
  if (SIGN_IN_CODES.includes(responseCode)) return false
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500
}

function describeFault(fault: unknown): string {
  return (fault instanceof Error ? fault.message : String(fault)).slice(0, 500)
}

function senderDomain(from: string): string {
  return /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost'
}
