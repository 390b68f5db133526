import Type from 'typebox'
import { MediaItem, MediaKindSchema, mediaTypes } from '../media.ts'
import { operation } from '../operation.ts'
import { Cursor, exact, Id, Limit, nullable } from '../schemas.ts'
import { InWorkspace } from './app-schemas.ts'

export const findMedia = operation({
  id: 'findMedia',
  at: 'GET /app/api/workspaces/{workspaceId}/media-library',
  tag: 'Media',
  summary: 'Search the media',
  description: 'Newest first, each with whether a post has it.',
  permission: 'media:read',
  asks: 'member',
  params: InWorkspace,
  query: exact({
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'Text in the alt text, regardless of case.' }),
    ),
    kind: Type.Optional(MediaKindSchema),
    used: Type.Optional(
      Type.Enum(['yes', 'no'], {
        description: 'Only those in a post, or in none; all if omitted.',
      }),
    ),
  }),
  answer: {
    status: 200,
    schema: exact({
      items: Type.Array(
        exact({
          ...MediaItem.properties,
          used: Type.Boolean({ description: 'Whether a post has it: then it cannot be deleted.' }),
        }),
      ),
      nextCursor: nullable(Type.String()),
    }),
    description: 'One page of media.',
  },
  problems: ['invalid_cursor'],
})

export const listPostsWithMedia = operation({
  id: 'listPostsWithMedia',
  at: 'GET /app/api/workspaces/{workspaceId}/media/{mediaId}/posts',
  tag: 'Media',
  summary: 'List the posts that have a media item',
  description: 'The latest 20, newest first, including cancelled ones.',
  permission: 'posts:read',
  asks: 'member',
  params: exact({ ...InWorkspace.properties, mediaId: Id }),
  answer: {
    status: 200,
    schema: Type.Array(
      exact({ postId: Id, text: Type.String({ description: 'The first 280 characters.' }) }),
    ),
    description: 'The posts.',
  },
  problems: ['not_found'],
})

export const playMedia = operation({
  id: 'playMedia',
  at: 'GET /app/api/workspaces/{workspaceId}/media/{mediaId}/file',
  tag: 'Media',
  summary: 'Read the bytes of a file, to preview it',
  description:
    'Images, video, audio and documents, as published. Only for people. Supports ranges and conditional requests.',
  permission: 'media:read',
  asks: 'member',
  params: exact({ ...InWorkspace.properties, mediaId: Id }),
  answer: {
    status: 200,
    schema: Type.Unknown(),
    bytes: [...mediaTypes.image, ...mediaTypes.video, ...mediaTypes.audio, ...mediaTypes.document],
    description: 'The file.',
  },
  problems: ['not_found', 'media_unavailable'],
})
