import type { Keyring } from '../platform/sealing.ts'
import type { Grant } from '../providers/port.ts'

/** Seals a grant for one channel: it opens for no other. */
export function sealGrant(keyring: Pick<Keyring, 'seal'>, channelId: string, grant: Grant): Buffer {
  return keyring.seal(JSON.stringify(grant), grantContext(channelId))
}

/** Opens the grant that was sealed for this channel. Throws SealBroken. */
export function openGrant(keyring: Pick<Keyring, 'unseal'>, channelId: string, sealed: Buffer): Grant {
  return JSON.parse(keyring.unseal(sealed, grantContext(channelId)).toString()) as Grant
}

/** What a grant is sealed for. */
export function grantContext(channelId: string): string {
  return `channel:${channelId}`
}
