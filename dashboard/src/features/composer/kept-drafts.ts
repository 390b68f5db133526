import { wordsOfLocal } from '../../lib/read-time.ts'
import type { Draft } from './draft.ts'

/*
 * What is being written is stored in this browser with every change, so that a closed tab, a crash, an ended session or a server
 * that does not answer loses nothing. Each draft has an id, which stands in the address of its tab, and is stored under it until
 * the server has it, or its writer discards it.
 *
 * Tabs of one origin see each other's writes to `localStorage` late and cannot lock it (HTML, 12.2.3), so no key has two writers:
 * a tab writes only under ids that it made since it was loaded. The first change to a draft that it read is stored as a copy under
 * a new id, and the one that was read is removed. What is removed while another tab writes it, that tab stores again.
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

/** The ids that this tab made since it was loaded. */
const made = new Set<string>()

export function newDraftId(): string {
  return noted(crypto.randomUUID())
}

/** A new id of the same draft. */
export function copyId(id: string): string {
  return noted(`${draftOf(id)}.${crypto.randomUUID()}`)
}

function noted(id: string): string {
  made.add(id)
  return id
}

/** What all copies of a draft have in common: sending one content of them twice is one request. */
export const draftOf = (id: string): string => id.split('.', 1)[0] ?? id

/** Whether this tab alone writes under the id. */
export const isOwn = (id: string): boolean => made.has(id)

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
  return parseKept(place, id, store.getItem(keyOf(place, id)))
}

function parseKept(place: Place, id: string, stored: string | null): StoredDraft | null {
  try {
    const kept = JSON.parse(stored ?? '') as Omit<StoredDraft, 'revision'> & {
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
  /** One that this tab made. */
  readonly id: string
  readonly draft: Draft
  readonly editToken: string | null
}

/**
 * Stores a draft, and returns the revision. Null when the browser refuses to store it (full, or private mode): then the writer
 * has to be told.
 */
export function keep(place: Place, { id, ...written }: Writing, store: Store = localStorage): string | null {
  const revision = crypto.randomUUID()
  const kept = { version: VERSION, personId: place.personId, ...written, revision }
  try {
    store.setItem(keyOf(place, id), JSON.stringify({ ...kept, savedAt: new Date().toISOString() }))
    return revision
  } catch {
    return null
  }
}

/** Puts back what was discarded. */
export function putBack(place: Place, { id, ...kept }: StoredDraft, store: Store = localStorage): void {
  store.setItem(keyOf(place, id), JSON.stringify({ version: VERSION, personId: place.personId, ...kept }))
}

/** Removes a draft; with a revision, only where it is the one that is stored. */
export function discard(place: Place, id: string, seen?: string | null, store: Store = localStorage): void {
  if (seen !== undefined && readKept(place, id, store)?.revision !== seen) return
  store.removeItem(keyOf(place, id))
}

type Opened = {
  readonly place: Place
  readonly id: string
  /** As it was read when it was opened. */
  readonly kept: StoredDraft | null
  /** Whether the id is one that this tab made. */
  readonly own: boolean
  /** The draft is stored under this id from now on. */
  readonly onMoved: (id: string) => void
  /** Another tab writes the same draft. Called once. */
  readonly onOtherTab: () => void
  readonly store?: Store
}

/** What a tab does with the draft that is open in it. */
export function openDraft({ place, kept, onMoved, onOtherTab, store = localStorage, ...opened }: Opened) {
  let { id, own } = opened
  let revision = kept?.revision ?? null
  let last: Omit<Writing, 'id'> | null = null
  let isDone = false
  let isShared = false

  function share(): void {
    if (!isShared) onOtherTab()
    isShared = true
  }

  return {
    /** Stores a change; whether the browser took it. Null stands for nothing that would be missed. */
    change(written: Omit<Writing, 'id'> | null): boolean {
      if (isDone) return true
      last = written
      if (written === null) {
        discard(place, id, revision, store)
        revision = null
        return true
      }
      const read = { id, revision }
      const under = own ? id : copyId(id)
      const stored = keep(place, { id: under, ...written }, store)
      if (stored === null) return false
      revision = stored
      if (own) return true
      own = true
      id = under
      discard(place, read.id, read.revision, store)
      onMoved(id)
      return true
    },
    /** What another tab did, of which a `storage` event tells. */
    onStorage({ key, newValue }: Pick<StorageEvent, 'key' | 'newValue'>): void {
      const prefix = prefixOf(place)
      if (isDone || key === null || !key.startsWith(prefix)) return
      const changed = key.slice(prefix.length)
      if (draftOf(changed) !== draftOf(id)) return
      const there = parseKept(place, changed, newValue)
      if (there !== null) share()
      if (!own || changed !== id || last === null || there?.revision === revision) return
      share()
      revision = keep(place, { id, ...last }, store)
    },
    /** Removes what is stored, and returns it: the server has it, or its writer does not want it. */
    forget(): StoredDraft | null {
      isDone = true
      const there = readKept(place, id, store)
      discard(place, id, revision, store)
      return there
    },
  }
}
