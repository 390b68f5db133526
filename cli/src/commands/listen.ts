import { createHmac, randomBytes } from 'node:crypto'
import type { WebhookEvent } from '@postrider/sdk'
import { type Context, textOf } from '../command.ts'
import { usageError } from '../exits.ts'
import { fieldsOf } from '../fields.ts'
import { jsonText } from '../terminal.ts'
import { lineOf } from './events.ts'

const POLL_MS = 500
const TIMEOUT_MS = 15_000

/** `postrider listen`: each event once, one after the other, as a webhook would carry it. */
export async function run(context: Context): Promise<void> {
  const { values, env, json, note, signal } = context
  const target = textOf(values, 'forward-to')
  if (target === undefined || !URL.canParse(target))
    throw usageError('Say where to: --forward-to http://127.0.0.1:3000/hook.')
  const types = typesIn(textOf(values, 'events'))
  const secret = env['WEBHOOK_SECRET'] ?? `whsec_${randomBytes(32).toString('base64')}`
  if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret))
    throw usageError('WEBHOOK_SECRET is no signing secret: it is whsec_ and base64 text.')
  const { events } = context.client()
  const started = new Date()
  // For programs, each line is one object.
  process.stdout.write(
    json
      ? `${JSON.stringify({ forwardTo: target, secret })}\n`
      : `${secret}\n\nThis secret signs what is forwarded to ${target} from now on. Ctrl+C ends it.\n`,
  )
  try {
    for await (const { items } of events.follow({ since: started }, { pollMs: POLL_MS, signal })) {
      for (const event of items) {
        if (types !== null && !types.includes(event.type)) continue
        const outcome = await forward(target, secret, event, signal)
        process.stdout.write(
          json
            ? `${jsonText({ id: event.id, type: event.type, ...outcome })}\n`
            : `${lineOf(event)}  ${outcome.said}\n`,
        )
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
    note('Ended.')
  }
}

function typesIn(text: string | undefined): readonly string[] | null {
  if (text === undefined || text === 'all') return null
  const known = fieldsOf('listEvents')['type']?.choices ?? []
  const types = text.split(',').map((each) => each.trim())
  const unknown = types.find((each) => !known.includes(each))
  if (unknown !== undefined)
    throw usageError(`There is no event type ${unknown}: it is one of ${known.join(', ')}.`)
  return types
}

async function forward(target: string, secret: string, event: WebhookEvent, signal: AbortSignal) {
  const body = JSON.stringify(event)
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: signedHeaders(secret, event, body, Math.floor(Date.now() / 1_000)),
      body,
      // As a delivery: a redirect is an answer.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await response.arrayBuffer()
    return { httpStatus: response.status, said: `HTTP ${response.status}` }
  } catch (cause) {
    signal.throwIfAborted()
    const reason =
      cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause)
    return { httpStatus: null, said: `no answer: ${reason}` }
  }
}

/** As a delivery is signed: in our own way, and as Standard Webhooks has it. */
function signedHeaders(secret: string, { id, type }: WebhookEvent, body: string, timestamp: number) {
  const own = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const standard = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')
  return {
    'content-type': 'application/json',
    'x-service-event-id': id,
    'x-service-event-type': type,
    'x-service-timestamp': String(timestamp),
    'x-service-signature': `t=${timestamp},v1=${own}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${standard}`,
  }
}
