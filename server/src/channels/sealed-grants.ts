import { keyIdOf, type SealedKind } from '../platform/sealed-kind.ts'
import { grantContext } from './grant.ts'

/** The grants of channels. What a channel that has to be reconnected anyway has left is of no use any more. */
export const sealedGrants: SealedKind = {
  name: 'channel authorisation',
  column: 'channel.grant_sealed',
  keysInUse: (sql) => sql`
    select ${keyIdOf(sql, 'grant_sealed')} as "keyId", count(*)::int as count
    from   channel
    where  connection_status = 'connected'
    group  by 1
    order  by 1`,
  async find(tx, keyIds, { after, limit }) {
    const rows = await tx<{ id: string; sealed: Buffer }[]>`
      select id, grant_sealed as sealed
      from   channel
      where  ${keyIdOf(tx, 'grant_sealed')} = any (${[...keyIds]}) and (${after}::uuid is null or id > ${after})
      order  by id
      limit  ${limit}
      for    no key update`
    return rows.map((row) => ({ ...row, context: grantContext(row.id) }))
  },
  async replace(tx, id, sealed) {
    await tx`update channel set grant_sealed = ${sealed} where id = ${id}`
  },
  async giveUp(tx, keyIds) {
    await tx`
      update channel
      set    connection_status = 'reconnect_required', grant_lost = true, updated_at = now()
      where  connection_status = 'connected' and ${keyIdOf(tx, 'grant_sealed')} = any (${[...keyIds]})`
  },
}
