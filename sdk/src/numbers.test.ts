import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Postrider } from './client.ts'
import { verifyWebhook } from './verify-webhook.ts'

const baseUrl = 'http://127.0.0.1:9'
const client = (options = {}) =>
  new Postrider({ key: 'pr_a', baseUrl, fetch: () => Promise.reject(new Error('was called')), ...options })

/** How each option that is a number is given, by its name. */
const given: Record<string, ((value: never) => Promise<unknown>)[]> = {
  maxRetries: [
    async (maxRetries) => client({ maxRetries }),
    async (maxRetries) => client().me({ maxRetries }),
  ],
  timeoutMs: [async (timeoutMs) => client({ timeoutMs }), async (timeoutMs) => client().me({ timeoutMs })],
  pollMs: [async (pollMs) => client().events.follow({}, { pollMs }).next()],
  toleranceSeconds: [async (toleranceSeconds) => verifyWebhook('', {}, '', { toleranceSeconds })],
  now: [async (now) => verifyWebhook('', {}, '', { now: () => now })],
}

/** All that the sources declare as optional numbers, but for what the API itself declares. */
const declared = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'api.ts')
  .flatMap((file) => [
    ...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(
      /readonly (\w+)\?: (?:number|\(\) => number)/g,
    ),
  ])
  .map(([, name = '']) => name)

test.each([...new Set(declared)])('%s that is no number is refused by name', async (name) => {
  const ways = given[name] ?? []
  expect(ways).not.toEqual([])
  for (const way of ways) {
    for (const value of [NaN, Infinity, -1, '', '300', null, {}, true])
      await expect(way(value as never)).rejects.toThrow(
        expect.objectContaining({
          name: 'TypeError',
          message: expect.stringMatching(new RegExp(`^${name} must be a number`)),
        }),
      )
  }
})
