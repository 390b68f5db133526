import { useEffect, useRef, useState } from 'react'
import { discard, keep, type StoredDraft, type Place, readKept } from './kept-drafts.ts'
import type { Draft } from './draft.ts'

type Writing = {
  place: Place
  id: string
  draft: Draft
  editToken: string | null
  /** Whether anything stands in it that the server does not have. */
  worthKeeping: boolean
  /** Another tab writes under this id: from now on, this one is kept under another. */
  onMoved: (id: string) => void
}

/** Reads a draft once, when its screen opens. */
export function useRestored(place: Place, id: string): StoredDraft | null {
  const [kept] = useState(() => readKept(place, id))
  return kept
}

/** Keeps what is written with every change; whether the browser takes it. */
export function useKeptDraft(
  kept: StoredDraft | null,
  { place, id, draft, editToken, worthKeeping, onMoved }: Writing,
) {
  const [storable, setStorable] = useState(true)
  const where = useRef({ id, revision: kept?.revision ?? null })
  const first = useRef(true)
  const done = useRef(false)

  useEffect(() => {
    // What was read is as it was kept.
    if (first.current) {
      first.current = false
      return
    }
    if (done.current) return
    const { id: own, revision: seen } = where.current
    if (!worthKeeping) {
      discard(place, own, seen)
      where.current = { id: own, revision: null }
      return
    }
    const written = keep(place, { id: own, draft, editToken, seen })
    setStorable(written !== null)
    if (written === null) return
    where.current = written
    if (written.id !== own) onMoved(written.id)
    // The rest says where it is kept, and is the same for as long as the screen is open.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [draft, editToken])

  return {
    storable,
    /** Removes what was kept: the server has it, or its writer does not want it. */
    forget(): StoredDraft | null {
      done.current = true
      const { id: own, revision } = where.current
      const there = readKept(place, own)
      discard(place, own, revision)
      return there
    },
  }
}
