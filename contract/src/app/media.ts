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
  description: 'The media of the workspace, newest first, each with whether a post carries it.',
  permission: 'media:read',
  asks: 'member',
  params: InWorkspace,
  query: exact({
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Within the alt text, in any case.' })),
    kind: Type.Optional(MediaKindSchema),
    used: Type.Optional(
      Type.Enum(['yes', 'no'], {
        description: 'Only those that a post carries, or that none does; left out, all.',
      }),
    ),
  }),
  answer: {
    status: 200,
    schema: exact({
      items: Type.Array(
        exact({
          ...MediaItem.properties,
          used: Type.Boolean({ description: 'Whether a post carries it: then it cannot be deleted.' }),
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
  summary: 'List the posts that carry a media item',
  description: 'The latest 20, the newest first. Cancelled ones are among them.',
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
  summary: 'Read the bytes of a file, to see or hear it before it is published',
  description:
    'Of any kind: pictures, video, audio and documents, as they are published. Only people have this. Ranges and conditional requests are honored.',
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
