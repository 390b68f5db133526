import { expect, test } from 'vitest'
import { outOfRatio, shownShare } from './shown-ratio.ts'

test('what a network cuts is told, and a pixel is no other ratio', () => {
  expect(outOfRatio('x', { width: 2_001, height: 1_000 })).toBe(null)
  expect(outOfRatio('x', { width: 2_100, height: 1_000 })).toMatchObject({ is: 'wide', limit: [2, 1] })
  expect(outOfRatio('linkedin', { width: 900, height: 1_600 })).toMatchObject({ is: 'tall', limit: [4, 5] })
  expect(outOfRatio('linkedin', { width: 2_000, height: 1_000 })).toBe(null)
  expect(outOfRatio('linkedin', { width: 3_100, height: 1_000 })).toMatchObject({ is: 'wide', limit: [3, 1] })
  expect(outOfRatio('bluesky', { width: 9_000, height: 100 })).toBe(null)
  expect(outOfRatio('mastodon', { width: 1, height: 1_000 })).toBe(null)
})

test('of a picture that is cut, the share is named that is shown', () => {
  const share = (provider: string, width: number, height: number) =>
    shownShare({ width, height }, outOfRatio(provider, { width, height })!)
  expect(share('x', 600, 1_600)).toBeCloseTo(0.5)
  expect(share('x', 4_000, 1_000)).toBeCloseTo(0.5)
  expect(share('bluesky', 100, 800)).toBeCloseTo(0.25)
})
