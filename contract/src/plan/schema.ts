/* What a plan may hold, as JSON Schema: printed to `cli/plan.schema.json`, and what `plan` itself checks a file by. */

export type Schema = {
  readonly type?: 'object' | 'array' | 'string' | 'boolean'
  readonly description?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | false
  readonly items?: Schema
  readonly maxItems?: number
  readonly anyOf?: readonly Schema[]
  readonly [more: string]: unknown
}

const ID = '^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$'
const text = { type: 'string', description: 'The words.' } as const
const channels = {
  type: 'array',
  items: { type: 'string' },
  maxItems: 100,
  description: 'Where: handles, `provider:handle` where two have the same, or ids.',
} as const
const publishAt = {
  type: 'string',
  description:
    'When: an instant such as 2027-01-10T09:00+01:00, or a local time such as 2027-01-10T09:00 in `timeZone`; or `next` or `first` for a posting time of the channel, which the post keeps once it has it. Left out, it is a draft.',
} as const
const timeZone = {
  type: 'string',
  description: 'The IANA name of the zone of local times; that of the workspace if left out.',
} as const
const media = {
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
const thread = {
  type: 'array',
  maxItems: 100,
  description: 'Follow-up parts, each a reply to the one before.',
  items: {
    anyOf: [
      { type: 'string' },
      { type: 'object', properties: { text, media }, required: ['text'], additionalProperties: false },
    ],
  },
} as const
const firstComment = {
  type: 'string',
  description: 'A comment on the post, published last; empty for none.',
} as const
const tagLinks = {
  type: 'boolean',
  description: "Whether the workspace's link tags are added to its links; `true` if left out.",
} as const
const content = { text, media, thread, firstComment, tagLinks } as const

/** A post; the front matter of a Markdown file, too, where `text` is what follows. */
export const postSchema: Schema = {
  type: 'object',
  properties: {
    id: { type: 'string', pattern: ID, description: 'Names the post in this plan, for good.' },
    postId: {
      type: 'string',
      description: 'The post that it already is: it is never created, as `export` writes it.',
    },
    channels,
    publishAt,
    timeZone,
    labels: {
      type: 'array',
      items: { type: 'string' },
      maxItems: 100,
      description: 'Labels that it is created with: a later change to them is not noticed.',
    },
    ...content,
    results: { type: 'array', description: 'What an export says became of it. It is read over.' },
    perChannel: {
      type: 'object',
      description: 'What is different on a channel, by its name as in `channels`.',
      additionalProperties: {
        type: 'object',
        properties: {
          ...content,
          publishAt,
          settings: {
            type: 'object',
            description:
              'Settings of the network. They cannot be read back: a change of them alone is not noticed.',
          },
        },
        additionalProperties: false,
      },
    },
  },
  required: ['id'],
  additionalProperties: false,
}

export const planSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  // Of the server that gives it: each has its own release of it.
  $id: '/docs/plan.schema.json',
  title: 'A plan of Postrider',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    plan: {
      type: 'string',
      pattern: ID,
      description: 'Names the plan, for good: a post of it is found again by this and its own id.',
    },
    timeZone,
    channels: { ...channels, description: 'Where posts go that name no channels.' },
    posts: { type: 'array', items: postSchema },
  },
  required: ['plan'],
  additionalProperties: false,
}
