import { type RefObject, useEffect, useRef, useState } from 'react'
import { draggable, type Dragged, dropTarget } from '../../lib/drag.ts'

/** Makes an element draggable; `data` tells the place where it is dropped what it is. */
export function useDraggable(
  data: Dragged['data'],
  enabled: boolean,
): { ref: RefObject<HTMLAnchorElement | null>; dragging: boolean } {
  const ref = useRef<HTMLAnchorElement>(null)
  const latest = useRef(data)
  latest.current = data
  const [dragging, setDragging] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null || !enabled) return
    return draggable(element, {
      data: () => latest.current,
      onStart: () => setDragging(true),
      onEnd: () => setDragging(false),
    })
  }, [enabled])
  return { ref, dragging }
}

/**
 * Makes an element a place to drop what `useDraggable` moves. It is divided from top to bottom into so many steps; `over` is the step
 * that the pointer is over, null for none.
 */
export function useDropTarget<Element extends HTMLElement>(
  onDrop: (data: Dragged['data'], step: number) => void,
  steps = 1,
): { ref: RefObject<Element | null>; over: number | null } {
  const ref = useRef<Element>(null)
  const latest = useRef(onDrop)
  latest.current = onDrop
  const [over, setOver] = useState<number | null>(null)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const stepAt = (clientY: number) => {
      const { top, height } = element.getBoundingClientRect()
      return Math.min(steps - 1, Math.max(0, Math.floor(((clientY - top) / height) * steps)))
    }
    return dropTarget(element, {
      onOver: ({ clientY }) => setOver(stepAt(clientY)),
      onOut: () => setOver(null),
      onDrop: ({ data }, { clientY }) => latest.current(data, stepAt(clientY)),
    })
  }, [steps])
  return { ref, over }
}
