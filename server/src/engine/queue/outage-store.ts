import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import { type ChannelKey, originLearned } from '../../networks/channels/channel-store.ts'
import { batchedBy } from '../../platform/process/batch.ts'
import { type Db, type Tx, useIndexPlans } from '../../platform/postgres/db.ts'
import { DUE_CHANNEL } from '../destinations/destination-store.ts'
import { heldUntil } from '../destinations/holds.ts'
import { expediteLookups } from '../destinations/reconnect-store.ts'
import { channelKeys, listed } from './channel-queue-store.ts'
import type { NetworkFailure, Outages } from './work.ts'

/** When a network is taken to be away, and how often it is probed. Times are in milliseconds. */
export type OutageRules = {
  /** So many accounts have to fail within the window, without a success of any. */
  readonly accounts: number
  readonly windowMs: number
  /** Waits before the first probe and after each one that failed; the last one repeats. */
  readonly probeWaitsMs: readonly number[]
  /** A probe that is not heard of for so long lets another one go. */
  readonly probeTimeoutMs: number
}

export const usualOutageRules: OutageRules = {
  accounts: 3,
  windowMs: 60_000,
  probeWaitsMs: [1_000, 2_000, 5_000, 10_000, 20_000, 30_000],
  probeTimeoutMs: 30_000,
}

/** How many calls are written together. */
const BATCH_SIZE = 500
/** How many channels of a network that is back are locked together. */
const RECOVERY_BATCH_SIZE = 200

export type OutageScope = {
  readonly origin: string
  /** Null: it is away for all. */
  readonly workspaceId: string | null
}

export type OutageEvents = {
  readonly onOutage: (scope: OutageScope) => void
  readonly onRecovery: (origin: string) => void
}

/**
 * What is known of networks as a whole, kept in the database: all processes share it, and a restart forgets nothing.
 * An outage holds a workspace when several of its accounts failed, and all workspaces when accounts of several did, so
 * that one workspace's posts alone never hold back another's. One success of anyone ends it.
 *
 * The results of calls to a network are written one transaction after the other. So results that come at once are
 * written together: waiting for each other, they would take every connection from those that publish on other networks.
 */
export function outageStore(db: Db, events: OutageEvents, rules = usualOutageRules): Outages {
  const recordFailure = batchedBy(
    (failure: NetworkFailure) => failure.origin,
    async (failures, origin) => {
      const opened = await writeInTransaction(db, (tx) => writeFailures(tx, origin, failures, rules))
      for (const scope of opened) events.onOutage(scope)
      return failures
    },
    BATCH_SIZE,
  )
  const learnOrigin = batchedBy(
    ({ origin }: ChannelKey & { readonly origin: string }) => origin,
    (channels, origin) => writeOrigin(db, origin, channels),
    BATCH_SIZE,
  )
  /** True for one of those that ended an outage. */
  const recordSuccess = batchedBy(
    (origin: string) => origin,
    async (successes, origin) => {
      const ended = await writeInTransaction(db, (tx) => writeSuccess(tx, origin))
      if (ended) events.onRecovery(origin)
      return successes.map((_, place) => ended && place === 0)
    },
    BATCH_SIZE,
  )
  return {
    learnOrigin: ({ workspaceId, channelId }, origin) => learnOrigin({ workspaceId, channelId, origin }),

    recordFailure: async (failure) => void (await recordFailure(failure)),

    async recordSuccess(origin) {
      // The first channels resume at once; the call that found it out does not stay in flight for the rest.
      if (await recordSuccess(origin)) await writeInTransaction(db, recoverBatch)
    },

    async returnProbe(outageId) {
      await db`update network_outage set probe_at = now() where id = ${outageId}`
      await db.notify(DUE_CHANNEL, '')
    },
  }
}

/** Whether the channels, or their network, are held. */
async function writeOrigin(db: Db, origin: string, channels: readonly ChannelKey[]): Promise<boolean[]> {
  const held = new Set<string>()
  await writeInTransaction(db, async (tx) => {
    held.clear()
    tx.defer(() => useIndexPlans(tx))
    tx.defer(async () => {
      const rows = await tx<{ channelId: string }[]>`
        with locked as (  -- in one order with all who lock channels
          select c.workspace_id, c.id
          from   ${listed(tx, channels)}
          join   channel c on c.workspace_id = l.workspace_id and c.id = l.channel_id
          order  by c.workspace_id, c.id
          for    no key update of c
        ),
        learned as (
          ${originLearned(tx, origin)}
          from   locked
          where  c.workspace_id = locked.workspace_id and c.id = locked.id
          returning c.*
        )
        select c.id as "channelId" from learned c where ${heldUntil(tx)} is not null`
      for (const { channelId } of rows) held.add(channelId)
    })
  })
  return channels.map(({ channelId }) => held.has(channelId))
}

/** One at a time for each network: in different orders, the locks that they take could end in a deadlock. */
async function lockNetwork(tx: Tx, origin: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('postrider network ' || ${origin}, 0))`
}

async function writeFailures(
  tx: Tx,
  origin: string,
  failures: readonly NetworkFailure[],
  { accounts, windowMs, probeWaitsMs }: OutageRules,
): Promise<OutageScope[]> {
  await lockNetwork(tx, origin)
  await tx`
    insert into network_failure (origin, workspace_id, channel_id)
    select distinct ${origin}, failed.workspace_id, failed.channel_id
    from   unnest(${channelKeys(tx, failures)}) as failed (workspace_id, channel_id)
    on     conflict (origin, workspace_id, channel_id) do update set failed_at = now()`
  await tx`
    update network_outage
    set    probes = probes + 1,
           probe_at = now() + (${[...probeWaitsMs]}::float8[])[least(probes + 2, ${probeWaitsMs.length})] * interval '1 ms'
    where  id = any(${failures.map(({ probe }) => probe)}::uuid[])`
  await tx`
    delete from network_failure where origin = ${origin} and failed_at <= now() - ${windowMs} * interval '1 ms'`
  const opened = await tx<OutageScope[]>`
    with failed as (
      select f.workspace_id, c.remote_account_id as account
      from   network_failure f
      join   channel c on c.workspace_id = f.workspace_id and c.id = f.channel_id
      where  f.origin = ${origin}
    ),
    shown as (
      select null::uuid as workspace_id from failed
      having count(distinct account) >= ${accounts} and count(distinct workspace_id) > 1
      union  all
      select workspace_id from failed
      group  by workspace_id
      having count(distinct account) >= ${accounts}
    )
    insert into network_outage (origin, workspace_id, probe_at)
    select ${origin}, shown.workspace_id, now() + ${probeWaitsMs[0] ?? 0} * interval '1 ms'
    from   shown
    where  not exists (select from network_outage o where o.origin = ${origin} and o.workspace_id is null)
    and    (shown.workspace_id is null or not exists (select from shown everywhere where everywhere.workspace_id is null))
    on     conflict do nothing
    returning origin, workspace_id as "workspaceId"`
  if (opened.some((scope) => scope.workspaceId === null)) {
    await tx`delete from network_outage where origin = ${origin} and workspace_id is not null`
  }
  return opened
}

/** True when an outage ended by it. Its channels are no longer held; `recoverNetworks` queues them. */
async function writeSuccess(tx: Tx, origin: string): Promise<boolean> {
  await lockNetwork(tx, origin)
  await tx`delete from network_failure where origin = ${origin}`
  await tx`
    insert into network_recovery (origin, workspace_id)
    select origin, workspace_id from network_outage where origin = ${origin}
    on     conflict do nothing`
  const ended = await tx`delete from network_outage where origin = ${origin} returning id`
  return ended.length > 0
}

/**
 * Queues the channels of networks that are back for claims, and what is in doubt there for lookups. Each batch commits, so
 * that no claim waits for more than one; what a process leaves when it dies or stops, another one resumes.
 */
export async function recoverNetworks(db: Db, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await db.begin(recoverBatch)));
}

type Recovery = OutageScope & { afterWorkspaceId: string; afterChannelId: string }

/** False when nothing is left to do, or other processes are doing it. */
async function recoverBatch(tx: Tx): Promise<boolean> {
  const [, [recovery]] = await Promise.all([
    useIndexPlans(tx),
    tx<Recovery[]>`
      select origin, workspace_id as "workspaceId", after_workspace_id as "afterWorkspaceId",
             after_channel_id as "afterChannelId"
      from   network_recovery
      order  by origin
      limit  1
      for    update skip locked`,
  ])
  if (recovery === undefined) return false
  const channels = await channelsAfter(tx, recovery)
  // Destinations are locked first and channels then, as by a settlement.
  const lookups = await expediteLookups(tx, channels, RECOVERY_BATCH_SIZE)
  await tx`select queue_channels(${channelKeys(tx, channels)})`
  tx.signal(DUE_CHANNEL)
  if (lookups < RECOVERY_BATCH_SIZE) await advance(tx, recovery, channels)
  return true
}

function channelsAfter(
  tx: Tx,
  { origin, workspaceId, afterWorkspaceId, afterChannelId }: Recovery,
): PromiseLike<ChannelKey[]> {
  return tx<ChannelKey[]>`
    select c.workspace_id as "workspaceId", c.id as "channelId"
    from   channel c
    where  c.provider_origin = ${origin} and (c.workspace_id, c.id) > (${afterWorkspaceId}, ${afterChannelId})
    ${workspaceId === null ? tx`` : tx`and c.workspace_id = ${workspaceId}`}
    order  by c.workspace_id, c.id
    limit  ${RECOVERY_BATCH_SIZE}`
}

async function advance(
  tx: Tx,
  { origin, workspaceId }: Recovery,
  channels: readonly ChannelKey[],
): Promise<void> {
  const last = channels.at(-1)
  if (last === undefined || channels.length < RECOVERY_BATCH_SIZE) {
    await tx`
      delete from network_recovery where origin = ${origin} and workspace_id is not distinct from ${workspaceId}::uuid`
    return
  }
  await tx`
    update network_recovery
    set    after_workspace_id = ${last.workspaceId}, after_channel_id = ${last.channelId}
    where  origin = ${origin} and workspace_id is not distinct from ${workspaceId}::uuid`
}
