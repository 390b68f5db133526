import { keyIdOf, type SealedKind } from '../platform/sealed-kind.ts'
import { totpContext } from './second-factor-store.ts'

/** The secrets of authenticator apps. One that is lost stays asked for: the recovery codes open then. */
export const sealedTotpSecrets: SealedKind = {
  name: 'authenticator secret',
  column: 'totp.sealed',
  keysInUse: (sql) => sql`
    select ${keyIdOf(sql, 'sealed')} as "keyId", count(*)::int as count
    from   totp
    where  sealed <> ''
    group  by 1
    order  by 1`,
  async find(tx, keyIds, { after, limit }) {
    const rows = await tx<{ id: string; sealed: Buffer }[]>`
      select person_id as id, sealed
      from   totp
      where  ${keyIdOf(tx, 'sealed')} = any (${[...keyIds]}) and (${after}::uuid is null or person_id > ${after})
      order  by person_id
      limit  ${limit}
      for    no key update`
    return rows.map((row) => ({ ...row, context: totpContext(row.id) }))
  },
  async replace(tx, id, sealed) {
    await tx`update totp set sealed = ${sealed} where person_id = ${id}`
  },
  async giveUp(tx, keyIds) {
    await tx`update totp set sealed = '' where ${keyIdOf(tx, 'sealed')} = any (${[...keyIds]})`
  },
}
