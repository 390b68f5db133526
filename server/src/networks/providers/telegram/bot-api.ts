import Type, { type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, readBody, retryAfterMs } from '../shared/answers.ts'
import { type HttpRequest, type HttpResponse, SECRET_IN_PATH } from '../port/calls.ts'
import { get, withQuery } from '../shared/requests.ts'
import type { TelegramAuthorization } from './authorization.ts'

/* Calls of the Bot API, and how it says no (https://core.telegram.org/bots/api#making-requests). */

const Refused = Type.Object({
  ok: Type.Literal(false),
  error_code: Type.Integer(),
  description: Type.String(),
  parameters: Type.Optional(
    Type.Object({ retry_after: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e7 })) }),
  ),
})
type Refused = Static<typeof Refused>

/** The token stands in the path, where no log and no evidence shows it. */
export function methodUrl({ server }: Pick<TelegramAuthorization, 'server'>, method: string): URL {
  return new URL(`/bot${SECRET_IN_PATH}/${method}`, server)
}

export function withToken({ token }: Pick<TelegramAuthorization, 'token'>) {
  return { scheme: 'path', credentials: token } as const
}

/** A request that changes nothing. */
export function read(
  authorization: Pick<TelegramAuthorization, 'server' | 'token'>,
  method: string,
  query: Readonly<Record<string, string>> = {},
): HttpRequest {
  return get(withQuery(methodUrl(authorization, method), query), withToken(authorization))
}

const Done = Type.Object({ ok: Type.Literal(true), result: Type.Unknown() })

/** What a method gave; null for every other answer than a success of this shape. */
export function resultOf<Schema extends TSchema>(
  response: HttpResponse,
  schema: Schema,
): Static<Schema> | null {
  const done = readBody(response, Done)
  return done !== null && Check(schema, done.result) ? done.result : null
}

/** The refusal that an answer carries; null where it carries none. */
export function refusalOf(response: HttpResponse): Refused | null {
  const body = jsonOf(response)
  return Check(Refused, body) && body.error_code === response.status && response.status >= 400 ? body : null
}

/** A token that is wrong, revoked, or of a deleted bot. A method that the server does not have is 404, too, and says so. */
export function isTokenRefused({ error_code, description }: Refused): boolean {
  return error_code === 401 || (error_code === 404 && description === 'Not Found')
}

/**
 * Whether the bot has lost its place in the chat. The texts are those of the Bot API server and of TDLib below it
 * (telegram-bot-api/Client.cpp, check_chat_access; td/telegram/DialogManager.cpp); there are no codes.
 */
export function isChatClosed({ error_code, description }: Refused): boolean {
  return (
    (error_code === 403 && /was kicked|is not a member|chat was deleted/i.test(description)) ||
    (error_code === 400 &&
      /chat not found|upgraded to a supergroup|need administrator rights in the channel/i.test(description))
  )
}

/** Whether the bot is none of those who may see the members of the chat (td/telegram/DialogParticipantManager.cpp). */
export function isNoMember({ error_code, description }: Refused): boolean {
  return (
    error_code === 400 &&
    /member list is inaccessible|user not found|CHAT_ADMIN_REQUIRED|PARTICIPANT/i.test(description)
  )
}

/** How long a limit holds (https://core.telegram.org/bots/api#responseparameters). */
export function limitMs(response: HttpResponse): number | null {
  const { parameters, description = '' } = refusalOf(response) ?? {}
  // Older servers of the Bot API say it in words alone: https://github.com/hdghg/cjbot/issues/13 (2016-07-21).
  const [, told] = /\bretry after (\d{1,7})\b/i.exec(description) ?? []
  const seconds = parameters?.retry_after ?? (told === undefined ? undefined : Number(told))
  return seconds === undefined ? retryAfterMs(response.headers) : seconds * 1_000
}
