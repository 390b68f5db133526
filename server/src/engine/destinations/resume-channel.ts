import type { ChannelKey } from '../../networks/channels/channel-store.ts'
import { announce } from '../outbox/outbox-store.ts'
import { type Db, useIndexPlans } from '../../platform/postgres/db.ts'
import { NIL_UUID } from '../../platform/text/nil-uuid.ts'
import {
  countResumable,
  expediteLookups,
  requeueReconnected,
  resumeInterrupted,
  waitedForChannels,
} from './reconnect-store.ts'

/** How many destinations are locked together. */
const BATCH_SIZE = 500

/** How many batches the connecting of a channel waits for; publishers take up the rest. */
const AWAITED_BATCHES = 4

/** How many channels a sweep looks at in one pass. */
const CHANNELS_PER_PASS = 1_000

/**
 * Takes up again what waited for a channel to be connected, and returns how many destinations that are; what is in
 * doubt there is looked for at once.
 */
export async function resumeChannel(db: Db, workspaceId: string, channelId: string): Promise<number> {
  const channel = { workspaceId, channelId }
  const resumable = await countResumable(db, channel)
  while ((await expediteBatch(db, channel)) === BATCH_SIZE);
  let batches = 0
  while (batches < AWAITED_BATCHES && (await resumeBatch(db, channel)) > 0) batches += 1
  return resumable
}

/**
 * A sweep that takes up what waited for channels that are connected, and returns how many destinations that were. Little should be
 * left to find: the rest of a long backlog; what a process left that died between connecting a channel and taking up what
 * waited; and calls under the old authorization that were refused after the new one was there. Each pass looks at some of the
 * channels that are waited for, and the next one goes on after them.
 */
export function sweepConnected(db: Db, perPass = CHANNELS_PER_PASS): () => Promise<number> {
  const start = { workspaceId: NIL_UUID, channelId: NIL_UUID }
  let after: ChannelKey = start
  return async () => {
    const channels = await waitedForChannels(db, after, perPass)
    const last = channels.at(-1)
    after = last === undefined || channels.length < perPass ? start : last
    let resumed = 0
    for (const channel of channels) {
      if (!channel.connected) continue
      for (let batch = Infinity; batch > 0; resumed += batch) batch = await resumeBatch(db, channel)
    }
    return resumed
  }
}

function expediteBatch(db: Db, channel: ChannelKey): Promise<number> {
  return db.begin(async (tx) => {
    const [, chosen] = await Promise.all([useIndexPlans(tx), expediteLookups(tx, [channel], BATCH_SIZE)])
    return chosen
  })
}

function resumeBatch(db: Db, channel: ChannelKey): Promise<number> {
  return db.begin(async (tx) => {
    const [, changes] = await Promise.all([useIndexPlans(tx), requeueReconnected(tx, channel, BATCH_SIZE)])
    await announce(tx, changes)
    return changes.length + (await resumeInterrupted(tx, channel, BATCH_SIZE))
  })
}
