import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { isOwnHost } from './control-host.ts'
import { startSandboxNetwork } from './network.ts'

test.each([
  ['127.0.0.1:4001', true],
  ['[::1]:4001', true],
  ['localhost:4001', true],
  ['LOCALHOST', true],
  ['sandbox:4001', true],
  ['sandbox.internal', true],
  ['a.localhost:80', true],
  ['social.example.com', true],
  ['evil.example', false],
  ['evil.example:4001', false],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
  ['internal', true],
  ['evilinternal.com', false],
  ['', false],
  ['a b', false],
  ['user@evil.example', false],
  [undefined, false],
])('Host %s is its own: %s', (host, own) => {
  expect(isOwnHost(host, ['0.0.0.0', 'social.example.com'])).toBe(own)
})

test('the control API is not reached by a name that anybody may register, and pages are', async () => {
  const network = await startSandboxNetwork({ memory: true, publicBaseUrl: 'https://social.example.com' })
  const statusOf = async (path: string, host: string) => {
    const sent = request(network.url + path, { headers: { host } }).end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    return answer.statusCode as number
  }
  expect(await statusOf('/control/accounts', 'rebound.example')).toBe(403)
  expect(await statusOf('/control/accounts', 'social.example.com')).toBe(200)
  expect(await statusOf('/control/accounts', new URL(network.url).host)).toBe(200)
  expect(await statusOf('/', 'rebound.example')).toBe(200)
  await network.close()
})
