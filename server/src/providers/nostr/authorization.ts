import Type, { type Static } from 'typebox'
import { storedAs } from '../stored-as.ts'

const Key = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Relays = Type.Array(Type.String({ minLength: 1 }))

/** A secret key, which has no end and cannot be revoked, and where its notes go. */
export const NostrAuthorization = Type.Object({
  secretKey: Key,
  pubkey: Key,
  /** Relays that the owner named: always written to. As `wss://…`, like all addresses of relays. */
  named: Relays,
  /** The write relays of the account's own list (NIP-65) as it was when it was connected. */
  listed: Relays,
  /** The origin of the server that keeps files. */
  mediaServer: Type.String({ minLength: 1 }),
})
export type NostrAuthorization = Static<typeof NostrAuthorization>

export const nostrAuthorization = storedAs(NostrAuthorization, 'The authorization of a Nostr channel')
