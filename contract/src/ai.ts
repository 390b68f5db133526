import Type, { type Static } from 'typebox'
import { AltText, MediaItem } from './media.ts'
import { operation } from './operation.ts'
import { Confirmed, exact, Id, Instant, nullable } from './schemas.ts'

export const draftResults = ['draft', 'rewrite', 'shorten', 'expand', 'thread'] as const
export type DraftResult = (typeof draftResults)[number]

export const DraftDestination = exact(
  {
    id: Type.Optional(
      Type.String({
        ...Id,
        description: 'A connected channel, for its own limit. Either this or `provider`.',
      }),
    ),
    provider: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "A provider, for its usual limit. Together with `id`, that channel's.",
        examples: ['sandbox-short'],
      }),
    ),
    maxCharacters: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: 'Your own limit for each part, counted like the destination.',
      }),
    ),
  },
  { $id: 'DraftDestination', description: 'What a draft must fit.' },
)
export type DraftDestination = Static<typeof DraftDestination>

const characters = Type.Integer({
  description: 'The length of the longest part, counted like the destination.',
})

export const DraftVariant = exact(
  {
    destinations: Type.Array(
      exact({ id: nullable(Id), provider: Type.String(), characters, maxCharacters: Type.Integer() }),
    ),
    text: Type.String(),
    thread: Type.Optional(
      Type.Array(exact({ text: Type.String() }), {
        description: 'The follow-up parts; only for `thread`.',
      }),
    ),
    characters: Type.Integer({ description: 'For the destination with the least room left.' }),
    maxCharacters: Type.Integer({ description: 'For the destination with the least room left.' }),
  },
  { $id: 'DraftVariant', description: 'One text, and the destinations it fits.' },
)
export type DraftVariant = Static<typeof DraftVariant>

export const PostDrafts = exact(
  {
    generationId: Id,
    model: Type.String({ examples: ['openai/gpt-5.6-terra'] }),
    variants: Type.Array(DraftVariant, {
      description: 'One for all destinations, or with `tailored` one for each, in the same order.',
    }),
    usage: exact({
      calls: Type.Integer({ description: 'How often the model was asked, including repairs.' }),
      inputTokens: Type.Integer(),
      outputTokens: Type.Integer(),
    }),
  },
  { $id: 'PostDrafts', description: 'What the model wrote. Nothing is posted.' },
)
export type PostDrafts = Static<typeof PostDrafts>

export const generatePostDrafts = operation({
  id: 'generatePostDrafts',
  at: 'POST /agent/v1/ai/post-drafts',
  asks: 'agent or member',
  tag: 'AI',
  summary: 'Generate drafts',
  description:
    'A model writes one text that fits every destination, or one for each (`tailored`). A text that does not fit is returned to the model, at most twice; then the request fails: nothing is ever cut. Once the model has answered, repeating the same key does not ask it again. Disconnecting cancels the request.',
  permission: 'ai:generate',
  body: exact({
    confirmed: Confirmed,
    brief: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: 'What it is about: material for the model, not instructions.',
      examples: ['Version 2 is out: faster exports, and a dark theme.'],
    }),
    destinations: Type.Array(DraftDestination, {
      minItems: 1,
      maxItems: 20,
      description: 'What the text must fit, each destination once.',
    }),
    language: Type.String({
      minLength: 2,
      maxLength: 35,
      description: 'A language tag (BCP 47).',
      examples: ['de-AT'],
    }),
    tone: Type.String({ minLength: 1, maxLength: 200, examples: ['friendly, plain'] }),
    result: Type.Enum(draftResults, {
      description:
        '`draft`: a new text. `rewrite`, `shorten`, `expand`: work on `currentText`. `thread`: a text with follow-up parts, each within the limit.',
    }),
    audience: Type.Optional(Type.String({ minLength: 1, maxLength: 500, examples: ['developers'] })),
    currentText: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100_000,
        description: 'Required for `rewrite`, `shorten` and `expand`.',
      }),
    ),
    mediaIds: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 10,
        uniqueItems: true,
        description:
          'Media of the post: vision models get the images, others the alt texts. Also needs the permission `media:read`.',
      }),
    ),
    modelId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'From `listAiModels`; the default if omitted.',
      }),
    ),
    mode: Type.Optional(
      Type.Enum(['shared', 'tailored'], {
        default: 'shared',
        description: '`shared`: one text for all destinations. `tailored`: one for each.',
      }),
    ),
  }),
  idempotency: 'header',
  answer: { status: 200, schema: PostDrafts, description: 'The drafts, each within its limit.' },
  problems: [
    'validation_failed',
    'not_found',
    'missing_permission',
    'credential_limit',
    'channel_unavailable',
    'subscription_unconfirmed',
    'ai_not_configured',
    'ai_failed',
    'rate_limited',
  ],
  example: {
    confirmed: true,
    brief: 'Version 2 is out: faster exports, and a dark theme.',
    destinations: [{ provider: 'sandbox-short' }, { provider: 'sandbox-professional' }],
    language: 'en',
    tone: 'friendly, plain',
    result: 'draft',
    mode: 'tailored',
  },
})

export const aspectRatios = ['1:1', '4:5', '5:4', '3:4', '4:3', '2:3', '3:2', '9:16', '16:9'] as const

export const imageVendors = ['openai', 'google'] as const

export const PostImage = exact(
  {
    generationId: Id,
    model: Type.String({ examples: ['openai/gpt-image-2.5-flare'] }),
    media: MediaItem,
  },
  { $id: 'PostImage', description: 'The generated image, as a media item.' },
)
export type PostImage = Static<typeof PostImage>

export const generatePostImage = operation({
  id: 'generatePostImage',
  at: 'POST /agent/v1/ai/post-images',
  asks: 'agent or member',
  tag: 'AI',
  summary: 'Generate an image',
  description:
    'The image is checked like any upload, cropped to the exact aspect ratio if needed, and becomes a media item. After an unknown result, repeat only with the same `Idempotency-Key`: then the model is not asked again for what it has answered.',
  permission: 'ai:generate',
  body: exact({
    confirmed: Confirmed,
    prompt: Type.String({
      minLength: 1,
      maxLength: 4_000,
      description: 'What the image should show.',
      examples: ['A rider hands a letter over a garden gate, woodcut.'],
    }),
    altText: Type.String({
      ...AltText,
      minLength: 1,
      description: 'Kept with the media item.',
    }),
    aspectRatio: Type.Enum(aspectRatios, { description: 'Width to height.' }),
    provider: Type.Enum(imageVendors, {
      description: '`openai` is also the server at OPENAI_BASE_URL.',
    }),
    modelId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'An image model of that vendor; its default if omitted.',
      }),
    ),
  }),
  idempotency: 'optional header',
  answer: { status: 201, schema: PostImage, description: 'The image, ready to be posted.' },
  problems: ['validation_failed', 'ai_not_configured', 'ai_failed', 'rate_limited', 'not_ready'],
  example: {
    confirmed: true,
    prompt: 'A rider hands a letter over a garden gate, woodcut.',
    altText: 'A rider hands a letter over a garden gate.',
    aspectRatio: '4:5',
    provider: 'openai',
  },
})

export const AiModels = exact(
  {
    models: Type.Array(
      exact({
        modelId: Type.String({ examples: ['openai/gpt-5.6-terra'] }),
        provider: Type.Enum(['openai', 'anthropic', 'google']),
        makes: Type.Enum(['text', 'image']),
        default: Type.Boolean({
          description: 'Whether it is used when a request names none; for images, per vendor.',
        }),
      }),
      { description: 'Empty if no AI provider is configured.' },
    ),
    budget: exact({
      tokensPerDay: Type.Integer(),
      tokensUsed: Type.Integer({ description: 'Today, including reservations of running requests.' }),
      imagesPerDay: Type.Integer(),
      imagesUsed: Type.Integer(),
      resetsAt: Type.String({ ...Instant, description: 'The next midnight UTC.' }),
    }),
  },
  { $id: 'AiModels', description: 'The available models, and the budget of today.' },
)
export type AiModels = Static<typeof AiModels>

export const listAiModels = operation({
  id: 'listAiModels',
  at: 'GET /agent/v1/ai/models',
  asks: 'agent or member',
  tag: 'AI',
  summary: 'List the models',
  description: "The available models, and what is left of today's budget.",
  permission: 'ai:generate',
  answer: { status: 200, schema: AiModels, description: 'The models and the budget.' },
  problems: [],
})
