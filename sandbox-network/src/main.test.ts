import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-network-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function launch(...args: string[]) {
  const child = spawn(process.execPath, [main, '--port', '0', ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit') as Promise<[exitCode: number | null, signal: string | null]>
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { listening } = JSON.parse(line) as { listening: string }
  return { child, ended, url: listening }
}

async function send(url: string, body: unknown, token = ''): Promise<any> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return response.json()
}

test('every answered post survives kill -9 in the midst of traffic', async () => {
  const data = aFolder()
  const before = await launch('--data', data)
  const { token } = await send(`${before.url}/control/accounts`, { handle: 'ada', profile: 'short' })
  const answered: string[] = []
  let next = 0
  const writers = Array.from({ length: 8 }, async () => {
    for (;;) {
      const text = `post ${(next += 1)}`
      const created = await send(`${before.url}/api/v1/posts`, { text }, token).catch(() => null)
      if (created === null) return
      answered.push(created.id)
      if (answered.length === 200) before.child.kill('SIGKILL')
    }
  })
  await Promise.all(writers)
  await before.ended

  const after = await launch('--data', data)
  const headers = { authorization: `Bearer ${token}` }
  const looks = await Promise.all(
    answered.map(async (id) => (await fetch(`${after.url}/api/v1/posts/${id}`, { headers })).status),
  )
  expect(answered.length).toBeGreaterThanOrEqual(200)
  expect(new Set(looks)).toEqual(new Set([200]))
  const created = await send(`${after.url}/api/v1/posts`, { text: 'after' }, token)
  expect(Number(created.id)).toBeGreaterThan(Number(answered.toSorted().at(-1)))
})

test('fault plans and played directives survive kill -9', async () => {
  const data = aFolder()
  const before = await launch('--data', data)
  const { token } = await send(`${before.url}/control/accounts`, { handle: 'ada', profile: 'short' })
  await send(`${before.url}/api/v1/posts`, { text: 'x #sandbox:rate-limit' }, token)
  await send(`${before.url}/control/faults`, { fault: { kind: 'outage' }, times: 2 })
  await send(`${before.url}/api/v1/posts`, { text: 'y' }, token)
  before.child.kill('SIGKILL')
  await before.ended

  const { url } = await launch('--data', data)
  expect((await send(`${url}/api/v1/posts`, { text: 'y' }, token)).error.code).toBe('outage')
  expect(await send(`${url}/api/v1/posts`, { text: 'x #sandbox:rate-limit' }, token)).toMatchObject({
    status: 'published',
  })
})

test('a second process cannot open the same data', async () => {
  const data = aFolder()
  await launch('--data', data)
  const second = spawn(process.execPath, [main, '--port', '0', '--data', data], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void second.kill('SIGKILL'))
  let stderr = ''
  second.stderr.on('data', (chunk) => (stderr += chunk))
  expect(await once(second, 'close')).toEqual([1, null])
  expect(stderr).toContain('another process')
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops it cleanly', async (signal) => {
  const { child, ended } = await launch('--data', ':memory:')
  child.kill(signal)
  expect(await ended).toEqual([0, null])
})

test('it goes with its parent when told to', async () => {
  const { child, ended } = await launch('--data', ':memory:', '--exit-with-stdin')
  child.stdin.end()
  expect(await ended).toEqual([0, null])
})

test('without being told to it outlives its standard input', async () => {
  const { child, url } = await launch('--data', ':memory:')
  child.stdin.end()
  await once(child.stdin, 'close')
  expect((await fetch(url)).status).toBe(200)
})

test('posts are public under the address given', async () => {
  const { url } = await launch('--data', ':memory:', '--public-base-url', 'https://social.example/')
  const ada = await send(`${url}/control/accounts`, { handle: 'ada', profile: 'short' })
  expect(ada.url).toBe('https://social.example/@ada')
})

test.each([
  [[], '--data is required'],
  [['--data', ':memory:', '--port', 'x'], '--port must be'],
  [['--data', ':memory:', '--faults'], '--faults'],
])('arguments %j are refused with exit code 2 and the usage', async (args, reason) => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  expect(await once(child, 'close')).toEqual([2, null])
  expect(stderr).toContain(reason)
  expect(stderr).toContain('Usage:')
})
