import { wordsOfLocal } from '../../lib/read-time.ts'
import type { Draft } from './draft.ts'

/*
 * What is being written is kept in this browser with every change, so that a closed tab, a crash, an ended session or a
 * server that is away loses nothing. Each draft has an id, which stands in the address of its tab, and is kept under it until
 * the server has it, or its writer discards it. A tab writes over what it has read or written itself, and over nothing else: of
 * two tabs with one draft, the second to write goes on with a copy.
 */

/** Whose draft it is, and of which post; `postId` is null for a post that the server does not have yet. */
export type Place = {
  readonly workspaceId: string
  readonly personId: string
  readonly postId: string | null
}

export type StoredDraft = {
  readonly id: string
  readonly draft: Draft
  /** The version of the post that it was written on. */
  readonly editToken: string | null
  readonly savedAt: string
  /** Another with every write. */
  readonly revision: string
}

/** What `localStorage` is used for here. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const VERSION = 1

function prefixOf({ workspaceId, postId }: Place): string {
  return `postrider.draft.${workspaceId}.${postId ?? 'new'}.`
}

const keyOf = (place: Place, id: string) => `${prefixOf(place)}${id}`

/** The drafts of the place, the newest first. */
export function listKept(place: Place, store: Store = localStorage): StoredDraft[] {
  const prefix = prefixOf(place)
  const keys = Array.from({ length: store.length }, (_, at) => store.key(at) ?? '')
  return keys
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => readKept(place, key.slice(prefix.length), store) ?? [])
    .toSorted((a, b) => (a.savedAt < b.savedAt ? 1 : -1))
}

/** Null also for what another version of the dashboard wrote, whose form is not known, and for another person's. */
export function readKept(place: Place, id: string, store: Store = localStorage): StoredDraft | null {
  try {
    const kept = JSON.parse(store.getItem(keyOf(place, id)) ?? '') as Omit<StoredDraft, 'revision'> & {
      version: number
      personId?: string
      revision?: string
    }
    const { version, personId = place.personId, draft, editToken, savedAt, revision = '' } = kept
    if (version !== VERSION || personId !== place.personId) return null
    return { id, draft: withWords(draft, savedAt), editToken, savedAt, revision }
  } catch {
    return null
  }
}

/** The draft with its time in words, where it was kept when times were minutes of the workspace's clock. */
function withWords(draft: Draft, typedAt: string): Draft {
  const { local } = draft.time as { local?: string }
  if (draft.time.state !== 'scheduled' || local === undefined) return draft
  const words = local === '' ? '' : wordsOfLocal(local)
  return { ...draft, time: { state: 'scheduled', words, zone: null, typedAt } }
}

type Writing = {
  readonly id: string
  readonly draft: Draft
  readonly editToken: string | null
  /** The revision that was read or written last; null where nothing was kept. */
  readonly seen: string | null
}

/**
 * Keeps a draft. What another tab wrote under its id stays, and this is kept under an id of its own, which the answer says. Null
 * when the browser refuses to keep it (full, or private mode): then the writer has to be told.
 */
export function keep(
  place: Place,
  { id, draft, editToken, seen }: Writing,
  store: Store = localStorage,
): { id: string; revision: string } | null {
  const there = readKept(place, id, store)
  const own = there === null || there.revision === seen ? id : crypto.randomUUID()
  const revision = crypto.randomUUID()
  const kept = {
    ...{ version: VERSION, personId: place.personId, draft, editToken, revision },
    savedAt: new Date().toISOString(),
  }
  try {
    store.setItem(keyOf(place, own), JSON.stringify(kept))
    return { id: own, revision }
  } catch {
    return null
  }
}

/** Puts back what was discarded. */
export function putBack(place: Place, { id, ...kept }: StoredDraft, store: Store = localStorage): void {
  store.setItem(keyOf(place, id), JSON.stringify({ version: VERSION, personId: place.personId, ...kept }))
}

/** Removes a draft; with a revision, only where no other tab has written over it. */
export function discard(place: Place, id: string, seen?: string | null, store: Store = localStorage): void {
  if (seen !== undefined && readKept(place, id, store)?.revision !== seen) return
  store.removeItem(keyOf(place, id))
}
