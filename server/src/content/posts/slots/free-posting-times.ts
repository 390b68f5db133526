import type { Answer, app, Input } from '@postrider/contract'
import { slotsBetween } from '../../../networks/channels/posting-times.ts'
import { channelsWithSlots, takenBetween } from '../../../engine/destinations/queue-slot-store.ts'
import type { Refusal } from '../../../edge/operations/refusal.ts'
import type { Sql } from '../../../platform/postgres/db.ts'
import { readRange } from '../plan/calendar-range.ts'

const MOST = 5_000

type Operation = typeof app.listFreePostingTimes

/** The posting times of [from, to) at which a channel has nothing planned, not before now. */
export async function listFreePostingTimes(
  sql: Sql,
  workspaceId: string,
  { channelId, ...sent }: Input<Operation>['query'],
): Promise<Answer<Operation> | Refusal<'validation_failed'>> {
  const range = readRange(sent)
  if ('refused' in range) return range
  const [channels, planned] = await Promise.all([
    channelsWithSlots(sql, workspaceId, channelId ?? null),
    takenBetween(sql, workspaceId, range),
  ])
  const taken = new Set(planned.map(({ channelId, at }) => `${channelId} ${at.getTime()}`))
  const free = new Map<number, string[]>()
  for (const { channelId, postingTimes, timeZone, now } of channels) {
    const after = new Date(Math.max(now.getTime(), range.from.getTime() - 1))
    for (const slot of slotsBetween(postingTimes, timeZone, { after, before: range.to })) {
      const at = slot.getTime()
      if (taken.has(`${channelId} ${at}`)) continue
      const channelIds = free.get(at) ?? []
      channelIds.push(channelId)
      free.set(at, channelIds)
    }
  }
  let left = MOST
  return [...free]
    .toSorted(([a], [b]) => a - b)
    .map(([at, channelIds]) => ({ at: new Date(at).toISOString(), channelIds }))
    .filter(({ channelIds }) => {
      left -= channelIds.length
      return left >= 0
    })
}
