import type { Keyring } from '../platform/sealing.ts'
import type { Grant } from '../providers/port.ts'

/** Seals a channel's grant, bound to that channel: it opens for no other. */
export function sealChannelGrant(keyring: Pick<Keyring, 'seal'>, grant: Grant, channelId: string): Buffer {
  return keyring.seal(JSON.stringify(grant), contextOf(channelId))
}

/** Null when it cannot be opened: then the channel has to be connected again. */
export function openChannelGrant(
  keyring: Pick<Keyring, 'unseal'>,
  sealed: Buffer,
  channelId: string,
): Grant | null {
  try {
    return JSON.parse(keyring.unseal(sealed, contextOf(channelId)).toString('utf8')) as Grant
  } catch {
    return null
  }
}

function contextOf(channelId: string): string {
  return `channel:${channelId}`
}
