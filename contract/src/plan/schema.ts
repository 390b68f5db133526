import {
  channelNames,
  contentNames,
  type FieldName,
  fieldRows,
  type PlanSchema,
  postFieldNames,
} from '../content-fields.ts'

/* What a plan may hold, as JSON Schema: printed to `cli/plan.schema.json`, and what `plan` itself checks a file by. */

const ID = '^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$'
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
const fieldsOf = (names: readonly FieldName[]) =>
  Object.fromEntries(names.map((name) => [fieldRows[name].plan.key, fieldRows[name].plan.schema]))
const content = fieldsOf(contentNames)

/** A post; the front matter of a Markdown file, too, where `text` is what follows. */
export const postSchema: PlanSchema = {
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
    ...fieldsOf(postFieldNames),
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
          ...fieldsOf(channelNames),
        },
        additionalProperties: false,
      },
    },
  },
  required: ['id'],
  additionalProperties: false,
}

export const planSchema: PlanSchema = {
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
