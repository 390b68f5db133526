import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'

/** A bot's token, which has no end of its own, and the chat that it posts to. */
export const TelegramGrant = Type.Object({
  /** The origin of the Bot API server. */
  server: Type.String(),
  token: Type.String({ minLength: 1 }),
  /** Negative, and exact as a number: it has 52 bits at most (https://core.telegram.org/bots/api#chat). */
  chatId: Type.Integer(),
})
export type TelegramGrant = Static<typeof TelegramGrant>

export function telegramGrant(grant: unknown): TelegramGrant {
  if (!Check(TelegramGrant, grant)) {
    throw new Error('The grant of a Telegram channel does not have the shape it was stored with.')
  }
  return grant
}
