import Type, { type Static } from 'typebox'
import { storedAs } from '../../shared/stored-as.ts'

/** The long-lived token of one profile at Threads: it lasts 60 days, and is exchanged for another one while it does. */
export const ThreadsAuthorization = Type.Object({
  userId: Type.String({ pattern: '^[0-9]+$' }),
  accessToken: Type.String({ minLength: 1 }),
  accessEndsAt: Type.String({ pattern: '^\\d{4}-' }),
})
export type ThreadsAuthorization = Static<typeof ThreadsAuthorization>

export const threadsAuthorization = storedAs(ThreadsAuthorization, 'The authorization of a Threads channel')
