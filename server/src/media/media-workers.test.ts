import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setTimeout as delay } from 'node:timers/promises'
import { aBomb, anAnimation, aPhoto } from '../../test/rigs/media-files.ts'
import { childrenOf } from '../../test/rigs/media-server.ts'
import { openMediaWorkers } from './media-workers.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-workers-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
async function clean(bytes: Buffer, contentType: string, maxPixels = 50_000_000) {
  const from = join(folder, `file-${++files}`)
  await writeFile(from, bytes)
  return { type: 'clean', from, to: `${from}-clean`, contentType, maxPixels } as const
}

const w = { workspaceId: 'w', fileId: 'a file' }
const rejection = (words: string) => ({ rejected: expect.stringContaining(words) as string })

describe('a bomb', () => {
  test('of too many pixels is refused by its header', async () => {
    const workers = openMediaWorkers({ processes: 1 })
    expect(await workers.run(await clean(aBomb(30_000, 30_000), 'image/png'), w)).toEqual(
      rejection('30000 × 30000'),
    )
    const frames = await anAnimation('gif', 50)
    expect(await workers.run(await clean(frames, 'image/gif', 10_000), w)).toEqual(
      rejection('The animation has'),
    )
    await workers.stop()
  })

  test('that takes too long is killed, and the next file is decoded', async () => {
    const workers = openMediaWorkers({ processes: 1, limitMs: 1_000 })
    const heavy = await clean(aBomb(22_000, 22_000), 'image/png', 500_000_000)
    expect(await workers.run(heavy, w)).toEqual(rejection('too long'))
    const photo = await clean(await aPhoto(), 'image/jpeg')
    // On a busy machine, even this may take longer than the second that a job has.
    const decoded = () => workers.run(photo, { ...w, fileId: randomUUID() })
    await expect.poll(decoded, { timeout: 30_000 }).toMatchObject({ contentType: 'image/jpeg' })
    await workers.stop()
  })

  test.runIf(process.platform === 'linux')(
    'that takes too much memory is killed, and the server is not',
    async () => {
      const workers = openMediaWorkers({ processes: 1, maxResidentBytes: 60_000_000 })
      const heavy = await clean(aBomb(20_000, 20_000), 'image/png', 500_000_000)
      expect(await workers.run(heavy, w)).toEqual(rejection('memory'))
      await workers.stop()
    },
  )
})

describe.runIf(process.platform === 'linux')('a worker that is killed by somebody else', () => {
  const busy = () => clean(aBomb(12_000, 12_000), 'image/png', 150_000_000)
  const fault = { name: 'WorkerFault', message: 'a worker died: SIGKILL' }

  /** Kills the process at work, as soon as it has begun to write its result. */
  async function killWorkers({ to }: { to: string }, times: number): Promise<void> {
    for (let killed = 0; killed < times; killed++) {
      while (!existsSync(to)) await delay(1)
      for (const pid of childrenOf(process.pid)) {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        if (command.includes('media-worker-process')) process.kill(pid, 'SIGKILL')
      }
      await rm(to)
    }
  }

  test('is replaced, and its file is decoded by another', async () => {
    const workers = openMediaWorkers({ processes: 1 })
    const job = await busy()
    const [ended] = await Promise.all([workers.run(job, w), killWorkers(job, 1)])
    expect(ended).toMatchObject({ width: 12_000 })
    await workers.stop()
  })

  test('twice is no word on the file, unless its file has ended four', async () => {
    const workers = openMediaWorkers({ processes: 1 })
    const run = async () => {
      const job = await busy()
      const [ended] = await Promise.allSettled([workers.run(job, w), killWorkers(job, 2)])
      return ended
    }
    expect(await run()).toMatchObject({ status: 'rejected', reason: fault })
    expect(await run()).toMatchObject({ value: rejection('crashes every process') })
    // Of other files nothing is thought.
    const photo = await clean(await aPhoto(), 'image/jpeg')
    expect(await workers.run(photo, { ...w, fileId: 'another' })).toMatchObject({ contentType: 'image/jpeg' })
    await workers.stop()
  })
})

test('files wait for their turn, and each gets its own answer', async () => {
  const workers = openMediaWorkers({ processes: 2 })
  const sizes = Array.from({ length: 12 }, (_, n) => 20 + n)
  const jobs = await Promise.all(sizes.map(async (size) => clean(await aPhoto(size, 10), 'image/jpeg')))
  const found = await Promise.all(jobs.map((job) => workers.run(job, w)))
  expect(found.map((one) => 'height' in one && one.height)).toEqual(sizes)
  await workers.stop()
  await expect(workers.run(jobs[0]!, w)).rejects.toThrow('stopped')
})

test('a workspace whose files take for ever does not keep another one waiting', async () => {
  const workers = openMediaWorkers({ processes: 2, limitMs: 20_000 })
  const endless = join(folder, 'endless.webm')
  // A segment of unknown size, and nothing in it: whoever looks for a table in it looks for long.
  const head =
    '1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701ffffffffffffff'
  await writeFile(endless, Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(5_000)]))
  const ended: string[] = []
  const note = (whose: string) => () => void ended.push(whose)
  const evil = [1, 2, 3].map(() =>
    workers
      .run({ type: 'probe', from: endless }, { workspaceId: 'evil', fileId: 'endless' })
      .then(note('evil'), note('evil')),
  )
  const photo = await clean(await aPhoto(), 'image/jpeg')
  expect(await workers.run(photo, { workspaceId: 'good', fileId: 'photo' })).toMatchObject({
    contentType: 'image/jpeg',
  })
  expect(ended).toEqual([])
  await workers.stop()
  await Promise.all(evil)
})
