import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filledLength, fillText } from './fill-template.ts'

test('how long a text becomes is known without making it', () => {
  const pieces = fc.constantFrom('{{a}}', '{{ b }}', '{{c}}', '{{', '}}', 'x', ' ', '🙂', '\n')
  const text = fc.array(pieces).map((some) => some.join(''))
  const values = fc.record({ a: fc.string(), b: fc.string() }, { requiredKeys: [] })
  fc.assert(
    fc.property(text, values, (one, given) => {
      expect(filledLength(one, given)).toBe(fillText(one, given).length)
    }),
  )
  const large = { a: 'x'.repeat(1_000_000) }
  // More than a string can have.
  expect(filledLength('{{a}}'.repeat(1_000), large)).toBe(1_000_000_000)
})
