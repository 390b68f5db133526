import type { PartKind } from '@postrider/contract'

/** Where a part stands among those of its destination. */
type Placed = { readonly index: number; readonly firstComment: boolean }

export function kindOfPart({ index, firstComment }: Placed): PartKind {
  if (firstComment) return 'first_comment'
  return index === 0 ? 'post' : 'reply'
}

/** The part that a part answers to; undefined for the first. */
export function parentOf<Part>(parts: readonly Part[], { index, firstComment }: Placed): Part | undefined {
  return index === 0 ? undefined : parts[firstComment ? 0 : index - 1]
}
