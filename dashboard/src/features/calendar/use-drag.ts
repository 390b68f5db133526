import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { type RefObject, useEffect, useRef, useState } from 'react'

/** Makes an element draggable; `data` tells the place where it is dropped what it is. */
export function useDraggable(
  data: Readonly<Record<string, unknown>>,
  enabled: boolean,
): { ref: RefObject<HTMLAnchorElement | null>; dragging: boolean } {
  const ref = useRef<HTMLAnchorElement>(null)
  const latest = useRef(data)
  latest.current = data
  const [dragging, setDragging] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null || !enabled) return
    return draggable({
      element,
      getInitialData: () => latest.current,
      onDragStart: () => setDragging(true),
      onDrop: () => setDragging(false),
    })
  }, [enabled])
  return { ref, dragging }
}

/** Makes an element a place to drop what `useDraggable` moves. */
export function useDropTarget(onDrop: (data: Record<string, unknown>) => void): {
  ref: RefObject<HTMLLIElement | null>
  over: boolean
} {
  const ref = useRef<HTMLLIElement>(null)
  const latest = useRef(onDrop)
  latest.current = onDrop
  const [over, setOver] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    return dropTargetForElements({
      element,
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: ({ source }) => {
        setOver(false)
        latest.current(source.data)
      },
    })
  }, [])
  return { ref, over }
}
