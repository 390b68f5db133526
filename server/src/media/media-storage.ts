import type { Readable } from 'node:stream'

/** Bytes from `start` to `end`, both inclusive. */
export type ByteRange = { readonly start: number; readonly end: number }

export type StoredFile = { readonly key: string; readonly storedAt: Date }

/**
 * Where the bytes of media are stored. A key is written once and never again, so that nobody can read half of a
 * file, or another one than before.
 */
export type MediaStorage = {
  /** Stores a file; durable once this returns, and not there at all before. The file may be gone afterwards. */
  readonly put: (key: string, path: string, facts: { size: number; contentType: string }) => Promise<void>
  /** Throws FileMissing where nothing is stored under the key. */
  readonly read: (key: string, range?: ByteRange) => Promise<Readable>
  /** Repeating it is harmless. */
  readonly remove: (key: string) => Promise<void>
  /** Everything that is stored, in no order. */
  readonly list: (signal?: AbortSignal) => AsyncIterable<StoredFile>
  readonly close: () => Promise<void>
}

export class FileMissing extends Error {
  override name = 'FileMissing'

  constructor(options?: ErrorOptions) {
    super('nothing is stored under this key', options)
  }
}

/** The workspace that the file under a key belongs to. */
export function workspaceOfKey(key: string): string {
  return key.split('/')[0] ?? key
}

/** What a key looks like: the workspace, and a name that says nothing of the bytes. */
export const STORAGE_KEY = /^[0-9a-f-]{36}\/[0-9a-f-]{36}$/
