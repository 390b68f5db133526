import { createServer, type RequestListener } from 'node:http'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
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

/** A web server of a stranger, and a reader that may reach it. */
async function stranger(answer: RequestListener, trusted = true): Promise<{ url: URL; read: ReadLinkCard }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const outbound = openOutbound({
    connectMs: 1_000,
    totalMs: 3_000,
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
  return { url: new URL(`${origin}/page`), read: linkCardReader({ outbound, tempFiles, workers }) }
}

const page = '<title>A page</title><meta property="og:image" content="/picture.jpg">'

test('a card has a title and a picture that keeps within bounds, and leaves no file behind', async () => {
  const { url, read } = await stranger((request, response) => {
    if (request.url === '/picture.jpg') response.end(picture)
    else if (request.url === '/page') response.writeHead(302, { location: '/moved' }).end()
    else response.setHeader('content-type', 'text/html').end(page)
  })
  const { card, done } = await read('workspace', url, bounds, signal)
  expect(card?.title).toBe('A page')
  const file = card?.picture
  if (file == null) throw new Error('no picture')
  const bytes = await buffer(file.open())
  expect(bytes).toHaveLength(file.size)
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 300, height: 200 })
  expect(await buffer(file.open({ from: 0, to: 3 }))).toEqual(bytes.subarray(0, 3))
  await done()
  expect(await readdir(folder)).toEqual([])
})

test.each<[string, RequestListener]>([
  ['is no picture', (_, response) => response.end('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['is broken', (_, response) => response.end(picture.subarray(0, 200))],
  ['is too large', (_, response) => response.end(Buffer.alloc(9_000_000))],
  ['is not there', (_, response) => response.writeHead(404).end()],
  ['never comes', () => undefined],
])('where the picture %s, the card has none', async (_, answer) => {
  const { url, read } = await stranger((request, response) =>
    request.url === '/picture.jpg' ? answer(request, response) : response.end(page),
  )
  expect((await read('workspace', url, bounds, signal)).card).toEqual({
    title: 'A page',
    description: '',
    picture: null,
  })
  expect(await readdir(folder)).toEqual([])
})

test.each<[string, RequestListener]>([
  ['has no title', (_, response) => response.end('hello')],
  ['is not there', (_, response) => response.writeHead(404).end(page)],
  [
    'redirects for ever',
    (request, response) => response.writeHead(301, { location: `${request.url}x` }).end(),
  ],
  [
    'redirects to where nobody may go',
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  ],
  [
    'redirects to another scheme',
    (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  ],
  ['resets the connection', (request) => request.socket.resetAndDestroy()],
])('a page that %s has no card', async (_, answer) => {
  const { url, read } = await stranger(answer)
  expect((await read('workspace', url, bounds, signal)).card).toBeNull()
})

test('a private address is not asked', async () => {
  let asked = 0
  const { url, read } = await stranger((_, response) => {
    asked++
    response.end(page)
  }, false)
  expect((await read('workspace', url, bounds, signal)).card).toBeNull()
  expect(asked).toBe(0)
})

test('of a page without an end only the beginning is read', async () => {
  const { url, read } = await stranger((_, response) => {
    response.write(`<title>Long</title>${' '.repeat(300_000)}`)
  })
  expect((await read('workspace', url, bounds, signal)).card?.title).toBe('Long')
})

test('the text is read in the encoding that the page names', async () => {
  const { url, read } = await stranger((_, response) => {
    response.setHeader('content-type', 'text/html; charset=iso-8859-1')
    response.end(Buffer.from('<title>Gr\xfc\xdfe</title>', 'latin1'))
  })
  expect((await read('workspace', url, bounds, signal)).card?.title).toBe('Grüße')
})
