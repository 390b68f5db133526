import { v7 as uuidv7 } from 'uuid'
import type { Db, Tx } from '../platform/db.ts'
import type { Keyring } from '../platform/sealing.ts'
import type { Authorization } from '../providers/port.ts'
import { insertChannel, lockChannelOf, reconnectChannel, type NewChannel } from './channel-store.ts'
import { sealAuthorization } from './authorization.ts'

export type Connection = Omit<NewChannel, 'channelId' | 'authorizationSealed'> & {
  readonly authorization: Authorization
}

/**
 * Connects an account to the workspace. An account that is connected already keeps its channel, which gets the new
 * authorization and is connected and enabled again; `reconnected` says so. Destinations that waited for it are not
 * moved here: that is the engine's. `also` runs in the same transaction.
 */
export async function addChannel(
  db: Db,
  keyring: Pick<Keyring, 'seal'>,
  { authorization, ...account }: Connection,
  also: (tx: Tx, added: { channelId: string; reconnected: boolean }) => Promise<void> = async () => undefined,
): Promise<{ channelId: string; reconnected: boolean }> {
  return db.begin(async (tx) => {
    const channelId = uuidv7()
    const fresh = {
      ...account,
      channelId,
      authorizationSealed: sealAuthorization(keyring, channelId, authorization),
    }
    if (await insertChannel(tx, fresh)) {
      const added = { channelId, reconnected: false }
      await also(tx, added)
      return added
    }

    const known = await lockChannelOf(tx, account)
    if (known === null)
      throw new Error('The channel of this account was removed while it was being reconnected.')
    await reconnectChannel(tx, {
      ...account,
      channelId: known,
      authorizationSealed: sealAuthorization(keyring, known, authorization),
    })
    const added = { channelId: known, reconnected: true }
    await also(tx, added)
    return added
  })
}
