import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordDiff } from './word-diff.ts'

test('words that changed stand beside those that stayed', () => {
  expect(wordDiff('We launch on Monday!', 'We launch on Tuesday!')).toEqual([
    { kind: 'same', text: 'We launch on ' },
    { kind: 'removed', text: 'Monday' },
    { kind: 'added', text: 'Tuesday' },
    { kind: 'same', text: '!' },
  ])
})

test('both texts can be read back from it, whatever they are', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', ' ', '\n', 'word', 'ß', '👍'), { maxLength: 30 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = wordDiff(before, after)
      const without = (kind: string) =>
        diff
          .filter((run) => run.kind !== kind)
          .map((run) => run.text)
          .join('')
      expect(without('added')).toBe(before)
      expect(without('removed')).toBe(after)
    }),
  )
})
