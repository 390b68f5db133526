import Type from 'typebox'
import { mediaTypes } from '../media.ts'
import { operation } from '../operation.ts'
import { exact, Id } from '../schemas.ts'
import { InWorkspace } from './app-schemas.ts'

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
