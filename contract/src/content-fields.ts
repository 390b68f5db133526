/*
 * What a post consists of, each field once. What follows from a row: the schemas of requests and answers, what an edit keeps and takes
 * away, templates, series, plans and CSV in both directions, options of the command line, arguments of tools, fields of n8n, what a
 * person approves, and the words for a field. `content.ts` has the schema of each, since commands are quicker without schemas. The
 * fingerprint of a request has all of its body, and so every field.
 */

/** The JSON Schema of what a plan has, as `check-shape.ts` reads it. */
export type PlanSchema = {
  readonly type?: 'object' | 'array' | 'string' | 'boolean'
  readonly description?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, PlanSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: PlanSchema | false
  readonly items?: PlanSchema
  readonly maxItems?: number
  readonly anyOf?: readonly PlanSchema[]
  readonly [more: string]: unknown
}

export type ContentField = {
  /** What has it: the content of each channel, a channel beside its content, or the whole post. */
  readonly of: 'content' | 'channel' | 'post'
  /** Whether it becomes a part, or parts, of what is published: then each of the `contents` of a series has its own. */
  readonly part?: true
  /** Whether it is of the text or its follow-ups, which plans, files and commands read together. */
  readonly threaded?: true
  /** What a request says so that there is none of it. It is never stored: a post without has no trace of it. */
  readonly none: unknown
  /** The one field of its value that plans, files and commands write for all of it. */
  readonly shortAs?: string
  /** Whether an approval is for this value, too. Parts and settings always are. */
  readonly approved?: true
  readonly plan: { readonly key: string; readonly schema: PlanSchema }
  /** Its columns in CSV; the key of plans where left out. */
  readonly columns?: readonly string[]
  /** Its option in the command line, and what the option says that takes it away. */
  readonly option?: {
    readonly name: string
    readonly value: string
    readonly says: string
    readonly removes?: string
  }
  /** Its argument in tools, beside what its schema says; null where no tool has it. */
  readonly tool: { readonly says?: string; readonly schema?: Readonly<Record<string, unknown>> } | null
  /** What n8n asks for. */
  readonly n8n?: Readonly<Record<string, unknown>>
  /** What people call it, as it stands within a sentence. */
  readonly words: { readonly en: string; readonly de: string }
}

const planText = { type: 'string', description: 'The words.' } as const
const planMedia = {
  type: 'array',
  maxItems: 100,
  description:
    'Pictures, video, audio or PDF: a path beside this file, an https address, or the id of a media item.',
  items: {
    anyOf: [
      { type: 'string' },
      {
        type: 'object',
        properties: {
          file: { type: 'string', description: 'A path beside this file.' },
          url: {
            type: 'string',
            pattern: '^https://',
            description: 'A public https address, which the server fetches.',
          },
          mediaId: { type: 'string', description: 'The id of a media item.' },
          alt: { type: 'string', description: 'What it shows.' },
        },
        additionalProperties: false,
      },
    ],
  },
} as const

const nodeText = { displayName: 'Text', type: 'string', typeOptions: { rows: 4 }, default: '' } as const

/** In the order in which columns and schemas have them. */
const contentFields = {
  labels: {
    of: 'post',
    none: [],
    plan: {
      key: 'labels',
      schema: {
        type: 'array',
        items: { type: 'string' },
        maxItems: 100,
        description: 'Labels that it is created with: a later change to them is not noticed.',
      },
    },
    option: { name: 'label', value: '<label>', says: 'A label for the post. Repeat for several.' },
    tool: {},
    n8n: {
      displayName: 'Labels',
      type: 'string',
      typeOptions: { multipleValues: true },
      default: [],
      placeholder: 'Spring sale',
      description: 'What the post is found by, such as the name of a campaign; not published',
    },
    words: { en: 'labels', de: 'Labels' },
  },
  text: {
    of: 'content',
    part: true,
    threaded: true,
    none: '',
    plan: { key: 'text', schema: planText },
    tool: { schema: { type: 'string' } },
    n8n: nodeText,
    words: { en: 'text', de: 'Text' },
  },
  mediaIds: {
    of: 'content',
    part: true,
    threaded: true,
    none: [],
    plan: { key: 'media', schema: planMedia },
    columns: ['media', 'alt'],
    option: {
      name: 'media',
      value: '<file>',
      says: 'A file, an https URL or a media ID. Repeat for several.',
      removes: 'Remove the media.',
    },
    tool: {},
    n8n: {
      displayName: 'Media IDs',
      type: 'string',
      default: '',
      description: 'The mediaId of each file in order, with commas between them',
    },
    words: { en: 'media', de: 'Medien' },
  },
  thread: {
    of: 'content',
    part: true,
    threaded: true,
    none: [],
    plan: {
      key: 'thread',
      schema: {
        type: 'array',
        maxItems: 100,
        description: 'Follow-up parts, each a reply to the one before.',
        items: {
          anyOf: [
            { type: 'string' },
            {
              type: 'object',
              properties: { text: planText, media: planMedia },
              required: ['text'],
              additionalProperties: false,
            },
          ],
        },
      },
    },
    option: {
      name: 'thread',
      value: '<text>',
      says: 'A follow-up, published as a reply to the previous post. Repeat for several.',
      removes: 'Remove the follow-ups.',
    },
    tool: { says: 'Follow-ups, each a reply to the one before.' },
    n8n: {
      displayName: 'Thread',
      type: 'fixedCollection',
      typeOptions: { multipleValues: true, sortable: true },
      default: {},
      placeholder: 'Add follow-up',
      description: 'Follow-ups, each published as a reply to the one before',
      options: [{ displayName: 'Follow-Ups', name: 'parts', values: [{ ...nodeText, name: 'text' }] }],
    },
    words: { en: 'follow-ups', de: 'Folgebeiträge' },
  },
  firstComment: {
    of: 'content',
    part: true,
    none: null,
    shortAs: 'text',
    plan: {
      key: 'firstComment',
      schema: { type: 'string', description: 'A comment on the post, published last; empty for none.' },
    },
    option: {
      name: 'first-comment',
      value: '<text>',
      says: 'A comment on the post, published last.',
      removes: 'Remove the first comment.',
    },
    tool: { says: '`{ text }`.', schema: { anyOf: [{ type: 'object' }, { type: 'null' }] } },
    n8n: {
      displayName: 'First Comment',
      type: 'string',
      default: '',
      description: 'A comment on the post, published last; empty for none',
    },
    words: { en: 'first comment', de: 'erster Kommentar' },
  },
  tagLinks: {
    of: 'content',
    none: true,
    plan: {
      key: 'tagLinks',
      schema: {
        type: 'boolean',
        description: "Whether the workspace's link tags are added to its links; `true` if left out.",
      },
    },
    option: {
      name: 'link-tags',
      value: '<yes|no>',
      says: "Whether the workspace's link tags are added to its links: yes if left out.",
    },
    tool: null,
    n8n: {
      displayName: 'Link Tags',
      type: 'boolean',
      default: true,
      description: 'Whether the link tags of the workspace are added to its links',
    },
    words: { en: 'link tags', de: 'Link-Parameter' },
  },
  settings: {
    of: 'channel',
    none: {},
    plan: {
      key: 'settings',
      schema: {
        type: 'object',
        description:
          'Settings of the network. They cannot be read back: a change of them alone is not noticed.',
      },
    },
    tool: {},
    words: { en: 'settings', de: 'Einstellungen' },
  },
} as const satisfies Readonly<Record<string, ContentField>>

/** The rows as they are named. */
export type ContentFields = typeof contentFields
export type FieldName = keyof ContentFields
type Of<L extends ContentField['of']> = {
  [N in FieldName]: (typeof contentFields)[N]['of'] extends L ? N : never
}[FieldName]
export type ContentName = Of<'content'>
export type ChannelFieldName = Of<'channel'>
export type PostFieldName = Of<'post'>
/** What a content has beside its text, media and follow-ups. */
export type BesideName = {
  [N in ContentName]: (typeof contentFields)[N] extends { readonly threaded: true } ? never : N
}[ContentName]

/** A row as it is read by those who do not name it. */
export const fieldRows: Readonly<Record<FieldName, ContentField>> = contentFields
const names = Object.keys(contentFields) as FieldName[]
const namesOf = <L extends ContentField['of']>(of: L) =>
  names.filter((name) => contentFields[name].of === of) as Of<L>[]

export const contentNames = namesOf('content')
export const channelNames = namesOf('channel')
export const postFieldNames = namesOf('post')
/** What becomes parts. */
export const partNames = contentNames.filter((name) => fieldRows[name].part === true)
export const besideNames = contentNames.filter((name) => fieldRows[name].threaded !== true) as BesideName[]
/** What a person approves beside parts and settings. */
export const approvedNames = besideNames.filter((name) => fieldRows[name].approved === true)

/** Whether a value says that there is none. */
export function isNone(name: FieldName, value: unknown): boolean {
  const { none } = fieldRows[name]
  return value == null || value === none || (typeof none === 'object' && isEmpty(value))
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** A value in one order of its names: the database has an order of its own. */
export function inOneOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inOneOrder)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, one]) => [name, inOneOrder(one)]))
}

/** What plans write for a value. */
export function toPlan(name: FieldName, value: unknown): unknown {
  const { shortAs, none } = fieldRows[name]
  // What is null in a plan is left out, and would be what all channels have.
  if (shortAs === undefined) return value ?? none ?? {}
  return value == null ? '' : (value as Readonly<Record<string, unknown>>)[shortAs]
}

/** The value that is written so in a plan; undefined for none. */
export function fromPlan(name: FieldName, written: unknown): unknown {
  const { shortAs } = fieldRows[name]
  if (shortAs === undefined) return isNone(name, written) ? undefined : written
  return typeof written === 'string' && written.trim() !== '' ? { [shortAs]: written } : undefined
}

/** Of these fields, those that have a value. */
export function pickFields(names: readonly FieldName[], valueOf: (name: FieldName) => unknown): object {
  const entries = names.map((name) => [name, valueOf(name)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
