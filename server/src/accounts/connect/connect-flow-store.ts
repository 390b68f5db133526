import type { Act } from '../../edge/operations/act.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { keyIdOf, sealedColumn } from '../../platform/sealing/sealed-kind.ts'

/** How a flow ended, for whoever made its link. */
export type FlowOutcome =
  | ({
      readonly is: 'connected'
      /** Where several accounts were connected: those after the first. */
      readonly others?: readonly ConnectedChannel[]
    } & ConnectedChannel)
  | { readonly is: 'refused'; readonly code: string; readonly detail: string }

export type ConnectedChannel = {
  readonly channelId: string
  readonly handle: string
  readonly reconnected: boolean
  readonly resumed: number
}

export type NewFlow = {
  readonly id: string
  readonly workspaceId: string
  readonly provider: string
  /** The channel to reconnect; null for any account. */
  readonly channelId: string | null
  readonly fields: Readonly<Record<string, string>>
  readonly actor: Act['actor']
  /** Which accounts to connect, where a sign-in gives several: as they were named before it; empty for a choice after it. */
  readonly wanted: readonly string[]
  readonly linkHash: Buffer
}

/** A flow whose link was opened and not used. */
export type OpenFlow = Omit<NewFlow, 'linkHash' | 'wanted'> & {
  readonly workspaceName: string
  /** The account that is to be reconnected; null for any. */
  readonly channelHandle: string | null
}

/** A flow whose browser has come back. */
export type ReturnedFlow = Omit<NewFlow, 'linkHash' | 'fields'> & { readonly keptSealed: Buffer }

/** A flow whose browser has come back with several accounts, and has yet to choose. `keptSealed` holds them. */
export type ChoosingFlow = Pick<ReturnedFlow, 'id' | 'workspaceId' | 'channelId' | 'actor' | 'keptSealed'> & {
  readonly browserHash: Buffer
  readonly workspaceName: string
}

/** How long a link can be used, how long a person may take at the network, and how long to choose of several accounts. */
export const FLOW_MINUTES = 10

export async function insertFlow(sql: Sql, flow: NewFlow): Promise<void> {
  await sql`
    insert into connect_flow (id, workspace_id, provider, channel_id, fields, actor, wanted, link_hash, expires_at)
    values (${flow.id}, ${flow.workspaceId}, ${flow.provider}, ${flow.channelId}, ${sql.json(flow.fields)},
            ${sql.json(flow.actor)}, ${sql.json(flow.wanted)}, ${flow.linkHash},
            now() + ${FLOW_MINUTES} * interval '1 minute')`
}

/** The flow of a link that can still be used; null for any other. */
export async function findByLink(sql: Sql, provider: string, linkHash: Buffer): Promise<OpenFlow | null> {
  const [row] = await sql<OpenFlow[]>`
    select f.id, f.workspace_id as "workspaceId", f.provider, f.channel_id as "channelId", f.fields, f.actor,
           w.name as "workspaceName", c.handle as "channelHandle"
    from   connect_flow f
    join   workspace w on w.id = f.workspace_id
    left   join channel c on c.workspace_id = f.workspace_id and c.id = f.channel_id
    where  f.link_hash = ${linkHash} and f.provider = ${provider}
    and    f.state_hash is null and f.outcome is null and f.expires_at > now()`
  return row ?? null
}

/** Binds a flow to the browser that used its link, and lets the person go to the network. False: it was used before. */
export async function sendToNetwork(
  sql: Sql,
  id: string,
  { stateHash, browserHash, keptSealed }: { stateHash: Buffer; browserHash: Buffer; keptSealed: Buffer },
): Promise<boolean> {
  const { count } = await sql`
    update connect_flow
    set    state_hash = ${stateHash}, browser_hash = ${browserHash}, kept_sealed = ${keptSealed},
           expires_at = now() + ${FLOW_MINUTES} * interval '1 minute'
    where  id = ${id} and state_hash is null and outcome is null and expires_at > clock_timestamp()`
  return count === 1
}

/** The flow that a state belongs to, and the hash of the cookie that its browser has; null for none that can return. */
export async function findByState(
  sql: Sql,
  provider: string,
  stateHash: Buffer,
): Promise<{ id: string; browserHash: Buffer } | null> {
  const [row] = await sql<{ id: string; browserHash: Buffer }[]>`
    select id, browser_hash as "browserHash"
    from   connect_flow
    where  state_hash = ${stateHash} and provider = ${provider} and returned_at is null and expires_at > now()`
  return row ?? null
}

/** Marks a flow as returned, and gives it with time to ask the network. Null: it has returned before, or its time is over. */
export async function takeReturn(sql: Sql, id: string): Promise<ReturnedFlow | null> {
  const [row] = await sql<ReturnedFlow[]>`
    update connect_flow
    set    returned_at = now(), expires_at = now() + ${FLOW_MINUTES} * interval '1 minute'
    where  id = ${id} and returned_at is null and expires_at > clock_timestamp()
    returning id, workspace_id as "workspaceId", provider, channel_id as "channelId", actor, wanted,
              kept_sealed as "keptSealed"`
  return row ?? null
}

/** Has the browser that came back choose of several accounts. False: the flow has ended meanwhile. */
export async function letChoose(sql: Sql, id: string, grantsSealed: Buffer): Promise<boolean> {
  // It may have been ended after this statement began, so by a later time than `now()`.
  const { count } = await sql`
    update connect_flow
    set    kept_sealed = ${grantsSealed}, choosing = true, expires_at = now() + ${FLOW_MINUTES} * interval '1 minute'
    where  id = ${id} and returned_at is not null and outcome is null and expires_at > clock_timestamp()`
  return count === 1
}

/** A flow that waits for a choice of accounts; null for any other. */
export async function findChoice(sql: Sql, provider: string, id: string): Promise<ChoosingFlow | null> {
  const [row] = await sql<ChoosingFlow[]>`
    select f.id, f.workspace_id as "workspaceId", f.channel_id as "channelId", f.actor,
           f.kept_sealed as "keptSealed", f.browser_hash as "browserHash", w.name as "workspaceName"
    from   connect_flow f
    join   workspace w on w.id = f.workspace_id
    where  f.id = ${id} and f.provider = ${provider} and f.choosing and f.outcome is null and f.expires_at > now()`
  return row ?? null
}

/** Takes the choice of a flow, once, and forgets the accounts that it was made of. */
export async function takeChoice(tx: Tx, id: string): Promise<boolean> {
  const { count } = await tx`
    update connect_flow
    set    choosing = false, kept_sealed = null
    where  id = ${id} and choosing and outcome is null and expires_at > clock_timestamp()`
  return count === 1
}

/** Whether a flow may still connect an account: it is not ended before the transaction is. */
export async function holdFlow(tx: Tx, id: string): Promise<boolean> {
  // It may have been ended after this transaction began, so by a later time than `now()`.
  const [row] = await tx`
    select from connect_flow
    where  id = ${id} and outcome is null and expires_at > clock_timestamp()
    for    share`
  return row !== undefined
}

/** Says how a flow ended, and forgets what it kept. */
export async function endFlow(sql: Sql, id: string, outcome: FlowOutcome): Promise<void> {
  await sql`
    update connect_flow
    set    outcome = ${sql.json(outcome)}, kept_sealed = null, choosing = false
    where  id = ${id} and outcome is null`
}

/** How a flow of the workspace stands: without an outcome, it is open, or over. Null: there is none. */
export async function readFlow(
  sql: Sql,
  { workspaceId, linkId }: { workspaceId: string; linkId: string },
): Promise<{ outcome: FlowOutcome | null; isOver: boolean } | null> {
  const [row] = await sql<{ outcome: FlowOutcome | null; isOver: boolean }[]>`
    select outcome, expires_at <= now() as "isOver" from connect_flow
    where  workspace_id = ${workspaceId} and id = ${linkId}`
  return row ?? null
}

/** Removes flows that ended a day ago. Returns how many. */
export async function deleteOldFlows(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    delete from connect_flow
    where  id in (select id from connect_flow where expires_at < now() - interval '1 day' limit ${limit})`
  return count
}

/** What a flow keeps is sealed for it. */
export function flowContext(flowId: string): string {
  return `connect-flow:${flowId}`
}

/** What people who are at a network just now have left here. One that cannot be opened is begun again. */
export const sealedFlows = sealedColumn({
  name: 'unfinished sign-in at a network',
  table: 'connect_flow',
  column: 'kept_sealed',
  inUse: (sql) => sql`expires_at > now()`,
  contextOf: ({ id }) => flowContext(id),
  async giveUp(tx, keyIds) {
    await tx`delete from connect_flow where ${keyIdOf(tx, 'kept_sealed')} = any (${[...keyIds]})`
  },
})
