import Type, { type Static } from 'typebox'
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
import { readServerAddress } from '../shared/server-address.ts'
import { accountOf, refused, unavailable } from '../port/verdicts.ts'
import { isChatClosed, isNoMember, isTokenRefused, read, refusalOf, resultOf } from './bot-api.ts'
import { telegramAuthorization, type TelegramAuthorization } from './authorization.ts'

type NotConnected = Exclude<ConnectVerdict, { is: 'connected' }>

const SERVER = 'https://api.telegram.org'

export function* connectByToken({ fields }: FormWork): Steps<ConnectVerdict> {
  const place = readServerAddress(fields['server'] ?? SERVER, { field: 'server', example: SERVER })
  if ('is' in place) return place
  const chat = chatNamed(fields['chat'] ?? '')
  if (typeof chat !== 'string') return chat
  const token = fields['botToken'] ?? ''
  if (!TOKEN.test(token)) return TOKEN_REFUSED
  const found = yield* readChat({ server: place.server, token }, chat)
  if ('is' in found) return found
  const authorization: TelegramAuthorization = { server: place.server, token, chatId: found.chatId }
  return { is: 'connected', authorization, account: found.account }
}

/** https://core.telegram.org/bots/api#authorizing-your-bot */
const TOKEN = /^\d{1,20}:[\w-]{10,200}$/

/** What was typed: a name, a number, or a link to the channel or one of its posts. */
function chatNamed(typed: string): string | ConnectRefusal {
  const name = NAME.exec(typed)?.[1]
  if (name !== undefined) return `@${name}`
  // https://core.telegram.org/api/links#message-links
  const id = PRIVATE_LINK.exec(typed)?.[1]
  if (id !== undefined) return `-100${id}`
  if (/^-\d{1,16}$/.test(typed)) return typed
  return refused(
    'invalid_field',
    'This is neither the @name nor the number of a channel. For a private channel, copy the link of one of its posts.',
    'chat',
  )
}

const NAME = /^(?:@|(?:https?:\/\/)?t\.me\/(?:s\/)?)?([a-z]\w{3,31})(?:\/\d*)?$/i
const PRIVATE_LINK = /^(?:https?:\/\/)?t\.me\/c\/(\d{1,13})(?:\/\d*)?$/i

/* -------------------------------------------------------------------------------------------------------------- chat */

/** https://core.telegram.org/bots/api#getme, #chatfullinfo and #chatmember */
export const Bot = Type.Object({ id: Type.Integer(), is_bot: Type.Literal(true), username: Type.String() })
export const Chat = Type.Object({
  id: Type.Integer(),
  type: Type.String(),
  title: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
})
export const Member = Type.Object({
  status: Type.String(),
  can_post_messages: Type.Optional(Type.Boolean()),
  can_send_messages: Type.Optional(Type.Boolean()),
})

type Found = { readonly chatId: number; readonly account: Account }

/** Reads the chat that a bot posts to, and whether it may. */
function* readChat(
  at: Pick<TelegramAuthorization, 'server' | 'token'>,
  chat: string,
): Steps<Found | NotConnected> {
  const asked = yield* call(read(at, 'getMe'))
  const bot = resultOf(asked, Bot)
  if (bot === null) return refusedBot(asked, at.server)
  const shown = yield* call(read(at, 'getChat', { chat_id: chat }))
  const found = resultOf(shown, Chat)
  if (found === null) return refusedChat(shown, bot)
  if (found.type !== 'channel' && found.type !== 'supergroup') return WRONG_CHAT
  const chatId = String(found.id)
  const joined = yield* call(read(at, 'getChatMember', { chat_id: chatId, user_id: String(bot.id) }))
  const member = resultOf(joined, Member)
  if (member === null) return refusedChat(joined, bot)
  if (!mayPost(member, found)) return mayNotPost(bot)
  const { title = '', username } = found
  const handle = username ?? chatId
  // There is no avatar: the address of a chat's photo has the token in it (https://core.telegram.org/bots/api#file).
  const account = accountOf({ remoteAccountId: chatId, displayName: title === '' ? handle : title, handle })
  return { chatId: found.id, account }
}

export function mayPost(
  { status, can_post_messages = false, can_send_messages = false }: Static<typeof Member>,
  { type }: Static<typeof Chat>,
): boolean {
  if (status === 'creator') return true
  if (type === 'channel') return status === 'administrator' && can_post_messages
  return status === 'administrator' || status === 'member' || (status === 'restricted' && can_send_messages)
}

function refusedBot(response: HttpResponse, server: string): NotConnected {
  const refusal = refusalOf(response)
  if (refusal !== null && isTokenRefused(refusal)) return TOKEN_REFUSED
  if (response.status >= 500 || response.status === 429) return AWAY
  const detail = `${server} is not a Bot API server. Check the address.`
  return refused('invalid_field', detail, 'server')
}

function refusedChat(response: HttpResponse, bot: Static<typeof Bot>): NotConnected {
  const refusal = refusalOf(response)
  if (refusal !== null && isTokenRefused(refusal)) return TOKEN_REFUSED
  if (refusal === null || refusal.error_code === 429 || refusal.error_code >= 500) return AWAY
  if (isNoMember(refusal)) return mayNotPost(bot)
  if (!isChatClosed(refusal)) return AWAY
  const detail = `The bot @${bot.username} cannot see this channel on Telegram. Check the name, and make the bot an administrator of the channel.`
  return refused('invalid_field', detail, 'chat')
}

function mayNotPost({ username }: Static<typeof Bot>): ConnectRefusal {
  const detail = `The bot @${username} can't post there. In the channel, open Administrators, add the bot, and allow it to post messages.`
  return refused('missing_scope', detail)
}

const TOKEN_REFUSED = refused(
  'credentials_refused',
  'Telegram does not accept this token. Copy all of it from @BotFather, or create a new one there.',
  'botToken',
)
const WRONG_CHAT = refused(
  'invalid_field',
  'This is neither a channel nor a supergroup. Enter one of those.',
  'chat',
)
const AWAY = unavailable('Telegram is not available right now. Try again later.')

export function* profile({ authorization: stored }: ProfileWork): Steps<ProfileVerdict> {
  const authorization = telegramAuthorization(stored)
  const found = yield* readChat(authorization, String(authorization.chatId))
  if (!('is' in found)) return { is: 'profile', account: found.account }
  // By the word of Telegram the bot is gone, or its place in the chat.
  if (found.is === 'refused' && found.field !== 'server') return { is: 'reauthorize' }
  return unavailable(found.detail)
}
