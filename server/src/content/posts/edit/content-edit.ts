import {
  type ChannelContentChange,
  channelNames,
  type Content,
  type ContentChange,
  contentNames,
  type TargetChange,
} from '@postrider/contract'
import { isActive } from '../../../engine/destinations/destination-commands.ts'
import type { DestinationRow } from '../../../engine/destinations/destination-store.ts'
import type { ActDetails, AuditValue } from '../../../edge/operations/act.ts'
import { contentOf, type ContentPart, partsOf, type Plan } from '../plan/plan.ts'
import type { WholePost } from '../post-store.ts'

type Settings = DestinationRow['settings']
type Before = Pick<WholePost, 'content' | 'destinations'>

/** One destination as it is after an edit. */
export type EditedDestination = {
  readonly destination: DestinationRow
  /** What it publishes. */
  readonly content: Content
  /** Null when that is what the post shares. */
  readonly own: Content | null
  readonly settings: Settings
  /** What is published, with link tags. */
  readonly parts?: readonly ContentPart[]
  readonly pointers: Plan['destinations'][number]['pointers']
}

export type ContentEdit = {
  /** What its active destinations share; null once each of them has content of its own. */
  readonly shared: Content | null
  readonly destinations: readonly EditedDestination[]
}

/** The content with what a change names of it; what is left out stays. */
export function merge(base: Content, change: ContentChange): Content {
  const named = contentNames.filter((name) => change[name] !== undefined)
  const merged = contentOf({ ...base, ...Object.fromEntries(named.map((name) => [name, change[name]])) })
  return change.parts === undefined ? merged : withParts(merged, change.parts)
}

function withParts(base: Content, changes: NonNullable<ContentChange['parts']>): Content {
  const parts = partsOf(base).map((part, index) => {
    const change = changes.find((one) => one.index === index)
    return { ...part, text: change?.text ?? part.text, mediaIds: [...(change?.mediaIds ?? part.mediaIds)] }
  })
  const [first, ...thread] = parts.filter((part) => !part.firstComment)
  const { text = '', mediaIds } = first ?? {}
  const comment = parts.find((part) => part.firstComment)
  const firstComment = comment && { text: comment.text }
  return contentOf({ ...base, text, mediaIds, thread, firstComment })
}

/**
 * Changes the content of every active destination. Each keeps what the change does not name, content of its own
 * included; destinations that publish the same afterwards share it.
 */
export function editAll({ content: shared, destinations }: Before, change: ContentChange): ContentEdit {
  const active = destinations.filter(({ status }) => isActive(status))
  const merged = active.map((destination) => merge(contentFor(destination, shared), change))
  const [first] = merged
  const common =
    shared !== null || first === undefined
      ? merge(shared ?? NOTHING, change)
      : merged.every((content) => isSame(content, first))
        ? first
        : null
  const edited = active.map((destination, place): EditedDestination => {
    const content = merged[place] ?? NOTHING
    const own = common !== null && isSame(content, common) ? null : content
    const pointers = { channel: '/content', content: '/content' }
    return { destination, content, own, settings: destination.settings, pointers }
  })
  const isShared = edited.length === 0 || edited.some(({ own }) => own === null)
  return { shared: isShared ? common : null, destinations: edited }
}

/** Changes the content of the destinations that are named, of which each then has its own; the others keep theirs. */
export function editTargets(
  { content: shared, destinations }: Before,
  changes: readonly (ChannelContentChange & {
    readonly destination: DestinationRow
    readonly pointers: EditedDestination['pointers']
  })[],
): ContentEdit {
  const edited = changes.map(({ destination, pointers, settings, ...change }): EditedDestination => {
    const content = merge(contentFor(destination, shared), change)
    const own = Object.keys(change).length === 0 ? destination.content : content
    return { destination, content, own, settings: settings ?? destination.settings, pointers }
  })
  const ownedBy = new Map(edited.map(({ destination, own }) => [destination, own]))
  const isShared = destinations.some(
    (one) => isActive(one.status) && (ownedBy.has(one) ? ownedBy.get(one) : one.content) === null,
  )
  return { shared: isShared ? shared : null, destinations: edited }
}

/** Finds the destinations of `targets`; the index of the first that names none which is active. */
export function findTargets(
  destinations: readonly DestinationRow[],
  targets: readonly TargetChange[],
): { readonly unknownTarget: number } | Parameters<typeof editTargets>[1] {
  const found = targets.map(({ channelId, ...change }, index) => {
    const destination = destinations.find((one) => one.channelId === channelId && isActive(one.status))
    const content = `/content/targets/${index}`
    return destination && { ...change, destination, pointers: { channel: `${content}/channelId`, content } }
  })
  const unknownTarget = found.indexOf(undefined)
  return unknownTarget >= 0 ? { unknownTarget } : found.filter((one) => one !== undefined)
}

/** The edit as the plan that it amounts to, so that the one check of plans says whether it can be published. */
export function planOf({ shared, destinations }: ContentEdit): Plan {
  const isShared = shared !== null && destinations.every(({ own }) => own === null)
  return {
    state: 'draft',
    shared: isShared ? shared : null,
    destinations: destinations.map(
      ({ destination, content, settings, pointers, parts = partsOf(content) }) => ({
        channelId: destination.channelId,
        content,
        parts,
        settings,
        time: null,
        queueRequest: null,
        pointers,
      }),
    ),
  }
}

/** Which fields of a content, or of its settings, an edit changes. */
export function changedFields({ content: shared }: Before, { destinations }: ContentEdit): string[] {
  const names = destinations.flatMap(({ destination, content, settings }) => {
    const before = { ...contentFor(destination, shared), settings: destination.settings }
    const after = { ...content, settings }
    return [...contentNames, ...channelNames].filter(
      (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
    )
  })
  return [...new Set(names)]
}

export const NOTHING: Content = { text: '' }

/** In one spelling: the database has an order of names of its own. */
export function contentFor({ content }: DestinationRow, shared: Content | null): Content {
  return contentOf(content ?? shared ?? NOTHING)
}

export function isSame(a: Content, b: Content): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** What an edit changes, for the audit log: the content of each group of channels that had, or get, the same one. */
export function editDetails({ content: shared }: Before, { destinations }: ContentEdit): ActDetails {
  const before = destinations.map(({ destination }) => ({
    channelId: destination.channelId,
    content: { ...contentFor(destination, shared), settings: destination.settings },
  }))
  const after = destinations.map(({ destination: { channelId }, content, settings }) => ({
    channelId,
    content: { ...content, settings },
  }))
  return { before: byContent(before), after: byContent(after) }
}

function byContent(
  of: readonly { channelId: string; content: Content & { settings: Settings } }[],
): AuditValue {
  const groups = Map.groupBy(of, ({ content }) => JSON.stringify(content))
  return [...groups].map(([content, alike]) => ({
    channelIds: alike.map(({ channelId }) => channelId),
    ...(JSON.parse(content) as { [name: string]: AuditValue }),
  }))
}
