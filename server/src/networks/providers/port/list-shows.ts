import type { Json } from './calls.ts'
import type { ListShows, PartWork } from './port.ts'

/** What of a part a list is not known to show, in words; null where every post of its kind is in it. */
export function notKnownToShow(
  { replies, settings: shown }: ListShows,
  { settings, parent }: Pick<PartWork, 'settings' | 'parent'>,
): string | null {
  if (parent !== null && !replies) return 'replies'
  const [unknown] = Object.entries(settings).filter(([name, value]) => {
    const values = Object.hasOwn(shown, name) ? shown[name] : undefined
    return values !== 'any' && values?.includes(value as Json) !== true
  })
  return unknown === undefined ? null : `posts with ${unknown[0]} ${JSON.stringify(unknown[1])}`
}
