import { keyIdOf, sealedColumn } from '../../platform/sealing/sealed-kind.ts'
import { authorizationContext } from './authorization.ts'

/** The authorizations of channels. What a channel that has to be reconnected anyway has left is of no use any more. */
export const sealedAuthorizations = sealedColumn({
  name: 'channel authorization',
  table: 'channel',
  column: 'authorization_sealed',
  inUse: (sql) => sql`connection_status = 'connected'`,
  inWorkspaces: true,
  contextOf: ({ id }) => authorizationContext(id),
  async giveUp(tx, keyIds) {
    await tx`
      update channel
      set    connection_status = 'reconnect_required', authorization_lost = true, updated_at = now()
      where  connection_status = 'connected' and ${keyIdOf(tx, 'authorization_sealed')} = any (${[...keyIds]})`
  },
})
