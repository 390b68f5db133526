import { type Content, type ContentChange, contentNames, type PostIssue } from '@postrider/contract'
import { type ContentEdit, contentFor, type EditedDestination } from './content-edit.ts'
import { partsOf } from '../plan/plan.ts'
import type { WholePost } from '../post-store.ts'

type Changes =
  | ContentChange
  | { readonly targets: readonly (ContentChange & { readonly channelId: string })[] }

/**
 * What an edit takes away without naming it: media of a thread that is replaced, and content that channels have of their own and
 * that an edit of all writes over.
 */
export function editWarnings(post: WholePost, changes: Changes, edit: ContentEdit): PostIssue[] {
  return edit.destinations.flatMap((edited) => {
    const { destination } = edited
    const before = contentFor(destination, post.content)
    if ('targets' in changes) {
      const change = changes.targets.find(({ channelId }) => channelId === destination.channelId)
      return change === undefined ? [] : droppedMedia(before, edited, change)
    }
    const others =
      post.content === null ? edit.destinations.map(({ destination: row }) => row.content) : [post.content]
    const own = destination.content === null ? [] : lostContent(before, edited, { changes, others })
    return [...own, ...droppedMedia(before, edited, changes)]
  })
}

function lostContent(
  before: Content,
  { destination: { channelId }, content, pointers }: EditedDestination,
  { changes, others }: { changes: ContentChange; others: readonly (Content | null)[] },
): PostIssue[] {
  const lost = FIELDS.filter((name) => {
    const was = valueOf(before, name)
    const isOwn = others.some((other) => other !== null && valueOf(other, name) !== was)
    return changes[name] !== undefined && isOwn && valueOf(content, name) !== was
  })
  return lost.map((name) => ({
    code: 'own_content_replaced',
    severity: 'warning',
    channelId,
    pointer: `${pointers.content}/${name}`,
    message: `The channel had its own \`${name}\`, which this edit of all channels replaces.`,
    fix: 'Name the channels to change in `targets`.',
  }))
}

const FIELDS = [...contentNames, 'parts'] as const

function valueOf(content: Content, name: (typeof FIELDS)[number]): string {
  return JSON.stringify(name === 'parts' ? partsOf(content) : (content[name] ?? []))
}

/** A thread that is removed as a whole is meant to be; media that moved to another part is not gone. */
function droppedMedia(
  before: Content,
  { destination: { channelId }, content, pointers }: EditedDestination,
  { thread = [] }: ContentChange,
): PostIssue[] {
  if (thread.length === 0) return []
  const kept = new Set(partsOf(content).flatMap(({ mediaIds }) => mediaIds))
  return (before.thread ?? []).flatMap(({ mediaIds = [] }, place) =>
    thread[place]?.mediaIds !== undefined
      ? []
      : mediaIds
          .filter((mediaId) => !kept.has(mediaId))
          .map((mediaId) => ({
            code: 'media_dropped',
            severity: 'warning' as const,
            channelId,
            partIndex: place + 1,
            mediaId,
            pointer: `${pointers.content}/thread`,
            message: `Part ${place + 1} had a file that the new thread leaves out.`,
            fix: 'Name its `mediaIds`, `[]` for none, or change single parts with `parts`.',
          })),
  )
}
