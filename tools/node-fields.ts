// What the n8n node asks for of a post: printed from the table of content fields, since the package stands alone.
import {
  type ContentField,
  contentNames,
  type FieldName,
  fieldRows,
  postFieldNames,
} from '../contract/src/content-fields.ts'
import { formatted } from './sdk-types.ts'

const PATH = 'integrations/n8n-nodes-postrider/nodes/Postrider/content-fields.ts'

/** The file with the fields of the node, formatted as all others. */
export function nodeFields(): string {
  const text = `// Printed from the contract by \`npm run generate\`. Not edited by hand.
import type { INodeProperties } from 'n8n-workflow'

/** A field of a post. \`none\` says that there is none of it; \`shortAs\` is the one name that its value has. */
export type PostField = {
  readonly property: INodeProperties
  readonly none: unknown
  readonly shortAs?: string
}
export type PostFields = Readonly<Record<string, PostField>>

/** What each channel gets. */
export const contentFields = ${rowsOf(contentNames)} satisfies PostFields

/** What the post has as a whole. */
export const postFields = ${rowsOf(postFieldNames)} satisfies PostFields
`
  return formatted(text, PATH)
}

function rowsOf(names: readonly FieldName[]): string {
  const rows = names.flatMap((name) => {
    const { n8n, none, shortAs }: ContentField = fieldRows[name]
    if (n8n === undefined) return []
    const { displayName, ...rest } = n8n
    return [
      [
        name,
        { property: { displayName, name, ...rest }, none, ...(shortAs === undefined ? {} : { shortAs }) },
      ],
    ]
  })
  return JSON.stringify(Object.fromEntries(rows))
}
