import { expect, test } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import { draw, openAiDouble } from '../../../test/doubles/ai-double.ts'
import { aWorkspace } from '../../../test/rigs/fixtures.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import type { MediaParts } from '../../media/upload-media.ts'
import { fingerprintOf } from '../../edge/operations/idempotency.ts'
import { createLog } from '../../platform/process/log.ts'
import { openModels } from './ask-model.ts'
import { imageWork } from './generate-image.ts'
import { generateOnce } from './generate-once.ts'

/** A disk on which every write fails for want of room. */
const FULL = '/dev/full'

test('a disk that is full after the image was made: told so, counted, nothing stored, and the key is free', async () => {
  await using world = await openWorld()
  await using double = await openAiDouble(draw)
  const { workspaceId } = await aWorkspace(world.db)
  const log = createLog({ level: 'silent' })
  const tempFiles = { newPath: () => FULL, remove: async () => undefined, sweep: async () => 0 }
  const models = openModels({
    openai: { apiKey: null, baseUrl: double.baseUrl },
    anthropic: { apiKey: null },
    google: { apiKey: null },
  })
  const work = imageWork(
    {
      db: world.db,
      log,
      draw: models.draw,
      timeoutMs: 10_000,
      leaseMs: 15_000,
      budget: { imagesPerDay: 10 },
      imageCatalog: [{ vendor: 'openai', model: 'painter' }],
      media: { db: world.db, log, tempFiles } as unknown as MediaParts,
    },
    workspaceId,
    { confirmed: true, prompt: 'A gate.', altText: 'A gate.', aspectRatio: '1:1', provider: 'openai' },
  )
  const fingerprint = fingerprintOf('generatePostImage', '/', {})
  const send = () =>
    generateOnce(
      { db: world.db, log, timeoutMs: 10_000, leaseMs: 15_000 },
      {
        request: { workspaceId, operation: 'generatePostImage', key: 'k', fingerprint },
        credentialId: uuidv7(),
        gone: new AbortController().signal,
        render: (answer) => ({ status: 201, body: JSON.stringify(answer) }),
      },
      work,
    )
  const told = await send()
  expect(told).toMatchObject({ refused: 'not_ready', facts: { retryAfterSeconds: 60 } })
  expect('detail' in told && told.detail).toMatch(
    /was made and counts .* Nothing was stored\. .* another image/,
  )
  expect(await send()).toMatchObject({ refused: 'not_ready' })
  expect(double.heard).toHaveLength(2)
  expect([...(await world.db`select status, failure, images, reserved_images from ai_generation`)]).toEqual(
    Array.from({ length: 2 }, () => ({
      status: 'failed',
      failure: 'not_ready',
      images: 1,
      reserved_images: 0,
    })),
  )
  expect(await world.db`select from media_item`).toHaveLength(0)
  await models.close()
})
