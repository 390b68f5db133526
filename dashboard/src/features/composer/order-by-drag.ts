import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'

type Entry = {
  element: HTMLElement
  mediaId: string
  onOver: (isOver: boolean) => void
  /** Another entry of the same list was dropped here. */
  onDrop: (mediaId: string) => void
}

const KIND = 'media-in-part'

/** Makes an entry of a list draggable, and a place to drop the others; gives back what undoes that. */
export function orderByDrag({ element, mediaId, onOver, onDrop }: Entry): () => void {
  const isOfThis = (other: Element) => other.parentElement === element.parentElement && other !== element
  return combine(
    draggable({ element, getInitialData: () => ({ kind: KIND, mediaId }) }),
    dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data['kind'] === KIND && isOfThis(source.element),
      onDragEnter: () => onOver(true),
      onDragLeave: () => onOver(false),
      onDrop({ source }) {
        onOver(false)
        onDrop(String(source.data['mediaId']))
      },
    }),
  )
}
