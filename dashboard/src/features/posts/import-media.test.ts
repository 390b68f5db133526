import { expect, test } from 'vitest'
import { nextNames } from './import-media.ts'

test('of files with one name in several folders, one is chosen at a time', () => {
  expect(nextNames(['a/1.png', 'b/1.png', 'a/2.png'])).toEqual(['a/1.png', 'a/2.png'])
  expect(nextNames(['b/1.png'])).toEqual(['b/1.png'])
})
