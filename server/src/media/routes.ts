import * as contract from '@postrider/contract'
import { findAvatar } from '../networks/channels/channel-store.ts'
import { noSuchChannel } from '../networks/channels/refuse-channel.ts'
import type { Cursors } from '../edge/operations/cursor.ts'
import { refuse } from '../edge/operations/refusal.ts'
import { route, uploadRoute, type Route } from '../edge/operations/route.ts'
import { fromNow } from '../platform/text/instant.ts'
import type { Outbound } from '../platform/outbound/outbound-http.ts'
import { type AccountPictures, PICTURE_TYPE } from './account-pictures.ts'
import { fetchUpload } from './fetch-upload.ts'
import { listMedia } from './list-media.ts'
import { findMedia } from './media-store.ts'
import { readContent, readFile } from './read-content.ts'
import { refuseMediaId } from './refuse-media.ts'
import type { Renditions } from './renditions.ts'
import { type UploadAddresses, uploadedWith } from './upload-addresses.ts'
import { addMedia, receiveUpload, type MediaParts } from './upload-media.ts'
import { viewMedia } from './views.ts'

/** The file of a media item, for people. */
export function playRoute(parts: Pick<MediaParts, 'storage'>): Route {
  return route(contract.app.playMedia, async ({ params: { mediaId } }, { caller, sql }) => {
    const row = (await findMedia(sql, caller.workspaceId, [mediaId])).get(mediaId)
    return row === undefined ? refuseMediaId() : readFile(parts, row)
  })
}

/** The picture of a connected account, for people. */
export function accountPictureRoute({ pictures }: { pictures: AccountPictures }): Route {
  // None of these files is older than the process that keeps it.
  const lastModified = new Date()
  return route(contract.app.readChannelPicture, async ({ params: { channelId } }, { caller, sql, gone }) => {
    const { workspaceId } = caller
    const address = await findAvatar(sql, { workspaceId, channelId })
    if (address === undefined) return noSuchChannel()
    const found = address === null ? null : await pictures.find({ workspaceId, address }, gone())
    if (found === null) return refuse('not_found', 'This account has no picture that can be shown.')
    const { tag, size, open } = found
    return { contentType: PICTURE_TYPE, lastModified, fileName: `${channelId}.webp`, size, tag, open }
  })
}

/** The routes on media: uploading, listing, reading, and the bytes of images. */
export function mediaRoutes(
  parts: MediaParts & {
    renditions: Renditions
    cursors: Cursors
    outbound: Outbound
    addresses: UploadAddresses
  },
): Route[] {
  return [
    uploadRoute(
      contract.uploadMedia,
      {
        receive: (file, { workspaceId }) => receiveUpload(parts, workspaceId, file),
        receiveFrom: (address, { workspaceId }, signal) =>
          fetchUpload(parts, workspaceId, address, { pointer: '/sourceUrl', signal }),
      },
      async ({ body }, { caller, sql }, file) =>
        viewMedia(await addMedia(sql, caller.workspaceId, file, body.altText ?? null)),
      { location: ({ mediaId }) => `/agent/v1/media/${mediaId}` },
    ),
    route(contract.createUploadAddress, async ({ body }, { caller, sql }) => {
      const { workspaceId, credential } = caller
      const { idempotencyKey: key, altText = null } = body
      const media = await uploadedWith(sql, workspaceId, key)
      const { id, type } = credential
      const expiresAt = await fromNow(sql, contract.UPLOAD_ADDRESS_MINUTES * 60_000)
      const uploadUrl = parts.addresses.make({
        workspaceId,
        key,
        altText,
        credential: { id, type },
        expiresAt,
      })
      return { uploadUrl, expiresAt: expiresAt.toISOString(), maxBytes: parts.limits.maxBytes, media }
    }),
    route(contract.listMedia, ({ query }, { caller, sql }) =>
      listMedia(sql, caller.workspaceId, query, parts.cursors),
    ),
    route(contract.readMedia, async ({ params: { mediaId } }, { caller, sql }) => {
      const row = (await findMedia(sql, caller.workspaceId, [mediaId])).get(mediaId)
      return row === undefined ? refuseMediaId() : viewMedia(row)
    }),
    route(contract.readMediaContent, async ({ params: { mediaId }, query }, { caller, sql, gone }) => {
      const row = (await findMedia(sql, caller.workspaceId, [mediaId])).get(mediaId)
      return row === undefined ? refuseMediaId() : readContent(parts, row, query.width ?? null, gone())
    }),
  ]
}
