import { plainSentences } from './plain-sentences.ts'
import { quoted, saidTable, sentencesOf } from './said-table.ts'

/* What pages say in English of what the API says: the same, without the API's names. */

const table = saidTable(plainSentences)
const QUOTES = ['“', '”'] as const
const plainPart = (text: string) => table.tell(text, plainOf)

/** What networks and people wrote stays as it is. */
export function plainOf(text: string): string {
  if (!text.includes('`')) return text
  const told =
    plainPart(text) ??
    sentencesOf(text)
      .map((one) => plainPart(one) ?? one)
      .join(' ')
  return quoted(told, QUOTES)
}
