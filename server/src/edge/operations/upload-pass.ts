import type { Caller } from './route.ts'

/** What an address for one upload stands for: the upload of a file by a credential, under a key. */
export type UploadPass = {
  readonly workspaceId: string
  readonly credential: Pick<Caller['credential'], 'id' | 'type'>
  readonly key: string
  readonly altText: string | null
  readonly expiresAt: Date
}
