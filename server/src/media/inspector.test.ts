import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aBomb, anAnimation, aPhoto } from '../../test/media-files.ts'
import { openInspector } from './inspector.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-inspector-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
async function clean(bytes: Buffer, contentType: string, maxPixels = 50_000_000) {
  const from = join(folder, `file-${++files}`)
  await writeFile(from, bytes)
  return { do: 'clean', from, to: `${from}-clean`, contentType, maxPixels } as const
}

const objection = (words: string) => ({ objection: expect.stringContaining(words) as string })

describe('a bomb', () => {
  test('of too many pixels is refused by its header', async () => {
    const inspector = openInspector({ processes: 1 })
    expect(await inspector.inspect(await clean(aBomb(30_000, 30_000), 'image/png'), 'w')).toEqual(
      objection('30000 × 30000'),
    )
    const frames = await anAnimation('gif', 50)
    expect(await inspector.inspect(await clean(frames, 'image/gif', 10_000), 'w')).toEqual(
      objection('The animation has'),
    )
    await inspector.stop()
  })

  test('that takes too long is dropped, and the next file is read', async () => {
    const inspector = openInspector({ processes: 1, limitMs: 1_000 })
    const heavy = await clean(aBomb(22_000, 22_000), 'image/png', 500_000_000)
    expect(await inspector.inspect(heavy, 'w')).toEqual(objection('too long'))
    const photo = await clean(await aPhoto(), 'image/jpeg')
    expect(await inspector.inspect(photo, 'w')).toMatchObject({ contentType: 'image/jpeg' })
    await inspector.stop()
  })

  test.runIf(process.platform === 'linux')(
    'that takes too much memory is dropped, and the server is not',
    async () => {
      const inspector = openInspector({ processes: 1, maxResidentBytes: 60_000_000 })
      const heavy = await clean(aBomb(20_000, 20_000), 'image/png', 500_000_000)
      expect(await inspector.inspect(heavy, 'w')).toEqual(objection('memory'))
      await inspector.stop()
    },
  )
})

test('files wait for their turn, and each gets its own answer', async () => {
  const inspector = openInspector({ processes: 2 })
  const sizes = Array.from({ length: 12 }, (_, n) => 20 + n)
  const orders = await Promise.all(sizes.map(async (size) => clean(await aPhoto(size, 10), 'image/jpeg')))
  const found = await Promise.all(orders.map((order) => inspector.inspect(order, 'w')))
  expect(found.map((one) => 'height' in one && one.height)).toEqual(sizes)
  await inspector.stop()
  await expect(inspector.inspect(orders[0]!, 'w')).rejects.toThrow('stopped')
})

test('a workspace whose files take for ever does not keep another one waiting', async () => {
  const inspector = openInspector({ processes: 2, limitMs: 20_000 })
  const endless = join(folder, 'endless.webm')
  // A segment of unknown size, and nothing in it: whoever looks for a table in it looks for long.
  const head =
    '1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701ffffffffffffff'
  await writeFile(endless, Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(5_000)]))
  const ended: string[] = []
  const note = (whose: string) => () => void ended.push(whose)
  const evil = [1, 2, 3].map(() =>
    inspector.inspect({ do: 'measure', from: endless }, 'evil').then(note('evil'), note('evil')),
  )
  const photo = await clean(await aPhoto(), 'image/jpeg')
  expect(await inspector.inspect(photo, 'good')).toMatchObject({ contentType: 'image/jpeg' })
  expect(ended).toEqual([])
  await inspector.stop()
  await Promise.all(evil)
})
