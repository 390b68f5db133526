import Type, { type Static } from 'typebox'
import { exact, Id } from './schemas.ts'

const Text = Type.String({
  maxLength: 100_000,
  description:
    'The words. Each channel has its own limit, counted its own way. Empty where the media of the part says it all.',
  examples: ['We shipped. https://example.com/notes'],
})

const MediaIds = Type.Array(Id, {
  maxItems: 20,
  uniqueItems: true,
  description: 'The media of the part, in order. What a channel takes stands in its `media`.',
})

export const ThreadPart = exact({ text: Text, mediaIds: Type.Optional(MediaIds) })

const Thread = Type.Array(ThreadPart, {
  maxItems: 50,
  description: 'Follow-up parts, each published as a reply to the one before.',
})

/** What is published: `text`, then the parts of `thread`, in order. */
export const Content = exact(
  { text: Text, mediaIds: Type.Optional(MediaIds), thread: Type.Optional(Thread) },
  {
    $id: 'Content',
    description: 'The text with its media and its follow-up parts, in the order they are published.',
  },
)
export type Content = Static<typeof Content>

export const Settings = Type.Record(Type.String(), Type.Unknown(), {
  description: "Provider settings, checked against the provider's own schema.",
})

/** What one channel gets, when channels differ. */
export const Target = exact(
  {
    channelId: Id,
    text: Text,
    mediaIds: Type.Optional(MediaIds),
    thread: Type.Optional(Thread),
    settings: Type.Optional(Settings),
  },
  { $id: 'Target' },
)
export type Target = Static<typeof Target>

/** Shared content for several channels, or `targets` with content for each: exactly one of the two. */
export const plannedContent = {
  channelIds: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'The channels that get the shared `text` and `thread`. Either this or `targets`.',
    }),
  ),
  text: Type.Optional(Text),
  mediaIds: Type.Optional(MediaIds),
  thread: Type.Optional(Thread),
  targets: Type.Optional(
    Type.Array(Target, {
      minItems: 1,
      maxItems: 50,
      description: 'One entry per channel, each with its own content. Either this or `channelIds`.',
    }),
  ),
}
