import Type, { type Static } from 'typebox'
import { Labels } from './labels.ts'
import { exact, Id, TimeInput } from './schemas.ts'

export const Text = Type.String({
  maxLength: 100_000,
  description:
    'The text. Each channel has its own limit and its own way of counting. May be empty if the part has media.',
  examples: ['We shipped. https://example.com/notes'],
})

export const MediaIds = Type.Array(Id, {
  maxItems: 20,
  uniqueItems: true,
  description: 'Media of the part, in order. `media` of a channel says what it accepts.',
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
      'A comment on the post, published last, as a reply to the first part. Only for channels with `capabilities.firstComment`.',
  },
)

export const TagLinks = Type.Boolean({
  description: "`false` publishes the links as they are, without the workspace's link tags.",
})

/** What is published: `text`, then the parts of `thread`, in order, then the first comment. */
export const Content = exact(
  {
    text: Text,
    mediaIds: Type.Optional(MediaIds),
    thread: Type.Optional(Thread),
    firstComment: Type.Optional(FirstComment),
    tagLinks: Type.Optional(TagLinks),
  },
  {
    $id: 'Content',
    description:
      'The text with its media, its follow-up parts and its first comment, in the order they are published.',
  },
)
export type Content = Static<typeof Content>

export const Settings = Type.Record(Type.String(), Type.Unknown(), {
  description: "Provider settings, checked against the provider's own schema.",
})

/** What one channel gets, when channels differ. */
export const Target = exact(
  {
    channelId: Type.String({
      ...Id,
      description:
        'A channel, or a channel group: each of its channels that no other target names gets this.',
    }),
    text: Text,
    mediaIds: Type.Optional(MediaIds),
    thread: Type.Optional(Thread),
    firstComment: Type.Optional(FirstComment),
    tagLinks: Type.Optional(TagLinks),
    settings: Type.Optional(Settings),
    publishAt: Type.Optional(
      Type.Union(TimeInput.anyOf, {
        description:
          'When to publish on this channel, instead of the `publishAt` of all; only with `scheduled`.',
      }),
    ),
  },
  { $id: 'Target' },
)
export type Target = Static<typeof Target>

export const FirstCommentChange = Type.Union([FirstComment, Type.Null()])

const changed = {
  text: Type.Optional(Text),
  mediaIds: Type.Optional(MediaIds),
  thread: Type.Optional(Thread),
  firstComment: Type.Optional(FirstCommentChange),
  tagLinks: Type.Optional(TagLinks),
}

export const PartChanges = Type.Array(
  exact(
    {
      index: Type.Integer({
        minimum: 0,
        description: '0 is the first part; those of `thread` follow, then the first comment.',
      }),
      text: Type.Optional(Text),
      mediaIds: Type.Optional(MediaIds),
    },
    { $id: 'PartChange', minProperties: 2, description: 'Changes to one part. The rest of it is kept.' },
  ),
  {
    minItems: 1,
    maxItems: 51,
    description:
      'Changes individual parts and keeps the others. Cannot be combined with `text`, `mediaIds`, `thread` or `firstComment`.',
  },
)

/** What an edit changes of a content. */
export const ContentChange = exact(
  { ...changed, parts: Type.Optional(PartChanges) },
  {
    $id: 'ContentChange',
    minProperties: 1,
    description:
      'The changes. A field that is left out is kept, and one that is given is replaced as a whole. `mediaIds: []`, `thread: []` and `firstComment: null` remove.',
  },
)
export type ContentChange = Static<typeof ContentChange>

/** What changes for one channel. */
const channelChange = { ...changed, settings: Type.Optional(Settings) }

export const ChannelContentChange = exact(
  { ...channelChange, parts: Type.Optional(PartChanges) },
  {
    $id: 'ChannelContentChange',
    minProperties: 1,
    description:
      'The changes for this channel. A field that is left out is kept, and one that is given is replaced as a whole. `mediaIds: []`, `thread: []`, `firstComment: null` and `settings: {}` remove.',
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
    description: 'What changes for one channel of the post, as in `ChannelContentChange`.',
  },
)
export type TargetChange = Static<typeof TargetChange>

export const ChannelIds = Type.Array(Id, {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'The channels, or channel groups, that get the shared content. Either this or `targets`.',
})

export const Targets = Type.Array(Target, {
  minItems: 1,
  maxItems: 50,
  description: 'One entry per channel, each with its own content. Either this or `channelIds`.',
})

/** Shared content for several channels, or `targets` with content for each: exactly one of the two. */
export const plannedContent = {
  channelIds: Type.Optional(ChannelIds),
  text: Type.Optional(Text),
  mediaIds: Type.Optional(MediaIds),
  thread: Type.Optional(Thread),
  firstComment: Type.Optional(FirstComment),
  tagLinks: Type.Optional(TagLinks),
  targets: Type.Optional(Targets),
  labels: Type.Optional(Labels),
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
    description: 'The template to use. Other fields, such as `channelIds`, replace what the template says.',
  },
)
