import Type from 'typebox'
import { readBody } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import type {
  Account,
  ConnectRefusal,
  ConnectVerdict,
  FormWork,
  ProfileVerdict,
  ProfileWork,
} from '../port/port.ts'
import { call, type Steps } from '../port/procedure.ts'
import { accountOf, refused, unavailable } from '../port/verdicts.ts'
import { discordAuthorization, Snowflake, type DiscordAuthorization } from './authorization.ts'
import { errorCodeOf, isWebhookGone, KEPT_AWAY, webhookCall } from './webhook.ts'

type NotConnected = Exclude<ConnectVerdict, { is: 'connected' }>

const FIELD = 'webhookUrl'

export function* connectByUrl({ fields }: FormWork): Steps<ConnectVerdict> {
  const named = webhookAt(fields[FIELD] ?? '')
  if ('is' in named) return named
  const found = yield* readWebhook(named)
  return 'is' in found ? found : { is: 'connected', ...found }
}

type Named = Pick<DiscordAuthorization, 'server' | 'webhookId' | 'token' | 'threadId'>

/** The parts of a webhook's address, as Discord shows it; a thread of the channel is named as in calls. */
function webhookAt(typed: string): Named | ConnectRefusal {
  const url = URL.parse(typed)
  const [, webhookId, token] = WEBHOOK_PATH.exec(url?.pathname ?? '') ?? []
  const [, threadId = null] = THREAD_QUERY.exec(url?.search ?? '') ?? []
  if (url === null || webhookId === undefined || token === undefined) return NO_WEBHOOK_URL
  // Whatever else stands in the query would be ignored.
  if (url.search !== '' && threadId === null) return NO_WEBHOOK_URL
  return { server: url.origin, webhookId, token, threadId }
}

const WEBHOOK_PATH = /^\/api\/(?:v\d{1,2}\/)?webhooks\/(\d{1,20})\/([\w-]{1,200})\/?$/
const THREAD_QUERY = /^\?thread_id=(\d{1,20})$/

/** https://docs.discord.com/developers/resources/webhook#webhook-object: 1 is an incoming one. */
export const Webhook = Type.Object({
  id: Snowflake,
  type: Type.Literal(1),
  channel_id: Snowflake,
  guild_id: Type.Optional(Type.Union([Snowflake, Type.Null()])),
  name: Type.Union([Type.String(), Type.Null()]),
  avatar: Type.Union([Type.String({ pattern: '^\\w{1,100}$' }), Type.Null()]),
})

/** https://docs.discord.com/developers/resources/webhook#get-webhook-with-token */
function* readWebhook(
  named: Named,
): Steps<{ readonly authorization: DiscordAuthorization; readonly account: Account } | NotConnected> {
  const response = yield* call({ ...webhookCall(named), method: 'GET' })
  const webhook = readBody(response, Webhook)
  if (isWebhookGone(response)) return WEBHOOK_REFUSED
  if (response.status >= 500 || response.status === 429 || isKeptAway(response)) return AWAY
  if (webhook?.id !== named.webhookId) return NO_WEBHOOK
  const { id, channel_id: channelId, guild_id: guildId = null, name, avatar } = webhook
  const account = accountOf({
    // A webhook that is deleted never comes back: another one of the same channel takes its place.
    remoteAccountId: named.threadId ?? channelId,
    displayName: name ?? 'Webhook',
    handle: name ?? channelId,
    avatar: avatar === null ? '' : `https://cdn.discordapp.com/avatars/${id}/${avatar}.png`,
  })
  return { authorization: { ...named, channelId, guildId }, account }
}

/** By Cloudflare, which answers with a page of its own or with an error like those of Discord. */
function isKeptAway(response: HttpResponse): boolean {
  const code = errorCodeOf(response)
  return code === KEPT_AWAY || (response.status === 403 && code === null)
}

export function* profile({ authorization: stored }: ProfileWork): Steps<ProfileVerdict> {
  const authorization = discordAuthorization(stored)
  const found = yield* readWebhook(authorization)
  if ('is' in found) {
    return found === WEBHOOK_REFUSED
      ? { is: 'reauthorize' }
      : unavailable('Discord did not show the webhook.')
  }
  // It was moved to another channel of its server: nobody has agreed to post there.
  if (found.authorization.channelId !== authorization.channelId) return { is: 'reauthorize' }
  return { is: 'profile', account: found.account }
}

const NO_WEBHOOK_URL = refused(
  'invalid_field',
  'This is not a webhook address. It looks like https://discord.com/api/webhooks/ with a number and a token, and may end in ?thread_id= with the number of a thread.',
  FIELD,
)
const NO_WEBHOOK = refused(
  'invalid_field',
  'The address does not lead to an incoming Discord webhook. Copy it again.',
  FIELD,
)
const WEBHOOK_REFUSED = refused(
  'credentials_refused',
  'Discord knows no such webhook: it was deleted, or the address is incomplete. Copy it again.',
  FIELD,
)
const AWAY = unavailable('Discord is not available right now. Try again later.')
