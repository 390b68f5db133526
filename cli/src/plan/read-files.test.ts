import { expect, test } from 'vitest'
import { parseText } from './read-files.ts'

const NAMES = 'bcdefghi'
/** Nine times nine times nine …, in a few lines. */
const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...Array.from(
    NAMES,
    (name, n) =>
      `${name}: &${name} [${Array(9)
        .fill(`*${`a${NAMES}`[n]}`)
        .join(', ')}]`,
  ),
].join('\n')

test.each([
  ['a bomb of aliases', bomb, 'Excessive alias count'],
  ['an alias of nothing', 'plan: *nope', 'Unresolved alias'],
  ['an alias of itself', 'a: &a [*a]', 'circular structure'],
  ['a key twice', 'plan: a\nplan: b', 'Map keys must be unique'],
  ['tabs as indents', 'plan: a\nposts:\n\t- id: x', 'Tabs are not allowed'],
  ['several documents', 'plan: a\n---\nplan: b', 'multiple documents'],
])('%s is a fault of the file, with its place', (_what, text, said) => {
  const { source, faults } = parseText('plan.yaml', text, '.')
  expect(source.value).toBeNull()
  expect(faults[0]).toMatchObject({
    file: 'plan.yaml',
    line: expect.any(Number),
    message: expect.stringContaining(said),
  })
})

test('a file from elsewhere reads as any other: with a byte order mark, line ends of Windows, times without quotes, aliases', () => {
  const read = (text: string) => parseText('plan.yaml', text, '.').source.value
  expect(read('\ufeffplan: a')).toEqual({ plan: 'a' })
  expect(read('plan: a\r\nchannels: [ada]\r\n')).toEqual({ plan: 'a', channels: ['ada'] })
  expect(read('publishAt: 2027-01-10T09:00:00Z')).toEqual({ publishAt: '2027-01-10T09:00:00Z' })
  expect(read('one: &one [1]\ntwo: *one')).toEqual({ one: [1], two: [1] })
  expect(read('plan: !!js/function "x"')).toEqual({ plan: 'x' })
})
