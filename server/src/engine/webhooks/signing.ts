import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'

/**
 * A signing secret: `whsec_` and 32 random bytes in base64. For our own signature the key is the whole text, as
 * it is with Stripe; for the Standard Webhooks headers it is the decoded base64. One secret serves both.
 */
export function newSigningSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`
}

const PREFIX = 'whsec_'

/** A secret as its two keys, made once: with plain text, preparing the key costs more than the signature. */
export type SigningKey = { readonly own: KeyObject; readonly standard: KeyObject }

export function signingKey(secret: string): SigningKey {
  return {
    own: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(secret.slice(PREFIX.length), 'base64'),
  }
}

export type Signed = {
  readonly eventId: string
  readonly eventType: string
  /** Unix seconds at which this attempt is sent. */
  readonly timestamp: number
  /** The exact bytes that are sent. */
  readonly body: Uint8Array
}

/**
 * The headers of one delivery attempt. Every secret signs, the newest first: during a rotation there are several,
 * and a receiver is content when one of them is its own.
 */
export function deliveryHeaders(
  signed: Signed,
  keys: readonly SigningKey[],
  { standardHeaders }: { standardHeaders: boolean },
): Record<string, string> {
  const { eventId, eventType, timestamp } = signed
  return {
    'content-type': 'application/json',
    'x-service-event-id': eventId,
    'x-service-event-type': eventType,
    'x-service-timestamp': String(timestamp),
    'x-service-signature': signature(signed, keys),
    ...(standardHeaders
      ? {
          'webhook-id': eventId,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': standardSignature(signed, keys),
        }
      : {}),
  }
}

/** `t=<seconds>,v1=<hex>` with one `v1` for each secret. No space, and lower case: verifiers insist on both. */
export function signature(
  { timestamp, body }: Pick<Signed, 'timestamp' | 'body'>,
  keys: readonly SigningKey[],
): string {
  const macs = keys.map(({ own }) => mac(own, `${timestamp}.`, body, 'hex'))
  return [`t=${timestamp}`, ...macs.map((hex) => `v1=${hex}`)].join(',')
}

/** The `webhook-signature` of Standard Webhooks: `v1,<base64>`, several of them separated by spaces. */
function standardSignature({ eventId, timestamp, body }: Signed, keys: readonly SigningKey[]): string {
  return keys
    .map(({ standard }) => `v1,${mac(standard, `${eventId}.${timestamp}.`, body, 'base64')}`)
    .join(' ')
}

function mac(key: KeyObject, head: string, body: Uint8Array, encoding: 'hex' | 'base64'): string {
  return createHmac('sha256', key).update(head).update(body).digest(encoding)
}
