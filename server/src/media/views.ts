import type { MediaItem } from '@postrider/contract'
import type { MediaJson, MediaRow } from './media-store.ts'

/** A media item as the API shows it: nothing of where or under what hash its bytes are kept. */
export function viewMedia(row: MediaRow | MediaJson): MediaItem {
  return {
    mediaId: row.mediaId,
    kind: row.kind,
    contentType: row.contentType,
    size: row.sizeBytes,
    width: row.width,
    height: row.height,
    durationSeconds: row.durationMs === null ? null : row.durationMs / 1_000,
    videoCodec: row.videoCodec,
    audioCodec: row.audioCodec,
    frameRate: row.frameRate,
    audioChannels: row.audioChannels,
    audioSampleRate: row.audioSampleRate,
    animated: row.animated,
    altText: row.altText,
    createdAt: new Date(row.createdAt).toISOString(),
  }
}
