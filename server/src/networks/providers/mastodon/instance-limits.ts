import Type from 'typebox'
import { Check } from 'typebox/value'
import type { Limits } from '../port/bounds.ts'

/** The `configuration` of an instance (https://docs.joinmastodon.org/entities/Instance/#configuration): what is used of it. */
const Count = Type.Integer({ minimum: 1, maximum: 1e12 })
const Statuses = Type.Object({
  max_characters: Type.Optional(Count),
  max_media_attachments: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
})
const Attachments = Type.Object({
  supported_mime_types: Type.Optional(Type.Array(Type.String())),
  description_limit: Type.Optional(Count),
  image_size_limit: Type.Optional(Count),
  image_matrix_limit: Type.Optional(Count),
  video_size_limit: Type.Optional(Count),
  video_matrix_limit: Type.Optional(Count),
  video_frame_rate_limit: Type.Optional(Count),
})
const Configuration = Type.Object({
  statuses: Type.Optional(Type.Unknown()),
  media_attachments: Type.Optional(Type.Unknown()),
})

/** What an instance takes; where it says nothing, or nonsense, the defaults of Mastodon hold. */
export function readLimits(configuration: unknown, defaults: Limits): Limits {
  const told = Check(Configuration, configuration) ? configuration : {}
  const statuses = Check(Statuses, told.statuses) ? told.statuses : {}
  const files = Check(Attachments, told.media_attachments) ? told.media_attachments : {}
  const takes = (type: string) => files.supported_mime_types?.includes(type) ?? true
  const kinds = defaults.media.kinds.flatMap((kind) => {
    const contentTypes = kind.contentTypes.filter(takes)
    if (contentTypes.length === 0) return []
    if (kind.kind === 'video') {
      const { video_matrix_limit: maxPixels, video_frame_rate_limit: maxFrameRate } = files
      return [
        {
          ...kind,
          contentTypes,
          maxBytes: files.video_size_limit ?? kind.maxBytes,
          ...(maxPixels === undefined ? {} : { maxPixels }),
          ...(maxFrameRate === undefined ? {} : { maxFrameRate }),
        },
      ]
    }
    const { image_matrix_limit: maxPixels } = files
    const size = maxPixels === undefined ? {} : { maxPixels }
    const animatedTypes = (kind.animatedTypes ?? []).filter(takes)
    return [
      { ...kind, contentTypes, animatedTypes, maxBytes: files.image_size_limit ?? kind.maxBytes, ...size },
    ]
  })
  return {
    maxCharacters: statuses.max_characters ?? defaults.maxCharacters,
    characterCounting: defaults.characterCounting,
    media: {
      ...defaults.media,
      maxItems: kinds.length === 0 ? 0 : (statuses.max_media_attachments ?? defaults.media.maxItems),
      maxAltCharacters: files.description_limit ?? defaults.media.maxAltCharacters,
      kinds,
    },
  }
}
