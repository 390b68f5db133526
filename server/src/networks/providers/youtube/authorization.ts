import Type, { type Static } from 'typebox'
import { storedAs } from '../shared/stored-as.ts'

/** Tokens of one channel at YouTube: the access token lasts an hour; the refresh token stays the same. */
export const YoutubeAuthorization = Type.Object({
  channelId: Type.String({ pattern: '^[A-Za-z0-9_-]+$' }),
  accessToken: Type.String({ minLength: 1 }),
  refreshToken: Type.String({ minLength: 1 }),
  accessEndsAt: Type.String({ pattern: '^\\d{4}-' }),
})
export type YoutubeAuthorization = Static<typeof YoutubeAuthorization>

export const youtubeAuthorization = storedAs(YoutubeAuthorization, 'The authorization of a YouTube channel')
