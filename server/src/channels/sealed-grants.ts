import { keyIdOf, sealedColumn } from '../platform/sealed-kind.ts'
import { grantContext } from './grant.ts'

/** The grants of channels. What a channel that has to be reconnected anyway has left is of no use any more. */
export const sealedGrants = sealedColumn({
  name: 'channel authorisation',
  table: 'channel',
  column: 'grant_sealed',
  inUse: (sql) => sql`connection_status = 'connected'`,
  contextOf: ({ id }) => grantContext(id),
  async giveUp(tx, keyIds) {
    await tx`
      update channel
      set    connection_status = 'reconnect_required', grant_lost = true, updated_at = now()
      where  connection_status = 'connected' and ${keyIdOf(tx, 'grant_sealed')} = any (${[...keyIds]})`
  },
})
