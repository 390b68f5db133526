import type { ChannelKey } from '../../networks/channels/channel-store.ts'
import { heldUntil } from '../destinations/holds.ts'
import { delayed } from '../destinations/queue-moves.ts'
import type { Change } from '../outbox/envelope.ts'
import { announce, changeColumns } from '../outbox/outbox-store.ts'
import { type Db, type Tx, useIndexPlans } from '../../platform/postgres/db.ts'
import { isBusy, listed, postponeChannels } from './channel-queue-store.ts'
import { ANNOUNCE_HOLD_AFTER_MS, deferralMessages, waitOf } from './waits.ts'

/** How many channels one transaction announces. */
const BATCH_SIZE = 128

/**
 * Makes `delayed` what is due, and held by a pause of its channel or an outage of its network, and returns how many
 * that were; fewer than the limit where no more are planned. Nothing is claimed for that, and each is announced once: as
 * `delayed` it waits on, and `checkAgainAt` is read together with what holds it. A hold that is over soon is not worth
 * an event, and what waits behind another publication of its channel is not held yet.
 */
export async function announceHolds(db: Db, limit: number): Promise<number> {
  let announced = 0
  for (;;) {
    let planned = 0
    announced += await db.begin(async (tx) => {
      const channels = await plannedChannels(tx)
      if (channels.length === 0) return 0
      const moved = await delayHeld(tx, channels, limit - announced)
      await announce(tx, moved)
      await postponeChannels(tx, channels, () => planned++)
      return moved.length
    })
    if (planned === 0 || announced === limit) return announced
  }
}

async function plannedChannels(tx: Tx): Promise<ChannelKey[]> {
  const [, channels] = await Promise.all([
    useIndexPlans(tx),
    tx<ChannelKey[]>`
      select q.workspace_id as "workspaceId", q.channel_id as "channelId"
      from   channel_queue q
      where  q.announce_at <= now() and q.announce_at < 'infinity'  -- a literal, so that channel_queue_announce applies
      order  by q.announce_at
      limit  ${BATCH_SIZE}
      for    update skip locked`,
  ])
  return channels
}

function delayHeld(tx: Tx, channels: readonly ChannelKey[], limit: number): PromiseLike<Change[]> {
  const { rate_limited: paused, provider_unavailable: away } = deferralMessages
  const wait = tx`
    case when held.paused then ${waitOf('delayed', 'rate_limited')}
         else ${waitOf('delayed', 'provider_unavailable')} end`
  const error = tx`
    jsonb_build_object(
      'code', case when held.paused then 'rate_limited' else 'provider_unavailable' end,
      'message', case when held.paused then ${paused} else ${away} end,
      'provider', d.provider, 'retryable', true)`
  return tx<Change[]>`
    with held as materialized (
      select d.workspace_id, d.id, hold.until, c.paused_until > now() as paused
      from   ${listed(tx, channels)}
      join   channel c on c.workspace_id = l.workspace_id and c.id = l.channel_id
      and    c.enabled and c.connection_status = 'connected'
      cross  join lateral (select ${heldUntil(tx)} as until) hold
      cross  join lateral (
        select d.workspace_id, d.id, d.expires_at
        from   destination d
        where  d.workspace_id = c.workspace_id and d.channel_id = c.id
        and    d.filed_as = 'scheduled' and d.status = 'scheduled' and d.due_at <= now() - ${ANNOUNCE_HOLD_AFTER_MS} * interval '1 ms'
        order  by d.due_at
        limit  ${limit}
        for    no key update of d skip locked
      ) d
      where  hold.until is not null and not ${isBusy(tx)} and d.expires_at > now()
      limit  ${limit}
    )
    ${delayed(tx, { until: tx`held.until`, wait, error })}
    from   held
    where  d.workspace_id = held.workspace_id and d.id = held.id
    returning ${changeColumns(tx)}`
}
