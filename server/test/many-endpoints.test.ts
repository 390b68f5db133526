import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { announce } from '../src/engine/outbox/outbox-store.ts'
import { autoReplay } from '../src/engine/webhooks/auto-replay.ts'
import { COMPILE_ONCE } from './rigs/compile-once.ts'
import { memoryOf } from './rigs/media-server.ts'
import { openReceiver } from './rigs/receiver.ts'
import { aChange, openWebhookWorld } from './rigs/webhook-world.ts'

/* Every event goes to every endpoint. Some endpoints are slow, some refuse, some never answer, until they are mended. */

/** Such as `WEBHOOK_ENDPOINTS=50 WEBHOOK_EVENTS=1000`. */
const ENDPOINTS = Number(process.env['WEBHOOK_ENDPOINTS'] ?? 10)
const EVENTS = Number(process.env['WEBHOOK_EVENTS'] ?? 100)
const AT_ONCE = 50
const SLOW_MS = 100
/** What the process of a dispatcher may take, however much waits. */
const MEMORY_BYTES = 256 * 1_048_576

type Kind = 'hangs' | 'refuses' | 'slow' | 'refuses some' | 'healthy'
const kindOf = (place: number): Kind =>
  (['hangs', 'refuses', 'slow', 'refuses some'] as const)[place % 10] ?? 'healthy'

test.runIf(process.platform === 'linux')(
  'every delivery arrives, no endpoint waits for another one, and the memory is bounded',
  { timeout: 1_800_000 },
  async () => {
    await using world = await openWebhookWorld()
    const { db, workspaceId } = world
    const arrived = Array.from({ length: ENDPOINTS }, () => new Set<string>())
    const hanging: ServerResponse[] = []
    let mended = false
    let doubled = 0

    await using receiver = await openReceiver(({ path, headers }, response) => {
      const place = Number(path.slice(1))
      const id = headers['x-service-event-id'] ?? ''
      const take = () => {
        if (arrived[place]!.has(id)) doubled += 1
        arrived[place]!.add(id)
        response.writeHead(204).end()
      }
      const kind = kindOf(place)
      if (kind === 'slow') setTimeout(take, SLOW_MS)
      else if (kind === 'hangs' && !mended) hanging.push(response)
      else if (kind === 'refuses' && !mended) response.writeHead(503).end()
      else if (kind === 'refuses some' && Math.random() < 0.1) response.writeHead(503).end()
      else take()
    })
    for (let place = 0; place < ENDPOINTS; place++)
      await world.anEndpoint(`${receiver.origin}/${place}`, ['post.published'], true)
    for (let recorded = 0; recorded < EVENTS; recorded += AT_ONCE) {
      const changes = Array.from({ length: Math.min(AT_ONCE, EVENTS - recorded) }, () =>
        aChange(workspaceId, 'published'),
      )
      await db.begin((tx) => announce(tx, changes))
    }

    const script = join(import.meta.dirname, 'rigs/dispatcher-process.ts')
    const dispatcher = spawn(process.execPath, [script, world.databaseUrl, world.secretKey, '30000'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: COMPILE_ONCE,
    })
    const ended = once(dispatcher, 'exit')
    onTestFinished(async () => {
      dispatcher.kill('SIGKILL')
      await ended
    })
    await once(dispatcher.stdout, 'data')
    const begunMs = performance.now()
    const seconds = () => Math.round((performance.now() - begunMs) / 1_000)
    /** How many of these endpoints lack something. */
    const behind = (kinds: readonly Kind[], events: number) =>
      arrived.filter((ids, place) => kinds.includes(kindOf(place)) && ids.size < events).length
    const until = { timeout: 900_000, interval: 100 }

    await expect.poll(() => behind(['healthy'], EVENTS), until).toBe(0)
    const healthyAfter = seconds()
    await expect.poll(() => behind(['slow', 'refuses some'], EVENTS), until).toBe(0)
    const slowAfter = seconds()
    expect(behind(['hangs', 'refuses'], EVENTS)).toBe(
      [...arrived.keys()].filter((place) => place % 10 < 2).length,
    )

    mended = true
    for (const response of hanging) response.socket?.destroy()
    // The first success of an endpoint after its failures has those sent again that had failed five times.
    await world.happens('published')
    const all = ['hangs', 'refuses', 'slow', 'refuses some', 'healthy'] as const
    while (behind(all, EVENTS + 1) > 0) {
      await world.skipWaits()
      await autoReplay(db)
      await delay(200)
    }
    const { peak } = memoryOf(dispatcher.pid!)
    if (EVENTS >= 1_000) console.log({ healthyAfter, slowAfter, allAfter: seconds(), doubled, peak })

    expect(peak).toBeLessThan(MEMORY_BYTES)
  },
)
