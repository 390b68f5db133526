import { keyIdOf, sealedColumn } from '../../../platform/sealing/sealed-kind.ts'
import { totpContext } from './second-factor-store.ts'

/** The secrets of authenticator apps. One that is lost stays asked for: the recovery codes open then. */
export const sealedTotpSecrets = sealedColumn({
  name: 'authenticator secret',
  table: 'totp',
  column: 'sealed',
  idColumn: 'person_id',
  inUse: (sql) => sql`sealed <> ''`,
  contextOf: ({ id }) => totpContext(id),
  async giveUp(tx, keyIds) {
    await tx`update totp set sealed = '' where ${keyIdOf(tx, 'sealed')} = any (${[...keyIds]})`
  },
})
