import type { Keyring } from '../../platform/sealing/sealing.ts'
import type { Authorization } from '../providers/port/port.ts'

/** Seals an authorization for one channel: it opens for no other. */
export function sealAuthorization(
  keyring: Pick<Keyring, 'seal'>,
  channelId: string,
  authorization: Authorization,
): Buffer {
  return keyring.seal(JSON.stringify(authorization), authorizationContext(channelId))
}

/** Opens the authorization that was sealed for this channel. Throws SealBroken. */
export function openAuthorization(
  keyring: Pick<Keyring, 'unseal'>,
  channelId: string,
  sealed: Buffer,
): Authorization {
  return JSON.parse(keyring.unseal(sealed, authorizationContext(channelId)).toString()) as Authorization
}

/** What an authorization is sealed for. */
export function authorizationContext(channelId: string): string {
  return `channel:${channelId}`
}
