import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LinkTags } from './link-tags.ts'
import { tagLinks } from './tag-links.ts'

const rule: LinkTags = {
  parameters: [
    { name: 'utm_source', value: '{network}' },
    { name: 'utm_campaign', value: '{label}' },
  ],
  hosts: [],
}
const values = { channel: 'acme', network: 'bluesky', label: null }
const only = (...hosts: string[]): LinkTags => ({ ...rule, hosts })
const TAG = 'utm_source=bluesky'

test.each([
  ['a path', 'https://a.example/x', `https://a.example/x?${TAG}`],
  ['no path', 'https://a.example', `https://a.example/?${TAG}`],
  ['no path and a fragment', 'https://a.example#top', `https://a.example/?${TAG}#top`],
  ['a query', 'https://a.example/x?y=1', `https://a.example/x?y=1&${TAG}`],
  ['a query without a path', 'https://a.example?y=1', `https://a.example?y=1&${TAG}`],
  ['the end of a question', 'https://a.example/x?', `https://a.example/x?${TAG}?`],
  ['a query that ends in &', 'https://a.example/x?y=1&', `https://a.example/x?y=1&${TAG}`],
  ['a fragment with a question in it', 'https://a.example/x#/y?z', `https://a.example/x?${TAG}#/y?z`],
  ['a port', 'http://a.example:8080/x', `http://a.example:8080/x?${TAG}`],
  ['other letters', 'https://müller.example/straße', `https://müller.example/straße?${TAG}`],
  ['upper case', 'HTTPS://A.Example/X', `HTTPS://A.Example/X?${TAG}`],
  ['the end of a sentence', 'See https://a.example/x.', `See https://a.example/x?${TAG}.`],
  ['brackets', '(https://a.example/x)', `(https://a.example/x?${TAG})`],
  ['brackets of its own', 'https://a.example/x_(y)', `https://a.example/x_(y)?${TAG}`],
  ['Markdown', '[x](https://a.example/x)', `[x](https://a.example/x?${TAG})`],
  [
    'Markdown, and brackets of its own',
    '[x](https://a.example/x_(y)).',
    `[x](https://a.example/x_(y)?${TAG}).`,
  ],
  ['brackets within brackets', '(https://a.example/x_(y))', `(https://a.example/x_(y)?${TAG})`],
  [
    'itself as what Markdown shows',
    '[https://a.example/x](https://a.example/y)',
    `[https://a.example/x?${TAG}](https://a.example/y?${TAG})`,
  ],
  [
    'German quotes',
    '„https://a.example/x“ und ‚https://a.example/y‘',
    `„https://a.example/x?${TAG}“ und ‚https://a.example/y?${TAG}‘`,
  ],
  [
    'English quotes',
    '“https://a.example/x” or ‘https://a.example/y’',
    `“https://a.example/x?${TAG}” or ‘https://a.example/y?${TAG}’`,
  ],
  ['French quotes', '«https://a.example/x»', `«https://a.example/x?${TAG}»`],
  [
    'a Chinese sentence',
    '看https://a.example/x。（https://a.example/y），好',
    `看https://a.example/x?${TAG}。（https://a.example/y?${TAG}），好`,
  ],
  ['bold type', '**https://a.example/x**', `**https://a.example/x?${TAG}**`],
  ['angle brackets', '<https://a.example/x>', `<https://a.example/x?${TAG}>`],
  [
    'two of them',
    'https://a.example/1 https://b.example/2',
    `https://a.example/1?${TAG} https://b.example/2?${TAG}`,
  ],
])('a link with %s', (_what, text, tagged) => {
  expect(tagLinks(text, rule, values)).toBe(tagged)
})

test.each([
  ['one that has a parameter of the rule', 'https://a.example/x?UTM_Source=mine'],
  ['one in the second of two pieces of code', '`x` `https://a.example/x`'],
  ['one in code', 'Run `curl https://a.example/x` or\n```\nhttps://a.example/y\n```'],
  ['an address without https', 'a.example/x'],
  ['a mention', '@ada@a.example and @a.example'],
  ['what is no address', 'https://'],
  ['no link', 'Hello'],
])('stays as it is: %s', (_what, text) => {
  expect(tagLinks(text, rule, values)).toBe(text)
})

test('only the hosts that the rule names, and those below them, in any spelling', () => {
  const tagged = (link: string, ...hosts: string[]) => tagLinks(link, only(...hosts), values) !== link
  expect(tagged('https://a.example/x', 'a.example')).toBe(true)
  expect(tagged('https://shop.A.example/x', 'a.example')).toBe(true)
  expect(tagged('https://xn--mller-kva.example/x', 'Müller.example')).toBe(true)
  expect(tagged('https://müller.example/x', 'xn--mller-kva.example')).toBe(true)
  expect(tagged('https://other.example/x', 'a.example')).toBe(false)
  expect(tagged('https://nota.example/x', 'a.example')).toBe(false)
  expect(tagged('https://a.example.evil.test/x', 'a.example')).toBe(false)
})

test('fields are filled in and encoded, and what comes out empty is left out', () => {
  const all = {
    parameters: [
      { name: 'c', value: '{network} {label}, {channel}!' },
      { name: 'd', value: '{label}' },
    ],
    hosts: [],
  }
  const text = 'https://a.example/x'
  expect(tagLinks(text, all, { ...values, label: 'Spring (sale)' })).toBe(
    `${text}?c=bluesky%20Spring%20%28sale%29%2C%20acme%21&d=Spring%20%28sale%29`,
  )
  expect(tagLinks(text, { ...all, parameters: all.parameters.slice(1) }, values)).toBe(text)
  expect(tagLinks(text, { ...all, parameters: [{ name: 'c', value: 'Acme Inc.' }] }, values)).toBe(
    `${text}?c=Acme%20Inc%2E`,
  )
})

test('what is tagged is not tagged again, and the rest of a text stays, whatever it is', () => {
  const pieces = fc.constantFrom(
    'https://a.example',
    '/x',
    '?y=1',
    '#z',
    ' ',
    '.',
    ')',
    '(',
    '`',
    '\n',
    '@ada',
    'ü',
    '&',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (words) => {
      const text = words.join('')
      const tagged = tagLinks(text, rule, values)
      expect(tagLinks(tagged, rule, values)).toBe(tagged)
      const letters = (from: string) => from.replaceAll(TAG, '').replaceAll(/[?&/]/g, '')
      expect(letters(tagged)).toBe(letters(text))
    }),
  )
})
