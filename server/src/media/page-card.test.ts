import { expect, test } from 'vitest'
import { growthOf } from '../../test/rigs/cpu-cost.ts'
import { readPageCard } from './page-card.ts'

const url = new URL('https://example.com/posts/1')
const read = (head: string) => readPageCard(`<!doctype html><html><head>${head}</head><body>`, url)

test('Open Graph comes before Twitter, and that before what every page has', () => {
  const title = '<title>Plain</title>'
  const twitter = '<meta name="twitter:title" content="Twitter">'
  const graph = '<meta property="og:title" content="Graph">'
  expect(read(title)?.title).toBe('Plain')
  expect(read(title + twitter)?.title).toBe('Twitter')
  expect(read(title + twitter + graph)?.title).toBe('Graph')
})

test.each([
  ['single quotes, upper case, any order', `<META content='A "title"' PROPERTY='og:title'>`, 'A "title"'],
  ['no quotes', '<meta property=og:title content=Title>', 'Title'],
  [
    'character references',
    '<meta property="og:title" content="a &amp; b &#38; c &#x26; d &nope; &#0;">',
    'a & b & c & d &nope; &#0;',
  ],
  ['a greater-than sign in quotes', '<meta property="og:title" content="a > b">', 'a > b'],
  ['white space', '<title>\n  a\n  b </title>', 'a b'],
  ['the first of several', '<title>one</title><title>two</title>', 'one'],
  ['a self-closing tag', '<meta property="og:title" content="x"/>', 'x'],
])('%s', (_, head, title) => {
  expect(read(head)?.title).toBe(title)
})

test('a page without a title has no card', () => {
  expect(read('')).toBeNull()
  expect(read('<title> </title><meta property="og:title" content="">')).toBeNull()
  expect(readPageCard('{"title":"no page"}', url)).toBeNull()
})

test('what stands in the body is no word of the page', () => {
  const body = '<body><meta property="og:title" content="forged">'
  expect(readPageCard(`<title>own</title>${body}`, url)?.title).toBe('own')
  expect(readPageCard(`<head></head><meta property="og:title" content="forged">`, url)).toBeNull()
})

test('the address of the picture is the page’s', () => {
  const picture = (content: string) => read(`<title>x</title><meta property="og:image" content="${content}">`)
  expect(picture('/a b.png?x=1&amp;y=2')?.pictureUrl?.href).toBe('https://example.com/a%20b.png?x=1&y=2')
  expect(picture('https://cdn.example/1.jpg')?.pictureUrl?.href).toBe('https://cdn.example/1.jpg')
  expect(picture('http://[')?.pictureUrl).toBeNull()
})

test('long texts are cut between characters', () => {
  const card = read(
    `<title>${'👩‍👩‍👧'.repeat(200)}</title><meta name="description" content="${'a'.repeat(3_000)}">`,
  )
  expect(card?.title).toMatch(/^(?:👩‍👩‍👧)+$/u)
  expect(Array.from(card?.title ?? '').length).toBeLessThanOrEqual(300)
  expect(card?.description).toHaveLength(1_000)
})

test.each([
  ['tags without an end', '<meta '],
  ['quotes without an end', '<meta property="'],
  ['angle brackets', '<'],
  ['equals signs', '<meta a=b a=b '],
])('a page of %s does not take the time of a square', (_, piece) => {
  const make = (size: number) => piece.repeat(Math.ceil(size / piece.length))
  expect(growthOf(make, (html) => readPageCard(html, url))).toBeLessThan(24)
})

test('a long name in many tags does not take the time of a square', () => {
  const make = (size: number) => `${'<meta '.repeat(199)}${'a'.repeat(size)}`
  // Eight times as much is what is read of a tag.
  expect(growthOf(make, (html) => readPageCard(html, url), { from: 350 })).toBeLessThan(24)
})
