import type { Draft } from './draft.ts'

/*
 * What is being written is kept in this browser with every change, so that a closed tab, a crash, an ended session or a
 * server that is away loses nothing. It is removed when the server has it, or when the writer discards it. Each tab
 * keeps its own, so that two tabs with one post do not overwrite each other; whoever opens the post next gets the newest.
 */

export type Saved = {
  readonly draft: Draft
  readonly savedAt: string
  readonly editToken: string | null
  /** Where it is kept. */
  readonly key: string
}

const PREFIX = 'postrider.draft.'
const VERSION = 1
const TAB = 'postrider.tab'

/** The place of a text of this tab; `postId` is null for a post that the server does not have yet. */
export function keyOf(workspaceId: string, postId: string | null): string {
  return `${placeOf(workspaceId, postId)}${tabId()}`
}

const placeOf = (workspaceId: string, postId: string | null) => `${PREFIX}${workspaceId}.${postId ?? 'new'}.`

/** The same for as long as the tab is open, reloads included. */
function tabId(): string {
  const known = sessionStorage.getItem(TAB)
  if (known !== null) return known
  const id = crypto.randomUUID()
  sessionStorage.setItem(TAB, id)
  return id
}

/** False when the browser refuses to keep it (full, or private mode): then the writer has to be told. */
export function save(key: string, draft: Draft, editToken: string | null): boolean {
  const kept = { version: VERSION, draft, editToken, savedAt: new Date().toISOString() }
  try {
    localStorage.setItem(key, JSON.stringify(kept))
    return true
  } catch {
    return false
  }
}

/** What was kept last, by any tab; null also for what another version of the dashboard wrote, whose form is not known. */
export function restore(workspaceId: string, postId: string | null): Saved | null {
  const place = placeOf(workspaceId, postId)
  const kept = Object.keys(localStorage)
    .filter((key) => key.startsWith(place))
    .flatMap((key) => readKept(key))
  return kept.toSorted((a, b) => (a.savedAt < b.savedAt ? 1 : -1))[0] ?? null
}

function readKept(key: string): Saved[] {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '') as Saved & { version: number }
    return kept.version === VERSION ? [{ ...kept, key }] : []
  } catch {
    return []
  }
}

export function discard(keys: readonly string[]): void {
  for (const key of keys) localStorage.removeItem(key)
}
