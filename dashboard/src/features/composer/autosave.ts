import type { Draft } from './draft.ts'

/*
 * What is being written is kept in this browser with every change, so that a closed tab, a crash, an ended session or a
 * server that is away loses nothing. It is removed when the server has it, or when the writer discards it.
 */

export type Saved = { readonly draft: Draft; readonly savedAt: string; readonly editToken: string | null }

const PREFIX = 'postrider.draft.'
const VERSION = 1

/** `postId` is null for a post that the server does not have yet. */
export function keyOf(workspaceId: string, postId: string | null): string {
  return `${PREFIX}${workspaceId}.${postId ?? 'new'}`
}

/** False when the browser refuses to keep it (full, or private mode): then the writer has to be told. */
export function save(
  key: string,
  draft: Draft,
  editToken: string | null,
  storage: Storage = localStorage,
): boolean {
  try {
    storage.setItem(
      key,
      JSON.stringify({ version: VERSION, draft, editToken, savedAt: new Date().toISOString() }),
    )
    return true
  } catch {
    return false
  }
}

/** What was kept, or null: also when it was written by another version of the dashboard, whose form is not known. */
export function restore(key: string, storage: Storage = localStorage): Saved | null {
  const text = storage.getItem(key)
  if (text === null) return null
  try {
    const kept = JSON.parse(text) as Saved & { version: number }
    return kept.version === VERSION ? kept : null
  } catch {
    return null
  }
}

export function discard(key: string, storage: Storage = localStorage): void {
  storage.removeItem(key)
}
