import { setTimeout as delay } from 'node:timers/promises'
import { ATTACKS } from './hostile-files.ts'
import { type Figure, quantile, startBeside } from './measuring.ts'
import type { Product } from './product.ts'
import { forgetPosts } from './seeding.ts'

const MEASURED_MS = 15_000
const EVERY_MS = 20
const SENDERS = 2

/** How long `GET /me` takes to a client that asks all the time, alone and beside some in processes of their own who send files. */
export async function measureHostile({ db, url, key }: Product): Promise<Figure[]> {
  await forgetPosts(db)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const channels = (await (await fetch(`${url}/agent/v1/channels`, { headers })).json()) as {
    channelId: string
  }[]

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
  async function besideFiles(attack: number): Promise<number> {
    const senders = await Promise.all(
      Array.from({ length: SENDERS }, () =>
        startBeside('hostile-sender.ts', url, key, channels[0]?.channelId ?? '', String(attack)),
      ),
    )
    try {
      return await p99(forAWhile())
    } finally {
      await Promise.all(senders.map((sender) => sender.stop()))
    }
  }

  const alone = await p99(forAWhile())
  const said = (ms: number) => [`${ms.toFixed(0)} ms`, (ms / alone).toFixed(1)]
  const figures: Figure[] = [['alone', ...said(alone), '']]
  for (const [place, [name]] of ATTACKS.entries())
    figures.push([`beside ${name}`, ...said(await besideFiles(place)), '≤ 250 ms'])
  return figures
}
