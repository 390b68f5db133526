import { expect, test } from 'vitest'
import { readPageCard } from './page-card.ts'

const address = 'https://example.com/posts/1'
const pageOf = (html: string) =>
  readPageCard({ bytes: Buffer.from(html), contentType: 'text/html; charset=utf-8', address })
const read = async (head: string) => (await pageOf(`<!doctype html><html><head>${head}</head><body>`)).card

test('Open Graph comes before Twitter, and that before what every page has', async () => {
  const title = '<title>Plain</title>'
  const twitter = '<meta name="twitter:title" content="Twitter">'
  const graph = '<meta property="og:title" content="Graph">'
  expect((await read(title))?.title).toBe('Plain')
  expect((await read(title + twitter))?.title).toBe('Twitter')
  expect((await read(title + twitter + graph))?.title).toBe('Graph')
})

test('a page without a title has no card', async () => {
  expect(await read('')).toBeNull()
  expect(await read('<title> </title><meta property="og:title" content="">')).toBeNull()
  expect((await pageOf('{"title":"no page"}')).card).toBeNull()
})

test('what stands in the body is no word of the page', async () => {
  const body = '<body><meta property="og:title" content="forged">'
  expect((await pageOf(`<title>own</title>${body}`)).card?.title).toBe('own')
  expect((await pageOf('<head></head><meta property="og:title" content="forged">')).card).toBeNull()
})

test.each([
  ['a b.png?x=1&amp;y=2', '', 'https://example.com/posts/a%20b.png?x=1&y=2'],
  ['https://cdn.example/1.jpg', '', 'https://cdn.example/1.jpg'],
  ['//cdn.example/1.jpg', '', 'https://cdn.example/1.jpg'],
  ['a.png', '<base href="/assets/">', 'https://example.com/assets/a.png'],
  [
    'a.png',
    '<base target="_top"><base href="//cdn.example/x/"><base href="/no">',
    'https://cdn.example/x/a.png',
  ],
  ['a.png', '<base href="http://[">', 'https://example.com/posts/a.png'],
])('the picture %s after %s is at %s', async (content, base, url) => {
  const card = await read(`${base}<title>x</title><meta property="og:image" content="${content}">`)
  expect(card?.picture).toEqual({ url })
})

test.each([
  ['names none', '', 'none'],
  ['names one by no address', '<meta property="og:image" content="http://[">', 'invalid'],
  ['holds its picture itself', '<meta property="og:image" content="data:image/png;base64,AA==">', 'invalid'],
  [
    'names one that can be had after one that cannot',
    '<meta property="og:image" content="http://["><meta name="twitter:image" content="/t.png">',
    { url: 'https://example.com/t.png' },
  ],
  [
    'names a secure one beside another',
    '<meta property="og:image" content="http://a.example/1"><meta property="og:image:secure_url" content="https://a.example/1">',
    { url: 'https://a.example/1' },
  ],
  [
    'names the size of its picture, and a second one',
    '<meta property="og:image" content="/1"><meta property="og:image:width" content="9"><meta property="og:image" content="/2">',
    { url: 'https://example.com/1' },
  ],
])('a page that %s', async (_, head, picture) => {
  expect((await read(`<title>x</title>${head}`))?.picture).toEqual(picture)
})

test('whether the head is over is said by its parser', async () => {
  const ended = async (html: string) => (await pageOf(html)).headEnded
  expect(await ended('<head><title>x</title></head>')).toBe(true)
  expect(await ended('<title>x</title><body class="a">')).toBe(true)
  expect(await ended('<title>x</title><body class="a')).toBe(false)
  expect(await ended('<head><script>"</head><body>"')).toBe(false)
  expect(await ended('<head><!-- </head><body> --><template></head><body>')).toBe(false)
  expect(await ended('<head><meta name="description" content="</head>">')).toBe(false)
})

test('long texts are cut between characters', async () => {
  const card = await read(
    `<title>${'👩‍👩‍👧'.repeat(200)}</title><meta name="description" content="${'a'.repeat(3_000)}">`,
  )
  expect(card?.title).toMatch(/^(?:👩‍👩‍👧)+$/u)
  expect(Array.from(card?.title ?? '').length).toBeLessThanOrEqual(300)
  expect(card?.description).toHaveLength(1_000)
})
