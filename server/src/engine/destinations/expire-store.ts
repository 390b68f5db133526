import { moves } from './destination-states.ts'
import { freshToken } from './tokens.ts'
import type { Change } from '../outbox/envelope.ts'
import { announce, changeColumns } from '../outbox/outbox-store.ts'
import { type Db, useIndexPlans } from '../../platform/postgres/db.ts'

/** Ends what is past its allowed time, and returns what that was. */
export function expire(db: Db, limit: number): Promise<readonly Change[]> {
  return db.begin(async (tx) => {
    const expiring = tx<Change[]>`
      with over as (
        select d.workspace_id, d.id
        from   destination d
        where  d.filed_as in ('scheduled', 'delayed', 'reconnect_required', 'partially_published') and d.expires_at <= now()
        and    d.status <> 'publishing'
        order  by d.expires_at
        limit  ${limit}
        for    no key update skip locked
      ),
      skipped as (
        update part p
        set    status = 'skipped'
        from   over
        where  p.workspace_id = over.workspace_id and p.destination_id = over.id and p.status = 'pending'
      )
      update destination d
      set    status = ${moves.expire.to}, status_since = now(), updated_at = now(), control_token = ${freshToken(tx)},
             due_at = null, check_again_at = null,
             error = jsonb_build_object(
               'code', 'allowed_time_over', 'provider', d.provider, 'retryable', true,
               'message', 'The work was not done within its allowed time, and was stopped.'
                 || coalesce(' Last: ' || (d.error ->> 'message'), ''))
      from   over
      where  d.workspace_id = over.workspace_id and d.id = over.id
      returning ${changeColumns(tx)}`
    const [, moved] = await Promise.all([useIndexPlans(tx), expiring])
    await announce(tx, moved)
    return moved
  })
}
