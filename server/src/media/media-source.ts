import type { Log } from '../platform/process/log.ts'
import { type AddressedMedia, addressMedia, type AddressParts } from './address-media.ts'
import type { MediaRow } from './media-store.ts'
import { prepareMedia } from './prepare-media.ts'
import type { StoredJobParts } from './run-stored-job.ts'

type Prepare = typeof prepareMedia
type Item = Parameters<Prepare>[1] & Pick<MediaRow, 'mediaId'>
type Bounds = Parameters<Prepare>[2]
type Destination = Parameters<typeof addressMedia>[1]

/** Media as networks get them. Both throw where the bytes cannot be read. */
type Source = {
  /** The bytes, to be sent. */
  readonly prepare: (item: Item, bounds: Bounds) => ReturnType<Prepare>
  /** Where a network fetches them. */
  readonly address: (
    destination: Destination,
    item: Item,
    bounds: Bounds,
  ) => Promise<AddressedMedia | { unfit: string }>
}

/** Gives out media to networks, and logs what cannot be read: where it should be, and why it is not. */
export function mediaSource(parts: StoredJobParts & AddressParts, log: Pick<Log, 'error'>): Source {
  function reporter({ mediaId, storageKey }: Item): (err: unknown) => never {
    const place = parts.storage.pathOf(storageKey) ?? `${parts.storage.location}${storageKey}`
    return (err) => {
      log.error({ err, mediaId, place }, 'media cannot be read')
      throw err
    }
  }

  return {
    async prepare(item, bounds) {
      const report = reporter(item)
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
    address: (destination, item, bounds) =>
      addressMedia(parts, destination, item, bounds).catch(reporter(item)),
  }
}
