import { accepted, examined, examinedRefusal, notSaid, usedUp } from '../port/examinations.ts'
import type { Examination, Examine } from '../port/port.ts'
import { call, type Steps } from '../port/procedure.ts'
import { telegramAuthorization } from './authorization.ts'
import { isChatClosed, isTokenRefused, limitMs, read, refusalOf, resultOf } from './bot-api.ts'
import { Bot, Chat, mayPost, Member } from './connecting.ts'
import type { HttpResponse } from '../port/calls.ts'

const DOCS = 'https://core.telegram.org/bots/api'
const READ = '2026-11'

/** The bot, its place in the channel, and its right to post there. Telegram says of its limits only that they are reached. */
export const examine: Examine = {
  told: {
    access: { by: 'getMe and getChat', source: `${DOCS}#getme`, read: READ },
    scopes: { by: 'getChatMember', source: `${DOCS}#getchatmember`, read: READ },
    quota: {
      by: 'any call, with `retry_after`',
      source: `${DOCS}#responseparameters`,
      read: READ,
      faultsOnly: true,
    },
  },
  *ask({ authorization: stored }) {
    const at = telegramAuthorization(stored)
    const chatId = String(at.chatId)
    const asked = yield* call(read(at, 'getMe'))
    const bot = resultOf(asked, Bot)
    if (bot === null) return refused(asked)
    const shown = yield* call(read(at, 'getChat', { chat_id: chatId }))
    const chat = resultOf(shown, Chat)
    if (chat === null) return refused(shown)
    return yield* askRights(at, chat, { chat_id: chatId, user_id: String(bot.id) })
  },
}

function* askRights(
  at: Parameters<typeof read>[0],
  chat: Parameters<typeof mayPost>[1],
  query: Readonly<Record<string, string>>,
): Steps<Examination> {
  const joined = yield* call(read(at, 'getChatMember', query))
  const member = resultOf(joined, Member)
  if (member === null) return refused(joined)
  if (member.status === 'kicked' || member.status === 'left') return examined({ is: 'reauthorize' })
  return examined(accepted(), { missing: { rights: mayPost(member, chat) ? [] : ['can_post_messages'] } })
}

/** The token, the bot's place in the chat, or something that says nothing of either. */
function refused(response: HttpResponse): Examination {
  const refusal = refusalOf(response)
  if (refusal === null) return examinedRefusal(response, null)
  if (refusal.error_code === 429)
    return examined(notSaid(response), { quotas: [usedUp('calls', limitMs(response))] })
  return isTokenRefused(refusal) || isChatClosed(refusal)
    ? examined({ is: 'reauthorize' })
    : examined(notSaid(response))
}
