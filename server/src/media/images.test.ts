import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import sharp from 'sharp'
import { anAnimation, aPhoto } from '../../test/rigs/media-files.ts'
import { fitImage, fittedSize } from './images.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-images-'))
})
afterAll(() => rm(folder, { recursive: true }))

test.each([
  ['one that fits already', [800, 600], [800, 600]],
  ['a wide one', [2_000, 500], [1_000, 250]],
  ['a high one', [500, 2_000], [250, 1_000]],
  ['one thinner than a pixel when it is scaled', [2, 9_000], [1, 1_000]],
  ['one flatter than a pixel when it is scaled', [9_000, 2], [1_000, 1]],
])('%s keeps within the bounds of a network in both directions', async (what, [width, height], fitted) => {
  const from = join(folder, what.replaceAll(' ', '-'))
  await writeFile(from, await aPhoto(width, height))
  const bounds = { contentTypes: ['image/jpeg'], maxBytes: 5_000_000, maxWidth: 1_000, maxHeight: 1_000 }
  const made = await fitImage({ type: 'fit', from, to: `${from}-fitted`, contentType: 'image/jpeg', bounds })
  expect([made.width, made.height]).toEqual(fitted)
})

test.each([
  [['image/jpeg'], 'jpeg', 1],
  [['image/gif'], 'gif', 3],
  [['image/webp', 'image/gif'], 'webp', 3],
])('an animation within %j becomes %s with %i frames', async (contentTypes, format, frames) => {
  for (const own of ['gif', 'webp'] as const) {
    const from = join(folder, `${own}-${format}-${frames}`)
    await writeFile(from, await anAnimation(own))
    const bounds = { contentTypes, maxBytes: 5_000_000, maxWidth: 20, maxHeight: 20 }
    const to = `${from}-fitted`
    const made = await fitImage({ type: 'fit', from, to, contentType: `image/${own}`, bounds })
    const { pages = 1, format: written } = await sharp(to).metadata()
    expect([pages, made.animated]).toEqual([frames, frames > 1])
    if (!contentTypes.includes(`image/${own}`)) expect(written).toBe(format)
  }
})

test('a picture keeps its ratio when it is scaled, to the pixel', () => {
  const heights = Array.from({ length: 4_750 }, (_, at) => at + 251)
  const box = { maxWidth: 5_000, maxHeight: 5_000 }
  const others = heights.filter((height) => {
    const made = fittedSize({ width: 20 * height, height }, box)
    return made.width !== 5_000 || made.height !== 250
  })
  expect(others).toEqual([])
})
