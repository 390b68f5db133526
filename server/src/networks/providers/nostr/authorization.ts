import Type, { type Static } from 'typebox'
import { storedAs } from '../shared/stored-as.ts'

const Key = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Relays = Type.Array(Type.String({ minLength: 1 }))

/** A secret key, which has no end and cannot be revoked, or a remote signer that has it; and where its notes go. */
export const NostrAuthorization = Type.Object({
  /** Of the account; with a signer, what that knows this server by. */
  secretKey: Key,
  /** Who signs for the account (NIP-46). */
  signer: Type.Optional(Type.Object({ pubkey: Key, relays: Relays })),
  pubkey: Key,
  /** Relays that the owner named: always written to. As `wss://…`, like all addresses of relays. */
  named: Relays,
  /** The write relays of the account's own list (NIP-65) as it was when it was connected. */
  listed: Relays,
  /** The origin of the server that keeps files. */
  mediaServer: Type.String({ minLength: 1 }),
})
export type NostrAuthorization = Static<typeof NostrAuthorization>

/** How what is asked for is authorised. */
export function keyOf({ secretKey, signer }: Pick<NostrAuthorization, 'secretKey' | 'signer'>) {
  return { scheme: 'Nostr', credentials: secretKey, ...(signer === undefined ? {} : { signer }) } as const
}

export const nostrAuthorization = storedAs(NostrAuthorization, 'The authorization of a Nostr channel')
