import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, test } from 'vitest'
import { judges } from '../../server/test/rigs/judges.ts'
import {
  deliveryHeaders,
  newSigningSecret,
  signature as signatureOf,
  signingKey,
} from '../../server/src/engine/webhooks/signing.ts'
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'

type Vector = {
  name: string
  secret: string
  body: string
  signature: string | null
  now: number
  toleranceSeconds: number
  valid: boolean
  fault?: string
}
const { vectors } = JSON.parse(
  readFileSync(new URL('../vectors/webhook-signatures.json', import.meta.url), 'utf8'),
) as { vectors: Vector[] }

/** What Stripe's library says of signatures, whose format ours is. */
type StripeWebhooks = {
  constructEvent: (
    body: string | Uint8Array,
    header: string,
    secret: string,
    toleranceSeconds?: number,
    crypto?: undefined,
    nowMs?: number,
  ) => unknown
  generateTestHeaderString: (signed: { payload: string; secret: string }) => string
}
let stripe: StripeWebhooks
beforeAll(async () => {
  const { webhooks } = createRequire(join(await judges(), 'any.js'))('stripe') as { webhooks: StripeWebhooks }
  stripe = webhooks
}, 600_000)

const body = '{"id":"0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11","type":"post.published","text":"ä 💌"}'
const bytes = new TextEncoder().encode(body)
const timestamp = Math.floor(Date.now() / 1_000)
const secret = newSigningSecret()
const older = newSigningSecret()
const signature = (what: typeof signed, secrets: readonly string[]) =>
  signatureOf(what, secrets.map(signingKey))
const signed = { eventId: 'e1', eventType: 'post.published', timestamp, body: bytes }

describe('the shared vectors', () => {
  test.each(vectors)('$name', async ({ secret, body, signature, now, toleranceSeconds, valid, fault }) => {
    const headers: Record<string, string> = signature === null ? {} : { 'X-Service-Signature': signature }
    const verified = verifyWebhook(body, headers, secret, { toleranceSeconds, now: () => now })
    if (valid) expect(await verified).toEqual(JSON.parse(body))
    else await expect(verified).rejects.toMatchObject({ name: 'WebhookVerificationError', code: fault })
  })

  // Stripe's verifier is looser with what comes before the timestamp check, and has no limit to the future.
  const asStripe = vectors.filter(({ name, signature }) => signature !== null && !/early|JSON$/.test(name))
  test.each(asStripe)(
    "Stripe's verifier agrees: $name",
    ({ secret, body, signature, now, toleranceSeconds, valid }) => {
      const verify = () =>
        stripe.constructEvent(body, signature ?? '', secret, toleranceSeconds, undefined, now * 1_000)
      if (valid) expect(verify()).toEqual(JSON.parse(body))
      else expect(verify).toThrow(/signature|timestamp|header|secureCompare/i)
    },
  )
})

describe('judges from elsewhere', () => {
  test.each([[[secret]], [[secret, older]], [[older, secret]]])(
    'Stripe accepts what %# secrets sign',
    (secrets) => {
      const header = signature(signed, secrets)
      expect(stripe.constructEvent(Buffer.from(bytes), header, secret, 300)).toMatchObject({
        type: 'post.published',
      })
    },
  )

  test('Stripe refuses a changed body, a foreign secret and an old timestamp', () => {
    const header = signature(signed, [secret])
    expect(() => stripe.constructEvent(`${body} `, header, secret, 300)).toThrow(/signature/)
    expect(() => stripe.constructEvent(body, header, older, 300)).toThrow(/signature/)
    const old = signature({ ...signed, timestamp: timestamp - 301 }, [secret])
    expect(() => stripe.constructEvent(body, old, secret, 300)).toThrow(/Timestamp/)
  })

  test('Standard Webhooks accepts the headers beside ours, during a rotation as well', () => {
    const headers = deliveryHeaders(signed, [secret, older].map(signingKey), { standardHeaders: true })
    for (const each of [secret, older])
      expect(new Webhook(each).verify(body, headers)).toMatchObject({ type: 'post.published' })
    expect(() => new Webhook(newSigningSecret()).verify(body, headers)).toThrow(/signature/i)
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(/signature/i)
  })

  test('our verifier accepts what Stripe signs', async () => {
    const header = stripe.generateTestHeaderString({ payload: body, secret })
    expect(await verifyWebhook(body, { 'x-service-signature': header }, secret)).toMatchObject({
      type: 'post.published',
    })
  })
})

describe('what it takes', () => {
  const headers = { 'x-service-signature': signature(signed, [secret]) }

  test.each([
    ['text', body],
    ['bytes', bytes],
    ['a buffer', Buffer.from(bytes)],
    ['an ArrayBuffer', bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)],
  ])('the body as %s', async (_, raw) => {
    expect(await verifyWebhook(raw, headers, secret)).toMatchObject({ type: 'post.published' })
  })

  test.each([
    ['of the Fetch standard', new Headers(headers)],
    ['of Node', headers],
    ['in any case', { 'X-SERVICE-SIGNATURE': headers['x-service-signature'] }],
    ['as lists', { 'x-service-signature': [headers['x-service-signature']] }],
  ])('headers %s', async (_, given) => {
    expect(await verifyWebhook(body, given, secret)).toMatchObject({ type: 'post.published' })
  })

  test('several secrets, of which one fits', async () => {
    expect(await verifyWebhook(body, headers, [older, secret])).toMatchObject({ type: 'post.published' })
    await expect(verifyWebhook(body, headers, [])).rejects.toThrow(WebhookVerificationError)
  })

  test('no parsed body', async () => {
    const parsed = JSON.parse(body) as Uint8Array
    await expect(verifyWebhook(parsed, headers, secret)).rejects.toThrow('raw body')
  })
})

test('every flipped bit of a signature is noticed', async () => {
  const header = signature(signed, [secret])
  const hex = header.slice(-64)
  for (let place = 0; place < 64; place++) {
    const flipped = (parseInt(hex[place] ?? '0', 16) ^ 1).toString(16)
    const bad = header.slice(0, -64) + hex.slice(0, place) + flipped + hex.slice(place + 1)
    await expect(verifyWebhook(body, { 'x-service-signature': bad }, secret)).rejects.toMatchObject({
      code: 'no_matching_signature',
    })
  }
})
