import Type, { type Static } from 'typebox'
import { storedAs } from '../shared/stored-as.ts'

/** A bot's token, which has no end of its own, and the chat that it posts to. */
export const TelegramAuthorization = Type.Object({
  /** The origin of the Bot API server. */
  server: Type.String(),
  token: Type.String({ minLength: 1 }),
  /** Negative, and exact as a number: it has 52 bits at most (https://core.telegram.org/bots/api#chat). */
  chatId: Type.Integer(),
})
export type TelegramAuthorization = Static<typeof TelegramAuthorization>

export const telegramAuthorization = storedAs(
  TelegramAuthorization,
  'The authorization of a Telegram channel',
)
