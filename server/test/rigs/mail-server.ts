import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { Secret } from '../../src/platform/sealing/sealing.ts'
import type { SmtpSettings } from '../../src/people/mail/smtp.ts'

/** A mail as the server took it in. */
export type Arrival = {
  readonly to: string
  readonly raw: string
  /** Its plain text, decoded. */
  readonly text: string
  readonly html: string
  readonly subject: string
  readonly messageId: string
}

export type MailServer = AsyncDisposable & {
  readonly arrivals: Arrival[]
  readonly smtp: SmtpSettings
  /** What is said to the next recipients, instead of that they are good: a code such as 451 or 550. */
  readonly refusals: number[]
  /** Called when a mail is complete, before that is acknowledged. */
  onData: (arrival: Arrival) => Promise<void> | void
}

/** A real SMTP server on this machine, without TLS unless `options` say otherwise. */
export async function openMailServer(
  options: SMTPServerOptions = {},
  { protocol = 'smtp', login = '' } = {},
): Promise<MailServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
    disableReverseLookup: true,
    onRcptTo(_address, _session, callback) {
      const code = mail.refusals.shift()
      callback(code === undefined ? null : Object.assign(new Error('Not now'), { responseCode: code }))
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString()
        const arrival = { to: session.envelope.rcptTo[0]!.address, raw, ...parsed(raw) }
        await mail.onData(arrival)
        mail.arrivals.push(arrival)
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const mail: MailServer = {
    arrivals: [],
    refusals: [],
    smtp: { url: new Secret(`${protocol}://${login}127.0.0.1:${port}`), from: 'Postrider <post@rider.test>' },
    onData: () => {},
    [Symbol.asyncDispose]: () => new Promise((closed) => server.close(() => closed())),
  }
  return mail
}

function parsed(raw: string) {
  const header = (name: string) =>
    (new RegExp(`^${name}: ((?:.|\r\n[ \t])*)`, 'im').exec(raw)?.[1] ?? '').replaceAll(/\r\n[ \t]/g, ' ')
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? ''
  const part = (type: string) => {
    const found = raw.split(`--${boundary}`).find((one) => one.includes(`Content-Type: ${type}`)) ?? ''
    const [head = '', ...body] = found.split('\r\n\r\n')
    return decoded(head, body.join('\r\n\r\n'))
  }
  return {
    subject: encodedWords(header('Subject')),
    messageId: header('Message-ID'),
    text: part('text/plain'),
    html: part('text/html'),
  }
}

function decoded(head: string, body: string): string {
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/quoted-printable/i.test(head)) return body.replaceAll('\r\n', '\n')
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n')
}

function encodedWords(text: string): string {
  return text.replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=\s?/gi, (_, how: string, value: string) =>
    how.toUpperCase() === 'B'
      ? Buffer.from(value, 'base64').toString()
      : decoded('quoted-printable', value.replaceAll('_', ' ')),
  )
}
