import { type RefObject, useEffect, useRef, useState } from 'react'

/** The ids with one of them at another place. */
export function movedTo(ids: readonly string[], id: string, to: number): string[] {
  return ids.filter((one) => one !== id).toSpliced(to, 0, id)
}

type Place = {
  mediaId: string
  at: number
  count: number
  onMove: (mediaId: string, to: number) => void
}

/** Makes an entry of a list draggable, and a place to drop another entry of the same list: that takes its place. */
export function useOrderByDrag({ mediaId, at, count, onMove }: Place): {
  ref: RefObject<HTMLLIElement | null>
  isOver: boolean
} {
  const ref = useRef<HTMLLIElement>(null)
  const latest = useRef({ at, onMove })
  latest.current = { at, onMove }
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null || count < 2) return
    let isOrdered = true
    let undo: (() => void) | null = null
    // Loaded with the second file. Without it, the buttons order them.
    void import('./order-by-drag.ts').then(
      ({ orderByDrag }) => {
        const onDrop = (dropped: string) => latest.current.onMove(dropped, latest.current.at)
        if (isOrdered) undo = orderByDrag({ element, mediaId, onOver: setIsOver, onDrop })
      },
      () => null,
    )
    return () => {
      isOrdered = false
      undo?.()
    }
  }, [mediaId, count])
  return { ref, isOver }
}
