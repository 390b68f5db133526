import { createServer, type RequestListener } from 'node:http'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openOutbound } from '../platform/outbound/outbound-http.ts'
import { linkCardReader, type ReadLinkCard } from './link-cards.ts'
import { openMediaWorkers } from './media-workers.ts'
import { openTempFiles } from './temp-files.ts'

const bounds = { contentTypes: ['image/jpeg', 'image/png'], maxBytes: 50_000, maxWidth: 300, maxHeight: 300 }
const { signal } = new AbortController()
const workers = openMediaWorkers({ processes: 1 })
const closing: (() => Promise<unknown>)[] = [() => workers.stop()]
let folder = ''
let picture = Buffer.alloc(0)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-cards-'))
  const noise = { create: { width: 900, height: 600, channels: 3, background: '#456' } } as const
  picture = await sharp(noise).jpeg().toBuffer()
})
afterAll(async () => {
  for (const close of closing) await close()
  await rm(folder, { recursive: true, force: true })
})

type Reading = { readonly trusted?: boolean; readonly limitMs?: number; readonly by?: typeof workers }

/** A web server of a stranger, and a reader that may reach it. */
async function stranger(
  answer: RequestListener,
  { trusted = true, limitMs = 60_000, by = workers }: Reading = {},
): Promise<{ url: URL; host: string; read: ReadLinkCard }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const outbound = openOutbound({
    connectMs: 5_000,
    totalMs: 60_000,
    bodyMaxBytes: 1_000,
    userAgent: 'test',
    rules: { httpsOnly: true, trustedOrigins: trusted ? [origin] : [], trustedNetworks: [] },
  })
  closing.push(
    () => outbound.close(),
    () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  )
  const tempFiles = await openTempFiles(folder)
  const url = new URL(`${origin}/page`)
  return { url, host: url.host, read: linkCardReader({ outbound, tempFiles, workers: by, limitMs }) }
}

const page = '<title>A page</title><meta property="og:image" content="/picture.jpg">'

test('a card has a title and a picture that keeps within bounds, and leaves no file behind', async () => {
  const { url, read } = await stranger((request, response) => {
    if (request.url === '/pictures/1.jpg') response.end(picture)
    else if (request.url === '/page') response.writeHead(302, { location: '/moved/here#part' }).end()
    else
      response
        .setHeader('content-type', 'text/html')
        .end('<base href="../pictures/"><title>A page</title><meta property="og:image" content="1.jpg#x">')
  })
  const { card, lack, done } = await read('workspace', url, bounds, signal)
  expect(card?.title).toBe('A page')
  expect(lack).toBeNull()
  const file = card?.picture
  if (file == null) throw new Error('no picture')
  const bytes = await buffer(file.open())
  expect(bytes).toHaveLength(file.size)
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 300, height: 200 })
  expect(await buffer(file.open({ from: 0, to: 3 }))).toEqual(bytes.subarray(0, 3))
  await done()
  expect(await readdir(folder)).toEqual([])
})

test('a link to a part of a page has the card of the page', async () => {
  const { url, read } = await stranger((_, response) => response.end(page))
  expect((await read('workspace', new URL(`${url.href}#chapter-2`), bounds, signal)).card?.title).toBe(
    'A page',
  )
})

test.each<[string, RequestListener, object, Reading?]>([
  [
    'is no picture',
    (_, response) => response.end('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    { why: 'unreadable' },
  ],
  ['is broken', (_, response) => response.end(picture.subarray(0, 200)), { why: 'unreadable' }],
  ['is too large', (_, response) => response.end(Buffer.alloc(9_000_000)), { why: 'too_large' }],
  ['is not there', (_, response) => response.writeHead(404).end(), { why: 'refused', status: 404 }],
  [
    'is elsewhere, where nobody may go',
    (_, response) => response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end(),
    { why: 'forbidden_address', host: '127.0.0.1:1' },
  ],
  [
    'breaks off',
    (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write(picture.subarray(0, 200))
      response.socket?.end()
    },
    { why: 'broken_off' },
  ],
  ['never comes', () => undefined, { why: 'slow' }, { limitMs: 4_000 }],
])('where the picture %s, the card has none, and says why', async (_, answer, why, reading) => {
  const { url, host, read } = await stranger(
    (request, response) => (request.url === '/picture.jpg' ? answer(request, response) : response.end(page)),
    reading,
  )
  const { card, lack } = await read('workspace', url, bounds, signal)
  expect(card).toEqual({ title: 'A page', description: '', picture: null })
  expect(lack).toEqual({ of: 'picture', host, ...why })
  expect(await readdir(folder)).toEqual([])
})

test.each([
  ['names no picture', '', 'not_named'],
  ['names a picture by no address', '<meta property="og:image" content="http://[">', 'invalid_address'],
])('a page that %s has a card without one, and that is said', async (_, head, why) => {
  const { url, host, read } = await stranger((_request, response) => response.end(`<title>x</title>${head}`))
  const { card, lack } = await read('workspace', url, bounds, signal)
  expect(card).toEqual({ title: 'x', description: '', picture: null })
  expect(lack).toEqual({ of: 'picture', why, host })
})

test.each<[string, RequestListener, object, Reading?]>([
  ['has no title', (_, response) => response.end('hello'), { why: 'untitled' }],
  ['is empty', (_, response) => response.end(), { why: 'untitled' }],
  ['is not there', (_, response) => response.writeHead(404).end(page), { why: 'refused', status: 404 }],
  [
    'is not for machines',
    (_, response) => response.writeHead(403).end(page),
    { why: 'refused', status: 403 },
  ],
  [
    'redirects for ever',
    (request, response) => response.writeHead(301, { location: `${request.url}x` }).end(),
    { why: 'redirects' },
  ],
  [
    'redirects to where nobody may go',
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    { why: 'forbidden_address', host: '127.0.0.1:1' },
  ],
  [
    'redirects to another scheme',
    (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    { why: 'refused', status: 302 },
  ],
  ['resets the connection', (request) => request.socket.resetAndDestroy(), { why: 'no_connection' }],
  [
    'breaks off',
    (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('<title>Half')
      response.socket?.end()
    },
    { why: 'broken_off' },
  ],
  [
    'is a file',
    (_, response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end('<title>x</title>'),
    { why: 'no_page' },
  ],
  [
    'is packed as nobody asked for',
    (_, response) => response.writeHead(200, { 'content-encoding': 'compress' }).end('<title>x</title>'),
    { why: 'no_page' },
  ],
  [
    'is not packed as it says',
    (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('<title>x</title>'),
    { why: 'broken_off' },
  ],
  ['never answers', () => undefined, { why: 'slow' }, { limitMs: 1_000 }],
  [
    'begins, and comes no further',
    (_, response) => void response.write('<head><title>Slow</title>'),
    { why: 'slow' },
    { limitMs: 2_000 },
  ],
])('a page that %s has no card, and says why', async (_, answer, why, reading) => {
  const { url, host, read } = await stranger(answer, reading)
  const { card, lack } = await read('workspace', url, bounds, signal)
  expect(card).toBeNull()
  expect(lack).toEqual({ of: 'card', host, ...why })
})

test('a private address is not asked', async () => {
  let asked = 0
  const { url, host, read } = await stranger(
    (_, response) => {
      asked++
      response.end(page)
    },
    { trusted: false },
  )
  const { card, lack } = await read('workspace', url, bounds, signal)
  expect(card).toBeNull()
  expect(lack).toEqual({ of: 'card', why: 'forbidden_address', host })
  expect(asked).toBe(0)
})

test('what may be opened over https alone is asked for so, whatever the link or the page says', async () => {
  const asked: string[] = []
  const open = async (url: URL) => {
    asked.push(url.href)
    if (url.protocol !== 'https:') return { arrived: false as const, reason: 'TARGET_REFUSED' }
    const isPage = url.hostname === 'example.com'
    const body = Readable.from([Buffer.from(page.replace('/picture.jpg', 'http://cdn.example.com/1.jpg'))])
    return { arrived: true as const, status: isPage ? 200 : 404, headers: {}, body }
  }
  const read = linkCardReader({ outbound: { open }, tempFiles: await openTempFiles(folder), workers })
  const { card, lack } = await read('workspace', new URL('http://example.com/#a'), bounds, signal)
  expect(card?.title).toBe('A page')
  expect(lack).toMatchObject({ of: 'picture', why: 'refused', host: 'cdn.example.com', status: 404 })
  expect(asked).toEqual([
    'http://example.com/',
    'https://example.com/',
    'http://cdn.example.com/1.jpg',
    'https://cdn.example.com/1.jpg',
  ])
  const odd = await read('workspace', new URL('http://example.com:8080/'), bounds, signal)
  expect(odd.lack).toMatchObject({ of: 'card', why: 'forbidden_address', host: 'example.com:8080' })
})

test('where there is no worker to read it, the fault is said to be ours', async () => {
  const stopped = openMediaWorkers({ processes: 1 })
  await stopped.stop()
  const { url, host, read } = await stranger((_, response) => response.end(page), { by: stopped })
  const { card, lack } = await read('workspace', url, bounds, signal)
  expect(card).toBeNull()
  expect(lack).toEqual({ of: 'card', why: 'fault', host })
})

/** Once its head is over, nothing more of a page is waited for or taken. */
test.each<[string, RequestListener]>([
  ['comes no further', (_, response) => void response.write('<head><title>Begun</title></head>')],
  [
    'goes on without end',
    (_, response) => forEver(response, '<head><title>Begun</title></head>', '<p>Words'),
  ],
  [
    'goes on without end, packed',
    (_, response) =>
      void response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .write(gzipSync(`<head><title>Begun</title></head>${' '.repeat(100_000)}`).subarray(0, 150)),
  ],
])('of a page that %s, the head is read, and its connection ended', async (_, answer) => {
  const closed = Promise.withResolvers<void>()
  const { url, read } = await stranger((request, response) => {
    response.on('close', () => closed.resolve())
    answer(request, response)
  })
  expect((await read('workspace', url, bounds, signal)).card?.title).toBe('Begun')
  await closed.promise
})

/** Answers for as long as somebody reads. */
function forEver(response: Parameters<RequestListener>[1], beginning: string, piece: string | Buffer): void {
  response.write(beginning)
  const chunk = Buffer.alloc(65_536, piece)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

const HEAD = '<head><title>Hostile</title>'
const MOST = 2 * 1024 * 1024
const filled = (piece: string, size = MOST) => HEAD + piece.repeat(Math.ceil(size / piece.length))
const names = Array.from({ length: 400_000 }, (_, at) => `a${at.toString(36)}`).join(' ')

/** What it costs is its reader's: this process has its events, and the reader has its limits. */
test.each<[string, RequestListener, string | null]>([
  ['a head without end', (_, response) => forEver(response, HEAD, '<meta name="a" content="b">'), 'Hostile'],
  ['white space without end', (_, response) => forEver(response, HEAD, ' '), 'Hostile'],
  [
    'ends of heads in a script without end',
    (_, response) => forEver(response, `${HEAD}<script>`, '</head>'),
    'Hostile',
  ],
  ['a million attributes', (_, response) => response.end(`${HEAD}<meta ${names}>`), 'Hostile'],
  ['tags in tags', (_, response) => response.end(filled('<b>')), 'Hostile'],
  ['drawings in drawings', (_, response) => response.end(filled('<svg><desc>')), 'Hostile'],
  ['templates in templates', (_, response) => response.end(filled('<template>')), 'Hostile'],
  ['ampersands', (_, response) => response.end(`${HEAD}<meta content="${'&'.repeat(MOST)}`), 'Hostile'],
  ['references', (_, response) => response.end(filled('&NotEqualTilde;')), 'Hostile'],
  ['angle brackets', (_, response) => response.end(filled('<')), 'Hostile'],
  ['comments that are not closed', (_, response) => response.end(filled('<!--')), 'Hostile'],
  [
    'one long attribute',
    (_, response) => response.end(`${HEAD}<meta content="${'a'.repeat(MOST)}">`),
    'Hostile',
  ],
  [
    'a title without end',
    (_, response) => forEver(response, '<head><meta property="og:title" content="Named"><title>', 'a'),
    'Named',
  ],
  [
    'a hundred megabytes, packed in one,',
    (_, response) =>
      response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.concat([Buffer.from(HEAD), Buffer.alloc(100_000_000, ' ')]), { level: 1 })),
    'Hostile',
  ],
  [
    'megabytes, packed in some bytes,',
    (_, response) =>
      response
        .writeHead(200, { 'content-encoding': 'br' })
        .end(brotliCompressSync(Buffer.concat([Buffer.from(HEAD), Buffer.alloc(20_000_000, ' ')]))),
    'Hostile',
  ],
  [
    'blocks without end of which nothing comes',
    (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      // A head of gzip, then stored blocks of no bytes.
      response.write(Buffer.from('1f8b08000000000000ff', 'hex'))
      const chunk = Buffer.alloc(65_535, Buffer.from('000000ffff', 'hex'))
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', more)
      more()
    },
    null,
  ],
])('a page of %s stops at its bounds, and does not hold up this process', async (_, answer, title) => {
  const closed = Promise.withResolvers<void>()
  const { url, read } = await stranger((request, response) => {
    response.on('close', () => closed.resolve())
    answer(request, response)
  })
  const before = process.threadCpuUsage()
  const { card } = await read('workspace', url, bounds, signal)
  const { user, system } = process.threadCpuUsage(before)
  expect(card?.title ?? null).toBe(title)
  // Its stranger runs in this process, too.
  expect((user + system) / 1_000).toBeLessThan(5_000)
  await closed.promise
})

test('a page that takes its reader too long has no card, and the next one does', async () => {
  const strict = openMediaWorkers({ processes: 1, limitMs: 1 })
  closing.push(() => strict.stop())
  const hostile = await stranger((_, response) => response.end(`${HEAD}<meta ${names}>`), { by: strict })
  const { card, lack } = await hostile.read('workspace', hostile.url, bounds, signal)
  expect(card).toBeNull()
  expect(lack).toEqual({ of: 'card', why: 'unreadable', host: hostile.host })
  const { url, read } = await stranger((_, response) => response.end(page.slice(0, 21)))
  expect((await read('workspace', url, bounds, signal)).card?.title).toBe('A page')
})
