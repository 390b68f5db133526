import type { Content, DraftVariant, editPost, Input, Post, PostPlan } from '@postrider/contract'

/** One part as it is being written. */
export type DraftPart = { readonly text: string; readonly mediaIds: readonly string[] }

export type DraftContent = {
  /** The text, then its follow-ups; never empty. */
  readonly parts: readonly DraftPart[]
}

/** When the post is to go out; `local` is a minute of the workspace's clock, as in `2026-11-21T09:00`. */
export type DraftTime =
  | { readonly state: 'draft' }
  | { readonly state: 'immediate' }
  | { readonly state: 'scheduled'; readonly local: string }

/** What a person is writing: shared content, and channels that have their own instead. */
export type Draft = {
  readonly channelIds: readonly string[]
  readonly shared: DraftContent
  readonly variants: Readonly<Record<string, DraftContent>>
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly time: DraftTime
}

export const emptyPart: DraftPart = { text: '', mediaIds: [] }

export function emptyDraft(channelIds: readonly string[] = [], time: DraftTime = { state: 'draft' }): Draft {
  return { channelIds, shared: { parts: [emptyPart] }, variants: {}, settings: {}, time }
}

/** Whether anything was written that would be missed. */
export function isBlank({ shared, variants }: Draft): boolean {
  const contents = [shared, ...Object.values(variants)]
  return contents.every(({ parts }) =>
    parts.every(({ text, mediaIds }) => text.trim() === '' && mediaIds.length === 0),
  )
}

/** What goes out on a channel: its own content, else the shared one. */
export function contentFor(draft: Draft, channelId: string): DraftContent {
  return draft.variants[channelId] ?? draft.shared
}

/** Gives a channel a copy of the shared content to change. */
export function addVariant(draft: Draft, channelId: string): Draft {
  return { ...draft, variants: { ...draft.variants, [channelId]: draft.shared } }
}

export function removeVariant(draft: Draft, channelId: string): Draft {
  const variants = Object.entries(draft.variants).filter(([id]) => id !== channelId)
  return { ...draft, variants: Object.fromEntries(variants) }
}

/** The draft with other content for one channel, or for all that share it (`null`). */
export function withContent(draft: Draft, channelId: string | null, content: DraftContent): Draft {
  if (channelId === null) return { ...draft, shared: content }
  return { ...draft, variants: { ...draft.variants, [channelId]: content } }
}

export function withPart(content: DraftContent, index: number, part: DraftPart): DraftContent {
  return { parts: content.parts.map((one, at) => (at === index ? part : one)) }
}

/** The content with a part after the one at `index`. */
export function insertPart(content: DraftContent, index: number): DraftContent {
  return { parts: content.parts.toSpliced(index + 1, 0, emptyPart) }
}

/** The content without the part; the first part is only emptied when it is the last one left. */
export function removePart(content: DraftContent, index: number): DraftContent {
  const parts = content.parts.toSpliced(index, 1)
  return { parts: parts.length === 0 ? [emptyPart] : parts }
}

/**
 * The draft as the API takes it. Channels share `text` and `thread` as long as none has content or settings of its own;
 * then each gets a target. `publishAt` is the instant of `draft.time`, which the caller has resolved.
 */
export function planOf(draft: Draft, publishAt: Date | null): PostPlan {
  const { channelIds, variants, settings, time } = draft
  const when = time.state === 'scheduled' && publishAt !== null ? { publishAt: publishAt.toISOString() } : {}
  const apart = channelIds.some((id) => variants[id] !== undefined || settings[id] !== undefined)
  if (!apart) return { state: time.state, ...when, channelIds: [...channelIds], ...apiContent(draft.shared) }
  const targets = channelIds.map((channelId) => ({
    channelId,
    ...apiContent(contentFor(draft, channelId)),
    ...(settings[channelId] === undefined ? {} : { settings: settings[channelId] }),
  }))
  return { state: time.state, ...when, targets }
}

function apiContent({ parts: [first = emptyPart, ...rest] }: DraftContent): Content {
  const thread = rest.map(apiPart)
  return { ...apiPart(first), ...(thread.length === 0 ? {} : { thread }) }
}

function apiPart({ text, mediaIds }: DraftPart): { text: string; mediaIds?: string[] } {
  return { text, ...(mediaIds.length === 0 ? {} : { mediaIds: [...mediaIds] }) }
}

/** A post as it was saved, to go on writing. */
export function draftOfPost(post: Post, time: DraftTime): Draft {
  const active = post.destinations.filter(({ status }) => status !== 'cancelled' && status !== 'expired')
  const own = active.flatMap(({ channelId, content }) =>
    content === null ? [] : [[channelId, content] as const],
  )
  const shared = post.content ?? own[0]?.[1] ?? { text: '' }
  return {
    channelIds: active.map(({ channelId }) => channelId),
    shared: draftContent(shared),
    variants: Object.fromEntries(own.map(([channelId, content]) => [channelId, draftContent(content)])),
    settings: {},
    time,
  }
}

function draftContent({ text, mediaIds = [], thread = [] }: Content): DraftContent {
  return {
    parts: [
      { text, mediaIds },
      ...thread.map((part) => ({ text: part.text, mediaIds: part.mediaIds ?? [] })),
    ],
  }
}

/** The draft as an edit of a saved post: everything is named, since what an edit leaves out stays as it was. */
export function editOf(draft: Draft): Input<typeof editPost>['body']['content'] {
  const apart = draft.channelIds.some((id) => draft.variants[id] !== undefined)
  if (!apart) return wholeContent(draft.shared)
  return {
    targets: draft.channelIds.map((channelId) => ({
      channelId,
      ...wholeContent(contentFor(draft, channelId)),
    })),
  }
}

function wholeContent({ parts: [first = emptyPart, ...rest] }: DraftContent) {
  return { text: first.text, mediaIds: [...first.mediaIds], thread: rest.map(apiPart) }
}

/** Their parts, each followed by what ours says instead; a part that both have alike stands once. */
export function mergeDrafts(theirs: Draft, ours: Draft): Draft {
  const count = Math.max(theirs.shared.parts.length, ours.shared.parts.length)
  const parts = Array.from({ length: count }, (_, at): DraftPart => {
    const [a, b] = [theirs.shared.parts[at], ours.shared.parts[at]]
    if (a === undefined || b === undefined) return a ?? b ?? emptyPart
    const text = a.text === b.text ? a.text : `${a.text}\n\n${b.text}`
    return { text, mediaIds: [...new Set([...a.mediaIds, ...b.mediaIds])] }
  })
  return { ...ours, shared: { parts }, variants: { ...theirs.variants, ...ours.variants } }
}

/** The draft with texts that a model wrote: one for all channels, or one for each of several. Media stay. */
export function withGenerated(draft: Draft, variants: readonly DraftVariant[]): Draft {
  const [first] = variants
  if (first === undefined) return draft
  const mediaIds = draft.shared.parts[0]?.mediaIds ?? []
  const contentOf = ({ text, thread = [] }: DraftVariant): DraftContent => ({
    parts: [{ text, mediaIds }, ...thread.map((part) => ({ ...emptyPart, text: part.text }))],
  })
  if (variants.length === 1) return { ...draft, shared: contentOf(first), variants: {} }
  const own = variants.flatMap((variant) =>
    variant.destinations.flatMap(({ id }) => (id === null ? [] : [[id, contentOf(variant)] as const])),
  )
  return { ...draft, shared: contentOf(first), variants: Object.fromEntries(own) }
}
