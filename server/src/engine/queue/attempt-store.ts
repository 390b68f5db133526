import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import type { DestinationError } from '@postrider/contract'
import type { ChannelKey } from '../../networks/channels/channel-store.ts'
import { doubtNoted, leftToNetwork, partSending, uploadLeftToNetwork } from '../destinations/queue-moves.ts'
import { type Db, type Tx, useIndexPlans } from '../../platform/postgres/db.ts'
import { postponeChannels } from './channel-queue-store.ts'
import type { EngineStore, Evidence, Intent, Lease, ProcessingWait, WaitingUpload } from './work.ts'

/**
 * Opens attempts for those intents whose lease still holds, and whose part is not out and has no other whose end is not
 * known; the row locks put this before or after any other claim.
 */
export async function arm(db: Db, intents: readonly Intent[]): Promise<boolean[]> {
  const armed = new Set<string>()
  await writeInTransaction(db, async (tx) => {
    armed.clear()
    tx.defer(() => useIndexPlans(tx))
    tx.defer(async () => {
      for (const { id } of await armAll(tx, intents)) armed.add(id)
    })
  })
  return intents.map(({ attemptId }) => armed.has(attemptId))
}

function armAll(tx: Tx, intents: readonly Intent[]) {
  return tx<{ id: string }[]>`
    with intent as (
      select * from jsonb_to_recordset(${tx.json(intents.map(intentRow))}) as i (
        workspace_id uuid, destination_id uuid, fence int, attempt_id uuid, part_index int, key uuid, media jsonb, prepared jsonb,
        evidence jsonb)
    ),
    -- What has to hold of these is checked on the locked rows: as conditions of the join, they would have the planner read all
    -- destinations, where statistics say that these are few.
    held as (
      select i.*, d.status as held_as, d.fence as held_with
      from   intent i
      join   destination d on d.workspace_id = i.workspace_id and d.id = i.destination_id
      order  by d.id
      for    no key update of d
    ),
    sending as (
      ${partSending(tx)}
      from   held h
      where  h.held_as = 'publishing' and h.held_with = h.fence
      and    p.workspace_id = h.workspace_id and p.destination_id = h.destination_id and p.index = h.part_index
      and    p.status not in ('publishing', 'checking', 'published')
      returning h.*
    )
    insert into attempt (workspace_id, id, destination_id, part_index, fence, key, media, prepared, evidence)
    select workspace_id, attempt_id, destination_id, part_index, fence, key, media, prepared, evidence from sending
    returning id`
}

function intentRow(intent: Intent) {
  return {
    workspace_id: intent.workspaceId,
    destination_id: intent.destinationId,
    fence: intent.fence,
    attempt_id: intent.attemptId,
    part_index: intent.partIndex,
    key: intent.key,
    media: intent.media ?? [],
    prepared: intent.prepared ?? null,
    evidence: intent.evidence ?? [],
  }
}

/**
 * The handle is kept even where the lease was lost: a lookup of the call can poll it then. The fence is
 * raised, so that the former holder of the lease can write nothing more.
 */
export async function awaitProcessing(
  db: Db,
  { workspaceId, destinationId, fence, attemptId, partIndex }: Omit<Intent, 'key'>,
  { handle, pollInMs, error }: ProcessingWait,
): Promise<boolean> {
  return leaveToNetwork(
    db,
    (tx) => tx<ChannelKey[]>`
    with held as (
      select d.workspace_id, d.id
      from   destination d
      where  d.workspace_id = ${workspaceId} and d.id = ${destinationId} and d.fence = ${fence} and d.status = 'publishing'
      for    no key update
    ),
    kept as (
      update attempt a
      set    handle = ${handle}
      where  a.workspace_id = ${workspaceId} and a.destination_id = ${destinationId} and a.part_index = ${partIndex} and a.id = ${attemptId}
      and    (a.verdict is null or a.verdict = 'unknown')
    )
    ${leftToNetwork(tx, pollInMs, error)}
    from   held
    where  d.workspace_id = held.workspace_id and d.id = held.id
    returning d.workspace_id as "workspaceId", d.channel_id as "channelId"`,
  )
}

export async function awaitUpload(
  db: Db,
  { workspaceId, destinationId, fence }: Lease,
  upload: WaitingUpload,
  pollInMs: number,
): Promise<boolean> {
  return leaveToNetwork(
    db,
    (tx) => tx<ChannelKey[]>`
    ${uploadLeftToNetwork(tx, pollInMs, upload)}
    where  d.workspace_id = ${workspaceId} and d.id = ${destinationId} and d.fence = ${fence} and d.status = 'publishing'
    returning d.workspace_id as "workspaceId", d.channel_id as "channelId"`,
  )
}

/** Puts the channel off with it, which claims would pass over each time until its network is done. */
function leaveToNetwork(db: Db, leave: (tx: Tx) => PromiseLike<ChannelKey[]>): Promise<boolean> {
  return writeInTransaction(db, async (tx) => {
    const channels = await leave(tx)
    await postponeChannels(tx, channels, () => undefined)
    return channels.length > 0
  })
}

export async function noteDoubt(
  db: Db,
  { workspaceId, destinationId, attempt }: Parameters<EngineStore['noteDoubt']>[0],
  error: DestinationError,
): Promise<void> {
  await db`
    ${doubtNoted(db, error)}
    where  d.workspace_id = ${workspaceId} and d.id = ${destinationId} and d.status = 'checking' and exists (
             select from attempt a
             where  a.workspace_id = d.workspace_id and a.destination_id = d.id and a.id = ${attempt.id} and a.verdict = 'unknown')`
}

/** What tells two looks apart that found the same. */
const OF_ONE_LOOK = ['at', 'durationMs', 'until', 'times']

/** Looks that showed the same are one entry, with how often and until when they did: they go on for days. */
export async function noteLook(
  db: Db,
  { workspaceId, destinationId, attempt }: Parameters<EngineStore['noteLook']>[0],
  evidence: Evidence,
): Promise<void> {
  await db`
    with look as (
      select ${db.json(evidence)}::jsonb || jsonb_build_object('at', now()) as found
    )
    update attempt a
    set    evidence = case
             when (a.evidence -> -1) - ${OF_ONE_LOOK}::text[] = look.found - ${OF_ONE_LOOK}::text[]
             then a.evidence - (-1) || ((a.evidence -> -1) || jsonb_build_object(
                    'times', coalesce((a.evidence -> -1 ->> 'times')::int, 1) + 1, 'until', look.found -> 'at'))
             else a.evidence || look.found end
    from   look
    where  a.workspace_id = ${workspaceId} and a.destination_id = ${destinationId} and a.id = ${attempt.id}
    and    a.verdict = 'unknown'`
}
