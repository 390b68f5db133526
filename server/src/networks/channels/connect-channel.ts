import type { Db, Tx } from '../../platform/postgres/db.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import type { Authorization } from '../providers/port/port.ts'
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
  connection: Connection,
  also: (tx: Tx, added: AddedChannel) => Promise<void> = async () => undefined,
): Promise<AddedChannel> {
  return db.begin(async (tx) => {
    const added = await addChannelIn(tx, keyring, connection)
    await also(tx, added)
    return added
  })
}

export type AddedChannel = { readonly channelId: string; readonly reconnected: boolean }

/** The same within a transaction. One that adds several takes them in the order of their accounts' ids. */
export async function addChannelIn(
  tx: Tx,
  keyring: Pick<Keyring, 'seal'>,
  { authorization, ...account }: Connection,
): Promise<AddedChannel> {
  const channelId = uuidv7()
  const fresh = {
    ...account,
    channelId,
    authorizationSealed: sealAuthorization(keyring, channelId, authorization),
  }
  if (await insertChannel(tx, fresh)) return { channelId, reconnected: false }

  const known = await lockChannelOf(tx, account)
  if (known === null)
    throw new Error('The channel of this account was removed while it was being reconnected.')
  await reconnectChannel(tx, {
    ...account,
    channelId: known,
    authorizationSealed: sealAuthorization(keyring, known, authorization),
  })
  return { channelId: known, reconnected: true }
}
