import { expect, test } from 'vitest'
import { parseText } from './parse-text.ts'

/* A text is measured before a tree is made of it. */

const faultsOf = (text: string) =>
  parseText('plan.yaml', text, '').faults.map(({ line, column, message }) => `${line}:${column} ${message}`)
const levels = (count: number, open: string, close: string) => open.repeat(count) + close.repeat(count)

test.each([
  ['lists', `plan: p\nposts: ${levels(40, '[', ']')}`],
  ['mappings', `plan: p\nposts: ${levels(40, '{a: ', '}')}`],
  ['lists as blocks', `plan: p\nposts:\n  ${'- '.repeat(40)}x`],
  ['mappings as blocks', Array.from({ length: 40 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
  ['blocks around lists', `${'- '.repeat(20)}${levels(20, '[', ']')}`],
])('%s in each other, 40 deep: refused where it becomes too deep', (_, text) => {
  expect(faultsOf(text)).toEqual([expect.stringMatching(/^\d+:\d+ This is nested deeper than 32 levels/)])
})

test('the place is that of what is too much', () => {
  expect(faultsOf(`plan: p\nposts: ${levels(40, '[', ']')}`)[0]).toMatch(/^2:39 /)
})

test('too many values are refused', () => {
  expect(faultsOf(`[${'1,'.repeat(400_000)}]`)[0]).toContain('too many values')
})

test.each([
  ['blocks beside each other are not in each other', 'a:\n  - 1\nb:\n  - 2\n'],
  [
    'a long list',
    Array.from({ length: 500 }, (_, n) => `- id: a${n}\n  media:\n    - { file: x }\n`).join(''),
  ],
  ['marks in a text', `text: "${'[{- '.repeat(100)}"`],
  [
    'a text of many lines',
    `text: |\n${Array.from({ length: 60 }, (_, n) => `${' '.repeat(n + 2)}- x`).join('\n')}`,
  ],
])('%s', (_, text) => {
  expect(faultsOf(text)).toEqual([])
})
