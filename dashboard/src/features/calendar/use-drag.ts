import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { type RefObject, useEffect, useRef, useState } from 'react'

type Where = { readonly current: { readonly dropTargets: readonly { readonly element: Element }[] } }

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

/**
 * Makes an element a place to drop what `useDraggable` moves. It is divided from top to bottom into so many steps; `over` is the step
 * that the pointer is over, null for none.
 */
export function useDropTarget<Element extends HTMLElement>(
  onDrop: (data: Record<string, unknown>, step: number) => void,
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
    const isInnermost = ({ current }: Where) => current.dropTargets[0]?.element === element
    return dropTargetForElements({
      element,
      // Of places within each other, the innermost takes it.
      onDrag: ({ location }) =>
        setOver(isInnermost(location) ? stepAt(location.current.input.clientY) : null),
      onDragLeave: () => setOver(null),
      onDrop: ({ source, location }) => {
        setOver(null)
        if (isInnermost(location)) latest.current(source.data, stepAt(location.current.input.clientY))
      },
    })
  }, [steps])
  return { ref, over }
}
