import type { Log } from '../platform/log.ts'
import type { MediaRow } from './media-store.ts'
import { prepareMedia } from './prepare-media.ts'
import type { StoredJobParts } from './run-stored-job.ts'

type Prepare = typeof prepareMedia
type Item = Parameters<Prepare>[1] & Pick<MediaRow, 'mediaId'>

/** Gives out media to be sent to networks, and logs what cannot be read: where it should be, and why it is not. */
export function mediaSource(
  parts: StoredJobParts,
  log: Pick<Log, 'error'>,
): { readonly prepare: (item: Item, bounds: Parameters<Prepare>[2]) => ReturnType<Prepare> } {
  return {
    async prepare(item, bounds) {
      const { mediaId, storageKey } = item
      const place = parts.storage.pathOf(storageKey) ?? `${parts.storage.location}${storageKey}`
      function report(err: unknown): never {
        log.error({ err, mediaId, place }, 'media cannot be read')
        throw err
      }
      const prepared = await prepareMedia(parts, item, bounds).catch(report)
      if ('unfit' in prepared) return prepared
      const { file, ...rest } = prepared
      async function* open(range?: { from: number; to: number }): AsyncGenerator<Uint8Array> {
        try {
          yield* file.open(range)
        } catch (err) {
          report(err)
        }
      }
      return { ...rest, file: { ...file, open } }
    },
  }
}
