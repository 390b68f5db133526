import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf } from '../shared/answers.ts'
import { type HttpResponse, SECRET_IN_PATH, SERVER_ADDRESS } from '../port/calls.ts'
import type { DiscordAuthorization } from './authorization.ts'

/* Calls of a webhook, and how Discord says no (https://docs.discord.com/developers/topics/opcodes-and-status-codes). */

type Webhook = Pick<DiscordAuthorization, 'server' | 'webhookId' | 'token'>

/** Without a version, Discord takes an old one. */
export const VERSION = 'v10'

/** The token stands in the path, where no log and no evidence shows it. */
export function webhookCall({ server, webhookId, token }: Webhook) {
  return {
    url: new URL(`/api/${VERSION}/webhooks/${webhookId}/${SECRET_IN_PATH}`, server),
    // https://docs.discord.com/developers/reference#user-agent: an address and a version; others may be blocked.
    headers: { 'user-agent': `DiscordBot (${SERVER_ADDRESS}, 1)` },
    authorization: { scheme: 'path', credentials: token },
  } as const
}

const Refused = Type.Object({ code: Type.Integer(), message: Type.String() })

/** The code of the error that an answer carries; null where it carries none. */
export function errorCodeOf(response: HttpResponse): Static<typeof Refused>['code'] | null {
  const body = jsonOf(response)
  return response.status >= 400 && response.status < 500 && Check(Refused, body) ? body.code : null
}

/** Cloudflare kept the request from Discord: https://github.com/discord/discord-api-docs/issues/6473 (2023-10-03). */
export const KEPT_AWAY = 40_333

/** Codes of a channel or thread that was deleted, of a webhook that was, and of a wrong token. */
const WEBHOOK_GONE: readonly number[] = [10_003, 10_015, 50_027]

export function isWebhookGone(response: HttpResponse): boolean {
  const code = errorCodeOf(response)
  return code !== null && WEBHOOK_GONE.includes(code)
}

/** Discord has no such address, or not for this method: a general error, whose message repeats its status. */
export function isNoCall(response: HttpResponse): boolean {
  const body = jsonOf(response)
  const { status } = response
  return (status === 404 || status === 405) && Check(Refused, body) && body.message.startsWith(`${status}: `)
}
