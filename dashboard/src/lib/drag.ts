/* Dragging from one place of the page to another, by the browser's own means. What comes from outside is not met here. */

export type Dragged = { readonly element: HTMLElement; readonly data: Readonly<Record<string, unknown>> }

let dragged: Dragged | null = null

type Source = { data: () => Dragged['data']; onStart?: () => void; onEnd?: () => void }

/** Makes an element draggable; `data` tells the place where it is dropped what it is. */
export function draggable(element: HTMLElement, { data, onStart, onEnd }: Source): () => void {
  const listening = new AbortController()
  const { signal } = listening
  element.draggable = true
  const start = (event: DragEvent) => {
    if (event.target !== element) return
    dragged = { element, data: data() }
    if (event.dataTransfer !== null) event.dataTransfer.effectAllowed = 'move'
    // Firefox drags nothing that has no data; the link's own address would be for other pages.
    event.dataTransfer?.setData('text/plain', element.textContent)
    onStart?.()
  }
  const end = () => {
    dragged = null
    onEnd?.()
  }
  element.addEventListener('dragstart', start, { signal })
  element.addEventListener('dragend', end, { signal })
  return () => {
    listening.abort()
    element.removeAttribute('draggable')
  }
}

type Target = {
  takes?: (what: Dragged) => boolean
  onOver: (event: DragEvent) => void
  onOut: () => void
  onDrop: (what: Dragged, event: DragEvent) => void
}

/** Makes an element a place to drop something; of places within each other, the innermost takes it. */
export function dropTarget(element: HTMLElement, { takes, onOver, onOut, onDrop }: Target): () => void {
  const listening = new AbortController()
  const { signal } = listening
  const taken = () => (dragged !== null && (takes?.(dragged) ?? true) ? dragged : null)
  const over = (event: DragEvent) => {
    if (taken() === null) return
    // Taken by one within.
    if (event.defaultPrevented) return onOut()
    event.preventDefault()
    onOver(event)
  }
  const leave = ({ relatedTarget }: DragEvent) => {
    if (!(relatedTarget instanceof Node && element.contains(relatedTarget))) onOut()
  }
  const drop = (event: DragEvent) => {
    const what = taken()
    onOut()
    if (what === null || event.defaultPrevented) return
    event.preventDefault()
    onDrop(what, event)
  }
  element.addEventListener('dragenter', over, { signal })
  element.addEventListener('dragover', over, { signal })
  element.addEventListener('dragleave', leave, { signal })
  element.addEventListener('drop', drop, { signal })
  return () => listening.abort()
}
