import { useEffect, useRef, useState } from 'react'
import type { Draft } from './draft.ts'
import { isOwn, openDraft, type Place, readKept, type StoredDraft } from './kept-drafts.ts'

type Writing = {
  place: Place
  id: string
  draft: Draft
  editToken: string | null
  /** Whether anything stands in it that the server does not have. */
  worthKeeping: boolean
  /** The draft is stored under this id from now on. */
  onMoved: (id: string) => void
  /** The same draft is written in another tab. Each keeps its own. */
  onOtherTab: () => void
}

/** Reads a draft once, when its screen opens. */
export function useRestored(place: Place, id: string): StoredDraft | null {
  const [kept] = useState(() => readKept(place, id))
  return kept
}

/** Stores what is written with every change; whether the browser takes it. */
export function useKeptDraft(
  kept: StoredDraft | null,
  { place, id, draft, editToken, worthKeeping, onMoved, onOtherTab }: Writing,
) {
  const [storable, setStorable] = useState(true)
  // The place, the id it was opened under, and what is done on a move are the same for as long as the screen is open.
  const [opened] = useState(() => openDraft({ place, id, kept, onMoved, onOtherTab, own: isOwn(id) }))
  const first = useRef(true)

  useEffect(() => {
    addEventListener('storage', opened.onStorage)
    return () => removeEventListener('storage', opened.onStorage)
  }, [opened])

  useEffect(() => {
    // What was read is as it was stored.
    if (first.current) {
      first.current = false
      return
    }
    setStorable(opened.change(worthKeeping ? { draft, editToken } : null))
    // Whether it is worth keeping follows from the draft.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [draft, editToken])

  return { storable, forget: opened.forget }
}
