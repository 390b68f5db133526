import { expect, test } from 'vitest'
import { begunAt, completed, suggestionsFor, usedIn } from './suggest.ts'

test('a mention or hashtag is begun at the caret, and nowhere else', () => {
  expect(begunAt('Hello #cof', 10)).toEqual({ from: 6, word: '#cof' })
  expect(begunAt('@', 1)).toEqual({ from: 0, word: '@' })
  expect(begunAt('(@ada.ex', 8)).toEqual({ from: 1, word: '@ada.ex' })
  expect(begunAt('mail@example', 12)).toBe(null)
  expect(begunAt('#coffee', 3)).toBe(null)
  expect(begunAt('#coffee ', 8)).toBe(null)
})

test('what was used most is suggested first, whatever its case', () => {
  const used = usedIn(['#Tea and #coffee, @ada.example.', '#coffee (#coffeeBreak) mail@example.com'])
  expect(used).toEqual(['#coffee', '#Tea', '@ada.example', '#coffeeBreak'])
  expect(suggestionsFor({ from: 0, word: '#COF' }, used, 5)).toEqual(['#coffee', '#coffeeBreak'])
  expect(suggestionsFor({ from: 0, word: '#coffee' }, used, 5)).toEqual(['#coffeeBreak'])
  expect(suggestionsFor({ from: 0, word: '@' }, used, 5)).toEqual(['@ada.example'])
})

test('a suggestion takes the place of what was begun, and nothing else moves', () => {
  const begun = { from: 6, word: '#cof' }
  expect(completed('Hello #cof', 10, begun, '#coffee')).toEqual({ text: 'Hello #coffee ', caret: 14 })
  expect(completed('Hello #cof\nall', 10, begun, '#coffee')).toEqual({
    text: 'Hello #coffee\nall',
    caret: 14,
  })
})
