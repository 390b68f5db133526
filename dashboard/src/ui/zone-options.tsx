import { knownZone } from '@postrider/contract/names'
import { placeOf } from '../lib/zones.ts'

/** The time zones as options of a list: those that are likely first. */
export function ZoneOptions({ first }: { first: readonly string[] }) {
  const likely = [...new Set(first)]
  const known = new Set(likely.map((zone) => knownZone(zone)))
  const others = Intl.supportedValuesOf('timeZone').filter((zone) => !known.has(zone))
  return (
    <>
      {[...likely, ...others].map((zone) => (
        <option key={zone} value={zone}>
          {zone.includes('/') ? `${placeOf(zone)} (${zone})` : zone}
        </option>
      ))}
    </>
  )
}
