import { expect, test } from 'vitest'
import { contentChange, textsOn } from './series-texts.ts'

const both = { channelIds: ['a', 'b'], text: 'Tip' }
const turns = { channelIds: ['a'], contents: [{ text: 'One', mediaIds: ['m'] }, { text: 'Two' }] }
const own = {
  targets: [
    { channelId: 'a', text: 'For A', settings: { visibility: 'public' } },
    { channelId: 'b', text: 'For B' },
  ],
}

test('nothing is sent of what stays', () => {
  expect(contentChange(both, ['b', 'a'], ['Tip'])).toEqual({})
  expect(contentChange(turns, ['a'], ['One', 'Two'])).toEqual({})
  expect(contentChange(own, ['a', 'b'], ['For A', 'For B'])).toEqual({})
})

test('channels and texts are changed apart', () => {
  expect(contentChange(both, ['a', 'c'], ['Tip'])).toEqual({ channelIds: ['a', 'c'] })
  expect(contentChange(both, ['a', 'b'], ['Better'])).toEqual({ text: 'Better' })
  expect(contentChange(turns, ['a', 'b'], ['One', 'Second'])).toEqual({
    channelIds: ['a', 'b'],
    contents: [{ text: 'One', mediaIds: ['m'] }, { text: 'Second' }],
  })
})

test('where each channel has its own text, one that is added begins with the first, and what else others have stays', () => {
  expect(textsOn(own, ['a', 'c'])).toEqual([
    { channelId: 'a', text: 'For A' },
    { channelId: 'c', text: 'For A' },
  ])
  expect(contentChange(own, ['a', 'c'], ['For A', 'For C'])).toEqual({
    targets: [own.targets[0], { channelId: 'c', text: 'For C' }],
  })
})
