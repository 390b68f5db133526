import { readBody, retryAfterMs } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import { accepted, examined, notSaid, usedUp } from '../port/examinations.ts'
import type { Examine, Quota } from '../port/port.ts'
import { call } from '../port/procedure.ts'
import { discordAuthorization } from './authorization.ts'
import { Webhook } from './connecting.ts'
import { errorCodeOf, isWebhookGone, VERSION, webhookCall } from './webhook.ts'

const DOCS = 'https://docs.discord.com/developers'
const READ = '2026-11'
/** "Invalid API version provided" (`DOCS`/topics/opcodes-and-status-codes#json). */
const INVALID_VERSION = 50_041

/** A webhook may post to its channel, and nothing else: it has no scopes. Each of its routes has a limit of its own. */
export const examine: Examine = {
  told: {
    access: {
      by: 'GET /webhooks/{webhook}/{token}',
      source: `${DOCS}/resources/webhook#get-webhook-with-token`,
      read: READ,
    },
    quota: { by: 'the headers `x-ratelimit-…`', source: `${DOCS}/topics/rate-limits`, read: READ },
    version: {
      by: 'any call, with 50041 where the version has ended',
      source: `${DOCS}/topics/opcodes-and-status-codes#json`,
      read: '2026-11-29',
    },
  },
  *ask({ authorization: stored }) {
    const authorization = discordAuthorization(stored)
    const response = yield* call({ ...webhookCall(authorization), method: 'GET' })
    const quotas = quotasIn(response)
    if (errorCodeOf(response) === INVALID_VERSION)
      return examined(notSaid(response), { version: { name: VERSION, answered: false } })
    if (response.status === 429) return examined(notSaid(response), { quotas })
    const version = { name: VERSION, answered: true }
    if (isWebhookGone(response)) return examined({ is: 'reauthorize' }, { quotas, version })
    const webhook = readBody(response, Webhook)
    if (webhook === null) return examined(notSaid(response), { quotas })
    // It was moved to another channel: nobody has agreed to post there.
    const access =
      webhook.channel_id === authorization.channelId ? accepted() : ({ is: 'reauthorize' } as const)
    return examined(access, { quotas, version })
  },
}

function quotasIn({ status, headers }: HttpResponse): Quota[] {
  const after = headers['x-ratelimit-reset-after'] ?? ''
  const resetsInMs = /^\d{1,7}(?:\.\d{1,6})?$/.test(after) ? Math.ceil(Number(after) * 1_000) : null
  if (status === 429) return [usedUp('calls', resetsInMs ?? retryAfterMs(headers))]
  const { 'x-ratelimit-remaining': left = '', 'x-ratelimit-limit': of = '' } = headers
  if (!/^\d{1,9}$/.test(left)) return []
  return [{ unit: 'calls', left: Number(left), of: /^\d{1,9}$/.test(of) ? Number(of) : null, resetsInMs }]
}
