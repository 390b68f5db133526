import { type Figure, whole } from '../measuring.ts'
import type { Db } from '../../server/src/platform/postgres/db.ts'
import { concat, queueDelays, showMs, spreadOf } from './delays.ts'
import { type Outcome, postsOf } from './outcome.ts'
import { countByMinute, type Plan, postsOfMinute } from './plan.ts'
import { type Played, type Span, timeOf } from './play.ts'
import type { Received } from './receiver.ts'

export const HEAD: Figure = ['', 'figure', 'p50', 'p99', 'p99.9', '> 1 s', '> 60 s']

export type Result = { plan: Plan; span: Span; outage: Span; played: Played }

/** From the time of a post to its first call, by what was planned. */
export function delayRows({ plan, span, outage, played }: Result): Figure[] {
  const { delaysMs } = played
  const { campaign, channelOf, minuteOf, networkOf, workspaceOf } = plan
  const inSpan = postsOf(plan, span)
  const held = (n: number) => isHeld(plan, outage, n)
  const row = (name: string, chosen: (n: number) => boolean): Figure => {
    const found: number[] = []
    for (let n = inSpan.from; n < inSpan.to; n++) {
      const delay = delaysMs[n] ?? Number.NaN
      if (chosen(n) && !Number.isNaN(delay)) found.push(delay)
    }
    return spreadRow(name, Float64Array.from(found))
  }
  const past = (n: number) => (minuteOf[n] ?? 0) % 60
  const atCampaign = postsOfMinute(plan, campaign.minute)
  const postsAtCampaign = new Map<number, number>()
  for (let n = atCampaign.from; n < atCampaign.to; n++) {
    const workspace = workspaceOf[channelOf[n] ?? 0] ?? 0
    postsAtCampaign.set(workspace, (postsAtCampaign.get(workspace) ?? 0) + 1)
  }
  const share = (n: number) =>
    minuteOf[n] === campaign.minute ? (postsAtCampaign.get(workspaceOf[channelOf[n] ?? 0] ?? 0) ?? 0) : 0
  const firstOf = firstOfChannel(plan, inSpan)
  return [
    row('start delay of all, but for the outage', (n) => !held(n)),
    row('at full hours', (n) => !held(n) && past(n) === 0),
    row('of them, the first of its channel', (n) => !held(n) && past(n) === 0 && firstOf.has(n)),
    row('at half hours', (n) => !held(n) && past(n) === 30),
    row('at all other minutes', (n) => !held(n) && past(n) % 30 !== 0),
    row(`${timeOf(campaign.minute)}, workspaces with one post then`, (n) => !held(n) && share(n) === 1),
    row('the same minute, workspaces with 2 to 20', (n) => share(n) >= 2 && share(n) <= 20),
    row(
      'the same minute, the largest workspace',
      (n) => share(n) > 0 && workspaceOf[channelOf[n] ?? 0] === campaign.workspace,
    ),
    row(`of the network that was away from ${timeOf(outage.from)} to ${timeOf(outage.to)}`, held),
    row('of the others meanwhile', (n) => {
      const minute = minuteOf[n] ?? 0
      return networkOf[channelOf[n] ?? 0] !== 0 && minute >= outage.from && minute < outage.to
    }),
  ]
}

/** The first post of each channel in each minute: the others wait for it. */
function firstOfChannel(
  { channelOf, minuteOf }: Plan,
  { from, to }: { from: number; to: number },
): Set<number> {
  const first = new Set<number>()
  let seen = new Set<number>()
  for (let n = from; n < to; n++) {
    if (minuteOf[n] !== minuteOf[n - 1]) seen = new Set()
    const channel = channelOf[n] ?? 0
    if (!seen.has(channel)) first.add(n)
    seen.add(channel)
  }
  return first
}

/** Whether a post is due while its network is away. */
function isHeld({ channelOf, minuteOf, networkOf }: Plan, outage: Span, n: number): boolean {
  const minute = minuteOf[n] ?? 0
  return networkOf[channelOf[n] ?? 0] === 0 && minute >= outage.from && minute < outage.to
}

/** Calls per second while there was work: at the hardest minute, up to where only slow channels are left. */
export function ratePerSecond({ plan, played, outage }: Result): number {
  const { from, to } = postsOfMinute(plan, plan.campaign.minute)
  const delays = played.delaysMs
    .subarray(from, to)
    .filter((ms, n) => !Number.isNaN(ms) && !isHeld(plan, outage, from + n))
  return (delays.length * 0.9 * 1_000) / spreadOf(delays).p90
}

/** What a plain queue with the measured rate would give: for the hour that was played, to compare, and for the day. */
export function modelRows(result: Result): Figure[] {
  const { plan, span } = result
  const rate = ratePerSecond(result)
  const byMinute = countByMinute(plan.minuteOf)
  const day = (perSecond: number) => concat(queueDelays(byMinute, perSecond))
  return [
    ['published per second at that minute', whole(rate)],
    spreadRow(
      'a plain queue with this rate, the same hour',
      concat(queueDelays(byMinute.subarray(span.from, span.to), rate)),
    ),
    spreadRow('a plain queue with this rate, the whole day', day(rate)),
    spreadRow('the same with twice the rate', day(rate * 2)),
    spreadRow('the same with four times the rate', day(rate * 4)),
  ]
}

function spreadRow(name: string, delays: Float64Array): Figure {
  if (delays.length === 0) return [name, 'none']
  const { count, p50, p99, p999, over1s, over60s } = spreadOf(delays)
  return [name, whole(count), showMs(p50), showMs(p99), showMs(p999), percent(over1s), percent(over60s)]
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

export function outcomeRows({
  published,
  twice,
  lost,
  falselyPublished,
  open,
  actionable,
}: Outcome): Figure[] {
  return [
    ['published', whole(published)],
    ['on a network twice', whole(twice)],
    ['lost', whole(lost)],
    ['published, but on no network', whole(falselyPublished)],
    ['still open at the end', whole(open)],
    ...[...actionable].map(([status, count]): Figure => [`\`${status}\``, whole(count)]),
  ]
}

export function costRows(posts: number, { costs, ...played }: Played, grownBytes: number): Figure[] {
  const each = (value: number, digits = 2) => (value / posts).toFixed(digits)
  return [
    ['CPU of the publishers, per post', `${each(costs.publisherMs)} ms`],
    ['CPU of PostgreSQL, per post', `${each(costs.postgresMs)} ms`],
    ['CPU of the webhook dispatcher, per post', `${each(costs.webhooksMs)} ms`],
    ['statements, per post', each(costs.statements)],
    ['transactions, per post', each(costs.commits)],
    ['WAL, per post', `${whole(costs.walBytes / posts)} bytes`],
    ['on disk, per post', `${whole(grownBytes / posts)} bytes`],
    ['calls, per post', each(played.callsMade, 3)],
    ['look-ups', whole(played.lookups)],
    ['memory of a publisher, at most', `${whole(played.residentMb)} MB`],
    ['connections of all processes, at most', whole(played.connections)],
  ]
}

export async function webhookRows(db: Db, endpoints: number, received: Received): Promise<Figure[]> {
  const [row] = await db<[{ owed: number; delivered: number; spread: number[] }]>`
    select count(*)::int as owed, count(*) filter (where d.status = 'delivered')::int as delivered,
           percentile_disc(array[0.5, 0.99, 0.999]) within group (order by (extract(epoch from d.settled_at - d.created_at) * 1000)::float8)
           as spread
    from   delivery d`
  return [
    ['deliveries owed', whole(row.owed)],
    ['delivered', whole(row.delivered), ...(row.spread ?? []).map(showMs)],
    ['events that came', whole(received.events)],
    ['endpoints', whole(endpoints)],
  ]
}

/** The statements that cost PostgreSQL most, to see where the time goes. */
export async function dearestStatements(db: Db): Promise<string> {
  const rows = await db<{ ms: number; calls: number; mean: number; rows: number; query: string }[]>`
    select total_exec_time as ms, calls::int, mean_exec_time as mean, rows::float8, left(regexp_replace(query, ${String.raw`\s+`}, ' ', 'g'), 110) as query
    from   pg_stat_statements
    where  query not like '%bench.%'
    order  by total_exec_time desc
    limit  12`
  return rows
    .map(
      ({ ms, calls, mean, rows, query }) =>
        `${ms.toFixed(0)} ms, ${calls} × ${mean.toFixed(2)} ms, ${rows} rows: ${query}`,
    )
    .join('\n')
}
