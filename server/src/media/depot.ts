import type { Readable } from 'node:stream'

/** Bytes from `start` to `end`, both inclusive. */
export type ByteRange = { readonly start: number; readonly end: number }

export type Kept = { readonly key: string; readonly keptAt: Date }

/**
 * Where the bytes of media are kept. A key is written once and never again, so that nobody can read half of a
 * file, or another one than before.
 */
export type Depot = {
  /** Keeps a file; durable once this returns, and not there at all before. The file may be gone afterwards. */
  readonly keep: (key: string, path: string, facts: { size: number; contentType: string }) => Promise<void>
  /** Throws NotKept where there is nothing under the key. */
  readonly read: (key: string, range?: ByteRange) => Promise<Readable>
  /** Repeating it is harmless. */
  readonly remove: (key: string) => Promise<void>
  /** Everything that is kept, in no order. */
  readonly all: () => AsyncIterable<Kept>
  readonly close: () => Promise<void>
}

export class NotKept extends Error {
  override name = 'NotKept'

  constructor(options?: ErrorOptions) {
    super('the depot keeps nothing under this key', options)
  }
}

/** The workspace whose file is under the key. */
export function holderOf(key: string): string {
  return key.split('/')[0] ?? key
}

/** What a key looks like: the workspace, and a name that says nothing of the bytes. */
export const KEY = /^[0-9a-f-]{36}\/[0-9a-f-]{36}$/
