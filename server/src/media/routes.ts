import * as contract from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import type { Cursors } from '../operations/cursor.ts'
import { refuse } from '../operations/refusal.ts'
import { route, uploadRoute, type Route } from '../operations/route.ts'
import { listMedia } from './list-media.ts'
import { findMedia, insertMedia } from './media-store.ts'
import { readContent, readFile } from './read-content.ts'
import type { Renditions } from './renditions.ts'
import { receiveUpload, type MediaParts } from './upload-media.ts'
import { viewMedia } from './views.ts'

/** The file of a media item, for people. */
export function playRoute(parts: Pick<MediaParts, 'storage'>): Route {
  return route(contract.app.playMedia, async ({ params: { mediaId } }, { caller, sql }) => {
    const row = (await findMedia(sql, caller.workspaceId, [mediaId])).get(mediaId)
    return row === undefined ? notFound() : readFile(parts, row)
  })
}

/** The routes on media: uploading, listing, reading, and the bytes of images. */
export function mediaRoutes(parts: MediaParts & { renditions: Renditions; cursors: Cursors }): Route[] {
  return [
    uploadRoute(
      contract.uploadMedia,
      (file, { workspaceId }) => receiveUpload(parts, workspaceId, file),
      async ({ body }, { caller, sql }, file) => {
        const altText = body.altText?.trim() ?? ''
        const media = { ...file, mediaId: uuidv7(), altText: altText === '' ? null : altText }
        return viewMedia(await insertMedia(sql, caller.workspaceId, media))
      },
      { location: ({ mediaId }) => `/agent/v1/media/${mediaId}` },
    ),
    route(contract.listMedia, ({ query }, { caller, sql }) =>
      listMedia(sql, caller.workspaceId, query, parts.cursors),
    ),
    route(contract.readMedia, async ({ params: { mediaId } }, { caller, sql }) => {
      const row = (await findMedia(sql, caller.workspaceId, [mediaId])).get(mediaId)
      return row === undefined ? notFound() : viewMedia(row)
    }),
    route(contract.readMediaContent, async ({ params: { mediaId }, query }, { caller, sql, gone }) => {
      const row = (await findMedia(sql, caller.workspaceId, [mediaId])).get(mediaId)
      return row === undefined ? notFound() : readContent(parts, row, query.width ?? null, gone())
    }),
  ]
}

function notFound() {
  return refuse('not_found', 'There is no media item under this id in this workspace.')
}
