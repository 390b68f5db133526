import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { Unready } from '../edge/operations/refusal.ts'
import { WorkerFault } from '../platform/process/worker-pool.ts'
import { notReady } from './not-ready.ts'
import { type MediaParts, receiveUpload } from './upload-media.ts'

const fault = (code: string) => Object.assign(new Error(`${code}: no more`), { code })

test.each(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EROFS'])(
  '%s passes: the client is told to come back',
  async (code) => {
    await expect(notReady(() => Promise.reject(fault(code)))).rejects.toThrow(Unready)
  },
)

test('a worker that could not be started passes, and whatever else is thrown does not', async () => {
  await expect(notReady(() => Promise.reject(new WorkerFault('no process')))).rejects.toThrow(Unready)
  await expect(notReady(() => Promise.reject(fault('EACCES')))).rejects.toThrow('EACCES')
})

test('an upload that runs out of descriptors is not ready, and is logged', async () => {
  const logged: unknown[] = []
  const parts = {
    tempFiles: {
      newPath: () => join(tmpdir(), randomUUID()),
      remove: (path: string) => rm(path, { force: true }),
    },
    limits: { maxBytes: { image: 1, video: 1, audio: 1, document: 1 } },
    log: { error: (about: unknown) => logged.push(about) },
  } as unknown as MediaParts
  const bytes = Readable.from(
    (async function* () {
      yield Buffer.alloc(1)
      throw fault('EMFILE')
    })(),
  )
  expect(await receiveUpload(parts, 'w', { bytes, claimedType: null })).toMatchObject({
    refused: 'not_ready',
    facts: { retryAfterSeconds: 60 },
  })
  expect(logged).toHaveLength(1)
})
