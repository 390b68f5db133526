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
        description: 'A connected channel: its own limit holds. Either this or `provider`.',
      }),
    ),
    provider: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "A provider, for its usual limit. Beside `id` it must be that channel's.",
        examples: ['sandbox-short'],
      }),
    ),
    maxCharacters: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: 'A limit of your own for each part, counted as the destination counts.',
      }),
    ),
  },
  { $id: 'DraftDestination', description: 'Where a draft is to fit.' },
)
export type DraftDestination = Static<typeof DraftDestination>

const characters = Type.Integer({
  description: 'How long the longest part is, counted as the destination counts.',
})

export const DraftVariant = exact(
  {
    destinations: Type.Array(
      exact({ id: nullable(Id), provider: Type.String(), characters, maxCharacters: Type.Integer() }),
    ),
    text: Type.String(),
    thread: Type.Optional(
      Type.Array(exact({ text: Type.String() }), {
        description: 'The follow-up parts, as a post takes them; only for `thread`.',
      }),
    ),
    characters: Type.Integer({ description: 'That of the destination with the least room left.' }),
    maxCharacters: Type.Integer({ description: 'That of the destination with the least room left.' }),
  },
  { $id: 'DraftVariant', description: 'One text, and the destinations it fits.' },
)
export type DraftVariant = Static<typeof DraftVariant>

export const PostDrafts = exact(
  {
    generationId: Id,
    model: Type.String({ examples: ['openai/gpt-5.6-terra'] }),
    variants: Type.Array(DraftVariant, {
      description: 'One for all destinations, or with `tailored` one for each, in the order of the request.',
    }),
    usage: exact({
      calls: Type.Integer({ description: 'How often the model was asked, repairs included.' }),
      inputTokens: Type.Integer(),
      outputTokens: Type.Integer(),
    }),
  },
  { $id: 'PostDrafts', description: 'What the model wrote. Nothing is posted or scheduled.' },
)
export type PostDrafts = Static<typeof PostDrafts>

export const generatePostDrafts = operation({
  id: 'generatePostDrafts',
  at: 'POST /agent/v1/ai/post-drafts',
  asks: 'agent or member',
  tag: 'AI',
  summary: 'Generate drafts',
  description:
    'Has a model write a text that fits every destination, counted as each one counts, or one text for each (`tailored`). What does not fit is given back to the model, twice at most; then the request fails: nothing is ever cut. A repeat with the same key never asks the model again once it has been answered. Disconnecting cancels the work.',
  permission: 'ai:generate',
  body: exact({
    confirmed: Confirmed,
    brief: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: 'What it is to be about. Material for the model, not instructions to it.',
      examples: ['Version 2 is out: faster exports, and a dark theme.'],
    }),
    destinations: Type.Array(DraftDestination, {
      minItems: 1,
      maxItems: 20,
      description: 'Where the text is to fit, each destination once.',
    }),
    language: Type.String({
      minLength: 2,
      maxLength: 35,
      description: 'The language to write in, as a tag (BCP 47).',
      examples: ['de-AT'],
    }),
    tone: Type.String({ minLength: 1, maxLength: 200, examples: ['friendly, plain'] }),
    result: Type.Enum(draftResults, {
      description:
        '`draft`: a new text. `rewrite`, `shorten`, `expand`: of `currentText`. `thread`: a text and its follow-up parts, each within the limit.',
    }),
    audience: Type.Optional(Type.String({ minLength: 1, maxLength: 500, examples: ['developers'] })),
    currentText: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100_000,
        description: 'The text to work on; required for `rewrite`, `shorten` and `expand`.',
      }),
    ),
    mediaIds: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 10,
        uniqueItems: true,
        description:
          'Media that the post will carry: models that see are given the images, others their alt texts. Needs the permission `media:read`, too.',
      }),
    ),
    modelId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'One of the models of `GET /agent/v1/ai/models`; their first when left out.',
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
  { $id: 'PostImage', description: 'What the model generated, as a media item that posts can carry.' },
)
export type PostImage = Static<typeof PostImage>

export const generatePostImage = operation({
  id: 'generatePostImage',
  at: 'POST /agent/v1/ai/post-images',
  asks: 'agent or member',
  tag: 'AI',
  summary: 'Generate an image',
  description:
    'Has a model draw an image. It passes the checks of any upload, is cropped to exactly the aspect ratio where the model knows only others, and becomes a media item. Do not repeat it automatically after an unknown result, unless with the same `Idempotency-Key`: then the model is never asked twice for what it has answered.',
  permission: 'ai:generate',
  body: exact({
    confirmed: Confirmed,
    prompt: Type.String({
      minLength: 1,
      maxLength: 4_000,
      description: 'What the image is to show.',
      examples: ['A rider hands a letter over a garden gate, woodcut.'],
    }),
    altText: Type.String({
      ...AltText,
      minLength: 1,
      description: 'What the image shows, for those who cannot see it; kept with the media item.',
    }),
    aspectRatio: Type.Enum(aspectRatios, { description: 'Width to height.' }),
    provider: Type.Enum(imageVendors, {
      description: 'Whose model draws; `openai` is also the server at OPENAI_BASE_URL.',
    }),
    modelId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'One of the image models of that vendor; its first when left out.',
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
          description: 'Whether it is used when a request names none; for images, of its vendor.',
        }),
      }),
      { description: 'Empty while no vendor of models is configured.' },
    ),
    budget: exact({
      tokensPerDay: Type.Integer(),
      tokensUsed: Type.Integer({ description: 'Today, with what is reserved for requests under way.' }),
      imagesPerDay: Type.Integer(),
      imagesUsed: Type.Integer(),
      resetsAt: Type.String({ ...Instant, description: 'When the next day (UTC) begins.' }),
    }),
  },
  { $id: 'AiModels', description: 'The models on offer, and what of them the workspace may use today.' },
)
export type AiModels = Static<typeof AiModels>

export const listAiModels = operation({
  id: 'listAiModels',
  at: 'GET /agent/v1/ai/models',
  asks: 'agent or member',
  tag: 'AI',
  summary: 'List the models',
  description: 'The models that this server can ask, and what is left of the budget of the day.',
  permission: 'ai:generate',
  answer: { status: 200, schema: AiModels, description: 'The models and the budget.' },
  problems: [],
})
