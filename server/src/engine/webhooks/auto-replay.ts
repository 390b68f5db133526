import type { Db } from '../../platform/postgres/db.ts'
import {
  isAnyReplayed,
  lockProbesDue,
  replayRecovered,
  setProbe,
  type Replayed,
} from './auto-replay-store.ts'
import { insertTestDelivery, resendDelivery } from './delivery-log-store.ts'
import { sampleEvent, sampleTypeFor } from './sample-event.ts'

const BATCH_SIZE = 500

/**
 * For endpoints with `auto_replay`: probes those that fail with a test event, and replays the failed deliveries of those that
 * answer again. The five attempts of a round stay as they are; a further round begins only when a request has succeeded
 * since. Returns what was replayed.
 */
export async function autoReplay(db: Db): Promise<Replayed[]> {
  if (!(await isAnyReplayed(db))) return []
  await db.begin(async (tx) => {
    for (const { eventTypes, probeId, ...key } of await lockProbesDue(tx)) {
      if (probeId !== null) {
        await resendDelivery(tx, { ...key, eventId: probeId })
        continue
      }
      const { eventId, ...event } = sampleEvent(sampleTypeFor(eventTypes), key.workspaceId)
      await insertTestDelivery(tx, { ...key, eventId }, event)
      await setProbe(tx, key, eventId)
    }
  })
  return replayRecovered(db, BATCH_SIZE)
}
