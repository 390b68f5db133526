import type { Content } from '@postrider/contract'
import { tagLinks, type LinkTagValues } from '@postrider/contract/names'
import type { ChannelRow, FoundChannels } from '../../../networks/channels/channel-store.ts'
import { contentFor, type ContentEdit, isSame } from '../edit/content-edit.ts'
import { type ContentPart, partsOf, type Plan } from '../plan/plan.ts'
import type { WholePost } from '../post-store.ts'

/** What the links of a post are tagged by: the rule of its workspace, its channels, and its labels. */
export type Tagging = Pick<FoundChannels, 'linkTags' | 'channels'> & { readonly labels: readonly string[] }

/** The parts of a content as they are published on a channel, which is how they are checked, approved and stored. */
export function taggedParts(content: Content, channelId: string, tagging: Tagging): ContentPart[] {
  const { linkTags, channels, labels } = tagging
  const channel = channels.get(channelId)
  const parts = partsOf(content)
  if (linkTags === null || content.tagLinks === false || channel === undefined) return parts
  const values = { ...tagValuesOf(channel), label: labels[0] ?? null }
  return parts.map((part) => ({ ...part, text: tagLinks(part.text, linkTags, values) }))
}

/** What the fields of a rule stand for on a channel. */
export function tagValuesOf({
  provider,
  handle,
  displayName,
}: Pick<ChannelRow, 'provider' | 'handle' | 'displayName'>): Omit<LinkTagValues, 'label'> {
  return { channel: handle.replace(/^@/, '') || displayName, network: provider }
}

/** The plan with the parts that each channel gets. */
export function withTags(plan: Plan, found: Omit<Tagging, 'labels'>): Plan {
  const tagging = { ...found, labels: plan.labels ?? [] }
  const destinations = plan.destinations.map((planned) => ({
    ...planned,
    parts: taggedParts(planned.content, planned.channelId, tagging),
  }))
  return { ...plan, destinations }
}

/** The edit with the parts that each channel gets. What it does not change stays as it was approved, whatever the rule says now. */
export function editWithTags(
  { content: shared, labels }: Pick<WholePost, 'content' | 'labels'>,
  edit: ContentEdit,
  found: Omit<Tagging, 'labels'>,
): ContentEdit {
  const destinations = edit.destinations.map((edited) => {
    const { destination, content } = edited
    const isKept = isSame(contentFor(destination, shared), content)
    return {
      ...edited,
      parts: isKept
        ? destination.parts
        : taggedParts(content, destination.channelId, { ...found, labels }).map((part, index) => {
            const before = destination.parts[index]
            return before?.status === 'published' ? before : part
          }),
    }
  })
  return { ...edit, destinations }
}
