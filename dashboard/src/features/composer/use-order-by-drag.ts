import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
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
    return combine(
      draggable({ element, getInitialData: () => ({ kind: KIND, mediaId }) }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data['kind'] === KIND && isOfThis(source.element),
        onDragEnter: () => setIsOver(true),
        onDragLeave: () => setIsOver(false),
        onDrop({ source }) {
          setIsOver(false)
          latest.current.onMove(String(source.data['mediaId']), latest.current.at)
        },
      }),
    )
  }, [mediaId, count])
  return { ref, isOver }
}
