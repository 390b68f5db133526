import { keyIdOf, type SealedKind } from '../platform/sealed-kind.ts'
import { secretContext } from './endpoint-secrets.ts'

/** The signing secrets of endpoints. */
export const sealedSigningSecrets: SealedKind = {
  name: 'endpoint signing secret',
  column: 'endpoint_secret.sealed',
  keysInUse: (sql) => sql`
    select ${keyIdOf(sql, 'sealed')} as "keyId", count(*)::int as count
    from   endpoint_secret
    where  retires_at is null or retires_at > now()
    group  by 1
    order  by 1`,
  async find(tx, keyIds, { after, limit }) {
    const rows = await tx<{ id: string; endpointId: string; sealed: Buffer }[]>`
      select id, endpoint_id as "endpointId", sealed
      from   endpoint_secret
      where  ${keyIdOf(tx, 'sealed')} = any (${[...keyIds]}) and (${after}::uuid is null or id > ${after})
      order  by id
      limit  ${limit}
      for    no key update`
    return rows.map(({ endpointId, ...row }) => ({ ...row, context: secretContext(endpointId) }))
  },
  async replace(tx, id, sealed) {
    await tx`update endpoint_secret set sealed = ${sealed} where id = ${id}`
  },
  /** An endpoint without a secret is disabled: nothing is ever sent unsigned. Its pending deliveries are given up. */
  async giveUp(tx, keyIds) {
    await tx`
      with lost as (
        delete from endpoint_secret where ${keyIdOf(tx, 'sealed')} = any (${[...keyIds]}) returning endpoint_id, id
      )
      update endpoint e
      set    status = 'disabled', status_since = now(), disabled_reason = 'secret_lost', updated_at = now()
      where  e.id in (select endpoint_id from lost) and e.status = 'active'
      and    not exists (
        select from endpoint_secret s
        where  s.endpoint_id = e.id and s.retires_at is null and not (s.id in (select id from lost)))`
  },
}
