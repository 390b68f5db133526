import type { Readable } from 'node:stream'
import { refuse, ThrownRefusal, Unready } from '../edge/operations/refusal.ts'

/** Bytes from `start` to `end`, both inclusive. */
export type ByteRange = { readonly start: number; readonly end: number }

export type StoredFile = { readonly key: string; readonly size: number; readonly storedAt: Date }

/**
 * Where the bytes of media are stored. What is under a key never changes, so that no reader gets half of a file, or
 * another one than before.
 */
export type MediaStorage = {
  /** Where it is, for operators: a path, or the address of a bucket, with a slash at its end. */
  readonly location: string
  /**
   * Stores a file; durable once this returns, and not there at all before. The file may be gone afterwards. A key is
   * stored again only to restore the bytes that it had.
   */
  readonly put: (key: string, path: string, facts: { size: number; contentType: string }) => Promise<void>
  /**
   * The bytes of a file of this size, or a range of them. Throws MediaUnavailable where it is missing or has another size, and
   * StorageMissing where all of them are.
   */
  readonly read: (key: string, size: number, range?: ByteRange) => Promise<Readable>
  /** Throws MediaUnavailable unless so many bytes are stored under the key. */
  readonly check: (key: string, size: number) => Promise<void>
  /** Whether so many bytes are stored under the key; what is in the trash is not brought back for it. */
  readonly holds: (key: string, size: number) => Promise<boolean>
  /** The path of the file under the key; null where it has none, because it is somewhere else. */
  readonly pathOf: (key: string) => string | null
  /** Removes a file of which only this process knows. Repeating it is harmless. */
  readonly remove: (key: string) => Promise<void>
  /** Moves a file into the trash. Repeating it is harmless. */
  readonly discard: (key: string) => Promise<void>
  /** Brings a file back from the trash; false where it is not there. */
  readonly recover: (key: string) => Promise<boolean>
  /** Removes a file from the trash, and from nowhere else. Repeating it is harmless. */
  readonly removeDiscarded: (key: string) => Promise<void>
  /** Everything that is stored and not in the trash, in no order; `signal` ends it early. */
  readonly list: (signal?: AbortSignal) => AsyncIterable<StoredFile>
  /** Whether nothing at all is there, but perhaps the label. */
  readonly isEmpty: () => Promise<boolean>
  /** What was written with `writeLabel`; null for nothing. Throws StorageMissing where it was there before. */
  readonly readLabel: (signal?: AbortSignal) => Promise<string | null>
  /** Marks the storage, so that it is recognised later. */
  readonly writeLabel: (label: string) => Promise<void>
  /** What installations have noted of themselves with `writeMark`, by their ids. */
  readonly readMarks: (signal?: AbortSignal) => Promise<ReadonlyMap<string, string>>
  /** Replaces what an installation has noted of itself; there whole or not at all. */
  readonly writeMark: (installationId: string, text: string) => Promise<void>
  /** Forgets an installation. Repeating it is harmless. */
  readonly removeMark: (installationId: string) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * The bytes of an item are missing or damaged, and waiting does not bring them back. The message names the place, for
 * the log; a client is told what to do.
 */
export class MediaUnavailable extends ThrownRefusal {
  override name = 'MediaUnavailable'

  constructor(message: string, options?: ErrorOptions) {
    const detail =
      'The stored file is missing or damaged. Upload the same file again to restore it everywhere, or restore it from a backup.'
    super(refuse('media_unavailable', detail), message, options)
  }
}

/** Not one file is missing but the place of all: nothing is lost by that, and nothing may be stored in what stands there instead. */
export class StorageMissing extends Unready {
  override name = 'StorageMissing'

  constructor(options?: ErrorOptions) {
    super(
      "The server's folder for media is missing: it was removed, or its disk is not mounted. Nothing was changed. Ask the server operator to bring it back, then try again.",
      options,
    )
  }
}

/** The place is not the one that the media of the installation is in. The cause says why, and what the operator does. */
export class WrongStorage extends Unready {
  override name = 'WrongStorage'

  constructor(wrong: string) {
    super(
      "The server's storage for media is not the right one. Nothing was changed. Ask the server operator to correct it, then try again.",
      { cause: new Error(wrong) },
    )
  }
}

/** Throws MediaUnavailable unless what was found at the place has the right size; null: nothing was found. */
export function refuseOtherSize(place: string, found: number | null, size: number): void {
  if (found === size) return
  throw new MediaUnavailable(
    found === null ? `${place} is missing` : `${place} has ${found} bytes instead of ${size}`,
  )
}

/** The workspace that the file under a key belongs to. */
export function workspaceOfKey(key: string): string {
  return key.split('/')[0] ?? key
}

/** What a key looks like: the workspace, and a name that says nothing of the bytes. */
export const STORAGE_KEY = /^[0-9a-f-]{36}\/[0-9a-f-]{36}$/

/** The name of what `writeLabel` writes; no key can be equal to it. */
export const LABEL_NAME = 'storage-id'
/** Before the key of what is in the trash. */
export const TRASH = 'trash/'
/** Before the id of an installation, which is the name of its mark. */
export const MARKS = 'used-by/'
export const MARK_NAME = /^[0-9a-f-]{36}$/

/**
 * The same storage, which looks for what is missing in the trash: what is read there is in use, whoever has thrown it away, and is brought
 * back.
 */
export function recovering(storage: MediaStorage, onRecovered: (key: string) => void): MediaStorage {
  async function orRecovered<Result>(key: string, ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask()
    } catch (fault) {
      if (!(fault instanceof MediaUnavailable) || !(await storage.recover(key))) throw fault
      onRecovered(key)
      return ask()
    }
  }
  return {
    ...storage,
    read: (key, size, range) => orRecovered(key, () => storage.read(key, size, range)),
    check: (key, size) => orRecovered(key, () => storage.check(key, size)),
  }
}
