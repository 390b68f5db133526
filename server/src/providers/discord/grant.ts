import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'

/** https://docs.discord.com/developers/reference#snowflakes */
export const Snowflake = Type.String({ pattern: '^\\d{1,20}$' })

/** An incoming webhook: its token is all that its channel is posted to with, and has no end of its own. */
export const DiscordGrant = Type.Object({
  /** The origin of the webhook's address. */
  server: Type.String(),
  webhookId: Snowflake,
  token: Type.String({ minLength: 1 }),
  channelId: Snowflake,
  guildId: Type.Union([Snowflake, Type.Null()]),
  /** The thread of the channel that is posted to; null for the channel itself. */
  threadId: Type.Union([Snowflake, Type.Null()]),
})
export type DiscordGrant = Static<typeof DiscordGrant>

export function discordGrant(grant: unknown): DiscordGrant {
  if (!Check(DiscordGrant, grant)) {
    throw new Error('The grant of a Discord channel does not have the shape it was stored with.')
  }
  return grant
}
