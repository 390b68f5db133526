import { createContext, type KeyboardEvent, type MouseEvent, useContext } from 'react'
import type { Card } from './cards.ts'

export type Selection = {
  /** By the ids of the posts. */
  readonly posts: ReadonlyMap<string, unknown>
  readonly toggle: (postId: string, labels: readonly string[]) => void
}

/** The posts that are selected; null while posts are opened and not selected. */
export const SelectionContext = createContext<Selection | null>(null)

/** What makes the link to a post a box that selects it, while posts are selected. */
export function useSelectable({ postId, entries }: Pick<Card, 'postId' | 'entries'>) {
  const selection = useContext(SelectionContext)
  if (selection === null) return {}
  const isSelected = selection.posts.has(postId)
  const toggle = (event: MouseEvent | KeyboardEvent) => {
    event.preventDefault()
    selection.toggle(postId, entries[0]?.labels ?? [])
  }
  return {
    role: 'checkbox',
    'aria-checked': isSelected,
    'data-selected': isSelected || undefined,
    onClick: toggle,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === ' ') toggle(event)
    },
  } as const
}
