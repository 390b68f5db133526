import type { Template } from '@postrider/contract'
import { brokenFieldAt, fieldsOfTexts, fillText } from '@postrider/contract/names'
import {
  apiContent,
  type Draft,
  type DraftContent,
  draftContent,
  emptyDraft,
  isBlank,
  textsOf,
} from '../composer/draft.ts'

/** What a template says of posts. */
export type PostTemplate = Pick<
  Template,
  'text' | 'mediaIds' | 'thread' | 'firstComment' | 'tagLinks' | 'channelIds' | 'labels'
>

/** A template as it is being written: its channels, texts and labels are those of a draft. */
export function draftOfTemplate(template: PostTemplate): Draft {
  const { channelIds = [], labels = [] } = template
  return {
    ...emptyDraft(channelIds),
    shared: draftContent(template),
    ...(labels.length === 0 ? {} : { labels }),
  }
}

/** What is stored of it. */
export function templateOf(name: string, { shared, channelIds, labels = [] }: Draft) {
  return {
    name: name.trim(),
    ...apiContent(shared),
    ...(channelIds.length === 0 ? {} : { channelIds: [...channelIds] }),
    ...(labels.length === 0 ? {} : { labels: [...labels] }),
  }
}

/** The fields of a content, in the order in which they come up. */
export function fieldsOf(content: DraftContent): string[] {
  return fieldsOfTexts(textsOf(content))
}

/** Whether `{{` stands in it and begins no field. */
export function hasBrokenField(content: DraftContent): boolean {
  return textsOf(content).some((text) => brokenFieldAt(text) !== -1)
}

/** The content with its fields filled. */
export function filled(content: DraftContent, values: Readonly<Record<string, string>>): DraftContent {
  const { firstComment, parts } = content
  return {
    ...content,
    parts: parts.map((part) => ({ ...part, text: fillText(part.text, values) })),
    ...(firstComment === undefined ? {} : { firstComment: fillText(firstComment, values) }),
  }
}

type Group = { readonly groupId: string; readonly channelIds: readonly string[] }

/** A draft with what a template says: its texts for all channels, its channels and labels where it names some. */
export function withTemplate(
  draft: Draft,
  template: PostTemplate,
  values: Readonly<Record<string, string>>,
  { groups, channelIds: known }: { groups: readonly Group[]; channelIds: readonly string[] },
): Draft {
  const { channelIds: named = [], labels: said = [] } = template
  const channelIds = named
    .flatMap((id) => groups.find(({ groupId }) => groupId === id)?.channelIds ?? [id])
    .filter((id) => known.includes(id))
  const labels = [...new Set([...(draft.labels ?? []), ...said])]
  return {
    ...draft,
    shared: filled(draftContent(template), values),
    variants: {},
    ...(channelIds.length === 0 ? {} : { channelIds: [...new Set(channelIds)] }),
    ...(labels.length === 0 ? {} : { labels }),
  }
}

/** What is still missing of a template; null for nothing. */
export function missingOf(name: string, draft: Draft): 'name' | 'content' | 'field' | null {
  if (name.trim() === '') return 'name'
  if (isBlank(draft)) return 'content'
  return hasBrokenField(draft.shared) ? 'field' : null
}
