// Printed from the contract by `npm run generate`. Not edited by hand.
import type { INodeProperties } from 'n8n-workflow'

/** A field of a post. `none` says that there is none of it; `shortAs` is the one name that its value has. */
export type PostField = {
  readonly property: INodeProperties
  readonly none: unknown
  readonly shortAs?: string
}
export type PostFields = Readonly<Record<string, PostField>>

/** What each channel gets. */
export const contentFields = {
  text: {
    property: { displayName: 'Text', name: 'text', type: 'string', typeOptions: { rows: 4 }, default: '' },
    none: '',
  },
  mediaIds: {
    property: {
      displayName: 'Media IDs',
      name: 'mediaIds',
      type: 'string',
      default: '',
      description: 'The mediaId of each file in order, with commas between them',
    },
    none: [],
  },
  thread: {
    property: {
      displayName: 'Thread',
      name: 'thread',
      type: 'fixedCollection',
      typeOptions: { multipleValues: true, sortable: true },
      default: {},
      placeholder: 'Add follow-up',
      description: 'Follow-ups, each published as a reply to the one before',
      options: [
        {
          displayName: 'Follow-Ups',
          name: 'parts',
          values: [
            { displayName: 'Text', type: 'string', typeOptions: { rows: 4 }, default: '', name: 'text' },
          ],
        },
      ],
    },
    none: [],
  },
  firstComment: {
    property: {
      displayName: 'First Comment',
      name: 'firstComment',
      type: 'string',
      default: '',
      description: 'A comment on the post, published last; empty for none',
    },
    none: null,
    shortAs: 'text',
  },
  tagLinks: {
    property: {
      displayName: 'Link Tags',
      name: 'tagLinks',
      type: 'boolean',
      default: true,
      description: 'Whether the link tags of the workspace are added to its links',
    },
    none: true,
  },
} satisfies PostFields

/** What the post has as a whole. */
export const postFields = {
  labels: {
    property: {
      displayName: 'Labels',
      name: 'labels',
      type: 'string',
      typeOptions: { multipleValues: true },
      default: [],
      placeholder: 'Spring sale',
      description: 'What the post is found by, such as the name of a campaign; not published',
    },
    none: [],
  },
} satisfies PostFields
