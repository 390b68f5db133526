import type { Db, Sql, Tx } from '../../platform/postgres/db.ts'
import type { IdempotentRequest } from '../../edge/operations/idempotency.ts'
import type { Usage } from './model-client.ts'

export type GenerationRef = { readonly workspaceId: string; readonly generationId: string }

export type NewGeneration = GenerationRef & {
  readonly request: IdempotentRequest
  readonly credentialId: string
  readonly model: string
  readonly reserved: Reserved
  readonly leaseMs: number
}

/** What a call may use. */
export type Reserved = { readonly tokens: number; readonly images: number }

/** What the workspace has used today (UTC), and until when today is. */
export type DayUse = {
  readonly tokens: number
  /** What the calls under way may use, and those whose end is not known. */
  readonly reservedTokens: number
  readonly images: number
  readonly reservedImages: number
  readonly resetsAt: Date
  readonly secondsLeft: number
}

/** The generation that runs under this key; `alive` while its process sends heartbeats. */
export async function findRunning(
  tx: Tx,
  { workspaceId, operation, key }: IdempotentRequest,
): Promise<{ generationId: string; fingerprint: Buffer; alive: boolean } | null> {
  const [row] = await tx<{ generationId: string; fingerprint: Buffer; alive: boolean }[]>`
    select id as "generationId", fingerprint, lease_until > now() as alive
    from   ai_generation
    where  workspace_id = ${workspaceId} and operation = ${operation} and key = ${key} and status = 'running'`
  return row ?? null
}

export async function insertGeneration(tx: Tx, generation: NewGeneration): Promise<void> {
  const { workspaceId, generationId, request, credentialId, model, reserved, leaseMs } = generation
  await tx`
    insert into ai_generation (workspace_id, id, operation, key, fingerprint, credential_id, model, reserved_tokens, reserved_images,
                               lease_until)
    values (${workspaceId}, ${generationId}, ${request.operation}, ${request.key}, ${request.fingerprint},
            ${credentialId}, ${model}, ${reserved.tokens}, ${reserved.images}, now() + ${leaseMs} * interval '1 millisecond')`
}

/** A heartbeat. False when the generation was given up meanwhile: then its result counts for nothing. */
export async function renewLease(db: Db, ref: GenerationRef, leaseMs: number): Promise<boolean> {
  const { count } = await db`
    update ai_generation
    set    lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where  workspace_id = ${ref.workspaceId} and id = ${ref.generationId} and status = 'running'`
  return count === 1
}

/** Reserves what the next call may use. */
export async function reserveTokens(tx: Tx, ref: GenerationRef, tokens: number): Promise<void> {
  await tx`
    update ai_generation
    set    reserved_tokens = ${tokens}
    where  workspace_id = ${ref.workspaceId} and id = ${ref.generationId} and status = 'running'`
}

/** Books what a call has used, in place of what was reserved for it. */
export async function recordCall(
  sql: Sql,
  ref: GenerationRef,
  usage: Usage & { readonly images?: number },
): Promise<void> {
  await sql`
    update ai_generation
    set    calls = calls + 1, input_tokens = input_tokens + ${usage.inputTokens},
           output_tokens = output_tokens + ${usage.outputTokens}, images = images + ${usage.images ?? 0},
           reserved_tokens = 0, reserved_images = 0
    where  workspace_id = ${ref.workspaceId} and id = ${ref.generationId}`
}

/** What became of a generation, and what it used. */
export type Ended = {
  readonly model: string
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly images: number
  readonly durationMs: number
}

/**
 * Ends a running generation; null when it runs no more. What is reserved stays so when it is lost: it is not known
 * what the call under way has used.
 */
export async function endGeneration(
  sql: Sql,
  ref: GenerationRef,
  end: { status: 'succeeded' | 'lost' } | { status: 'failed'; failure: string },
): Promise<Ended | null> {
  const [row] = await sql<Ended[]>`
    update ai_generation
    set    status = ${end.status}, failure = ${'failure' in end ? end.failure : null}, settled_at = now(), lease_until = null,
           reserved_tokens = case when ${end.status === 'lost'} then reserved_tokens else 0 end,
           reserved_images = case when ${end.status === 'lost'} then reserved_images else 0 end
    where  workspace_id = ${ref.workspaceId} and id = ${ref.generationId} and status = 'running'
    returning model, calls, input_tokens as "inputTokens", output_tokens as "outputTokens", images,
              round(extract(epoch from now() - begun_at) * 1000)::float8 as "durationMs"`
  return row ?? null
}

/** Keeps other reservations of the workspace out until the end of the transaction. */
export async function lockBudget(tx: Tx, workspaceId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} ai budget`}, 0))`
}

/** What was used since midnight (UTC). A generation counts for the day on which it began. */
export async function readDayUse(sql: Sql, workspaceId: string): Promise<DayUse> {
  const [row] = await sql<DayUse[]>`
    with today as (
      select date_trunc('day', now(), 'UTC') as begins, date_trunc('day', now(), 'UTC') + interval '1 day' as ends
    )
    select coalesce(sum(g.input_tokens::bigint + g.output_tokens), 0)::float8 as tokens,
           coalesce(sum(g.reserved_tokens), 0)::float8 as "reservedTokens",
           coalesce(sum(g.images), 0)::float8 as images,
           coalesce(sum(g.reserved_images), 0)::float8 as "reservedImages",
           today.ends as "resetsAt", ceil(extract(epoch from today.ends - now()))::float8 as "secondsLeft"
    from   today
    left   join ai_generation g on g.workspace_id = ${workspaceId} and g.begun_at >= today.begins
    group  by today.ends`
  if (row === undefined) throw new Error('The use of the day has no row.')
  return row
}

/**
 * Deletes generations that began more than `days` ago (1 or more), at most `limit` at once, and says how many. Those of today
 * stay, for they are the budget of the day. One that was never ended stays as long as a recorded answer would, since
 * its row alone tells a repeat that it was lost; one that sends heartbeats stays in any case, also where it has just begun to again.
 */
export async function pruneGenerations(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from ai_generation
    where  ctid = any (array(
      select ctid from ai_generation
      where  begun_at < now() - ${days} * interval '1 day' and (lease_until is null or lease_until < now())
      limit  ${limit}
      for    update skip locked))`
  return count
}
