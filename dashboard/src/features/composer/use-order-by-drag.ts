import { type RefObject, useEffect, useRef, useState } from 'react'
import { draggable, dropTarget } from '../../lib/drag.ts'

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

const KIND = 'media-in-part'

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
    const isOfThis = (other: Element) => other.parentElement === element.parentElement && other !== element
    const stopDrag = draggable(element, { data: () => ({ kind: KIND, mediaId }) })
    const stopDrop = dropTarget(element, {
      takes: (what) => what.data['kind'] === KIND && isOfThis(what.element),
      onOver: () => setIsOver(true),
      onOut: () => setIsOver(false),
      onDrop: ({ data }) => latest.current.onMove(String(data['mediaId']), latest.current.at),
    })
    return () => {
      stopDrag()
      stopDrop()
    }
  }, [mediaId, count])
  return { ref, isOver }
}
