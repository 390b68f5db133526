import { setTimeout as wait } from 'node:timers/promises'
import { stopWrites } from '../../edge/operations/credential-lock.ts'
import { countPublishing, resumeLookups, stopLookups } from '../../engine/destinations/freeze-store.ts'
import { keepDrafts, resumeDrafts } from '../../engine/queue/freeze-store.ts'
import { startEndpoints, stopEndpoints } from '../../engine/webhooks/freeze-store.ts'
import {
  noteFreeze,
  noteStopped,
  queueAllChannels,
  readFreeze,
  removeFreeze,
  startChannels,
  stopChannels,
} from '../../networks/channels/freeze-store.ts'
import { resumeKeys, suspendAllKeys } from '../../people/keys/key-store.ts'
import { resumeMembers, suspendAllMembers } from '../../people/members/member-store.ts'
import type { Db, Tx } from '../../platform/postgres/db.ts'
import { noteEndedFreeze } from '../../platform/sealing/installation-store.ts'

/**
 * Has nothing of a workspace go on here, in one transaction: no post is published or looked up, nobody can change anything, and no
 * endpoint is told. Writes under way are waited for. Repeating it is harmless.
 */
export async function freezeWorkspace(db: Db, workspaceId: string): Promise<void> {
  await db.begin(
    async (tx) => {
      await stopWrites(tx, workspaceId)
      if ((await readFreeze(tx, workspaceId)) !== null) return
      const channelIds = await stopChannels(tx, workspaceId)
      const endpointIds = await stopEndpoints(tx, workspaceId)
      const destinationIds = await stopLookups(tx, workspaceId)
      await noteFreeze(tx, workspaceId, { channelIds, endpointIds, destinationIds })
      await keepDrafts(tx, workspaceId)
      // At the time of the freeze, by which they are told from others when it ends.
      await suspendAllMembers(tx, workspaceId)
      await suspendAllKeys(tx, workspaceId)
    },
    { statementTimeoutMs: 0 },
  )
}

const LOOK_MS = 100

/**
 * Waits until nothing of a frozen workspace is in the hands of a publisher or of its network, for at most so long, and gives how many
 * still are. What has become doubtful meanwhile is not looked up here.
 */
export async function awaitStill(db: Db, workspaceId: string, mostMs: number): Promise<number> {
  const end = performance.now() + mostMs
  for (;;) {
    const left = await countPublishing(db, workspaceId)
    if (left === 0 || performance.now() > end) {
      await db.begin(async (tx) => noteStopped(tx, workspaceId, await stopLookups(tx, workspaceId)))
      // A draft may have been made by the last call.
      await db.begin((tx) => keepDrafts(tx, workspaceId))
      return left
    }
    await wait(LOOK_MS)
  }
}

/** Has a frozen workspace go on, in this installation or in the one that it was moved to, as if it had never been stopped. */
export async function unfreezeWorkspace(tx: Tx, workspaceId: string): Promise<void> {
  const freeze = await readFreeze(tx, workspaceId)
  if (freeze === null) return
  const { channelIds, endpointIds, destinationIds, frozenAt } = freeze
  await resumeMembers(tx, workspaceId, frozenAt)
  await resumeKeys(tx, workspaceId, frozenAt)
  await removeFreeze(tx, workspaceId)
  await noteEndedFreeze(tx, workspaceId, frozenAt)
  await startChannels(tx, workspaceId, channelIds)
  await startEndpoints(tx, workspaceId, endpointIds, frozenAt)
  await resumeLookups(tx, workspaceId, destinationIds)
  await resumeDrafts(tx, workspaceId)
  await queueAllChannels(tx, workspaceId)
}
