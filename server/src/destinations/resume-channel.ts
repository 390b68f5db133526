import { announce } from '../outbox/outbox-store.ts'
import type { Db } from '../platform/db.ts'
import { requeueReconnected, resumeInterrupted } from './destination-store.ts'

/** Takes up again what waited for a channel to be reconnected, and returns how many destinations that were. */
export function resumeChannel(db: Db, workspaceId: string, channelId: string): Promise<number> {
  return db.begin(async (tx) => {
    const changes = await requeueReconnected(tx, workspaceId, channelId)
    await announce(tx, changes)
    return changes.length + (await resumeInterrupted(tx, workspaceId, channelId))
  })
}
