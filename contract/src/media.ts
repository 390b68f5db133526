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
  description: 'What an image shows, or a recording says, for those who cannot see or hear it.',
  examples: ['A rider hands a letter over a garden gate.'],
})

export const MediaItem = exact(
  {
    mediaId: Id,
    kind: MediaKindSchema,
    contentType: Type.String({ examples: ['image/jpeg'] }),
    size: Type.Integer({ description: 'Bytes, as stored.' }),
    width: nullable(Type.Integer({ description: 'Pixels, as shown; null for audio and documents.' })),
    height: nullable(Type.Integer({ description: 'Pixels, as shown; null for audio and documents.' })),
    durationSeconds: nullable(Type.Number({ description: 'Of video and audio; null otherwise.' })),
    videoCodec: nullable(Type.String({ description: 'Null where there is none, or it is not known.' })),
    audioCodec: nullable(Type.String({ description: 'Null where there is none, or it is not known.' })),
    animated: Type.Boolean({ description: 'Whether it is an image that moves.' }),
    altText: nullable(Type.String()),
    createdAt: Instant,
  },
  { $id: 'MediaItem', description: 'A file that posts can carry. Its bytes never change.' },
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
    videoCodecs: Type.Optional(Type.Array(Type.String(), { description: 'Left out where any is taken.' })),
    audioCodecs: Type.Optional(Type.Array(Type.String(), { description: 'Left out where any is taken.' })),
    fitted: Type.Boolean({
      description:
        'Whether what is too large or of another type is scaled and converted at publishing, never cropped. Otherwise it is refused.',
    }),
  },
  { $id: 'KindLimits' },
)
export type KindLimits = Static<typeof KindLimits>

export const MediaLimits = exact(
  {
    maxItems: Type.Integer({ description: 'How many items one part may carry.' }),
    mixedKinds: Type.Boolean({ description: 'Whether one part may carry items of several kinds.' }),
    maxAltCharacters: Type.Integer({ description: 'How long an alt text may be; 0 where there is none.' }),
    kinds: Type.Array(KindLimits),
  },
  { $id: 'MediaLimits', description: 'What the provider takes besides text.' },
)
export type MediaLimits = Static<typeof MediaLimits>

const params = exact({ mediaId: Id })

const SentSha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description:
    'Only items made of this file: the SHA-256 of its bytes as they were sent, as 64 hexadecimal digits in lower case. Tells whether a file was uploaded before.',
})

export const listMedia = operation({
  id: 'listMedia',
  at: 'GET /agent/v1/media',
  asks: 'agent or member',
  tag: 'Media',
  summary: 'List media',
  description: 'The media of the workspace, newest first. All of it is checked and ready.',
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
  description: 'What the file is: kind, type, size, measures, alt text.',
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
    'The image as it is published: checked, upright, without metadata. Video, audio and documents are never returned. With `width` a smaller rendition; an image is never enlarged. Ranges and conditional requests are honoured.',
  permission: 'media:read',
  params,
  query: exact({
    width: Type.Optional(
      Type.Integer({ minimum: 16, maximum: 4_096, description: 'How many pixels wide at most.' }),
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
    'For all posts that carry the file, until one of them is published with it, or may be. Posts that need approval ask for it again.',
  permission: 'media:write',
  params,
  body: exact({
    confirmed: Confirmed,
    altText: Type.Union([AltText, Type.Null()], { description: 'The new alt text; null for none.' }),
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
    'Only where no post carries it, cancelled and published ones included. Its bytes are removed within a day.',
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
    'Instead of `file`: the public https address that the server fetches it from, within two minutes and without following redirects.',
  examples: ['https://example.com/gate.jpg'],
})

export const uploadMedia = operation({
  id: 'uploadMedia',
  at: 'POST /agent/v1/media',
  asks: 'agent or member',
  tag: 'Media',
  summary: 'Upload a file',
  description:
    'Takes JPEG, PNG, WebP, GIF and AVIF images, MP4, MOV and WebM video, MP3, M4A, WAV and OGG audio, and PDF documents. The bytes decide what a file is. Images are decoded, turned upright and freed of metadata (such as the place where they were taken) before they are stored. Send a form with `file`, or a form or JSON with `sourceUrl`. A repeat with the same key fetches nothing again.',
  permission: 'media:write',
  file: {
    field: 'file',
    urlField: 'sourceUrl',
    description: 'The file. Its name is ignored.',
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
  { description: 'The most bytes that a file of each kind may have.' },
)

export const createUploadAddress = operation({
  id: 'createUploadAddress',
  at: 'POST /agent/v1/media/uploads',
  asks: 'agent',
  tag: 'Media',
  summary: 'Get an address for one upload',
  description: `For whoever has the bytes and no credential: \`PUT\` or \`POST\` them to \`uploadUrl\` as they are, without a form. The answer to that is the media item, as from \`uploadMedia\` with the same \`idempotencyKey\`: an address takes one file, the same bytes sent again get the first answer, and others are refused. It is valid for ${UPLOAD_ADDRESS_MINUTES} minutes, as long as this credential may upload. Ask again with the same key for a new address, or for what was uploaded.`,
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
          description: 'A secret: whoever knows it can upload the file.',
          examples: ['https://postrider.example/uploads/AQx0aGlzIGlzIGFu'],
        }),
        expiresAt: Instant,
        maxBytes: MaxBytes,
        media: nullable(MediaItem),
      },
      {
        $id: 'UploadAddress',
        description: 'Where one file can be uploaded. `media` is what was uploaded with this key already.',
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
