import { createHmac, timingSafeEqual } from 'crypto'

const TOLERANCE_SECONDS = 300

/**
 * The event in a body that `X-Service-Signature` signs with the secret, byte by byte, within the last minutes; null in any other. As
 * `verifyWebhook` of @postrider/sdk, which a community node must not load.
 */
export function signedEvent(
  rawBody: Buffer,
  header: unknown,
  secret: string,
  now = Date.now() / 1000,
  toleranceSeconds = TOLERANCE_SECONDS,
): unknown {
  return isSigned(rawBody, header, secret, now, toleranceSeconds) ? eventIn(rawBody) : null
}

function isSigned(
  rawBody: Buffer,
  header: unknown,
  secret: string,
  now: number,
  toleranceSeconds: number,
): boolean {
  if (typeof header !== 'string') return false
  const items = header.split(',').map((item) => item.split('='))
  const times = items.filter(([name, value]) => name === 't' && value !== undefined)
  const timestamp = times[0]?.[1]
  if (timestamp === undefined || times.length > 1 || !/^\d{1,12}$/.test(timestamp)) return false
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
  const signatures = items.flatMap(([name, value = '']) =>
    name === 'v1' && /^[0-9a-f]{64}$/.test(value) ? [Buffer.from(value, 'hex')] : [],
  )
  const matches = signatures.map((signature) => timingSafeEqual(signature, expected))
  return matches.includes(true) && Math.abs(now - Number(timestamp)) <= toleranceSeconds
}

function eventIn(rawBody: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody))
  } catch {
    return null
  }
}
