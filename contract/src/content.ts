import Type, { type Static, type TNull, type TOptional, type TSchema, type TUnion } from 'typebox'
import {
  approvedNames,
  channelNames,
  type ContentFields,
  contentNames,
  type FieldName,
  fieldRows,
  postFieldNames,
} from './content-fields.ts'
import { Labels } from './labels.ts'
import { exact, Id, TimeInput } from './schemas.ts'

export const Text = Type.String({
  maxLength: 100_000,
  description: 'Each channel has its own limit and way of counting. May be empty if the part has media.',
  examples: ['We shipped. https://example.com/notes'],
})

export const MediaIds = Type.Array(Id, {
  maxItems: 20,
  uniqueItems: true,
  description: 'Media of the part, in order. See `media` of the channel for what it accepts.',
})

export const ThreadPart = exact({ text: Text, mediaIds: Type.Optional(MediaIds) })

export const Thread = Type.Array(ThreadPart, {
  maxItems: 50,
  description: 'Follow-up parts, each published as a reply to the one before.',
})

export const FirstComment = exact(
  { text: Text },
  {
    description:
      'Published last, as a reply to the first part, on channels with `capabilities.firstComment`.',
  },
)

export const TagLinks = Type.Boolean({
  description: "`false` publishes the links as they are, without the workspace's link tags.",
})

export const Settings = Type.Record(Type.String(), Type.Unknown(), {
  description: "Checked against the provider's schema.",
})

/** The schema of each field of `contentFields`. */
export const fieldSchemas = {
  labels: Labels,
  text: Text,
  mediaIds: MediaIds,
  thread: Thread,
  firstComment: FirstComment,
  tagLinks: TagLinks,
  settings: Settings,
} satisfies Readonly<Record<FieldName, TSchema>>
type Schemas = typeof fieldSchemas

/** What changes of a field: null takes away what has no other word for none. */
type Changed<N extends FieldName> = ContentFields[N]['none'] extends null
  ? TUnion<[Schemas[N], TNull]>
  : Schemas[N]

function optional<N extends FieldName>(names: readonly N[]) {
  const fields = names.map((name) => [name, Type.Optional(fieldSchemas[name])])
  return Object.fromEntries(fields) as { [K in N]: TOptional<Schemas[K]> }
}

/** The schema of what changes of each content field, where it is another one. */
export const changeSchemas: Readonly<Record<string, TSchema>> = Object.fromEntries(
  contentNames
    .filter((name) => fieldRows[name].none === null)
    .map((name) => [name, Type.Union([fieldSchemas[name], Type.Null()])]),
)

/** What an edit may say of a content. */
export const changed = Object.fromEntries(
  contentNames.map((name) => [name, Type.Optional(changeSchemas[name] ?? fieldSchemas[name])]),
) as { [K in (typeof contentNames)[number]]: TOptional<Changed<K>> }

/** A content of which nothing has to be there. */
export const someContent = optional(contentNames)
export const ofPost = optional(postFieldNames)
const ofChannel = optional(channelNames)
export const wholeContent = { ...someContent, text: Text }
/** What a person approves beside parts and settings; nothing where no field says so. */
export const approvedContent =
  approvedNames.length === 0 ? {} : { fields: Type.Optional(exact(optional(approvedNames))) }

/** What is published: `text`, then the parts of `thread`, in order, then the first comment. */
export const Content = exact(wholeContent, {
  $id: 'Content',
  description: 'Text with media, follow-up parts and first comment, in the order they are published.',
})
export type Content = Static<typeof Content>

/** What one channel gets, when channels differ. */
export const Target = exact(
  {
    channelId: Type.String({
      ...Id,
      description: 'A channel, or a channel group for those of its channels that no other target names.',
    }),
    ...wholeContent,
    ...ofChannel,
    publishAt: Type.Optional(
      Type.Union(TimeInput.anyOf, {
        description: 'For this channel, instead of the shared `publishAt`; only with `scheduled`.',
      }),
    ),
  },
  { $id: 'Target' },
)
export type Target = Static<typeof Target>

export const PartChanges = Type.Array(
  exact(
    {
      index: Type.Integer({
        minimum: 0,
        description: '0 is the first part, then `thread`, then the first comment.',
      }),
      text: Type.Optional(Text),
      mediaIds: Type.Optional(MediaIds),
    },
    { $id: 'PartChange', minProperties: 2, description: 'Omitted fields are kept.' },
  ),
  {
    minItems: 1,
    maxItems: 51,
    description:
      'Changes single parts and keeps the others. Not together with `text`, `mediaIds`, `thread` or `firstComment`.',
  },
)

/** What an edit changes of a content. */
export const ContentChange = exact(
  { ...changed, parts: Type.Optional(PartChanges) },
  {
    $id: 'ContentChange',
    minProperties: 1,
    description:
      'Omitted fields are kept, others replaced as a whole. `mediaIds: []`, `thread: []` and `firstComment: null` remove.',
  },
)
export type ContentChange = Static<typeof ContentChange>

/** What changes for one channel. */
const channelChange = { ...changed, ...ofChannel }

export const ChannelContentChange = exact(
  { ...channelChange, parts: Type.Optional(PartChanges) },
  {
    $id: 'ChannelContentChange',
    minProperties: 1,
    description: 'As in `ContentChange`, for this channel; `settings: {}` removes its settings.',
  },
)
export type ChannelContentChange = Static<typeof ChannelContentChange>

/** What changes for one channel of a post, or is said of one that is added. */
export const namedChange = { channelId: Id, ...channelChange }

export const TargetChange = exact(
  { ...namedChange, parts: Type.Optional(PartChanges) },
  {
    $id: 'TargetChange',
    minProperties: 2,
    description: 'As in `ChannelContentChange`.',
  },
)
export type TargetChange = Static<typeof TargetChange>

export const ChannelIds = Type.Array(Id, {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'Channels or channel groups that get the shared content. Either this or `targets`.',
})

export const Targets = Type.Array(Target, {
  minItems: 1,
  maxItems: 50,
  description: 'One entry per channel, each with its own content. Either this or `channelIds`.',
})

/** Shared content for several channels, or `targets` with content for each: exactly one of the two. */
export const plannedContent = {
  channelIds: Type.Optional(ChannelIds),
  ...someContent,
  targets: Type.Optional(Targets),
  ...ofPost,
}

/** Content that is made from a template. */
export const FromTemplate = Type.Object(
  {
    templateId: Id,
    fields: Type.Optional(
      Type.Record(Type.String({ maxLength: 50 }), Type.String({ maxLength: 20_000 }), {
        maxProperties: 100,
        description: 'A value for each field of the template.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'The template to use. Other fields, such as `channelIds`, override it.',
  },
)
