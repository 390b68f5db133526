import Type, { type Static } from 'typebox'
import { storedAs } from '../shared/stored-as.ts'

/** https://docs.discord.com/developers/reference#snowflakes */
export const Snowflake = Type.String({ pattern: '^\\d{1,20}$' })

/** An incoming webhook: its token is all that its channel is posted to with, and has no end of its own. */
export const DiscordAuthorization = Type.Object({
  /** The origin of the webhook's address. */
  server: Type.String(),
  webhookId: Snowflake,
  token: Type.String({ minLength: 1 }),
  channelId: Snowflake,
  guildId: Type.Union([Snowflake, Type.Null()]),
  /** The thread of the channel that is posted to; null for the channel itself. */
  threadId: Type.Union([Snowflake, Type.Null()]),
})
export type DiscordAuthorization = Static<typeof DiscordAuthorization>

export const discordAuthorization = storedAs(DiscordAuthorization, 'The authorization of a Discord channel')
