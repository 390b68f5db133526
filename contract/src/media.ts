import Type, { type Static } from 'typebox'
import { operation } from './operation.ts'
import { Confirmed, Cursor, exact, Id, IdempotencyKey, Instant, Limit, nullable } from './schemas.ts'

/** What a file can be, and the types of each kind that are supported. The bytes decide, not the name. */
export const mediaTypes = {
  image: ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'],
  video: ['video/mp4', 'video/quicktime', 'video/webm'],
  audio: ['audio/mpeg', 'audio/mp4', 'audio/wav', 'audio/ogg'],
  document: ['application/pdf'],
} as const

export type MediaKind = keyof typeof mediaTypes

export const mediaKinds = Object.keys(mediaTypes) as MediaKind[]

export const MediaKindSchema = Type.Enum(mediaKinds)

export const AltText = Type.String({
  maxLength: 2_000,
  description: 'What an image shows, or a recording says, for people who cannot see or hear it.',
  examples: ['A rider hands a letter over a garden gate.'],
})

export const MediaItem = exact(
  {
    mediaId: Id,
    kind: MediaKindSchema,
    contentType: Type.String({ examples: ['image/jpeg'] }),
    size: Type.Integer({ description: 'Bytes, as stored.' }),
    width: nullable(Type.Integer({ description: 'In pixels; null for audio and documents.' })),
    height: nullable(Type.Integer({ description: 'In pixels; null for audio and documents.' })),
    durationSeconds: nullable(Type.Number({ description: 'Null for images and documents.' })),
    videoCodec: nullable(Type.String({ description: 'Null if none or unknown.' })),
    audioCodec: nullable(Type.String({ description: 'Null if none or unknown.' })),
    frameRate: nullable(Type.Number({ description: 'Frames per second; null if none or unknown.' })),
    audioChannels: nullable(Type.Integer({ description: 'Null if none or unknown.' })),
    audioSampleRate: nullable(Type.Integer({ description: 'In hertz; null if none or unknown.' })),
    animated: Type.Boolean({ description: 'Whether it is an animated image.' }),
    altText: nullable(Type.String()),
    createdAt: Instant,
  },
  { $id: 'MediaItem', description: 'A file for posts. Its bytes never change.' },
)
export type MediaItem = Static<typeof MediaItem>

/** What a provider takes of one kind. */
export const KindLimits = exact(
  {
    kind: MediaKindSchema,
    contentTypes: Type.Array(Type.String()),
    maxBytes: Type.Integer(),
    maxWidth: nullable(Type.Integer()),
    maxHeight: nullable(Type.Integer()),
    maxSeconds: nullable(Type.Number()),
    minBytes: Type.Optional(Type.Integer()),
    minWidth: Type.Optional(Type.Integer()),
    minHeight: Type.Optional(Type.Integer()),
    minSeconds: Type.Optional(Type.Number()),
    minRatio: Type.Optional(Type.Number({ description: 'Width divided by height.' })),
    maxRatio: Type.Optional(Type.Number({ description: 'Width divided by height.' })),
    maxPixels: Type.Optional(Type.Integer({ description: 'Width times height.' })),
    animatedTypes: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Of images: the types in which an animation keeps moving. Empty if the network shows a still.',
      }),
    ),
    videoCodecs: Type.Optional(Type.Array(Type.String(), { description: 'Absent if any is accepted.' })),
    audioCodecs: Type.Optional(Type.Array(Type.String(), { description: 'Absent if any is accepted.' })),
    minFrameRate: Type.Optional(Type.Number({ description: 'Frames per second.' })),
    maxFrameRate: Type.Optional(Type.Number({ description: 'Frames per second.' })),
    maxAudioChannels: Type.Optional(Type.Integer()),
    maxAudioSampleRate: Type.Optional(Type.Integer({ description: 'In hertz.' })),
    fitted: Type.Boolean({
      description:
        'Whether files that are too large or of another type are scaled and converted (never cropped) instead of refused.',
    }),
  },
  { $id: 'KindLimits' },
)
export type KindLimits = Static<typeof KindLimits>

export const MediaLimits = exact(
  {
    maxItems: Type.Integer({ description: 'The most items in one part.' }),
    mixedKinds: Type.Boolean({ description: 'Whether one part can have items of several kinds.' }),
    maxAltCharacters: Type.Integer({ description: '0 if alt texts are not supported.' }),
    kinds: Type.Array(KindLimits),
  },
  { $id: 'MediaLimits', description: 'What the provider accepts besides text.' },
)
export type MediaLimits = Static<typeof MediaLimits>

const params = exact({ mediaId: Id })

const SentSha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description:
    'The SHA-256 of a file, in lower-case hexadecimal: finds what was uploaded with exactly these bytes.',
})

export const listMedia = operation({
  id: 'listMedia',
  at: 'GET /agent/v1/media',
  asks: 'agent or member',
  tag: 'Media',
  summary: 'List media',
  description: 'Newest first. All items are checked and ready.',
  permission: 'media:read',
  query: exact({
    cursor: Type.Optional(Cursor),
    kind: Type.Optional(MediaKindSchema),
    limit: Type.Optional(Limit),
    sentSha256: Type.Optional(SentSha256),
  }),
  answer: {
    status: 200,
    schema: exact({ items: Type.Array(MediaItem), nextCursor: nullable(Type.String()) }),
    description: 'One page of media.',
  },
  problems: ['invalid_cursor'],
})

export const readMedia = operation({
  id: 'readMedia',
  at: 'GET /agent/v1/media/{mediaId}',
  asks: 'agent or member',
  tag: 'Media',
  summary: 'Read a media item',
  description: 'Its kind, type, size, dimensions and alt text.',
  permission: 'media:read',
  params,
  answer: { status: 200, schema: MediaItem, description: 'The media item.' },
  problems: ['not_found'],
})

export const readMediaContent = operation({
  id: 'readMediaContent',
  at: 'GET /agent/v1/media/{mediaId}/content',
  asks: 'agent or member',
  tag: 'Media',
  summary: 'Read the bytes of an image',
  description:
    'The image as published: checked, upright, without metadata. Video, audio and documents are never returned. `width` returns a smaller version, never a larger one. Supports ranges and conditional requests.',
  permission: 'media:read',
  params,
  query: exact({
    width: Type.Optional(
      Type.Integer({ minimum: 16, maximum: 4_096, description: 'The maximum width in pixels.' }),
    ),
  }),
  answer: {
    status: 200,
    schema: Type.Unknown(),
    bytes: mediaTypes.image,
    description: 'The image.',
  },
  problems: ['not_found', 'media_not_image', 'media_unavailable'],
})

export const updateMedia = operation({
  id: 'updateMedia',
  at: 'POST /agent/v1/media/{mediaId}',
  asks: 'agent or member',
  tag: 'Media',
  summary: 'Change an alt text',
  description:
    'For all posts with the file, until one of them is or may be published. Posts that need approval ask for it again.',
  permission: 'media:write',
  params,
  body: exact({
    confirmed: Confirmed,
    altText: Type.Union([AltText, Type.Null()], { description: 'Null removes it.' }),
  }),
  idempotency: 'header',
  answer: { status: 200, schema: MediaItem, description: 'The media item as it is now.' },
  problems: ['validation_failed', 'not_found', 'credential_limit', 'invalid_state', 'post_not_publishable'],
  example: { confirmed: true, altText: 'A rider hands a letter over a garden gate.' },
})

export const deleteMedia = operation({
  id: 'deleteMedia',
  at: 'DELETE /agent/v1/media/{mediaId}',
  asks: 'agent or member',
  tag: 'Media',
  summary: 'Delete a file',
  description:
    'Only if no post has it, not even a cancelled or published one. Its bytes are removed within a day.',
  permission: 'media:write',
  params,
  idempotency: 'none',
  answer: {
    status: 200,
    schema: exact({ mediaId: Id, deletedAt: Instant }),
    description: 'The media item is deleted.',
  },
  problems: ['not_found', 'invalid_state'],
})

export const SourceUrl = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description:
    'Instead of `file`: a public https address. The server fetches it within two minutes, without following redirects.',
  examples: ['https://example.com/gate.jpg'],
})

export const uploadMedia = operation({
  id: 'uploadMedia',
  at: 'POST /agent/v1/media',
  asks: 'agent or member',
  tag: 'Media',
  summary: 'Upload a file',
  description:
    'JPEG, PNG, WebP, GIF and AVIF images, MP4, MOV and WebM video, MP3, M4A, WAV and OGG audio, and PDF documents; the bytes decide, not the name. Images are turned upright and stripped of metadata (such as location). Send a form with `file`, or a form or JSON with `sourceUrl`. Repeating the same key fetches nothing again.',
  permission: 'media:write',
  file: {
    field: 'file',
    urlField: 'sourceUrl',
    description: 'Its name is ignored.',
  },
  body: exact({
    confirmed: Confirmed,
    altText: Type.Optional(AltText),
    sourceUrl: Type.Optional(SourceUrl),
  }),
  idempotency: 'header',
  answer: { status: 201, schema: MediaItem, description: 'The media item, ready to be posted.' },
  problems: ['validation_failed', 'unsupported_media', 'media_too_large', 'media_rejected'],
  example: { confirmed: true, altText: 'A rider hands a letter over a garden gate.' },
})

/** How long the address of an upload is valid. */
export const UPLOAD_ADDRESS_MINUTES = 15

const MaxBytes = exact(
  Object.fromEntries(mediaKinds.map((kind) => [kind, Type.Integer()])) as Record<
    MediaKind,
    ReturnType<typeof Type.Integer>
  >,
  { description: 'The size limit of each kind, in bytes.' },
)

export const createUploadAddress = operation({
  id: 'createUploadAddress',
  at: 'POST /agent/v1/media/uploads',
  asks: 'agent',
  tag: 'Media',
  summary: 'Get an address for one upload',
  description: `For uploads without a credential: \`PUT\` or \`POST\` the raw bytes to \`uploadUrl\`, without a form. The response is the media item, as from \`uploadMedia\` with the same \`idempotencyKey\`. An address accepts one file: repeating the same bytes returns the first response, others are refused. It is valid for ${UPLOAD_ADDRESS_MINUTES} minutes, while this credential may upload. Ask again with the same key for a new address, or for what was uploaded.`,
  permission: 'media:write',
  body: exact({
    confirmed: Confirmed,
    idempotencyKey: IdempotencyKey,
    altText: Type.Optional(AltText),
  }),
  idempotency: 'none',
  answer: {
    status: 201,
    schema: exact(
      {
        uploadUrl: Type.String({
          format: 'uri',
          description: 'Secret: anyone who has it can upload the file.',
          examples: ['https://postrider.example/uploads/AQx0aGlzIGlzIGFu'],
        }),
        expiresAt: Instant,
        maxBytes: MaxBytes,
        media: nullable(MediaItem),
      },
      {
        $id: 'UploadAddress',
        description: '`media` is what was already uploaded with this key.',
      },
    ),
    description: 'The address.',
  },
  problems: ['idempotency_key_required', 'validation_failed'],
  example: {
    confirmed: true,
    idempotencyKey: 'gate-photo',
    altText: 'A rider hands a letter over a garden gate.',
  },
})
