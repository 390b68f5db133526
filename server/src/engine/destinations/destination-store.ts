import type { Content, DestinationError, DestinationStatus, PartStatus } from '@postrider/contract'
import type { ChannelRow } from '../../networks/channels/channel-store.ts'
import { mediaOfPartJson, type MediaJson } from '../../media/media-store.ts'
import type { Change } from '../outbox/envelope.ts'
import { changeColumns } from '../outbox/outbox-store.ts'
import {
  changedBy,
  latestChangeJson,
  type Author,
  type LatestChange,
  type Planner,
} from '../../edge/operations/actor.ts'
import type { Fragment, Sql, Tx } from '../../platform/postgres/db.ts'
import { moves } from './destination-states.ts'
import { heldUntil } from './holds.ts'
import { inDoubt } from './in-doubt.ts'
import { aheadOf } from './in-line.ts'
import { waitsFor } from './series-wait.ts'
import { allowedTime } from './queue-moves.ts'
import { freshToken, newToken } from './tokens.ts'

export type NewDestination = {
  readonly destinationId: string
  readonly channelId: string
  readonly provider: string
  /** A destination begins as a draft, or with a time. */
  readonly status: Extract<DestinationStatus, 'draft' | 'scheduled'>
  readonly controlToken: string
  /** Null when the post's content is shared. */
  readonly content: Content | null
  readonly settings: Readonly<Record<string, unknown>>
  readonly publishAt: Date | null
  /** Whether that is a posting time, which it holds. */
  readonly queued: boolean
  /** The end of its allowed time; null for a draft. */
  readonly expiresAt: Date | null
  /** The series that it is an occurrence of; null for none. */
  readonly seriesId: string | null
  readonly parts: readonly {
    readonly text: string
    readonly folded: string
    readonly mediaIds: readonly string[]
    readonly firstComment: boolean
  }[]
}

/** A time that is given to a destination, and whether it is a posting time of the channel, which is held with it. */
export type PlannedTime = { readonly at: Date; readonly queued: boolean }

/** A time as PostgreSQL writes it into JSON. */
type JsonTime = string

export type PartRow = {
  readonly index: number
  readonly firstComment: boolean
  readonly status: PartStatus
  readonly text: string
  readonly mediaIds: readonly string[]
  /** What it carries, where it was read from the database; null for nothing. */
  readonly media?: readonly MediaJson[] | null
  readonly publishedAt: JsonTime | null
  readonly releaseUrl: string | null
}

/** A destination with all that is shown of it and all that its commands are judged by. */
export type DestinationRow = {
  readonly destinationId: string
  readonly channelId: string
  readonly provider: string
  readonly channel: Pick<ChannelRow, 'displayName' | 'enabled' | 'connectionStatus' | 'authorizationLost'>
  readonly status: DestinationStatus
  readonly controlToken: string
  /** Null when the post's content is shared. */
  readonly content: Content | null
  readonly settings: Readonly<Record<string, unknown>>
  readonly publishAt: JsonTime | null
  /** Whether that is a posting time which it took. */
  readonly queued: boolean
  readonly publishedAt: JsonTime | null
  readonly releaseUrl: string | null
  readonly checkAgainAt: JsonTime | null
  readonly expiresAt: JsonTime | null
  readonly error: DestinationError | null
  /** The latest error, kept until it is published. */
  readonly lastError: DestinationError | null
  /** The end of some publish call is not known. */
  readonly doubt: boolean
  /** Whether the refused rest of its thread waits for the time of a retry. */
  readonly restWaits: boolean
  /** The series that it is an occurrence of; null for none. */
  readonly seriesId: string | null
  /** The status of an earlier occurrence that it waits for; null for none. */
  readonly waitsFor: DestinationStatus | null
  /** How many posts its channel publishes before it, where it is due and nothing else holds it. */
  readonly ahead: number
  readonly latestChange: LatestChange | null
  readonly parts: readonly PartRow[]
}

/** Whether it is with its network now: being published, or asked about after a call. */
export async function isBeingPublished(
  sql: Sql,
  { workspaceId, destinationId }: { readonly workspaceId: string; readonly destinationId: string },
): Promise<boolean> {
  const rows = await sql`
    select from destination
    where  workspace_id = ${workspaceId} and id = ${destinationId} and status in ('publishing', 'checking')`
  return rows.length > 0
}

/** What is due later is seen in time without a signal: publishers look every few seconds for when the next is due. */
const DUE_SOON_MS = 30_000

/** What workers listen to: something is due now or soon. */
export const DUE_CHANNEL = 'postrider_due'

/**
 * Wakes publishers after the commit where something of this is due soon. A lost signal makes it late by their longest wait
 * at most. In the commit, notifications would have commits wait for each other.
 */
export function signalDue(tx: Tx, changes: readonly Pick<Change, 'status' | 'publishAt' | 'at'>[]): void {
  const isDueSoon = changes.some(
    ({ status, publishAt, at }) =>
      (status === 'scheduled' || status === moves.resume.to) &&
      publishAt !== null &&
      publishAt.getTime() < at.getTime() + DUE_SOON_MS,
  )
  if (isDueSoon) tx.signal(DUE_CHANNEL)
}

/**
 * Common table expressions that insert destinations and their parts, for the statement that inserts their post, and have their
 * channels looked at in time. A scheduled destination is due at its time.
 */
export function insertDestinations(
  tx: Tx,
  { workspaceId, postId, createdById }: { workspaceId: string; postId: string; createdById: string | null },
  destinations: readonly NewDestination[],
) {
  queueChannels(tx, workspaceId, destinations)
  return tx`
    new_destination as (
      insert into destination (workspace_id, post_id, planned_by_id, id, channel_id, provider, status, control_token, content,
                               settings, publish_at, queued, due_at, expires_at, series_id)
      select ${workspaceId}::uuid, ${postId}::uuid, ${createdById}::uuid, r.*
      from   ${destinationRows(tx, destinations)} r
    ),
    new_part as (${insertParts(tx, workspaceId, destinations)})`
}

/** Most often it is one, which as values takes a fifth less than as JSON. */
function destinationRows(tx: Tx, destinations: readonly NewDestination[]) {
  const [row] = destinations
  if (row !== undefined && destinations.length === 1)
    return tx`
      (select ${row.destinationId}::uuid, ${row.channelId}::uuid, ${row.provider}::text, ${row.status}::text, ${row.controlToken}::text,
              ${row.content === null ? null : tx.json(row.content)}::jsonb, ${tx.json(row.settings)}::jsonb,
              ${row.publishAt}::timestamptz, ${row.queued}::boolean, ${dueAt(row)}::timestamptz, ${row.expiresAt}::timestamptz,
              ${row.seriesId}::uuid)`
  const rows = destinations.map(({ parts: _, ...each }, place) => ({ ...each, dueAt: dueAt(each), place }))
  return tx`
      (select "destinationId", "channelId", provider, status, "controlToken", content, settings, "publishAt", queued, "dueAt",
              "expiresAt", "seriesId"
       from   jsonb_to_recordset(${tx.json(rows)}) as r (
                "destinationId" uuid, "channelId" uuid, provider text, status text, "controlToken" text, content jsonb,
                settings jsonb, "publishAt" timestamptz, queued boolean, "dueAt" timestamptz, "expiresAt" timestamptz,
                "seriesId" uuid, place int)
       order  by place)`
}

function dueAt({ status, publishAt }: Pick<NewDestination, 'status' | 'publishAt'>): Date | null {
  return status === 'scheduled' ? publishAt : null
}

/** When something of a channel is due. */
type DueChannel = { readonly workspaceId: string; readonly channelId: string; readonly at: Date }

/** Has the channels of scheduled destinations looked at when these are due, if that is sooner than planned, with the commit. */
function queueChannels(tx: Tx, workspaceId: string, destinations: readonly NewDestination[]): void {
  const due = destinations.flatMap(({ status, channelId, publishAt }) =>
    status === 'scheduled' && publishAt !== null ? [{ workspaceId, channelId, at: publishAt }] : [],
  )
  if (due.length > 0) tx.deferRows('sooner_channel', due, (rows) => bringForward(tx, earliestOf(rows)))
}

function earliestOf(due: readonly DueChannel[]): DueChannel[] {
  const earliest = new Map<string, DueChannel>()
  for (const one of due) {
    const known = earliest.get(one.channelId)
    if (known === undefined || one.at < known.at) earliest.set(one.channelId, one)
  }
  return [...earliest.values()]
}

/**
 * The rows of the channels in the queue are locked in one order: a claim that puts one off meanwhile is waited for, and the lock
 * gives the row as that claim has left it; as a part of the update, the condition would judge the row as it was before. Those that
 * are brought forward are locked for it in the same order, since an update keeps none.
 */
function bringForward(tx: Tx, due: readonly DueChannel[]) {
  return tx`
    waiting_channel as materialized (
      select q.workspace_id, q.channel_id, q.look_at, due.at
      from   unnest(${due.map(({ workspaceId }) => workspaceId)}::uuid[], ${due.map(({ channelId }) => channelId)}::uuid[],
                    ${due.map(({ at }) => at)}::timestamptz[])
               as due (workspace_id, channel_id, at)
      join   channel_queue q on q.workspace_id = due.workspace_id and q.channel_id = due.channel_id
      order  by q.workspace_id, q.channel_id
      for    key share of q
    ),
    sooner_channel as (
      update channel_queue q
      set    look_at = least(q.look_at, sooner.at)
      from   ${due.length === 1 ? tx`waiting_channel sooner` : lockedInOrder(tx)}
      where  q.workspace_id = sooner.workspace_id and q.channel_id = sooner.channel_id and sooner.look_at > sooner.at
    )`
}

function lockedInOrder(tx: Tx) {
  return tx`(
        select w.*
        from   waiting_channel w
        join   channel_queue q on q.workspace_id = w.workspace_id and q.channel_id = w.channel_id
        where  w.look_at > w.at
        order  by w.workspace_id, w.channel_id
        for    no key update of q) sooner`
}

/**
 * Has others who bring these channels forward in the queue wait until the transaction ends: for a command that moves destinations
 * and adds others, which would lock the channels of those after those of these. In the order of `bringForward`.
 */
export async function lockInQueue(tx: Tx, workspaceId: string, channelIds: readonly string[]): Promise<void> {
  await tx`
    select from channel_queue
    where  workspace_id = ${workspaceId} and channel_id = any(${[...channelIds]}::uuid[])
    order  by channel_id
    for    no key update`
}

/**
 * Adds destinations to a post that there is. The lock on it is the caller's, who announces them and has it found by their
 * texts.
 */
export async function addDestinations(
  tx: Tx,
  post: { workspaceId: string; postId: string; createdById: string | null },
  destinations: readonly NewDestination[],
): Promise<void> {
  await tx`with ${insertDestinations(tx, post, destinations)} select`
}

/** These ids as an array that is read once, of which a plan knows no more each time: else it would be made anew each time. */
function listOf(sql: Sql, ids: readonly string[]) {
  return sql`array(select unnest(${[...ids]}::uuid[]))`
}

function insertParts(
  tx: Tx,
  workspaceId: string,
  destinations: readonly Pick<NewDestination, 'destinationId' | 'parts'>[],
) {
  const rows = destinations.flatMap(({ destinationId, parts }) =>
    parts.map((part, index) => ({ destinationId, index, ...part })),
  )
  const columns = tx`workspace_id, destination_id, index, first_comment, text, folded, media_ids`
  const [row] = rows
  if (row !== undefined && rows.length === 1)
    return tx`
    insert into part (${columns})
    values (${workspaceId}, ${row.destinationId}, 0, ${row.firstComment}, ${row.text}, ${row.folded}, ${[...row.mediaIds]})`
  return tx`
    insert into part (${columns})
    select ${workspaceId}, r."destinationId", r.index, r."firstComment", r.text, r.folded, r."mediaIds"
    from   jsonb_to_recordset(${tx.json(rows)}) as r (
             "destinationId" uuid, index int, "firstComment" boolean, text text, folded text, "mediaIds" uuid[])`
}

/**
 * The destinations of a `post p` as JSON (`DestinationRow[]`), in the order in which they were asked for. As json, which takes
 * two thirds of the time that jsonb does.
 */
export function destinationsJson(sql: Sql) {
  return sql`(
    select json_agg(json_build_object(
             'destinationId', d.id, 'channelId', d.channel_id, 'provider', d.provider, ${standingPairs(sql)},
             'channel', json_build_object('displayName', c.display_name, 'enabled', c.enabled,
                                           'connectionStatus', c.connection_status, 'authorizationLost', c.authorization_lost),
             'checkAgainAt', ${checkAgainAt(sql)}, 'doubt', ${inDoubt(sql)},
             'seriesId', d.series_id, 'waitsFor', ${waitsFor(sql)}, 'ahead', ${aheadOf(sql)},
             'parts', (
               select json_agg(json_build_object(
                        'index', t.index, 'firstComment', t.first_comment, 'status', t.status, 'text', t.text, 'mediaIds', t.media_ids,
                        'media', ${mediaOfPartJson(sql)}, 'publishedAt', t.published_at, 'releaseUrl', t.release_url) order by t.index)
               from   part t
               where  t.workspace_id = d.workspace_id and t.destination_id = d.id)) order by d.id)
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    where  d.workspace_id = p.workspace_id and d.post_id = p.id)`
}

/** What a command may change in a `destination d`, as pairs of a name and a value, but for when it is tried again. */
function standingPairs(sql: Sql) {
  return sql`
    'status', d.status, 'controlToken', d.control_token, 'content', d.content, 'settings', d.settings,
    'publishAt', d.publish_at, 'queued', d.queued, 'publishedAt', d.published_at, 'releaseUrl', d.release_url,
    'expiresAt', d.expires_at, 'restWaits', ${restWaits(sql)}, 'error', d.error, 'lastError', d.last_error, 'latestChange', ${latestChangeJson(sql, 'd')}`
}

/** Whether a `destination d` is a thread of which some is out, and the refused rest waits for the time of a retry. */
export function restWaits(sql: Sql) {
  return sql`(d.status = 'partially_published' and d.refused_rest is not null and d.expires_at is not null)`
}

/** When a `destination d` on a `channel c` is tried again: for one that waits, not before what holds its channel is over. */
function checkAgainAt(sql: Sql) {
  return sql`
    case when d.status in ('delayed', 'partially_published') and d.check_again_at is not null
         then greatest(d.check_again_at, ${heldUntil(sql)}) else d.check_again_at end`
}

export type DestinationKey = {
  readonly workspaceId: string
  readonly postId: string
  readonly channelId: string
}

/** Destinations of one post, which are found by it: a list of ids alone may have the planner read a whole workspace. */
type OfPost = Pick<DestinationKey, 'workspaceId' | 'postId'>

/** A destination as a command names it: the token has to be its own. */
export type DestinationCommand = DestinationKey & { readonly controlToken: string }

/**
 * The id of the destination that a command names; none where the token is stale. As one value, and not as a set to join, it
 * is found once and leads by the key, whatever the planner knows of the tables.
 */
function commanded(sql: Sql, { workspaceId, postId, channelId, controlToken }: DestinationCommand) {
  return sql`
    select id from destination
    where  workspace_id = ${workspaceId} and post_id = ${postId} and channel_id = ${channelId}
    and    control_token = ${controlToken}`
}

/** One destination that the caller has locked. */
export type LockedDestination = { readonly workspaceId: string; readonly destinationId: string }

/**
 * Locks one destination of a post until the transaction ends, or with null all of them in one order. A worker that is
 * claiming one goes first, and is waited for: a statement after this one sees what it did.
 */
export async function lockDestinations(
  tx: Tx,
  workspaceId: string,
  postId: string,
  channelId: string | null = null,
): Promise<{ destinationId: string; channelId: string; status: DestinationStatus }[]> {
  return tx<{ destinationId: string; channelId: string; status: DestinationStatus }[]>`
    select id as "destinationId", channel_id as "channelId", status
    from   destination
    where  workspace_id = ${workspaceId} and post_id = ${postId}
    ${channelId === null ? tx`` : tx`and channel_id = ${channelId}`}
    order  by id
    for    no key update`
}

/** A destination that a command has moved, with what it may have changed besides the parts. */
export type Moved = Change & {
  readonly standing: Omit<
    DestinationRow,
    | 'destinationId'
    | 'channelId'
    | 'provider'
    | 'channel'
    | 'doubt'
    | 'seriesId'
    | 'waitsFor'
    | 'ahead'
    | 'parts'
  >
}

/** The columns of a moved `destination d` (`Moved`); its next try is not put off here by what holds its channel. */
function movedColumns(sql: Sql) {
  return sql`
    ${changeColumns(sql)}, json_build_object(${standingPairs(sql)}, 'checkAgainAt', d.check_again_at) as standing`
}

/** A destination that waited for its time, as a command that has moved it left it. */
export function afterMove(before: DestinationRow, { standing }: Moved): DestinationRow {
  const partStatus = (status: PartStatus) =>
    standing.status === 'cancelled' && status === 'pending' ? 'skipped' : status
  return {
    ...before,
    ...standing,
    ahead: 0,
    parts: before.parts.map((part) => ({ ...part, status: partStatus(part.status) })),
  }
}

/**
 * Schedules a destination at a time, by a move that may: its allowed time and its tries begin again. A retry has a thread that was
 * refused for good go on then, with the parts that are not out; what it was until then is kept, to go back to. The rest of a thread
 * holds no posting time. The lock is the caller's.
 */
export async function setTime(
  tx: Tx,
  verb: 'schedule' | 'reschedule' | 'retry',
  command: DestinationCommand,
  { at: publishAt, queued }: PlannedTime,
  planner: Planner,
): Promise<Moved[]> {
  const { workspaceId } = command
  const { from, to } = moves[verb]
  const ofRest = moveOfRest(tx, verb)
  // What waits for its time has no part that has ended.
  const again = tx`
    again as (
      update part p
      set    status = 'pending'
      where  p.workspace_id = ${workspaceId} and p.destination_id = (${commanded(tx, command)})
      and    p.status in ('failed', 'skipped')
    ),`
  const changes = await tx<Moved[]>`
    with ${verb === 'retry' ? again : tx``}
    d as (
      update destination d
      set    status = case when ${ofRest.is} then ${moves.resume.to} else ${to} end,
             control_token = ${newToken()}, ${timeGiven(tx, tx`${publishAt}::timestamptz`, planner)},
             queued = ${queued} and not ${ofRest.is},
             check_again_at = case when ${ofRest.is} then ${publishAt}::timestamptz end, refused_rest = ${ofRest.kept}
      where  d.workspace_id = ${workspaceId} and d.id = (${commanded(tx, command)})
      and    (d.status = any(${[...from]}) or ${ofRest.is})
      returning *
    )
    select ${movedColumns(tx)} from d`
  signalDue(tx, changes)
  return changes
}

/**
 * Gives other posting times to destinations that are scheduled and hold none now, in one statement however many they are: others who want
 * posting times wait for it. The locks are the caller's.
 */
export async function moveQueued(
  tx: Tx,
  workspaceId: string,
  moved: readonly { readonly destinationId: string; readonly at: Date }[],
  planner: Planner,
): Promise<Change[]> {
  const { from, to } = moves.reschedule
  const changes = await tx<Change[]>`
    with d as (
      update destination d
      set    status = ${to}, control_token = ${freshToken(tx)}, queued = true, ${timeGiven(tx, tx`given.at`, planner)}
      from   unnest(${moved.map(({ destinationId }) => destinationId)}::uuid[], ${moved.map(({ at }) => at)}::timestamptz[])
               as given (id, at)
      where  d.workspace_id = ${workspaceId} and d.id = given.id and d.status = any(${[...from]})
      returning d.*
    )
    select ${changeColumns(tx)} from d order by d.publish_at`
  signalDue(tx, changes)
  return changes
}

/** What becomes of a `destination d` that is given a time. */
function timeGiven(sql: Sql, at: Fragment, planner: Planner) {
  return sql`
    status_since = now(), updated_at = now(), publish_at = ${at}, due_at = ${at}, expires_at = ${at} + ${allowedTime(sql)},
    tries = 0, error = null, planned_by_id = ${planner.credentialId}::uuid, ${changedBy(sql, planner)}`
}

/** Whether a verb is about the rest of a `destination d`, and what it goes back to when that is not to be sent after all. */
function moveOfRest(sql: Sql, verb: 'schedule' | 'reschedule' | 'retry') {
  if (verb === 'retry')
    return {
      is: sql`(d.status = any(${[...moves.resume.from]}) and d.expires_at is null)`,
      kept: sql`case when d.expires_at is null then jsonb_build_object('since', d.status_since, 'publishAt', d.publish_at, 'error', d.error) end`,
    }
  return verb === 'reschedule'
    ? { is: restWaits(sql), kept: sql`d.refused_rest` }
    : { is: sql`false`, kept: sql`null` }
}

/**
 * Cancels destinations, and with them every part that was waiting; where that is the rest of a thread, what is out stays as it is. The locks
 * are the caller's.
 */
export async function cancel(
  tx: Tx,
  workspaceId: string,
  destinationIds: readonly string[],
  author: Author,
): Promise<Change[]> {
  return cancelThose(tx, workspaceId, tx`d.id = any(${[...destinationIds]}::uuid[])`, author)
}

/** The same for destinations of one post. */
export async function cancelOfPost(
  tx: Tx,
  { workspaceId, postId }: OfPost,
  destinationIds: readonly string[],
  author: Author,
): Promise<Change[]> {
  const chosen = tx`d.post_id = ${postId} and d.id = any(${[...destinationIds]}::uuid[])`
  return cancelThose(tx, workspaceId, chosen, author)
}

/** Cancels the destination that a command names. The lock is the caller's. */
export async function cancelCommanded(tx: Tx, command: DestinationCommand, author: Author): Promise<Moved[]> {
  return cancelThose(tx, command.workspaceId, tx`d.id = (${commanded(tx, command)})`, author)
}

/** Sent together: none of them is both. */
async function cancelThose(tx: Tx, workspaceId: string, chosen: Fragment, author: Author): Promise<Moved[]> {
  const moved = await Promise.all([
    cancelWhole(tx, workspaceId, chosen, author),
    leaveRests(tx, workspaceId, chosen, author),
  ])
  return moved.flat()
}

/** Threads of which the rest was to be sent again are as they were when it was refused. */
async function leaveRests(tx: Tx, workspaceId: string, chosen: Fragment, author: Author): Promise<Moved[]> {
  return tx<Moved[]>`
    with d as (
      update destination d
      set    status = ${moves.leave.to}, status_since = (d.refused_rest ->> 'since')::timestamptz, updated_at = now(), control_token = ${freshToken(tx)},
             due_at = null, check_again_at = null, expires_at = null, tries = 0, announced_wait = null,
             publish_at = (d.refused_rest ->> 'publishAt')::timestamptz, error = d.refused_rest -> 'error', refused_rest = null,
             ${changedBy(tx, author)}
      where  d.workspace_id = ${workspaceId} and ${chosen} and ${restWaits(tx)}
      returning *
    ),
    rest as (
      select p.destination_id, p.index, row_number() over (partition by p.destination_id order by p.index) as place
      from   part p
      where  p.workspace_id = ${workspaceId} and p.destination_id = any(array(select id from d)) and p.status = 'pending'
    ),
    refused as (
      update part p
      set    status = case when rest.place = 1 then 'failed' else 'skipped' end
      from   rest
      where  p.workspace_id = ${workspaceId} and p.destination_id = rest.destination_id and p.index = rest.index
    )
    select ${movedColumns(tx)} from d`
}

async function cancelWhole(tx: Tx, workspaceId: string, chosen: Fragment, author: Author): Promise<Moved[]> {
  const { from, to } = moves.cancel
  return tx<Moved[]>`
    with d as (
      update destination d
      set    status = ${to}, status_since = now(), updated_at = now(), control_token = ${freshToken(tx)},
             due_at = null, check_again_at = null, error = null, ${changedBy(tx, author)}
      where  d.workspace_id = ${workspaceId} and ${chosen} and d.status = any(${[...from]})
      returning *
    ),
    skipped as (
      update part p
      set    status = 'skipped'
      where  p.workspace_id = ${workspaceId} and p.destination_id = any(array(select id from d)) and p.status = 'pending'
    )
    select ${movedColumns(tx)} from d`
}

/**
 * Common table expressions that give destinations other content, for the statement that changes their post. A part that is out
 * stays what it is: the caller sees to it that the content agrees. The locks are the caller's, who has their post found by it.
 */
export function replaceContent(
  tx: Tx,
  workspaceId: string,
  destinations: readonly Pick<NewDestination, 'destinationId' | 'content' | 'settings' | 'parts'>[],
) {
  const ids = listOf(
    tx,
    destinations.map(({ destinationId }) => destinationId),
  )
  const rows = destinations.map(({ parts, ...row }) => ({ ...row, parts: parts.length }))
  return tx`
    edited as materialized (
      select * from jsonb_to_recordset(${tx.json(rows)}) as r ("destinationId" uuid, content jsonb, settings jsonb, parts int)
    ),
    new_content as (
      update destination d
      set    content = r.content, settings = r.settings, updated_at = now()
      from   edited r
      where  d.workspace_id = ${workspaceId} and d.id = any(${ids}) and d.id = r."destinationId"
    ),
    gone_part as (
      delete from part p
      using  edited r
      where  p.workspace_id = ${workspaceId} and p.destination_id = any(${ids}) and p.destination_id = r."destinationId"
      and    p.index >= r.parts and p.status <> 'published'
    ),
    new_part as (
      ${insertParts(tx, workspaceId, destinations)}
      on     conflict (workspace_id, destination_id, index) do update
      set    status = 'pending', first_comment = excluded.first_comment, text = excluded.text, folded = excluded.folded,
             media_ids = excluded.media_ids, remote_id = null, release_url = null, published_at = null
      where  part.status <> 'published'
    )`
}

/** A common table expression that keeps with the destinations that are over, as theirs, the shared content that they had. */
export function keepContent(
  tx: Tx,
  { workspaceId, postId }: OfPost,
  destinationIds: readonly string[],
  content: Content,
) {
  return tx`
    kept_content as (
      update destination
      set    content = ${tx.json(content)}
      where  workspace_id = ${workspaceId} and post_id = ${postId} and id = any(${listOf(tx, destinationIds)})
    )`
}

/** Gives a draft the time for which approval is asked. It stays a draft, so there is nothing to announce. */
export async function proposeTime(
  tx: Tx,
  { workspaceId, destinationId }: LockedDestination,
  { at, queued }: PlannedTime,
  planner: Planner,
): Promise<void> {
  await tx`
    update destination
    set    publish_at = ${at}, queued = ${queued}, control_token = ${newToken()}, updated_at = now(),
           planned_by_id = ${planner.credentialId}::uuid, ${changedBy(tx, planner)}
    where  workspace_id = ${workspaceId} and id = ${destinationId} and status = 'draft'`
}

/**
 * Makes drafts of destinations whose content is no longer what was approved. They are published at the time that they
 * have, or are given, once they are approved again. A draft has no event.
 */
export async function withdraw(
  tx: Tx,
  { workspaceId, postId }: OfPost,
  destinationIds: readonly string[],
  planner: Planner,
  time: PlannedTime | null = null,
): Promise<void> {
  const { from, to } = moves.withdraw
  const publishAt = time?.at ?? null
  await tx`
    with d as (
      update destination d
      set    status = ${to}, status_since = now(), updated_at = now(), control_token = ${freshToken(tx)},
             publish_at = coalesce(${publishAt}::timestamptz, d.publish_at),
             -- What has failed holds no posting time any more.
             queued = coalesce(${time?.queued ?? null}::boolean, d.queued and d.status <> 'failed'), due_at = null, expires_at = null, error = null,
             tries = 0, check_again_at = null, ${changedBy(tx, planner)},
             planned_by_id = case when ${publishAt}::timestamptz is null then d.planned_by_id else ${planner.credentialId}::uuid end
      where  d.workspace_id = ${workspaceId} and d.post_id = ${postId} and d.id = any(${[...destinationIds]}::uuid[])
      and    d.status = any(${[...from]})
      returning d.id
    )
    update part
    set    status = 'pending'
    where  workspace_id = ${workspaceId} and destination_id = any(array(select id from d)) and status in ('failed', 'skipped')`
}

/**
 * Schedules what a person has approved: the drafts of a post that have a time, for that time or, when it is past, for now;
 * where no destination of it was ever given one, as of an immediate post, all of them for now.
 */
export async function scheduleApproved(
  tx: Tx,
  workspaceId: string,
  postId: string,
  author: Author,
): Promise<Change[]> {
  const { from, to } = moves.schedule
  const changes = await tx<Change[]>`
    with d as (
      update destination d
      set    status = ${to}, status_since = now(), updated_at = now(),
             publish_at = greatest(d.publish_at, now()), due_at = greatest(d.publish_at, now()),
             queued = d.queued and d.publish_at >= now(),
             expires_at = greatest(d.publish_at, now()) + ${allowedTime(tx)},
             control_token = ${freshToken(tx)}, ${changedBy(tx, author)}
      where  d.workspace_id = ${workspaceId} and d.post_id = ${postId} and d.status = any(${[...from]})
      and    (d.publish_at is not null or not exists (
               select from destination o
               where  o.workspace_id = ${workspaceId} and o.post_id = ${postId} and o.publish_at is not null))
      returning *
    )
    select ${changeColumns(tx)} from d`
  signalDue(tx, changes)
  return changes
}
