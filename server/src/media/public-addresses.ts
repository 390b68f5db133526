import { PUBLIC_MEDIA_PATH, type PublicMediaPass } from '../edge/operations/public-media-pass.ts'
import { type Keyring, tryUnseal } from '../platform/sealing/sealing.ts'
import { extensionOf } from './media-type.ts'

/** What is sealed in addresses, and nothing else. */
const CONTEXT = 'public-media'

/** Longer than a network may take over what it fetched, with room for its own tries. */
const PUBLIC_MEDIA_MINUTES = 60

/**
 * Addresses at which networks fetch media themselves, without a credential. All that they stand for is sealed in them, and nothing
 * is stored.
 */
export type PublicAddresses = {
  readonly make: (pass: Omit<PublicMediaPass, 'expiresAt'>, contentType: string) => string
  /** What an address stands for, by the text at its end; null where that was not made here. */
  readonly read: (name: string) => PublicMediaPass | null
}

export function publicAddresses(
  keyring: Pick<Keyring, 'seal' | 'unseal'>,
  baseUrl: string,
  now: () => Date = () => new Date(),
): PublicAddresses {
  return {
    make({ workspaceId, destinationId, mediaId, bounds }, contentType) {
      const expiresAt = now().getTime() + PUBLIC_MEDIA_MINUTES * 60_000
      const text = JSON.stringify([workspaceId, destinationId, mediaId, bounds, expiresAt])
      const sealed = keyring.seal(text, CONTEXT).toString('base64url')
      // Some networks go by the ending.
      return `${baseUrl}${PUBLIC_MEDIA_PATH}/${sealed}.${extensionOf(contentType)}`
    },
    read(name) {
      const [, token = '', ending] = /^([\w-]+)\.(\w+)$/.exec(name) ?? []
      const text = ending === undefined ? null : tryUnseal(keyring, Buffer.from(token, 'base64url'), CONTEXT)
      if (text === null) return null
      // Nobody else can seal in this context.
      const [workspaceId, destinationId, mediaId, bounds, expiresAt] = JSON.parse(text.toString()) as [
        ...[string, string, string],
        PublicMediaPass['bounds'],
        number,
      ]
      return { workspaceId, destinationId, mediaId, bounds, expiresAt: new Date(expiresAt) }
    },
  }
}
