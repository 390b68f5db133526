import { instantOf } from '../../lib/chosen-time.ts'
import { type Draft, noTimes, onTimeOfAll, timeOn, type Times } from './draft.ts'

/** When the draft is to be published; null while a channel has no time at which it can be. */
export function publishTimes(draft: Draft, zone: string, now = new Date()): Times | null {
  const { time, channelIds } = draft
  if (time.state !== 'scheduled') return noTimes
  const shared = new Set(onTimeOfAll(draft))
  const all = shared.size === 0 ? null : instantOf(time, zone, now)
  if (all === null && shared.size > 0) return null
  const own = new Map<string, Date>()
  for (const id of channelIds.filter((one) => !shared.has(one))) {
    const at = instantOf(timeOn(draft, id) ?? time, zone, now)
    if (at === null) return null
    own.set(id, at)
  }
  return { all, own }
}
