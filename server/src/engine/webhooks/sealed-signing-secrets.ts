import { keyIdOf, sealedColumn } from '../../platform/sealing/sealed-kind.ts'
import { secretContext } from './endpoint-secrets.ts'

/** The signing secrets of endpoints. */
export const sealedSigningSecrets = sealedColumn<{ endpointId: string }>({
  name: 'endpoint signing secret',
  table: 'endpoint_secret',
  column: 'sealed',
  inUse: (sql) => sql`(retires_at is null or retires_at > now())`,
  inWorkspaces: true,
  contextColumns: (sql) => sql`endpoint_id as "endpointId"`,
  contextOf: ({ endpointId }) => secretContext(endpointId),
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
})
