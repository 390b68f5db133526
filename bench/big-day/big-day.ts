import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { parseArgs } from 'node:util'
import type { Db } from '../../server/src/platform/postgres/db.ts'
import { type Figure, startBeside, whole } from '../measuring.ts'
import { openInstallation, type ServerProcess } from './installation.ts'
import { postsOf, readOutcome } from './outcome.ts'
import { planDay } from './plan.ts'
import { play } from './play.ts'
import { plotDay } from './plot.ts'
import type { Received } from './receiver.ts'
import {
  costRows,
  dearestStatements,
  delayRows,
  modelRows,
  outcomeRows,
  ratePerSecond,
  webhookRows,
} from './report.ts'
import { seedChannels, seedEndpoints, seedPast, seedPlan } from './seed.ts'

export const bigDayOptions = {
  seed: { type: 'string', default: '1' },
  workspaces: { type: 'string', default: '10000' },
  channels: { type: 'string', default: '50000' },
  posts: { type: 'string', default: '2000000' },
  /** Which minutes of the day are played, as hh:mm in UTC; without them, the hour after the hardest minute. */
  from: { type: 'string', default: '' },
  minutes: { type: 'string' },
  publishers: { type: 'string', default: '1' },
  concurrency: { type: 'string', default: '512' },
  'outage-minutes': { type: 'string', default: '20' },
  plot: { type: 'boolean', default: false },
} as const

const PLOT = join(import.meta.dirname, 'big-day.svg')
/** One workspace in ten has an endpoint for its events. */
const ENDPOINT_EVERY = 10

type Values = ReturnType<typeof parseArgs<{ options: typeof bigDayOptions }>>['values']

/** The hardest part of a day with two million posts; what else is left out is idle time and easier hours. */
export async function measureBigDay(values: Values): Promise<Figure[]> {
  const size = {
    seed: Number(values.seed),
    workspaces: Number(values.workspaces),
    channels: Number(values.channels),
    posts: Number(values.posts),
  }
  const plan = planDay(size)
  const from = values.from === '' ? plan.campaign.minute : minuteOfDay(values.from)
  const span = { from, to: Math.min(1_440, from + Number(values.minutes ?? 60)) }
  // It begins at the quarter, so that the posts of the half hour are held by it.
  const outage = {
    from: span.from + 15,
    to: Math.min(span.to, span.from + 15 + Number(values['outage-minutes'])),
  }

  await using installation = await openInstallation()
  await using stack = new AsyncDisposableStack()
  const network = await startBeside('big-day/network.ts', String(size.seed), String(size.posts))
  stack.defer(network.stop)
  const receiver = await startBeside('big-day/receiver.ts')
  stack.defer(receiver.stop)
  const networkUrls = (await (await fetch(`${network.url}/urls`)).json()) as string[]
  const { db } = installation
  say('writing workspaces and channels')
  await seedChannels(installation, plan, networkUrls)
  const endpoints = await seedEndpoints(installation, ENDPOINT_EVERY, `${receiver.url}/hook`)
  const range = postsOf(plan, span)
  await seedPlan(db, plan, range)
  await seedPast(db, range.to - range.from)
  await db`vacuum analyze`
  const sizeBefore = await databaseBytes(db)

  const publishers: ServerProcess[] = []
  for (let n = 0; n < Number(values.publishers); n++) {
    publishers.push(await installation.startProcess('publisher', { PUBLISH_CONCURRENCY: values.concurrency }))
  }
  const webhooks = await installation.startProcess('webhooks', {})
  const played = await play({
    db,
    plan,
    span,
    outage,
    say,
    firstNetworkUrl: networkUrls[0] ?? '',
    controlUrl: network.url,
    payers: {
      publishers: publishers.map(({ pid }) => pid),
      webhooks: webhooks.pid,
      postgres: installation.postgresPid,
    },
  })
  const outcome = await readOutcome(db, range, played.stored)
  const logs = await Promise.all([...publishers, webhooks].map(({ readLog }) => readLog()))
  for (const [message, count] of logs.flatMap(({ complaints }) => [...complaints]))
    say(`${count} × ${message}`)
  say(await dearestStatements(db))
  const result = { plan, span, outage, played }
  if (values.plot) await writeFile(PLOT, plotDay(result, ratePerSecond(result)))
  return [
    ...delayRows(result),
    ...modelRows(result),
    ...outcomeRows(outcome),
    ...costRows(range.to - range.from, played, (await databaseBytes(db)) - sizeBefore),
    ['rows that housekeeping removed meanwhile', whole(logs.reduce((sum, { removed }) => sum + removed, 0))],
    ...(await webhookRows(db, endpoints, (await (await fetch(receiver.url)).json()) as Received)),
  ]
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

function minuteOfDay(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

async function databaseBytes(db: Db): Promise<number> {
  const [row] = await db<[{ bytes: number }]>`select pg_database_size(current_database())::float8 as bytes`
  return row.bytes
}
