import { moves } from '../destinations/destination-states.ts'
import { heldUntil } from '../destinations/holds.ts'
import { freshToken } from '../destinations/tokens.ts'
import type { Change } from '../outbox/envelope.ts'
import { announce, changeColumns } from '../outbox/outbox-store.ts'
import type { Db } from '../platform/db.ts'
import { announceHoldAfterMs, deferralMessages, waitOf } from './decide-outcome.ts'
import type { Subject } from './engine-port.ts'

/** Has nothing claimed on a channel until then. A pause never ends sooner by another one. */
export async function pauseChannel(
  db: Db,
  { workspaceId, channelId }: Pick<Subject, 'workspaceId' | 'channelId'>,
  forMs: number,
): Promise<void> {
  await db`
    update channel c
    set    paused_until = greatest(c.paused_until, now() + ${forMs} * interval '1 ms'), updated_at = now()
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId}`
}

/**
 * Makes `delayed` what is due, and held by a pause of its channel or an outage of its network, and returns how many
 * that were. Nothing is claimed for that, and each is announced once: as `delayed` it waits on, and `checkAgainAt` is
 * read together with what holds it. A hold that is over soon is not worth an event.
 */
export function announceHolds(db: Db, limit: number): Promise<number> {
  const { rate_limited: paused, provider_unavailable: away } = deferralMessages
  return db.begin(async (tx) => {
    const moved = await tx<Change[]>`
      with held as (
        select d.workspace_id, d.id, hold.until, c.paused_until > now() as paused
        from   destination d
        join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
        and    c.enabled and c.connection_status = 'connected'
        cross  join lateral (select ${heldUntil(tx)} as until) hold
        where  d.status = 'scheduled' and d.due_at <= now() - ${announceHoldAfterMs} * interval '1 ms'
        and    d.expires_at > now() and hold.until is not null
        and    (exists (select from network_outage) or exists (select from channel p where p.paused_until > now()))
        order  by d.id
        limit  ${limit}
        for    no key update of d skip locked
      )
      update destination d
      set    status = ${moves.hold.to}, status_since = now(), updated_at = now(), control_token = ${freshToken(tx)},
             check_again_at = greatest(held.until, now()),
             announced_wait = case when held.paused then ${waitOf('delayed', 'rate_limited')}
                                   else ${waitOf('delayed', 'provider_unavailable')} end,
             error = jsonb_build_object(
               'code', case when held.paused then 'rate_limited' else 'provider_unavailable' end,
               'message', case when held.paused then ${paused} else ${away} end,
               'provider', d.provider, 'retryable', true)
      from   held
      where  d.workspace_id = held.workspace_id and d.id = held.id
      returning ${changeColumns(tx)}`
    await announce(tx, moved)
    return moved.length
  })
}
