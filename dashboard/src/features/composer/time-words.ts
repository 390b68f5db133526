import { listNames } from '../../lib/list-names.ts'
import { showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { words } from './words.ts'

/** When a channel is published. */
export type ChannelTime = { readonly channelId: string; readonly at: string }
type Naming = { readonly zone: string; readonly nameOf: (channelId: string) => string }

/** So many times are said in one sentence; of more, the first. */
const SAID = 4

/** `Alpha and Beta: Tue 1 Dec, 09:00; Gamma: 18:00`: channels with one time together, the earliest first. */
export function timesWords(times: readonly ChannelTime[], { zone, nameOf }: Naming): string {
  const groups = Map.groupBy(times, ({ at }) => at)
  return [...groups]
    .toSorted(([a], [b]) => Date.parse(a) - Date.parse(b))
    .map(
      ([at, group]) =>
        `${listNames(group.map(({ channelId }) => nameOf(channelId)))}: ${showMoment(at, zone)}`,
    )
    .join('; ')
}

/** What was scheduled, and where. */
export function scheduledWords(times: readonly ChannelTime[], { zone, nameOf }: Naming): string {
  const instants = [...new Set(times.map(({ at }) => at))].toSorted((a, b) => Date.parse(a) - Date.parse(b))
  const [first = ''] = instants
  if (instants.length > 1 && instants.length <= SAID)
    return words.sent.scheduledEach(words.timeIn(timesWords(times, { zone, nameOf }), placeOf(zone)))
  const moment = showMoment(first, zone)
  const when = words.timeIn(instants.length === 1 ? moment : words.sent.from(moment), placeOf(zone))
  return words.sent.scheduled(when, listNames(times.map(({ channelId }) => nameOf(channelId))))
}
