import type { MediaItem } from '@postrider/contract'
import { recordedBody } from '../edge/operations/idempotency.ts'
import type { UploadPass } from '../edge/operations/upload-pass.ts'
import type { Sql } from '../platform/postgres/db.ts'
import { type Keyring, SealBroken } from '../platform/sealing/sealing.ts'
import { findMedia } from './media-store.ts'
import { viewMedia } from './views.ts'

/** What is sealed in addresses, and nothing else. */
const CONTEXT = 'upload-address'

/**
 * Addresses that each let one file in, without a credential. All that they stand for is sealed in them, and nothing is stored: that
 * one takes no second file is the idempotency key's doing.
 */
export type UploadAddresses = {
  readonly make: (pass: UploadPass) => string
  /** What an address stands for, by the text at its end; null where that was not made here. */
  readonly read: (token: string) => UploadPass | null
}

export function uploadAddresses(keyring: Keyring, baseUrl: string): UploadAddresses {
  return {
    make(pass) {
      const sealed = keyring.seal(JSON.stringify(pass), CONTEXT)
      return `${baseUrl}/uploads/${sealed.toString('base64url')}`
    },
    read(token) {
      try {
        const text = keyring.unseal(Buffer.from(token, 'base64url'), CONTEXT).toString('utf8')
        // Nobody else can seal in this context.
        const pass = JSON.parse(text) as UploadPass & { expiresAt: string }
        return { ...pass, expiresAt: new Date(pass.expiresAt) }
      } catch (fault) {
        if (fault instanceof SealBroken) return null
        throw fault
      }
    },
  }
}

/** The media item that was uploaded with a key; null where there is none, or none any more. */
export async function uploadedWith(sql: Sql, workspaceId: string, key: string): Promise<MediaItem | null> {
  const body = await recordedBody(sql, { workspaceId, operation: 'uploadMedia', key })
  if (body === null) return null
  const { mediaId } = JSON.parse(body) as MediaItem
  const row = (await findMedia(sql, workspaceId, [mediaId])).get(mediaId)
  return row === undefined ? null : viewMedia(row)
}
