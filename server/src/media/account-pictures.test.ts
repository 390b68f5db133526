import { createServer, type RequestListener } from 'node:http'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openOutbound } from '../platform/outbound/outbound-http.ts'
import { type AccountPictures, openAccountPictures } from './account-pictures.ts'
import { openMediaWorkers } from './media-workers.ts'
import { openTempFiles } from './temp-files.ts'

const { signal } = new AbortController()
const workers = openMediaWorkers({ processes: 1 })
const closing: (() => Promise<unknown>)[] = [() => workers.stop()]
let folder = ''
let picture = Buffer.alloc(0)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-pictures-'))
  const wide = { create: { width: 400, height: 300, channels: 3, background: '#456' } } as const
  picture = await sharp(wide)
    .withExif({ IFD0: { Copyright: 'Somebody' } })
    .jpeg()
    .toBuffer()
})
afterAll(async () => {
  for (const close of closing) await close()
  await rm(folder, { recursive: true, force: true })
})

type Network = {
  address: string
  pictures: AccountPictures
  asked: () => number
  left: () => Promise<string[]>
}

/** A network that shows pictures, and a server that may reach it. */
async function network(answer: RequestListener, trusted = true): Promise<Network> {
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    answer(request, response)
  })
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
  const own = await mkdtemp(join(folder, 'network-'))
  const tempFiles = await openTempFiles(join(own, 'incoming'))
  const pictures = await openAccountPictures({ outbound, tempFiles, workers }, join(own, 'pictures'))
  const left = () => readdir(join(own, 'incoming'))
  return { address: `${origin}/alice.jpg`, pictures, asked: () => asked, left }
}

const of = (address: string, workspaceId = 'one') => ({ workspaceId, address })

test('a picture is fetched once, made small and square, and carries nothing but pixels', async () => {
  const { address, pictures, asked, left } = await network((_, response) => response.end(picture))
  const [found, same] = await Promise.all([
    pictures.find(of(address), signal),
    pictures.find(of(address), signal),
  ])
  if (found === null) throw new Error('no picture')
  const bytes = await buffer(await found.open())
  expect(bytes).toHaveLength(found.size)
  const facts = await sharp(bytes).metadata()
  expect(facts).toMatchObject({ format: 'webp', width: 96, height: 96 })
  expect(facts.exif).toBeUndefined()
  expect(same?.tag).toBe(found.tag)
  expect(await pictures.find(of(address), signal)).toMatchObject({ tag: found.tag })
  expect(asked()).toBe(1)
  expect(await left()).toEqual([])
})

test('another workspace has it fetched for itself, so that nothing tells it who has it', async () => {
  const { address, pictures, asked } = await network((_, response) => response.end(picture))
  const one = await pictures.find(of(address), signal)
  const other = await pictures.find(of(address, 'other'), signal)
  expect(other?.tag).not.toBe(one?.tag)
  expect(asked()).toBe(2)
})

test.each<[string, RequestListener]>([
  ['is no picture', (_, response) => response.end('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['is broken', (_, response) => response.end(picture.subarray(0, 200))],
  ['is too large', (_, response) => response.end(Buffer.alloc(5_000_000))],
  ['is not there', (_, response) => response.writeHead(404).end()],
  ['never comes', () => undefined],
  [
    'is where nobody may go',
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  ],
])('where it %s, there is none, and it is not asked for again with each page', async (_, answer) => {
  const { address, pictures, asked, left } = await network(answer)
  expect(await pictures.find(of(address), signal)).toBeNull()
  expect(await pictures.find(of(address), signal)).toBeNull()
  expect(asked()).toBe(1)
  expect(await left()).toEqual([])
})

test('a redirect inward is not followed, though somebody listens there', async () => {
  const inside = await network((_, response) => response.end(picture), false)
  const redirects: RequestListener = (_, response) =>
    response.writeHead(302, { location: inside.address }).end()
  const { address, pictures, asked } = await network(redirects)
  expect(await pictures.find(of(address), signal)).toBeNull()
  expect([asked(), inside.asked()]).toEqual([1, 0])
})

test('few bytes of too many pixels are not decoded, nor is what only says that it is a picture', async () => {
  const many = { create: { width: 6_000, height: 6_000, channels: 3, background: '#456' } } as const
  const bytes = await sharp(many).png({ compressionLevel: 9 }).toBuffer()
  expect(bytes.length).toBeLessThan(500_000)
  const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  for (const [type, body] of [
    ['image/png', bytes],
    ['image/svg+xml', script],
    ['image/png', `\uFEFF<?xml version="1.0"?>${script}`],
  ] as const) {
    const { address, pictures, left } = await network((_, response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
    )
    expect(await pictures.find(of(address), signal)).toBeNull()
    expect(await left()).toEqual([])
  }
})

test.each(['not an address', 'file:///etc/passwd'])('%s is asked for nowhere', async (address) => {
  const { pictures } = await network((_, response) => response.end(picture))
  expect(await pictures.find(of(address), signal)).toBeNull()
})

test('a private address is not asked', async () => {
  const { address, pictures, asked } = await network((_, response) => response.end(picture), false)
  expect(await pictures.find(of(address), signal)).toBeNull()
  expect(asked()).toBe(0)
})

test('who leaves does not make it missing', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  let answers = false
  const { address, pictures } = await network((_, response) => {
    resolve()
    if (answers) response.end(picture)
  })
  const leaving = new AbortController()
  const found = pictures.find(of(address), leaving.signal)
  await begun
  leaving.abort(new Error('left'))
  await expect(found).rejects.toThrow('left')
  answers = true
  expect(await pictures.find(of(address), signal)).not.toBeNull()
})
