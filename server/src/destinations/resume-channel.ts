import { announce } from '../outbox/outbox-store.ts'
import type { Db } from '../platform/db.ts'
import { lookAgain, requeueReconnected, resumeInterrupted, type ChannelScope } from './destination-store.ts'

/**
 * Takes up again what waited for a channel to be connected, and returns how many destinations that were; what is in
 * doubt there is looked for at once.
 */
export function resumeChannel(db: Db, workspaceId: string, channelId: string): Promise<number> {
  return resume(db, { workspaceId, channelId })
}

/**
 * Takes up what waited, for every connected channel. Nothing should be left to find: but a process may die between connecting a
 * channel and taking up what waited, and a call under the old grant may be refused after the new one is there.
 */
export function resumeConnected(db: Db): Promise<number> {
  return resume(db, null)
}

function resume(db: Db, scope: ChannelScope): Promise<number> {
  return db.begin(async (tx) => {
    if (scope !== null) await lookAgain(tx, scope)
    const changes = await requeueReconnected(tx, scope)
    await announce(tx, changes)
    return changes.length + (await resumeInterrupted(tx, scope))
  })
}
