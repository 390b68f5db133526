import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { freePort } from './free-port.ts'
import { openRunningApp } from './running-app.ts'

test('a process without the API answers whether it lives, can work, and what it measures, and nothing else', async () => {
  const port = await freePort()
  await using app = await openRunningApp({ roles: 'publisher,webhooks', env: { STATUS_PORT: String(port) } })
  const ask = (path: string) => app.ask('GET', path, { at: `http://127.0.0.1:${port}` })

  expect(await ask('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await ask('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ready', workers: [{ roles: ['publisher', 'webhooks'], alive: true }] },
  })
  expect((await ask('/metrics')).text).toContain('postrider_webhook_deliveries_in_flight')
  expect((await ask('/agent/v1/me')).status).toBe(404)
})

test('a taken port is named by its setting, and two settings never share one', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  await expect(openRunningApp({ roles: 'webhooks', env: { STATUS_PORT: String(port) } })).rejects.toThrow(
    'set STATUS_PORT to a free port',
  )
  taken.close()
  for (const other of ['PORT', 'SANDBOX_PORT'])
    expect(readConfig({ [other]: '4400', STATUS_PORT: '4400' })).toMatchObject({
      faults: [`${other} and STATUS_PORT are both 4400.`],
    })
})
