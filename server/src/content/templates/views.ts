import type { Content, Template, TemplateSummary } from '@postrider/contract'
import { fieldsOfTexts } from '@postrider/contract/names'
import { firstCharacters } from '../../networks/providers/shared/characters.ts'
import type { TemplateRow } from './template-store.ts'

const EXCERPT = 280

export function viewTemplate(row: TemplateRow): Template {
  const { content, channelIds, labels } = row
  return {
    ...heading(row),
    ...content,
    ...(channelIds.length === 0 ? {} : { channelIds: [...channelIds] }),
    ...(labels.length === 0 ? {} : { labels: [...labels] }),
  }
}

export function viewSummary(row: TemplateRow): TemplateSummary {
  const { content, channelIds, labels } = row
  return {
    ...heading(row),
    text: firstCharacters(content.text, EXCERPT),
    channelIds: [...channelIds],
    labels: [...labels],
  }
}

function heading({ templateId, name, content, editToken, createdAt, updatedAt }: TemplateRow) {
  return {
    templateId,
    name,
    fields: fieldsOfTexts(textsOf(content).map(({ text }) => text)),
    editToken,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

type PlacedText = { readonly text: string; readonly pointer: string }

/** The texts of a content, each with where it stands in it. */
export function textsOf({ text, thread = [], firstComment }: Partial<Content>): PlacedText[] {
  return [
    ...(text === undefined ? [] : [{ text, pointer: '/text' }]),
    ...thread.map((part, index) => ({ text: part.text, pointer: `/thread/${index}/text` })),
    ...(firstComment === undefined ? [] : [{ text: firstComment.text, pointer: '/firstComment/text' }]),
  ]
}
