import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { ownChild } from './own-child.ts'

test('a process that cannot be started, or a pipe that breaks, ends nothing', async () => {
  const absent = spawn('/there/is/nothing', { stdio: 'pipe' })
  ownChild(absent)
  await new Promise((resolve) => absent.once('close', resolve))

  const reading = spawn(process.execPath, ['-e', 'process.stdin.destroy(); setTimeout(() => {}, 500)'])
  ownChild(reading)
  const writing = setInterval(() => reading.stdin.write('a'.repeat(100_000)), 5)
  const [code] = (await once(reading, 'close')) as [number]
  clearInterval(writing)
  expect(code).toBe(0)
})
