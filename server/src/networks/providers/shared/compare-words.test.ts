import { expect, test } from 'vitest'
import { mayBeSameText } from './compare-words.ts'

test.each([
  ['Read https://example.com/a now', 'Read https://sho.rt/x now'],
  ['Read example.com now', 'Read https://example.com/ now'],
  ['Read example.com/a?b=1, now!', 'Read https://sho.rt/x, now!'],
  ['Read (bücher.example) now', 'Read now'],
  ['At the end.Next one', 'At the end. Next one'],
  ['Hello', 'Hello!\n\nsent by a bot'],
  ['Hello @bob@social.example', 'Hello @bob'],
])('%j may have become %j', (one, other) => {
  expect(mayBeSameText(one, other)).toBe(true)
  expect(mayBeSameText(other, one)).toBe(true)
})

test.each([
  ['Read example.com now', 'Read example.com later'],
  ['Version 3.5 is out', 'Version 3.6 is out'],
  ['Hello', 'Good morning'],
])('%j is not %j', (one, other) => {
  expect(mayBeSameText(one, other)).toBe(false)
})

test('a text of one long word is compared in no time', () => {
  const word = 'a'.repeat(25_000)
  const begun = performance.now()
  expect(mayBeSameText(`${word}b`, `c${word}d`)).toBe(false)
  expect(performance.now() - begun).toBeLessThan(1_000)
})
