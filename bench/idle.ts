import { setTimeout as delay } from 'node:timers/promises'
import { cpuSeconds, type Figure, residentMb } from './measuring.ts'
import type { Product } from './product.ts'
import { announceDue, forgetPosts, seedChannels, seedPosts } from './seeding.ts'

/** What a server costs that has nothing to do, and what work costs that is only waiting. */
export async function measureIdle(product: Product): Promise<Figure[]> {
  const { db, keyring, pid, url } = product
  const empty = await restingFor(product, 60)
  const residentAtRest = residentMb(pid)
  const heap = await heapMb(url)

  const places = await seedChannels(db, keyring, 'http://127.0.0.1:9', { workspaces: 10, channels: 1_000 })
  const inAnHour = new Date(Date.now() + 3_600_000)
  await seedPosts(db, places, { count: 10_000, status: 'delayed', dueAt: inAnHour, word: 'waiting' })
  await announceDue(db)
  await db`vacuum analyze`
  await delay(2_000)
  const waiting = await restingFor(product, 30)
  await forgetPosts(db)

  return [
    ['memory of the server after a minute', `${residentAtRest.toFixed(0)} MB`, '≤ 105 MB'],
    ['of it, JavaScript heap in use', `${heap.toFixed(0)} MB`, ''],
    ['CPU of the server', perMinute(empty.server), '~ 0 %'],
    ['CPU of its PostgreSQL', perMinute(empty.database), ''],
    ['CPU of the server with 10,000 delayed destinations', perMinute(waiting.server), 'the same'],
    ['CPU of its PostgreSQL with them', perMinute(waiting.database), 'the same'],
  ]
}

type Resting = { server: number; database: number }

/** CPU seconds per minute without any request. */
async function restingFor({ pid, databasePids }: Product, seconds: number): Promise<Resting> {
  const pids = await databasePids()
  const before = { server: cpuSeconds([pid]), database: cpuSeconds(pids) }
  await delay(seconds * 1_000)
  return {
    server: ((cpuSeconds([pid]) - before.server) * 60) / seconds,
    database: ((cpuSeconds(pids) - before.database) * 60) / seconds,
  }
}

function perMinute(cpuSecondsPerMinute: number): string {
  return `${cpuSecondsPerMinute.toFixed(2)} s per minute (${((cpuSecondsPerMinute / 60) * 100).toFixed(1)} %)`
}

async function heapMb(url: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`)
  const bytes = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(await answer.text())?.[1]
  return Number(bytes) / 1_000_000
}
