import type { app, LinkTags } from '@postrider/contract'
import { tagLinks } from '@postrider/contract/names'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import type { DraftContent } from './draft.ts'

/** A content as it is published on a channel. */
export type Tag = (content: DraftContent, channel: Tagged) => DraftContent
type Tagged = Pick<app.ManagedChannel, 'provider' | 'handle' | 'displayName'>

/** How the workspace tags links, as the server does when the draft is sent. `rule` is null where it tags none. */
export function useLinkTags(labels: readonly string[]): { rule: LinkTags | null; tag: Tag } {
  const { workspaceId } = useSession().workspace
  const workspace = useQuery(read('readWorkspace', { params: { workspaceId } }))
  const rule = workspace.data?.linkTags ?? null
  return {
    rule,
    tag: (content, channel) =>
      content.tagLinks === false ? content : withTags(content, channel, rule, labels),
  }
}

function withTags(
  { firstComment, ...content }: DraftContent,
  { provider, handle, displayName }: Tagged,
  rule: LinkTags | null,
  labels: readonly string[],
): DraftContent {
  if (rule === null) return firstComment === undefined ? content : { ...content, firstComment }
  const channel = handle.replace(/^@/, '') || displayName
  const tagged = (text: string) =>
    tagLinks(text, rule, { channel, network: provider, label: labels[0] ?? null })
  const parts = content.parts.map((part) => ({ ...part, text: tagged(part.text) }))
  return { ...content, parts, ...(firstComment === undefined ? {} : { firstComment: tagged(firstComment) }) }
}
