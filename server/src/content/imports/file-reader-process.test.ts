import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { FileJob } from './told-file.ts'
import { TERMINAL_SIGNALS } from '../../platform/process/stop-signals.ts'

async function startWorker() {
  const child = fork(join(import.meta.dirname, 'file-reader-process.ts'), [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

const JOB: FileJob = {
  format: 'csv',
  file: 'text\nHello\n',
  name: 'a file',
  channelIds: [],
  channels: [],
  timeZone: 'UTC',
  mostPosts: 10,
}

test.each(TERMINAL_SIGNALS)('a worker is left running by the %s of a terminal', async (signal) => {
  const child = await startWorker()
  child.kill(signal)
  child.send({ id: 1, job: JOB })
  const ended = once(child, 'exit').then(([, by]) => by as string)
  const answered = once(child, 'message').then(([{ id }]) => id as number)
  expect(await Promise.race([answered, ended])).toBe(1)
})

test('a worker ends by SIGTERM, and with its parent', async () => {
  const [one, other] = [await startWorker(), await startWorker()]
  one.kill('SIGTERM')
  expect(await once(one, 'exit')).toEqual([null, 'SIGTERM'])
  other.disconnect()
  expect(await once(other, 'exit')).toEqual([0, null])
})
