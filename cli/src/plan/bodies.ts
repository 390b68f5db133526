import { createHash } from 'node:crypto'
import { contentNames, fieldRows } from '@postrider/contract/plan'
import { contentOf, isShared, type MediaIds, type PlannedTarget } from '@postrider/contract/plan'
import type { Operations } from '@postrider/sdk'

/** What takes away each field that a content can be without. */
const emptied = Object.fromEntries(
  contentNames.filter((name) => name !== 'text').map((name) => [name, fieldRows[name].none]),
)

type EditedContent = Operations['editPost']['body']['content']

/** What edits a post: all of it at once, or some channels. Nothing that is left out stays. */
export function editedContent(
  edited: readonly PlannedTarget[],
  { isWhole }: { readonly isWhole: boolean },
  ids: MediaIds,
): EditedContent {
  const whole = (target: PlannedTarget) => ({
    ...emptied,
    ...contentOf(target, ids),
  })
  const [first] = edited
  return isWhole && first !== undefined && isShared(edited)
    ? whole(first)
    : { targets: edited.map((target) => ({ channelId: target.channelId, ...whole(target) })) }
}

/** The key of one write: of the post of the plan, the step, and what is written. The same again is the same write. */
export function keyOf(reference: string, step: string, written: unknown): string {
  return `plan-${createHash('sha256')
    .update(JSON.stringify([reference, step, written]))
    .digest('base64url')}`
}
