import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { apiNames, faultsOf, loneTexts, readRules, textsOf } from './words-rules.ts'

const rules = readRules([
  { not: 'cut off', but: '“revoke”', in: ['ui'] },
  { not: ';', but: 'two sentences', in: ['ui'] },
])

test('a word that is not ours, two sentences in one, and one that is too long are found on pages alone', () => {
  expect(faultsOf('It is Cut off; sorry.', 'ui', rules)).toHaveLength(2)
  expect(faultsOf('It is cut off.', 'docs', rules)).toEqual([])
  expect(faultsOf('It was revoked.', 'ui', rules)).toEqual([])
  expect(faultsOf(`${'word '.repeat(31)}.`, 'ui', rules)).toHaveLength(1)
})

test('texts are read from strings and templates, and found among elements', () => {
  const source = 'const words = { a: "One", b: (n: number) => `${n} posts` }'
  expect(textsOf(parseSync('words.ts', source).program)).toEqual(['One', '… posts'])
  const screen = '<Page title="Posts"><p>{words.a} and more</p></Page>'
  expect(loneTexts(parseSync('screen.tsx', screen).program)).toEqual(['Posts', 'and more'])
  expect(loneTexts(parseSync('screen.tsx', '<p title={words.a}>{words.b(1)}</p>').program)).toEqual([])
})

test('names of the API are found in what people read; what is quoted, and what others have named, is none', () => {
  expect(apiNames('`publishAt` is missing; give `text` or altText, not partially_published.')).toEqual([
    'publishAt',
    'text',
    'altText',
    'partially_published',
  ])
  expect(apiNames('The columns “text” and “publishAt”, or „channelIds“.')).toEqual([])
  expect(apiNames('YouTube, LinkedIn and 1,000 posts at https://a.example/someThing?thread_id=1')).toEqual([])
  expect(apiNames('Ask your operator to run `postrider doctor`.')).toEqual([])
})
