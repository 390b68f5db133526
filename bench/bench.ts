import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { bigDayOptions, measureBigDay } from './big-day/big-day.ts'
import { HEAD as BIG_DAY_HEAD } from './big-day/report.ts'
import { measureBluesky } from './bluesky.ts'
import { measureDashboard } from './dashboard.ts'
import { measureEngine, measureStartDelay } from './engine.ts'
import { measureHostile } from './hostile.ts'
import { measureIdle } from './idle.ts'
import { type Figure, table } from './measuring.ts'
import { measureImports } from './imports.ts'
import { measureMedia } from './media.ts'
import { startProduct } from './product.ts'
import { measureQueue } from './queue.ts'
import { measureReads, measureTokens, measureWrites } from './requests.ts'
import { measureHolds } from './scale/holds.ts'
import { measureScale } from './scale/scale.ts'
import { measureSlowLine } from './slow-line.ts'
import { measureSoak } from './soak.ts'
import { measureTools } from './tools.ts'
import { measureWebhooks } from './webhooks.ts'

/*
 * Measures the product as a user starts it, and prints what it found as Markdown. Each figure stands beside a limit
 * that was measured in the same minute: machines differ, ratios hardly do. Arguments choose sections.
 */

const sections = {
  idle: { title: 'At rest', head: ['', 'figure', 'aim'], measure: measureIdle },
  reads: { title: 'Reads', head: ['', 'per second', 'share of the limit'], measure: measureReads },
  tokens: {
    title: 'Access tokens',
    head: ['', 'per second', 'time beside the key', 'aim'],
    measure: measureTokens,
  },
  tools: {
    title: 'Tools (MCP)',
    head: ['', 'request', 'call of the tool', 'ratio', 'aim'],
    measure: measureTools,
  },
  writes: { title: 'Writes', head: ['', 'per second', 'share of the limit'], measure: measureWrites },
  queue: {
    title: 'Posting times among 100,000 queued posts',
    head: ['', 'figure', 'time beside a plain create', 'CPU of server and database', 'aim'],
    measure: measureQueue,
  },
  import: {
    title: 'A file of 5,000 posts',
    head: ['', 'time', 'CPU of server and database', 'aim'],
    measure: measureImports,
  },
  hostile: {
    title: '`GET /me` beside two who send files all the time',
    head: ['', 'p99', 'ratio', 'aim'],
    measure: measureHostile,
  },
  media: { title: 'Media', head: ['', 'per second', 'share of the limit'], measure: measureMedia },
  engine: { title: 'Publishing', head: ['', 'per second', 'engine’s share', 'aim'], measure: measureEngine },
  delay: { title: 'From due to called', head: ['', 'p50', 'p99', 'aim'], measure: measureStartDelay },
  bluesky: {
    title: 'A post with an image on a real Bluesky server',
    head: ['', 'time', 'of the calls alone'],
    measure: measureBluesky,
  },
  dashboard: { title: 'In the browser', head: ['', 'figure', 'aim'], measure: measureDashboard },
  'slow-line': {
    title: 'In the browser, with 300 channels and 5,000 posts; first loads on 400 kbit/s with 400 ms',
    head: ['', 'figure', 'aim'],
    measure: measureSlowLine,
    byNameOnly: true,
  },
  webhooks: {
    title: 'Webhooks',
    head: ['', 'per second', 'share of the limit', 'aim'],
    measure: measureWebhooks,
  },
  scale: {
    title: 'A million posts beside a thousand',
    head: ['', 'few', 'many', 'ratio', 'aim'],
    measure: measureScale,
    byNameOnly: true,
  },
  holds: {
    title: 'While much is held',
    head: ['', 'longest', 'usual', 'aim'],
    measure: measureHolds,
    byNameOnly: true,
  },
  soak: {
    title: 'Two hours of constant load',
    head: ['', 'third quarter', 'last quarter', 'growth', '', ''],
    measure: measureSoak,
    byNameOnly: true,
  },
} satisfies Record<string, { title: string; head: Figure; measure: unknown; byNameOnly?: true }>

/** Sections that start what they need themselves; they are by name only. */
const apart = {
  'big-day': {
    title: 'The hardest hour of a day with two million posts',
    head: BIG_DAY_HEAD,
    measure: measureBigDay,
  },
} satisfies Record<string, { title: string; head: Figure; measure: unknown }>

const SOAK_MINUTES = 120
const { positionals: chosen, values } = parseArgs({ allowPositionals: true, options: bigDayOptions })
const options = { minutes: Number(values.minutes ?? SOAK_MINUTES) }
const namesApart = (Object.keys(apart) as (keyof typeof apart)[]).filter((name) => chosen.includes(name))
const names = (Object.keys(sections) as (keyof typeof sections)[]).filter((name) =>
  chosen.length === 0 ? !('byNameOnly' in sections[name]) : chosen.includes(name),
)
if (names.length + namesApart.length === 0) {
  throw new Error(`There are the sections ${[...Object.keys(sections), ...Object.keys(apart)].join(', ')}.`)
}

print(
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}, ${process.platform}\n`,
)
for (const name of namesApart) {
  const { title, head, measure } = apart[name]
  print(`## ${title}\n\n${table(head, await measure(values))}\n`)
}
if (names.length > 0) {
  await using product = await startProduct()
  for (const name of names) {
    const { title, head, measure } = sections[name]
    print(`## ${title}\n\n${table(head, await measure(product, options))}\n`)
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
