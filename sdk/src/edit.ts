import type { Content, Destination, Operations, Post } from './api.ts'

/** What an edit changes: of the content that all channels share, or of single channels. */
export type ContentEdit = Operations['editPost']['body']['content']

/** What a change has that is no field of a content. */
const BESIDE: readonly string[] = ['channelId', 'parts', 'settings']

/**
 * Which of the fields that an edit changes were changed by somebody else between two readings of a post; empty where the
 * edit can be repeated on the later one without undoing anything. Settings cannot be read back, so that any other change of
 * the channel counts.
 */
export function conflictsOf(change: ContentEdit, before: Post, now: Post): string[] {
  if (!('targets' in change)) return differing(change, before.content, now.content)
  return change.targets.flatMap((target) => {
    const was = destinationOf(before, target.channelId)
    const is = destinationOf(now, target.channelId)
    const fields = differing(target, contentOf(before, was), contentOf(now, is))
    const isSettled = target.settings === undefined || was?.controlToken === is?.controlToken
    return [...fields, ...(isSettled ? [] : ['settings'])].map((field) => `${target.channelId}.${field}`)
  })
}

function differing(change: object, was: Content | null, is: Content | null): string[] {
  const parts = 'parts' in change ? (change.parts as readonly { readonly index: number }[]) : []
  const others = parts.filter(
    ({ index }) => JSON.stringify(partOf(was, index)) !== JSON.stringify(partOf(is, index)),
  )
  return [...others.map(({ index }) => `parts.${index}`), ...differingFields(change, was, is)]
}

function partOf(content: Content | null, index: number) {
  const { text, mediaIds } = (index === 0 ? content : content?.thread?.[index - 1]) ?? {}
  return [text, mediaIds ?? []]
}

function differingFields(change: object, was: Content | null, is: Content | null): string[] {
  const [before, now] = [was, is] as readonly (Readonly<Record<string, unknown>> | null)[]
  return Object.keys(change).filter(
    (field) =>
      !BESIDE.includes(field) &&
      JSON.stringify(before?.[field] ?? null) !== JSON.stringify(now?.[field] ?? null),
  )
}

function contentOf(post: Post, destination: Destination | undefined): Content | null {
  return destination?.content ?? post.content
}

function destinationOf(post: Post, channelId: string): Destination | undefined {
  return post.destinations.find((destination) => destination.channelId === channelId)
}
