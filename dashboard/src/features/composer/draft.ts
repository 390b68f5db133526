import { type ChosenTime, chosenInstant } from '../../lib/chosen-time.ts'
import type { Content, Destination, DraftVariant, Post, PostPlan } from '@postrider/contract'
import type { Repeat } from '../series/rule.ts'

/** One part as it is being written. */
export type DraftPart = { readonly text: string; readonly mediaIds: readonly string[] }

export type DraftContent = {
  /** The text, then its follow-ups; never empty. */
  readonly parts: readonly DraftPart[]
  /** The first comment; left out for none. */
  readonly firstComment?: string
  /** Its links are published as they stand, whatever the link tags of the workspace. */
  readonly tagLinks?: false
}

/** A place in the queue of each channel: `next`, `first`, or the posting time at an instant. */
export type QueuePlace = string

/** When the post is to be published. */
export type DraftTime =
  | { readonly state: 'queued'; readonly queue: QueuePlace }
  | { readonly state: 'draft' }
  | { readonly state: 'immediate' }
  | ({ readonly state: 'scheduled' } & ChosenTime)

/**
 * What a person is writing. A channel follows the shared content until something is typed into its own; `variants` holds
 * what is its own, also of channels that are not chosen now: chosen again, they have it back.
 */
export type Draft = {
  readonly channelIds: readonly string[]
  readonly shared: DraftContent
  readonly variants: Readonly<Record<string, DraftContent>>
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly time: DraftTime
  /** Of a new post; a saved one has its labels on its own page. Left out for none, as by drafts that were kept before there were labels. */
  readonly labels?: readonly string[]
  /** Times of channels that differ from `time`, where that is a time; one without words is none. Left out where all have the same. */
  readonly ownTimes?: Readonly<Record<string, ChosenTime>>
  /** Of a new post with a time: over how many minutes its channels are spread. */
  readonly spreadMinutes?: number
  /** Of a new post with a time: that it begins a series. */
  readonly repeat?: Repeat
}

/** Which text is shown: a channel's, or with null the shared one. */
export type TextTab = string | null

export const emptyPart: DraftPart = { text: '', mediaIds: [] }

export function emptyDraft(channelIds: readonly string[] = [], time: DraftTime = { state: 'draft' }): Draft {
  return { channelIds, shared: { parts: [emptyPart] }, variants: {}, settings: {}, time }
}

/** Whether anything was written that would be missed. */
export function isBlank({ shared, variants }: Draft): boolean {
  const contents = [shared, ...Object.values(variants)]
  return contents.every(
    ({ parts, firstComment = '' }) =>
      firstComment.trim() === '' &&
      parts.every(({ text, mediaIds }) => text.trim() === '' && mediaIds.length === 0),
  )
}

/** What goes out on a channel: its own content, else the shared one. */
export function contentFor(draft: Draft, channelId: string): DraftContent {
  return draft.variants[channelId] ?? draft.shared
}

/** Whether what is typed into the shared text reaches the channel. */
export function follows(draft: Draft, channelId: string): boolean {
  return draft.variants[channelId] === undefined
}

/** The chosen channels that follow the shared text. */
export function followersOf(draft: Draft): string[] {
  return draft.channelIds.filter((id) => follows(draft, id))
}

/** The chosen channels that have a text of their own. */
export function ownersOf(draft: Draft): string[] {
  return draft.channelIds.filter((id) => !follows(draft, id))
}

/** The draft with the channel following the shared text again. */
export function follow(draft: Draft, channelId: string): Draft {
  const variants = Object.entries(draft.variants).filter(([id]) => id !== channelId)
  return { ...draft, variants: Object.fromEntries(variants) }
}

/**
 * The draft with what was typed into a text. Into the shared one: it reaches the channels that follow it, and no other. Into a
 * channel's: it is the channel's own from then on, unless it says the same as the shared one, which it then follows.
 */
export function write(draft: Draft, tab: TextTab, content: DraftContent): Draft {
  if (tab === null) return { ...draft, shared: content }
  if (isSame(content, draft.shared)) return follow(draft, tab)
  return { ...draft, variants: { ...draft.variants, [tab]: content } }
}

/** What is read and written in a text. */
export function contentOf(draft: Draft, tab: TextTab): DraftContent {
  return tab === null ? draft.shared : contentFor(draft, tab)
}

/** Whether there is more than one text to show: several channels, or one that has its own beside the shared one. */
export function hasTabs(draft: Draft): boolean {
  return draft.channelIds.length > 1 || ownersOf(draft).length > 0
}

/** The text to show: the one that was chosen, else one that goes out. */
export function shownTab(draft: Draft, chosen: TextTab | undefined): TextTab {
  if (chosen === null) return null
  if (chosen !== undefined && draft.channelIds.includes(chosen)) return chosen
  const [first = null] = draft.channelIds
  return followersOf(draft).length > 0 ? null : first
}

/** Chosen channels that get the same, together; in the order of the first of each. */
export function groupsOf(draft: Draft): { content: DraftContent; channelIds: string[] }[] {
  const groups: { content: DraftContent; channelIds: string[] }[] = []
  for (const id of draft.channelIds) {
    const content = contentFor(draft, id)
    const group = groups.find((one) => isSame(one.content, content))
    if (group === undefined) groups.push({ content, channelIds: [id] })
    else group.channelIds.push(id)
  }
  return groups
}

/** The channels of both on which `after` says something else than `before`. */
export function rewritten(before: Draft, after: Draft): string[] {
  return after.channelIds.filter(
    (id) => before.channelIds.includes(id) && !isSame(contentFor(before, id), contentFor(after, id)),
  )
}

export function isSame(a: DraftContent, b: DraftContent): boolean {
  return a.firstComment === b.firstComment && a.tagLinks === b.tagLinks && sameParts(a, b)
}

function sameParts(a: DraftContent, b: DraftContent): boolean {
  return JSON.stringify(a.parts.map(fieldsOf)) === JSON.stringify(b.parts.map(fieldsOf))
}

/** Whether all that was typed and chosen is the same, also what is not published now. */
export function isSameDraft(a: Draft, b: Draft): boolean {
  const chosen = (ids: readonly string[]) => [...ids].toSorted().join(' ')
  const own = Object.keys(a.variants)
  return (
    chosen(a.channelIds) === chosen(b.channelIds) &&
    chosen(own) === chosen(Object.keys(b.variants)) &&
    isSame(a.shared, b.shared) &&
    own.every((id) => isSame(contentFor(a, id), contentFor(b, id))) &&
    chosen(a.labels ?? []) === chosen(b.labels ?? []) &&
    isSameTime(a.time, b.time) &&
    a.channelIds.every((id) => isSameMoment(timeOn(a, id), timeOn(b, id))) &&
    a.spreadMinutes === b.spreadMinutes
  )
}

export function isSameTime(a: DraftTime, b: DraftTime): boolean {
  if (a.state === 'queued' && b.state === 'queued') return a.queue === b.queue
  if (a.state !== 'scheduled' || b.state !== 'scheduled') return a.state === b.state
  return isSameMoment(a, b)
}

/** Whether the same was typed of two times; null is none. */
export function isSameMoment(a: ChosenTime | null, b: ChosenTime | null): boolean {
  return a?.words === b?.words && a?.zone === b?.zone
}

/** The time of a channel, its own or that of all; null where nothing is scheduled. A series has one time. */
export function timeOn(draft: Draft, channelId: string): ChosenTime | null {
  const { time, ownTimes } = draft
  if (time.state !== 'scheduled') return null
  const own = mayDiffer(draft) ? ownTimes?.[channelId] : undefined
  return own === undefined || own.words.trim() === '' ? time : own
}

/** Whether its channels can have different times. */
export function mayDiffer({ channelIds, time, repeat }: Draft): boolean {
  return time.state === 'scheduled' && repeat === undefined && channelIds.length > 1
}

/** The chosen channels that have the time of all. */
export function onTimeOfAll(draft: Draft): string[] {
  return draft.channelIds.filter((id) => timeOn(draft, id) === draft.time)
}

/** The instants of a draft: that of all, null where no channel has it, and those that channels have as their own. */
export type Times = { readonly all: Date | null; readonly own: ReadonlyMap<string, Date> }

export const noTimes: Times = { all: null, own: new Map() }

const fieldsOf = ({ text, mediaIds }: DraftPart) => [text, mediaIds]

export function withPart(content: DraftContent, index: number, part: DraftPart): DraftContent {
  return { ...content, parts: content.parts.map((one, at) => (at === index ? part : one)) }
}

/** The content with a part after the one at `index`. */
export function insertPart(content: DraftContent, index: number): DraftContent {
  return { ...content, parts: content.parts.toSpliced(index + 1, 0, emptyPart) }
}

/** The content without the part; the first part is only emptied when it is the last one left. */
export function removePart(content: DraftContent, index: number): DraftContent {
  const parts = content.parts.toSpliced(index, 1)
  return { ...content, parts: parts.length === 0 ? [emptyPart] : parts }
}

/** The content with another first comment; null for none. */
export function withFirstComment(content: DraftContent, firstComment: string | null): DraftContent {
  return firstComment === null ? withoutFirstComment(content) : { ...content, firstComment }
}

function withoutFirstComment({ firstComment: _, ...rest }: DraftContent): DraftContent {
  return rest
}

/** Whether the links of a draft get the tags of the workspace. */
export function tagsLinks({ shared }: Draft): boolean {
  return shared.tagLinks !== false
}

/** The draft whose links get the tags of the workspace, on all channels, or on none. */
export function withLinkTags(draft: Draft, isOn: boolean): Draft {
  const set = ({ tagLinks: _, ...content }: DraftContent): DraftContent =>
    isOn ? content : { ...content, tagLinks: false }
  const variants = Object.entries(draft.variants).map(([id, content]) => [id, set(content)] as const)
  return { ...draft, shared: set(draft.shared), variants: Object.fromEntries(variants) }
}

/** The texts of a content, in the order in which they are published. */
export function textsOf({ parts, firstComment }: DraftContent): string[] {
  return [...parts.map(({ text }) => text), ...(firstComment === undefined ? [] : [firstComment])]
}

/**
 * The draft as the API takes it. Channels share `text` and `thread` as long as all get the same and none has settings or a time of its
 * own; else each gets a target. The caller has resolved the times.
 */
export function planOf(draft: Draft, { all: publishAt, own }: Times): PostPlan {
  const { channelIds, settings, time } = draft
  const labels = draft.labels === undefined || draft.labels.length === 0 ? {} : { labels: [...draft.labels] }
  const state = time.state === 'queued' ? 'scheduled' : time.state
  const instant =
    time.state === 'scheduled' && publishAt !== null ? { publishAt: publishAt.toISOString() } : {}
  const { spreadMinutes } = draft
  const spread =
    spreadMinutes === undefined || onTimeOfAll(draft).length < 2 || !('publishAt' in instant)
      ? {}
      : { spreadMinutes }
  const when = time.state === 'queued' ? { publishAt: { queue: time.queue } } : { ...instant, ...spread }
  const [only, ...others] = groupsOf(draft)
  const isAlike = (id: string) => settings[id] === undefined && !own.has(id)
  if (others.length === 0 && channelIds.every(isAlike)) {
    return {
      state,
      ...when,
      channelIds: [...channelIds],
      ...apiContent(only?.content ?? draft.shared),
      ...labels,
    }
  }
  const targets = channelIds.map((channelId) => {
    const at = own.get(channelId)
    return {
      channelId,
      ...apiContent(contentFor(draft, channelId)),
      ...(settings[channelId] === undefined ? {} : { settings: settings[channelId] }),
      ...(at === undefined ? {} : { publishAt: at.toISOString() }),
    }
  })
  return { state, ...when, targets, ...labels }
}

export function apiContent(content: DraftContent): Content {
  const { firstComment, tagLinks } = content
  const [first = emptyPart, ...rest] = content.parts
  const thread = rest.map(apiPart)
  return {
    ...apiPart(first),
    ...(thread.length === 0 ? {} : { thread }),
    ...(firstComment === undefined ? {} : { firstComment: { text: firstComment } }),
    ...(tagLinks === undefined ? {} : { tagLinks }),
  }
}

function apiPart({ text, mediaIds }: DraftPart): { text: string; mediaIds?: string[] } {
  return { text, ...(mediaIds.length === 0 ? {} : { mediaIds: [...mediaIds] }) }
}

/**
 * A post as it was saved, to go on writing. What most of its channels get is the shared text, whoever was given it as their own:
 * so each text that goes out can be reached, and none can that goes nowhere.
 */
export function draftOfPost(post: Post, zone: string): Draft {
  return { ...draftOf(post, activeOf(post), { state: 'draft' }), ...timesOf(post, zone) }
}

/** A new draft with the content and channels of a post, or of some of its channels; also of those that are over. */
export function duplicateOf(post: Post, time: DraftTime, channelIds?: readonly string[]): Draft {
  const named = post.destinations.filter(({ channelId }) => channelIds?.includes(channelId) ?? true)
  return { ...draftOf(post, named, time), ...(post.labels.length === 0 ? {} : { labels: post.labels }) }
}

/** What is to go out on one channel of a post, as it was written. */
export function writtenFor(post: Post, channelId: string): DraftContent {
  const destination = post.destinations.find((one) => one.channelId === channelId)
  return draftContent(destination?.content ?? post.content ?? { text: '' })
}

/** A new draft with what was not published of a thread on one channel; a first comment that alone is left is its text. */
export function restOf(post: Post, time: DraftTime, channelId: string): Draft {
  const written = writtenFor(post, channelId)
  const { parts, firstComment } = written
  const destination = post.destinations.find((one) => one.channelId === channelId)
  const left = new Set(
    destination?.parts
      .filter(({ status }) => status === 'failed' || status === 'skipped')
      .map(({ index }) => index),
  )
  const rest = parts.filter((_, index) => left.has(index))
  const comment = left.has(parts.length) ? firstComment : undefined
  const shared =
    rest.length > 0
      ? withFirstComment({ ...written, parts: rest }, comment ?? null)
      : { ...withFirstComment(written, null), parts: [{ ...emptyPart, text: comment ?? '' }] }
  return { ...emptyDraft([channelId], time), shared }
}

function draftOf(post: Post, active: readonly Destination[], time: DraftTime): Draft {
  const contents = active.map(({ channelId, content }) => ({
    channelId,
    content: draftContent(content ?? post.content ?? { text: '' }),
  }))
  const common = mostCommon(contents.map(({ content }) => content))
  const shared = common ?? draftContent(post.content ?? { text: '' })
  const own = contents.filter(({ content }) => !isSame(content, shared))
  return {
    channelIds: active.map(({ channelId }) => channelId),
    shared,
    variants: Object.fromEntries(own.map(({ channelId, content }) => [channelId, content])),
    settings: {},
    time,
  }
}

/** The destinations that are not over. */
export function activeOf({ destinations }: Pick<Post, 'destinations'>): Destination[] {
  return destinations.filter(({ status }) => status !== 'cancelled' && status !== 'expired')
}

/** The one time that all of a post's channels have; null where they have none, or several. */
export function commonTime(post: Pick<Post, 'destinations'>): string | null {
  const times = new Set(activeOf(post).map(({ publishAt }) => publishAt))
  const [only = null] = times
  return times.size === 1 ? only : null
}

/** As times to change: what most of its channels have is that of all. A draft where each is to keep what it has. */
function timesOf(post: Post, zone: string): Pick<Draft, 'time' | 'ownTimes'> {
  const active = activeOf(post)
  const isPlanned = post.reviewStatus === 'pending' || active.every(({ status }) => status !== 'draft')
  const planned = active.flatMap(({ channelId, publishAt: at }) => (at === null ? [] : [{ channelId, at }]))
  const [most] = [...Map.groupBy(planned, ({ at }) => at).values()].toSorted((a, b) => b.length - a.length)
  const common = most?.[0]?.at
  if (common === undefined || !isPlanned || planned.length < active.length)
    return { time: { state: 'draft' } }
  const own = planned.filter(({ at }) => at !== common)
  return {
    time: { state: 'scheduled', ...chosenInstant(common, zone) },
    ...(own.length === 0
      ? {}
      : {
          ownTimes: Object.fromEntries(own.map(({ channelId, at }) => [channelId, chosenInstant(at, zone)])),
        }),
  }
}

/** Of several, the first one. */
function mostCommon(contents: readonly DraftContent[]): DraftContent | null {
  const counted = contents.map((content) => ({
    content,
    count: contents.filter((other) => isSame(other, content)).length,
  }))
  return counted.toSorted((a, b) => b.count - a.count)[0]?.content ?? null
}

export function draftContent({
  text,
  mediaIds = [],
  thread = [],
  firstComment,
  tagLinks,
}: Content): DraftContent {
  const rest = thread.map((part) => ({ text: part.text, mediaIds: part.mediaIds ?? [] }))
  const content = { parts: [{ text, mediaIds }, ...rest], ...(tagLinks === false ? { tagLinks } : {}) }
  return withFirstComment(content, firstComment?.text ?? null)
}

/** A content with every field named, since what a change leaves out stays as it was. */
export function wholeContent(content: DraftContent) {
  const { firstComment, tagLinks = true } = content
  const [first = emptyPart, ...rest] = content.parts
  return {
    text: first.text,
    mediaIds: [...first.mediaIds],
    thread: rest.map(apiPart),
    firstComment: firstComment === undefined ? null : { text: firstComment },
    tagLinks,
  }
}

/** On each channel, their parts, each followed by what ours says instead; a part that both have alike stands once. */
export function mergeDrafts(theirs: Draft, ours: Draft): Draft {
  const shared = mergeContents(theirs.shared, ours.shared)
  const own = ours.channelIds.map(
    (id) =>
      [
        id,
        theirs.channelIds.includes(id)
          ? mergeContents(contentFor(theirs, id), contentFor(ours, id))
          : contentFor(ours, id),
      ] as const,
  )
  return { ...ours, shared, variants: withOwn(ours, own, shared) }
}

/** The own texts of a draft whose chosen channels get these contents: what says the same as the shared one follows it. */
function withOwn(
  { channelIds, variants }: Draft,
  contents: readonly (readonly [string, DraftContent])[],
  shared: DraftContent,
): Draft['variants'] {
  const others = Object.entries(variants).filter(([id]) => !channelIds.includes(id))
  return Object.fromEntries([...others, ...contents.filter(([, content]) => !isSame(content, shared))])
}

function mergeContents(theirs: DraftContent, ours: DraftContent): DraftContent {
  const count = Math.max(theirs.parts.length, ours.parts.length)
  const parts = Array.from({ length: count }, (_, at): DraftPart => {
    const [a, b] = [theirs.parts[at], ours.parts[at]]
    if (a === undefined || b === undefined) return a ?? b ?? emptyPart
    const text = a.text === b.text ? a.text : `${a.text}\n\n${b.text}`
    return { text, mediaIds: [...new Set([...a.mediaIds, ...b.mediaIds])] }
  })
  const comments = new Set([theirs.firstComment, ours.firstComment].filter((one) => one !== undefined))
  const { tagLinks } = ours
  const merged = { parts, ...(tagLinks === undefined ? {} : { tagLinks }) }
  return withFirstComment(merged, comments.size === 0 ? null : [...comments].join('\n\n'))
}

/** The draft with texts that a model wrote: one for all channels, or one for each of several. Media and first comment stay. */
export function withGenerated(draft: Draft, variants: readonly DraftVariant[]): Draft {
  const [first] = variants
  if (first === undefined) return draft
  const mediaIds = draft.shared.parts[0]?.mediaIds ?? []
  const contentOfVariant = ({ text, thread = [] }: DraftVariant): DraftContent => ({
    ...draft.shared,
    parts: [{ text, mediaIds }, ...thread.map((part) => ({ ...emptyPart, text: part.text }))],
  })
  if (variants.length === 1) return { ...draft, shared: contentOfVariant(first), variants: {} }
  const shared = contentOfVariant(first)
  const own = variants.flatMap((variant) =>
    variant.destinations.flatMap(({ id }) => (id === null ? [] : [[id, contentOfVariant(variant)] as const])),
  )
  return { ...draft, shared, variants: withOwn(draft, own, shared) }
}
