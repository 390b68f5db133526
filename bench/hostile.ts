import { setTimeout as delay } from 'node:timers/promises'
import { type Figure, quantile } from './measuring.ts'
import type { Product } from './product.ts'
import { forgetPosts } from './seeding.ts'

const MEASURED_MS = 15_000
const EVERY_MS = 20

const ROWS = Array.from(
  { length: 5_000 },
  (_, n) =>
    `  - { id: r${n}, text: "Post ${n} of the file: https://example.com/${n}", publishAt: 2027-12-01T09:00 }`,
)

/** What is sent again and again, as it takes the server the longest; the last is a fair file. */
const ATTACKS: readonly (readonly [string, 'plan' | 'csv', string])[] = [
  ['a plan of 5.9 MB of `[`', 'plan', '['.repeat(5_900_000)],
  ['a plan with as many values as there may be', 'plan', `plan: p\nposts: [${'1,'.repeat(290_000)}]`],
  ['a table of parts', 'csv', `text,thread\nA,"${'---\n'.repeat(900_000)}"`],
  ['a table of commas', 'csv', `text\nA${','.repeat(900_000)}`],
  ['a plan of 5,000 posts, as a dry run', 'plan', `plan: p\nposts:\n${ROWS.join('\n')}\n`],
]

/** How long `GET /me` takes to a client that asks all the time, alone and beside one who sends files. */
export async function measureHostile({ db, url, key }: Product): Promise<Figure[]> {
  await forgetPosts(db)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const channels = (await (await fetch(`${url}/agent/v1/channels`, { headers })).json()) as {
    channelId: string
  }[]
  const channelIds = [channels[0]?.channelId]

  async function p99(until: () => boolean): Promise<number> {
    const tookMs: number[] = []
    while (!until()) {
      const begun = performance.now()
      const answer = await fetch(`${url}/agent/v1/me`, { headers })
      await answer.text()
      if (answer.status !== 200) throw new Error(`GET /me was answered with ${answer.status}.`)
      tookMs.push(performance.now() - begun)
      await delay(EVERY_MS)
    }
    return quantile(tookMs, 0.99)
  }
  const forAWhile = () => {
    const endMs = performance.now() + MEASURED_MS
    return () => performance.now() > endMs
  }
  async function besideFiles(format: 'plan' | 'csv', file: string): Promise<number> {
    const name = format === 'csv' ? { name: 'hostile' } : {}
    const body = JSON.stringify({ confirmed: true, format, file, dryRun: true, channelIds, ...name })
    const isOver = forAWhile()
    const attack = async () => {
      while (!isOver())
        await (await fetch(`${url}/agent/v1/posts/import`, { method: 'POST', headers, body })).text()
    }
    const [measured] = await Promise.all([p99(isOver), attack(), attack()])
    return measured
  }

  const alone = await p99(forAWhile())
  const said = (ms: number) => [`${ms.toFixed(0)} ms`, (ms / alone).toFixed(1)]
  const figures: Figure[] = [['alone', ...said(alone), '']]
  for (const [name, format, file] of ATTACKS)
    figures.push([`beside ${name}`, ...said(await besideFiles(format, file)), '≤ 250 ms'])
  return figures
}
