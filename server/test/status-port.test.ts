import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../src/platform/config/config.ts'
import { freePort } from './rigs/free-port.ts'
import { openRunningApp } from './rigs/running-app.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

test('a process without the API answers whether it lives, can work, and what it measures as the page on operating says, and nothing else', async () => {
  const port = await freePort()
  await using app = await openRunningApp({ roles: 'publisher,webhooks', env: { STATUS_PORT: String(port) } })
  const ask = (path: string) => app.ask('GET', path, { at: `http://127.0.0.1:${port}` })

  expect(await ask('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
  // A database that is slow for a moment is a warning, too.
  await expect
    .poll(() => ask('/readyz'), { timeout: 30_000 })
    .toMatchObject({
      status: 200,
      body: { status: 'ready', workers: [{ roles: ['publisher', 'webhooks'], alive: true }], warnings: [] },
    })
  const metrics = [...(await ask('/metrics')).text.matchAll(/^# HELP (postrider_\w+)/gm)].map(
    ([, name]) => name!,
  )
  expect(metrics).toContain('postrider_webhook_deliveries_in_flight')
  const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  expect([...page.matchAll(/`(postrider_\w+)`/g)].map(([, name]) => name!).toSorted()).toEqual(
    metrics.toSorted(),
  )
  expect((await ask('/agent/v1/me')).status).toBe(404)
})

test('each metric that a page, a rule or the board names is there', () => {
  const docs = join(import.meta.dirname, '../../docs')
  const known = new Set(
    readFileSync(join(docs, 'operating.md'), 'utf8')
      .match(/`postrider_\w+`/g)
      ?.map((name) => name.slice(1, -1)),
  )
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(md|json|yml)$/.test(name),
  )
  const named = pages.flatMap((page) => {
    const names = readFileSync(join(docs, page), 'utf8').match(/\bpostrider_[a-z]+_\w+/g) ?? []
    return names.map((name) => ({ page, name: name.replace(/_(bucket|sum|count)$/, '') }))
  })

  expect(named.filter(({ page }) => page === 'high-availability.md').length).toBeGreaterThan(2)
  expect(named.filter(({ name }) => !known.has(name))).toEqual([])
})

test('a taken port is named by its setting, and two settings never share one', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  await expect(openRunningApp({ roles: 'webhooks', env: { STATUS_PORT: String(port) } })).rejects.toThrow(
    'set STATUS_PORT to a free port',
  )
  taken.close()
  if (hasIpv6) {
    // What browsers ask first for `localhost`.
    const half = createServer().listen({ host: '::1', port, ipv6Only: true })
    await once(half, 'listening')
    await expect(openRunningApp({ roles: 'webhooks', env: { STATUS_PORT: String(port) } })).rejects.toThrow(
      `Another program listens on [::1]:${port}, perhaps another Postrider. Stop it, or set STATUS_PORT`,
    )
    half.close()
  }
  for (const other of ['PORT', 'SANDBOX_PORT'])
    expect(readConfig({ [other]: '4400', STATUS_PORT: '4400' })).toMatchObject({
      faults: [`${other} and STATUS_PORT are both 4400.`],
    })
})
