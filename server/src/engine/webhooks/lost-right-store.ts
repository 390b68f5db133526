import type { Db } from '../../platform/postgres/db.ts'
import { credentialActs, mayHaveEvents } from './endpoint-right.ts'

/**
 * Disables the endpoints whose owner may not have the events of posts any more; says how many. A claim sends nothing to them before
 * that. A credential that is revoked, or limited to some posts, takes its endpoints with it in the transaction of that
 * (`end_endpoints_of_credential`); here nothing is written when one expires, or its member gets another role.
 */
export async function disableWithoutRight(db: Db, limit: number): Promise<number> {
  const { count } = await db`
    update endpoint e
    set    status = 'disabled', status_since = now(), updated_at = now(),
           disabled_reason = case when ${credentialActs(db)} then 'right_lost' else 'credential_ended' end
    where  e.id = any (array(
      select e.id from endpoint e
      where  e.credential_id is not null and e.status = 'active' and not ${mayHaveEvents(db)}
      limit  ${limit}
      for    no key update skip locked))`
  return count
}
