import type { WebhookEvent } from './events.ts'
import { checkNumbers } from './numbers.ts'

/** Why a webhook was not accepted. All of them mean: answer 400, and do nothing with the body. */
export type WebhookFault =
  | 'missing_signature'
  | 'malformed_signature'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'
  | 'malformed_body'

export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
  readonly code: WebhookFault

  constructor(code: WebhookFault, message: string) {
    super(message)
    this.code = code
  }
}

/** The headers of a request: those of the Fetch standard, or a plain object as Node has them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = {
  /** How far the timestamp may be from now, in either direction. */
  readonly toleranceSeconds?: number
  /** Unix seconds; the system's clock when left out. */
  readonly now?: () => number
}

/**
 * Verifies that a webhook was signed with the endpoint's secret within the last minutes, and gives its event.
 * `rawBody` is the body exactly as it came in, never a parsed and printed one. During a rotation of your own you may
 * give several secrets. Rejects with WebhookVerificationError, and with a TypeError for an option that is no number. Signatures are compared in constant time.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = () => Date.now() / 1_000 }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const time = now()
  checkNumbers({ toleranceSeconds, now: time })
  const body = bytesOf(rawBody)
  const { timestamp, signatures } = readSignature(headerOf(headers, 'x-service-signature'))
  const signed = concat(new TextEncoder().encode(`${timestamp}.`), body)
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (!(await anyMatches(signed, signatures, secrets))) {
    throw new WebhookVerificationError(
      'no_matching_signature',
      'No signature fits. Is this the secret of this endpoint, and is the body exactly as it came in?',
    )
  }
  // After the signature, so that a stranger learns nothing of our clock.
  checkAge(Number(timestamp), toleranceSeconds, time)
  return readEvent(body)
}

function checkAge(timestamp: number, toleranceSeconds: number, now: number): void {
  if (timestamp < now - toleranceSeconds)
    throw new WebhookVerificationError('timestamp_too_old', 'The signature is too old: it may be a replay.')
  if (timestamp > now + toleranceSeconds)
    throw new WebhookVerificationError(
      'timestamp_too_new',
      'The signature is from the future. Is the clock right?',
    )
}

function readSignature(header: string | null): { timestamp: string; signatures: Uint8Array<ArrayBuffer>[] } {
  if (header === null)
    throw new WebhookVerificationError('missing_signature', 'There is no X-Service-Signature header.')
  const items = header.split(',').map((item) => item.split('=') as [string, string?])
  const times = items.flatMap(([name, value]) => (name === 't' && value !== undefined ? [value] : []))
  const [timestamp] = times
  if (timestamp === undefined || times.length > 1 || !/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError(
      'malformed_signature',
      'The X-Service-Signature header has no single timestamp.',
    )
  // Schemes that this version does not know are passed over, so that a later one can be sent beside v1.
  const signatures = items.flatMap(([name, value = '']) =>
    name === 'v1' && /^[0-9a-f]{64}$/.test(value) ? [bytesOfHex(value)] : [],
  )
  return { timestamp, signatures }
}

async function anyMatches(
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  secrets: readonly string[],
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  let matches = false
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, [
      'verify',
    ])
    for (const each of signatures) {
      // All are looked at: the time it takes must not tell which one fits.
      if (await crypto.subtle.verify('HMAC', key, each, signed)) matches = true
    }
  }
  return matches
}

function readEvent(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('malformed_body', 'The body is signed, but it is not JSON.')
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (hasGet(headers)) return headers.get(name)
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (found === undefined || typeof found === 'string') return found ?? null
  return found.join(',')
}

function hasGet(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}

function bytesOf(rawBody: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  if (ArrayBuffer.isView(rawBody)) return rawBody
  throw new TypeError(
    'verifyWebhook needs the raw body (text or bytes) as it came in, before any JSON parser saw it.',
  )
}

function concat(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length)
  all.set(head)
  all.set(tail, head.length)
  return all
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, place) =>
    parseInt(hex.slice(2 * place, 2 * place + 2), 16),
  )
}
