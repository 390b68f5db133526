import type { DestinationError } from '@postrider/contract'
import { connectionOf } from '../channels/channel-store.ts'
import { moves } from '../destinations/destination-states.ts'
import { freshToken } from '../destinations/tokens.ts'
import { announce, changeColumns } from '../outbox/outbox-store.ts'
import type { Change } from '../outbox/envelope.ts'
import { batched } from '../platform/batch.ts'
import type { Db } from '../platform/db.ts'
import { claim, claimDoubts, claimOrphans, type ClaimOptions } from './claim-store.ts'
import type { EngineStore, Intent, Lease, Settlement } from './engine-port.ts'
import { settle } from './settle-store.ts'

const batchMost = 200

/** The engine's store on PostgreSQL. Its clock is the database's. */
export function publicationStore(db: Db, options: ClaimOptions): EngineStore {
  return {
    claim: (limit) => claim(db, options, limit),
    claimOrphans: (limit) => claimOrphans(db, options, limit),
    claimDoubts: (limit) => claimDoubts(db, options, limit),
    arm: batched((intents: Intent[]) => arm(db, intents), batchMost),
    hold: (intent, handle) => hold(db, intent, handle),
    settle: batched((settlements: Settlement[]) => settle(db, settlements), batchMost),
    release: (lease) => release(db, lease),
    disconnect: (subject) => disconnect(db, subject),
    noteDoubt: (doubt, error) => noteDoubt(db, doubt, error),
    expire: (limit) => expire(db, limit),
  }
}

/** Opens attempts for those intents whose lease still holds; the row locks put this before or after any other claim. */
async function arm(db: Db, intents: readonly Intent[]): Promise<boolean[]> {
  const rows = await db<{ id: string }[]>`
    with intent as (
      select * from jsonb_to_recordset(${db.json(intents.map(intentRow))}) as i (
        workspace_id uuid, destination_id uuid, fence int, attempt_id uuid, part_index int, media jsonb, prepared jsonb)
    ),
    held as (
      select i.*
      from   destination d
      join   intent i on i.workspace_id = d.workspace_id and i.destination_id = d.id and i.fence = d.fence
      where  d.status = 'publishing'
      order  by d.id
      for    no key update of d
    ),
    sending as (
      update part p
      set    status = 'publishing'
      from   held h
      where  p.workspace_id = h.workspace_id and p.destination_id = h.destination_id and p.index = h.part_index
    )
    insert into attempt (workspace_id, id, destination_id, part_index, fence, media, prepared)
    select workspace_id, attempt_id, destination_id, part_index, fence, media, prepared from held
    returning id`
  const armed = new Set(rows.map(({ id }) => id))
  return intents.map(({ attemptId }) => armed.has(attemptId))
}

function intentRow(intent: Intent) {
  return {
    workspace_id: intent.workspaceId,
    destination_id: intent.destinationId,
    fence: intent.fence,
    attempt_id: intent.attemptId,
    part_index: intent.partIndex,
    media: intent.media ?? [],
    prepared: intent.prepared ?? null,
  }
}

async function hold(db: Db, intent: Intent, handle: string): Promise<boolean> {
  const rows = await db`
    update attempt a
    set    handle = ${handle}
    from   destination d
    where  a.workspace_id = ${intent.workspaceId} and a.id = ${intent.attemptId}
    and    d.workspace_id = a.workspace_id and d.id = a.destination_id and d.fence = ${intent.fence}
    returning a.id`
  return rows.length > 0
}

async function release(db: Db, lease: Lease): Promise<void> {
  await db`
    update destination
    set    lease_until = now()
    where  workspace_id = ${lease.workspaceId} and id = ${lease.destinationId} and fence = ${lease.fence}
    and    status = 'publishing'`
}

async function disconnect(
  db: Db,
  { workspaceId, channelId, connection }: Parameters<EngineStore['disconnect']>[0],
): Promise<void> {
  await db`
    update channel c
    set    connection_status = 'reconnect_required', updated_at = now()
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and ${connectionOf(db)} = ${connection}`
}

async function noteDoubt(
  db: Db,
  { workspaceId, destinationId, attempt }: Parameters<EngineStore['noteDoubt']>[0],
  error: DestinationError,
): Promise<void> {
  await db`
    update destination d
    set    error = ${db.json(error)}, updated_at = now()
    where  d.workspace_id = ${workspaceId} and d.id = ${destinationId} and d.status = 'checking' and exists (
             select from attempt a
             where  a.workspace_id = d.workspace_id and a.id = ${attempt.id} and a.verdict = 'unknown')`
}

function expire(db: Db, limit: number): Promise<number> {
  return db.begin(async (tx) => {
    const moved = await tx<Change[]>`
      with over as (
        select d.workspace_id, d.id
        from   destination d
        where  d.status in ('scheduled', 'delayed', 'reconnect_required', 'partially_published') and d.expires_at <= now()
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
               'code', 'allowed_time_over', 'provider', d.provider, 'retryable', false,
               'message', 'The work was not done within its allowed time, and was stopped.'
                 || coalesce(' Last: ' || (d.error ->> 'message'), ''))
      from   over
      where  d.workspace_id = over.workspace_id and d.id = over.id
      returning ${changeColumns(tx)}`
    await announce(tx, moved)
    return moved.length
  })
}
