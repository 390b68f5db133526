import { notReachable } from '../../networks/providers/port/check-media.ts'
import type { MediaAddress } from '../../networks/providers/port/port.ts'
import { MEDIA_UNAVAILABLE } from './deferrals.ts'
import type { Engine, PartRefusal } from './engine-port.ts'
import type { Work, WorkPart } from '../queue/work.ts'
import { boundsOf, unfit } from './open-media.ts'
import type { PartContext } from './upload-part.ts'

/** Where the network fetches the media of a part, in order; nothing for a network that does not. */
export async function addressPart(
  engine: Pick<Engine, 'networks' | 'providers'>,
  { adapter, limits }: PartContext,
  work: Work,
  { media }: WorkPart,
): Promise<{ readonly mediaAddresses: MediaAddress[] } | { readonly refused: PartRefusal }> {
  if (adapter.fetchesMedia !== true || media.length === 0) return { mediaAddresses: [] }
  const { displayName } = adapter
  const cannot = engine.providers.get(work.provider)?.cannotFetch
  if (cannot !== undefined) {
    const { message, fix } = notReachable(displayName, cannot)
    return unfit(`${message} ${fix}`)
  }
  const address = engine.networks?.addressMedia
  if (address === undefined) throw new Error('this engine has no addresses for media')
  const mediaAddresses: MediaAddress[] = []
  for (const item of media) {
    const bounds = boundsOf(item, { provider: adapter, limits, settings: work.settings })
    if ('refused' in bounds) return bounds
    const found = await address(work, item, bounds).catch(() => null)
    if (found === null) return { refused: MEDIA_UNAVAILABLE }
    if ('unfit' in found) return unfit(found.unfit)
    mediaAddresses.push({ ...found, kind: item.kind, altText: item.altText })
  }
  return { mediaAddresses }
}
