import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../../server/src/platform/postgres/db.ts'
import { residentMb } from '../measuring.ts'
import { addCosts, type Costs, noCosts, type Payers, readCosts } from './costs.ts'
import { dayClock } from './day-clock.ts'
import type { NetworkState } from './network.ts'
import { type Plan, postsOfMinute } from './plan.ts'
import { seedMinute } from './seed.ts'

/** Minutes of the day; `to` is the first after them. */
export type Span = { from: number; to: number }

export type Played = {
  /** By post: milliseconds of the day from its time to the arrival of its first call; NaN where none was made. */
  readonly delaysMs: Float64Array
  /** By post: how often the network has it. */
  readonly stored: Uint8Array
  readonly costs: Costs
  /** How long the publishers had something to do. */
  readonly busyMs: number
  /** The most that any publisher had. */
  readonly residentMb: number
  readonly connections: number
  readonly lookups: number
  readonly callsMade: number
}

type Stage = {
  db: Db
  plan: Plan
  span: Span
  /** When the first network is away. */
  outage: Span
  firstNetworkUrl: string
  controlUrl: string
  payers: Payers
  say: (text: string) => void
}

const MINUTE_MS = 60_000
/** How long before its time a minute's posts are written: a part for each of them, and a part for the commit. */
const SEED_MS_PER_POST = 0.5
const SEED_LEAD_MS = 400
/** A call that takes longer will never be answered: the day may go on without it. */
const SLOWEST_ANSWER_MS = 8_000
const SETTLE_LIMIT_MS = 240_000

/** Plays these minutes of the day, and then waits until every result is known. */
export async function play(stage: Stage): Promise<Played> {
  const { db, plan, span, outage, payers, say } = stage
  const clock = dayClock(span.from * MINUTE_MS - 2_000)
  const delaysMs = new Float64Array(plan.channelOf.length).fill(Number.NaN)
  const dueAtMs = new Float64Array(plan.channelOf.length)
  const watch = watchProcesses(db, payers)
  let costs = noCosts
  let busyMs = 0
  for (let minute = span.from; minute <= span.to; minute++) {
    const { from, to } = minute < span.to ? postsOfMinute(plan, minute) : { from: 0, to: 0 }
    const leadMs = SEED_LEAD_MS + (to - from) * SEED_MS_PER_POST
    const seedAt = minute * MINUTE_MS - leadMs
    const before = await readCosts(db, payers)
    const begunAt = performance.now()
    while (clock.now() < seedAt) {
      if (await isIdle(stage, minute <= outage.to && minute > outage.from)) clock.jumpTo(seedAt)
      else await delay(50)
    }
    costs = addCosts(costs, before, await readCosts(db, payers))
    busyMs += performance.now() - begunAt
    if (minute === outage.to) await setOutage(stage, false)
    if (minute === span.to) break

    const dueAt = clock.realTimeOf(minute * MINUTE_MS)
    await seedMinute(db, minute, new Date(dueAt))
    const lateMs = Date.now() - dueAt
    if (lateMs > 0) say(`minute ${minute}: written ${lateMs.toFixed(0)} ms after its time`)
    dueAtMs.fill(dueAt, from, to)
    if (minute === outage.from) await setOutage(stage, true)
    await delay(Math.max(0, dueAt - Date.now()))
    say(`${timeOf(minute)} ${to - from} posts`)
  }
  await settled(db, say)

  const { calls: callsMade, lookups } = await stateOf(stage)
  const firstCalls = new Float64Array(await bytesOf(stage, 'first-calls'))
  firstCalls.forEach((calledAt, n) => {
    if (calledAt > 0) delaysMs[n] = clock.elapsed(dueAtMs[n] ?? 0, calledAt)
  })
  const stored = new Uint8Array(await bytesOf(stage, 'stored'))
  return { delaysMs, stored, costs, busyMs, ...(await watch.stop()), callsMade, lookups }
}

export function timeOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

/** Whether nothing is to be published before the next minute; what waits for a network that is away does not count. */
async function isIdle(stage: Stage, duringOutage: boolean): Promise<boolean> {
  const { idleSinceMs } = await stateOf(stage)
  if (idleSinceMs === null || Date.now() - idleSinceMs < 250) return false
  const [row] = await stage.db<[{ idle: boolean }]>`
    select not exists (
             select from destination
             where  status = 'publishing' and status_since > now() - ${SLOWEST_ANSWER_MS} * interval '1 ms')
           and not exists (
             select
             from   destination d
             join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
             where  d.status in ('scheduled', 'delayed', 'partially_published') and d.due_at <= now() + interval '2 seconds'
             and    c.enabled and c.provider_origin <> ${duringOutage ? stage.firstNetworkUrl : ''}
             and    not exists (
               select from destination b
               where  b.workspace_id = d.workspace_id and b.channel_id = d.channel_id and b.status = 'publishing')) as idle`
  return row.idle
}

async function settled(db: Db, say: (text: string) => void): Promise<void> {
  const limit = performance.now() + SETTLE_LIMIT_MS
  for (;;) {
    const rows = await db<{ status: string; count: number }[]>`
      select status, count(*)::int as count
      from   destination
      where  status in ('scheduled', 'publishing', 'delayed', 'checking')
      group  by status`
    if (rows.length === 0) return
    if (performance.now() > limit) return say(`not settled in time: ${JSON.stringify(rows)}`)
    await delay(1_000)
  }
}

async function stateOf({ controlUrl }: Stage): Promise<NetworkState> {
  return (await (await fetch(`${controlUrl}/state`)).json()) as NetworkState
}

async function bytesOf({ controlUrl }: Stage, of: 'first-calls' | 'stored'): Promise<ArrayBuffer> {
  return (await fetch(`${controlUrl}/${of}`)).arrayBuffer()
}

async function setOutage({ controlUrl, say }: Stage, away: boolean): Promise<void> {
  await fetch(`${controlUrl}/outages/0`, { method: away ? 'PUT' : 'DELETE' })
  say(away ? 'the first network is away' : 'the first network is back')
}

/** Looks at the processes once a second, and keeps the most that it saw. */
function watchProcesses(db: Db, { publishers }: Payers) {
  const most = { residentMb: 0, connections: 0 }
  const stopping = new AbortController()
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      const [row] = await db<[{ connections: number }]>`
        select count(*)::int as connections from pg_stat_activity where application_name like 'postrider%'`
      most.connections = Math.max(most.connections, row.connections)
      most.residentMb = Math.max(most.residentMb, ...publishers.map(residentMb))
      await delay(1_000, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await watching
      return most
    },
  }
}
