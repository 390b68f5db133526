import { expect, test } from 'vitest'
import { mediaTypes } from './media.ts'
import { mediaTypeName } from './media-names.ts'

test('each type of media has a name of its own within its kind, and another is told as it is', () => {
  for (const types of Object.values(mediaTypes)) {
    const names = types.map(mediaTypeName)
    expect(new Set(names).size).toBe(types.length)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9]{3,4}$/)
  }
  expect(mediaTypeName('video/quicktime')).toBe('MOV')
  expect(mediaTypeName('audio/mpeg')).toBe('MP3')
  expect(mediaTypeName('video/x-new')).toBe('video/x-new')
})
