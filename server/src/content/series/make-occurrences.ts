import { findChannels } from '../../networks/channels/channel-store.ts'
import { newToken } from '../../engine/destinations/tokens.ts'
import type { RecordAct } from '../../edge/operations/act.ts'
import { actorIn } from '../../edge/operations/actor.ts'
import { ChangedMeanwhile } from '../../edge/operations/changed-meanwhile.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import { type Db, isDatabaseDown, sendingDeferred, type Sql, type Tx } from '../../platform/postgres/db.ts'
import { startDueLoop } from '../../platform/loops/due-loop.ts'
import { fromNow } from '../../platform/text/instant.ts'
import { createPost } from '../posts/create/create-post.ts'
import { isOfChannel } from '../posts/plan/refuse-plan.ts'
import type { Providers } from '../../networks/providers/port/port.ts'
import { daysOf, planOf } from './definition.ts'
import {
  type DueSeries,
  findDueSeries,
  findOccurrences,
  lockDueSeries,
  type PostsBy,
  nextRunInMs,
  postponeSeries,
  type SeriesRow,
  stopSeries,
  storeOccurrence,
} from './series-store.ts'
import { daysUntil, type KnownDay, mergeDays } from './views.ts'

/** How long before its time the post of an occurrence is made. */
export const AHEAD_MS = 7 * 86_400_000
/** After how long a post that was refused is tried again. */
const RETRY_MS = 5 * 60_000
/**
 * Until how long before its time an occurrence waits for all of its channels: one that is disabled may be enabled again. After that its
 * post is made without those that are not available, so early that it can be reviewed, and they can be added to it.
 */
const WHOLE_UNTIL_MS = 86_400_000
/** After how long a series is tried again when something of ours failed. */
const FAULT_MS = 60_000
/** A post that is late is due in a moment: a time in the past is refused. */
const LATE_MS = 5_000
/** The longest time until something new is seen. */
const POLL_EVERY_MS = 5_000
const AT_ONCE = 20

const POSTRIDER = { type: 'service', id: null, name: 'Postrider', personId: null } as const
const NOT_IN_TIME = 'No server was running in time to create it.'

export type OccurrenceParts = {
  readonly db: Db
  readonly providers: Providers
  readonly baseUrl: string
  readonly recordAct: RecordAct
  /** The member or credential as they are now; null where they are gone or may do nothing any more. */
  readonly holderOf: (sql: Sql, postsBy: PostsBy, workspaceId: string) => Promise<Caller | null>
  readonly onFault: (fault: unknown, series: DueSeries) => void
}

/** Makes the posts of series in time. Any number of processes may do so at once: each series is one's at a time. */
export function startSeriesLoop(
  parts: OccurrenceParts,
  onError: (error: unknown) => void,
): { stop: () => Promise<void> } {
  return startDueLoop({
    async claim() {
      const inMs = await nextRunInMs(parts.db)
      await makeOccurrences(parts)
      return inMs === 0 ? null : inMs
    },
    maxWaitMs: POLL_EVERY_MS,
    retryAfterMs: POLL_EVERY_MS,
    onError,
  })
}

/** Makes what is due of all series, and says how many posts that were. */
export async function makeOccurrences(parts: OccurrenceParts): Promise<number> {
  let made = 0
  for (;;) {
    const due = await findDueSeries(parts.db, AT_ONCE)
    let handled = 0
    for (const series of due) {
      const count = await makeForSeries(parts, series)
      if (count === null) continue
      handled += 1
      made += count
    }
    // What is left is another process's, or changed meanwhile.
    if (handled === 0 || due.length < AT_ONCE) return made
  }
}

/** Makes what is due of one series, in one transaction: its posts with the rows that say so. Null where nothing was done. */
async function makeForSeries(parts: OccurrenceParts, series: DueSeries): Promise<number | null> {
  try {
    return await writeInTransaction(parts.db, (tx) => makeWithin(parts, tx, series))
  } catch (fault) {
    if (fault instanceof ChangedMeanwhile) return null
    if (isDatabaseDown(fault)) throw fault
    parts.onFault(fault, series)
    await postponeSeries(parts.db, series, await fromNow(parts.db, FAULT_MS))
    return null
  }
}

/** The locks are taken in the order of a request: the member or credential first, then the series. */
async function makeWithin(parts: OccurrenceParts, tx: Tx, due: DueSeries): Promise<number | null> {
  const caller = await parts.holderOf(tx, due.postsBy, due.workspaceId)
  await caller?.hold?.(tx)
  const row = await lockDueSeries(tx, due)
  // Another process has it, or it was changed since it was found due.
  if (row === null || row.postsBy.id !== due.postsBy.id) return null
  if (caller === null || !caller.credential.permissions.includes('posts:write')) {
    await stop(parts, tx, row, { status: 'paused', reason: goneReason(row.postsBy) })
    return 0
  }
  return makeDue(parts, tx, row, caller)
}

function goneReason({ type, name }: PostsBy): string {
  return type === 'person'
    ? `${name} can no longer publish here, and the series publishes in their name. Resume it to publish in yours.`
    : `The credential “${name}” has ended, and the series publishes in its name. Resume it to publish in yours.`
}

async function makeDue(parts: OccurrenceParts, tx: Tx, row: SeriesRow, caller: Caller): Promise<number> {
  const [{ now, allowedMs }] = await tx<[{ now: Date; allowedMs: number }]>`
    select clock_timestamp() as now, extract(epoch from allowed_time)::float8 * 1000 as "allowedMs"
    from   workspace
    where  id = ${row.workspaceId}`
  const known = await findOccurrences(tx, row)
  const until = new Date(now.getTime() + AHEAD_MS)
  const all = mergeDays(daysUntil(await daysOf(row.definitions), known, until), known, row, now)
  const open = all.filter(
    ({ day, known: { status } }) => day !== null && (status === 'planned' || status === 'waiting'),
  )
  const due = open.filter(({ at }) => at <= until)
  let made = 0
  let waiting = 0
  for (const one of due) {
    const became = await makeOne(parts, tx, row, { one, caller, now, allowedMs })
    if (became === 'made') made += 1
    if (became === 'waiting') waiting += 1
  }
  const later = open.filter((one) => !due.includes(one)).map(({ at }) => at.getTime() - AHEAD_MS)
  // Until the last of its posts is due, it can be paused.
  const ends = later.length > 0 ? [] : all.flatMap(({ at }) => (at > now ? [at.getTime()] : [])).slice(-1)
  const times = [...later, ...ends, ...(waiting > 0 ? [now.getTime() + RETRY_MS] : [])]
  if (times.length > 0) await postponeSeries(tx, row, new Date(Math.min(...times)))
  else await stop(parts, tx, row, { status: 'ended', reason: null })
  return made
}

/** Pauses or ends a series by itself, and says so in the audit log. */
async function stop(
  { recordAct }: OccurrenceParts,
  tx: Tx,
  row: SeriesRow,
  after: { readonly status: 'paused' | 'ended'; readonly reason: string | null },
): Promise<void> {
  const { workspaceId, seriesId } = row
  await stopSeries(tx, row, { ...after, editToken: newToken() })
  await recordAct(tx, {
    workspaceId,
    actor: POSTRIDER,
    action: 'setSeriesStatus',
    subject: { seriesId },
    before: { status: row.status },
    after,
    address: null,
    requestId: null,
  })
}

type OccurrenceToMake = {
  readonly one: KnownDay
  readonly caller: Caller
  readonly now: Date
  readonly allowedMs: number
}

async function makeOne(
  { providers, baseUrl, recordAct }: OccurrenceParts,
  tx: Tx,
  row: SeriesRow,
  { one: { day, known, at }, caller, now, allowedMs }: OccurrenceToMake,
): Promise<'made' | 'waiting' | 'missed'> {
  if (day === null) throw new Error('a day that a series has no longer was to be made')
  const common = { date: known.date, change: known.change, publishAt: at }
  if (at.getTime() + allowedMs <= now.getTime()) {
    const reason = known.reason ?? NOT_IN_TIME
    await storeOccurrence(tx, row, { ...common, status: 'missed', postId: null, editToken: null, reason })
    return 'missed'
  }
  const publishAt = at > now ? at : new Date(now.getTime() + LATE_MS)
  const plan = planOf(day, known.change, publishAt)
  const { seriesId } = row
  const create = async (leaveOut: readonly string[]) => {
    // The next one is counted with this one: what a create defers is sent before.
    const { tx: own, send } = sendingDeferred(tx)
    const options = { providers, baseUrl, seriesId, leaveOut }
    return { send, post: await createPost(own, caller, { ...plan, confirmed: true }, options) }
  }
  const whole = await create([])
  const missing =
    isRefusal(whole.post) && at.getTime() - now.getTime() <= WHOLE_UNTIL_MS ? unavailableIn(whole.post) : []
  const { post, send } = missing.length === 0 ? whole : await create(missing)
  if (isRefusal(post)) {
    await storeOccurrence(tx, row, {
      ...common,
      status: 'waiting',
      postId: null,
      editToken: null,
      reason: post.detail,
    })
    return 'waiting'
  }
  await send()
  const { postId, editToken } = post
  const reason = missing.length === 0 ? null : await reasonWithout(tx, row.workspaceId, missing)
  await storeOccurrence(tx, row, { ...common, publishAt, status: 'made', postId, editToken, reason })
  const act = { workspaceId: row.workspaceId, actor: actorIn(caller), action: 'createPost' }
  tx.defer(() => recordAct(tx, { ...act, subject: { postId, seriesId }, address: null, requestId: null }))
  return 'made'
}

/** The channels, or groups without one, for which a post was refused, each once. */
function unavailableIn({ refused, facts: { issues = [] } }: Refusal): string[] {
  if (refused !== 'channel_unavailable') return []
  return [...new Set(issues.flatMap(({ channelId, code }) => (isOfChannel(code) ? (channelId ?? []) : [])))]
}

/** What a post is made without, in words. */
async function reasonWithout(tx: Tx, workspaceId: string, missing: readonly string[]): Promise<string> {
  const { channels } = await findChannels(tx, workspaceId, missing)
  const names = missing.flatMap((id) => channels.get(id)?.displayName ?? [])
  return [
    ...(names.length === 0 ? [] : [`Created without ${names.join(', ')}: disabled or removed.`]),
    ...(names.length === missing.length ? [] : ['Created without a channel group: empty or removed.']),
  ].join(' ')
}
