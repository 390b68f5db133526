import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectSocket, type Socket } from 'node:net'
import { destinationStatusNames, type DestinationStatus } from '@postrider/contract'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aPost, aWorkspace } from '../../test/rigs/fixtures.ts'
import { aPhoto, aVideo } from '../../test/rigs/media-files.ts'
import { openRunningApp, type RunningApp } from '../../test/rigs/running-app.ts'
import type { PublicMediaPass } from '../edge/operations/public-media-pass.ts'
import { makeKeyring } from '../platform/sealing/sealing.ts'
import { addressMedia } from './address-media.ts'
import { openFolderStorage } from './folder-storage.ts'
import type { ImageBounds } from './media-job.ts'
import { findMedia } from './media-store.ts'
import { openMediaWorkers } from './media-workers.ts'
import { publicAddresses } from './public-addresses.ts'
import { openRenditions } from './renditions.ts'
import { openTempFiles } from './temp-files.ts'
import { workerLimits } from './worker-memory.ts'

let app: RunningApp
let photo: Buffer
let mediaId: string
let destinationId: string

beforeAll(async () => {
  app = await openRunningApp()
  photo = await aPhoto()
  mediaId = await upload(photo)
})
afterAll(() => app[Symbol.asyncDispose]())

beforeEach(async () => {
  destinationId = await aDestination('publishing')
})

async function aDestination(status: DestinationStatus): Promise<string> {
  const { destinationIds } = await aPost(app.db, app.workspace.workspaceId, { states: [status] })
  return destinationIds[0]!
}

async function upload(bytes: Buffer): Promise<string> {
  const form = new FormData()
  form.set('confirmed', 'true')
  form.set('file', new Blob([new Uint8Array(bytes)]), 'x')
  const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
  const { status, body } = await app.ask('POST', '/agent/v1/media', { headers, body: form })
  expect(status).toBe(201)
  return body.mediaId
}

type Options = Partial<Omit<PublicMediaPass, 'expiresAt'>>

function addressOf(requested: Options = {}, type = 'image/jpeg', keyring = app.keyring): string {
  const { workspaceId } = app.workspace
  const pass = { workspaceId, destinationId, mediaId, bounds: null, ...requested }
  return publicAddresses(keyring, app.baseUrl).make(pass, type)
}

async function get(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, init)
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

const problemIn = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()) as { code: string }

describe('an address that a network fetches from', () => {
  test('gives the file as it is kept, as what it is, and leaves nothing behind', async () => {
    const kept = await get(`${app.baseUrl}/agent/v1/media/${mediaId}/content`, {
      headers: { authorization: `Bearer ${app.key}` },
    })
    const url = addressOf()
    expect(url).toMatch(/\/public-media\/[\w-]{200,600}\.jpg$/)
    const { status, headers, bytes } = await get(url)
    expect([status, bytes.equals(kept.bytes)]).toEqual([200, true])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(kept.bytes.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'accept-ranges': 'bytes',
      'x-robots-tag': 'noindex',
    })
    expect(headers.get('content-security-policy')).toMatch("default-src 'none'; sandbox")
    for (const name of ['set-cookie', 'access-control-allow-origin']) expect(headers.get(name)).toBeNull()
  })

  test('answers to HEAD and to ranges, and to no other method', async () => {
    const url = addressOf()
    const whole = await get(url)
    const size = whole.bytes.length
    const head = await get(url, { method: 'HEAD' })
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(head.headers.get('content-length')).toBe(String(size))

    const middle = await get(url, { headers: { range: 'bytes=10-19' } })
    expect([middle.status, middle.headers.get('content-range')]).toEqual([206, `bytes 10-19/${size}`])
    expect(middle.bytes).toEqual(whole.bytes.subarray(10, 20))
    const beyond = await get(url, { headers: { range: `bytes=${size}-` } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
    expect(problemIn(beyond)).toMatchObject({ code: 'range_not_satisfiable' })
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const refused = await get(url, { method })
      expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
    }
  })

  test('gives the very form that the network takes, and that alone', async () => {
    const wide = await upload(
      await sharp({ create: { width: 900, height: 300, channels: 4, background: '#2a48' } })
        .png()
        .toBuffer(),
    )
    const bounds = { contentTypes: ['image/jpeg'], maxBytes: 50_000, maxWidth: 300, maxHeight: null }
    const url = addressOf({ mediaId: wide, bounds })
    const { headers, bytes } = await get(url)
    expect(headers.get('content-type')).toBe('image/jpeg')
    expect(headers.get('content-disposition')).toMatch(/\.jpg"$/)
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 300, height: 100 })
    const part = await get(url, { headers: { range: 'bytes=-5' } })
    expect([part.status, part.bytes]).toEqual([206, bytes.subarray(-5)])
  })

  test('gives what another process has promised the network, to the byte', async () => {
    const wide = await upload(
      await sharp({ create: { width: 900, height: 300, channels: 4, background: '#a428' } })
        .png()
        .toBuffer(),
    )
    await using publisher = await openPublisherOf(app)
    const row = (await findMedia(app.db, app.workspace.workspaceId, [wide])).get(wide)!
    const { workspaceId } = app.workspace
    const pass = { workspaceId, destinationId }
    const promise = (bounds: Partial<ImageBounds>) =>
      addressMedia(publisher.parts, pass, row, { ...LARGE, ...bounds, fitted: true })
    for (const bounds of [{}, { contentTypes: ['image/jpeg'], maxWidth: 300 }]) {
      const found = await promise(bounds)
      if ('unfit' in found) return expect.unreachable(found.unfit)
      const { headers, bytes } = await get(found.url)
      expect([headers.get('content-type'), bytes.length]).toEqual([found.contentType, found.size])
      expect(await sharp(bytes).metadata()).toMatchObject({ width: found.width, height: found.height })
    }
    expect(await promise({ contentTypes: ['image/none'] })).toEqual({ unfit: expect.any(String) })
    const gone = { ...row, storageKey: `${workspaceId}/${wide}` }
    await expect(addressMedia(publisher.parts, pass, gone, { ...LARGE, fitted: true })).rejects.toThrow(
      'missing',
    )
  })

  test('gives a video', async () => {
    const clip = await upload(await aVideo())
    const { headers, status } = await get(addressOf({ mediaId: clip }, 'video/mp4'))
    expect([status, headers.get('content-type')]).toEqual([200, 'video/mp4'])
  })

  test('is good while its destination is being published, and no longer', async () => {
    for (const status of destinationStatusNames) {
      const answer = await get(addressOf({ destinationId: await aDestination(status) }))
      if (status === 'publishing' || status === 'checking')
        expect([status, answer.status]).toEqual([status, 200])
      else expect([status, answer.status, problemIn(answer).code]).toEqual([status, 410, 'link_not_valid'])
    }
  })

  test('is good for an hour', async () => {
    const madeBefore = (minutes: number) => {
      const now = () => new Date(Date.now() - minutes * 60_000)
      const pass = { workspaceId: app.workspace.workspaceId, destinationId, mediaId, bounds: null }
      return publicAddresses(app.keyring, app.baseUrl, now).make(pass, 'image/jpeg')
    }
    expect((await get(madeBefore(59))).status).toBe(200)
    expect((await get(madeBefore(61))).status).toBe(410)
  })

  test('cannot be made up, changed or moved: neither to another file nor to another workspace', async () => {
    const url = addressOf()
    const other = await aWorkspace(app.db)
    const strange = addressOf({}, 'image/jpeg', makeKeyring([randomBytes(32)]))
    const sealedForElse = app.keyring.seal('["a"]', 'upload-address').toString('base64url')
    const places = [
      ...['', '/', '/x', '/x.jpg', `/${sealedForElse}.jpg`, '/../agent/v1/me', '/..%2fagent%2fv1%2fme'].map(
        (path) => `${app.baseUrl}/public-media${path}`,
      ),
      url.replace(/.\.jpg$/, (end) => (end.startsWith('A') ? 'B.jpg' : 'A.jpg')),
      url.replace('.jpg', ''),
      url.replace('.jpg', '.jpg%00.html'),
      url.replace('.jpg', '.jpg%0d%0aset-cookie:a=b'),
      url.replace('/public-media/', '/public-media/%2e%2e/'),
      url.replace('/public-media/', '//public-media//'),
      `${url.slice(0, 200)}${'A'.repeat(4_000)}.jpg`,
      `${url}/more`,
      strange,
      addressOf({ workspaceId: other.workspaceId }),
      addressOf({ mediaId: destinationId }),
      addressOf({ destinationId: mediaId }),
    ]
    for (const place of places) {
      const { status, bytes } = await get(place)
      expect([place, [401, 404, 410].includes(status)]).toEqual([place, true])
      expect(bytes.includes(photo.subarray(0, 20))).toBe(false)
    }
  })

  test('has the type of its file, whatever its ending says, and no query or header changes what it gives', async () => {
    const url = addressOf()
    const whole = await get(url)
    for (const change of ['.html', '.svg', '.js', '.php']) {
      const { status, headers, bytes } = await get(url.replace('.jpg', change))
      expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
        200,
        'image/jpeg',
        'nosniff',
      ])
      expect(bytes).toEqual(whole.bytes)
    }
    const asked = [
      get(`${url}?width=9999999&download=/etc/passwd`),
      get(url, {
        headers: { 'x-forwarded-host': 'evil.example', cookie: 'session=1', origin: 'https://evil.example' },
      }),
      // As many ranges as these are given whole, or refused: never more bytes than there are.
      get(url, { headers: { range: `bytes=${Array.from({ length: 500 }, () => '0-').join(',')}` } }),
      get(url, { headers: { range: 'bytes=99999999999999999999999-' } }),
      get(url, { headers: { range: 'bytes=-0' } }),
    ]
    for (const { status, headers, bytes } of await Promise.all(asked)) {
      expect([200, 206, 416]).toContain(status)
      expect(bytes.length).toBeLessThanOrEqual(Math.max(whole.bytes.length, 2_000))
      expect(headers.get('set-cookie')).toBeNull()
    }
  })

  test('ends with its file: what was deleted is given to nobody', async () => {
    const mediaId = await upload(await aPhoto(77, 55))
    const url = addressOf({ mediaId })
    expect((await get(url)).status).toBe(200)
    const deleted = await app.ask('DELETE', `/agent/v1/media/${mediaId}`, {
      body: { confirmed: true, idempotencyKey: 'deleted-at-its-address' },
    })
    expect(deleted.body).toMatchObject({ mediaId })
    for (const method of ['GET', 'HEAD']) expect((await get(url, { method })).status).toBe(410)
  })

  test('is in no line of the log', async () => {
    const url = addressOf()
    await get(url)
    const lines = app.logged.filter((line) => line.includes('publicMedia'))
    expect(lines.length).toBeGreaterThan(0)
    expect(app.logged.some((line) => line.includes(url.slice(-60, -4)))).toBe(false)
  })
})

describe('whoever has an address', () => {
  test('may ask often, and not without end; others are not held up', async () => {
    const [url, other] = [addressOf(), addressOf({ mediaId: await upload(await aPhoto(41, 30)) })]
    let refused
    for (let n = 0; n < 121; n++) refused = await get(url, { method: 'HEAD' })
    expect(refused?.status).toBe(429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await get(other)).status).toBe(200)
  })

  test('may read slowly in eight ways at once, and gets the place back that it leaves', async () => {
    const large = await upload(
      await sharp({
        create: { width: 1_300, height: 1_300, channels: 3, noise: noise(), background: '#000' },
      })
        .png({ compressionLevel: 0 })
        .toBuffer(),
    )
    const url = addressOf({ mediaId: large }, 'image/png')
    const readers = await Promise.all(Array.from({ length: 8 }, () => readSlowly(url)))
    try {
      expect((await get(url)).status).toBe(429)
      readers.pop()?.destroy()
      await expect.poll(async () => (await get(url)).status).toBe(200)
    } finally {
      for (const reader of readers) reader.destroy()
    }
  })
})

const LARGE = { contentTypes: ['image/png'], maxBytes: 1e7, maxWidth: null, maxHeight: null }

/** What another process of the same installation addresses media with. */
async function openPublisherOf({ dataDir, keyring, baseUrl }: RunningApp) {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-publisher-'))
  const storage = await openFolderStorage(join(dataDir, 'media', 'kept'))
  const workers = openMediaWorkers(workerLimits(1))
  const parts = { storage, workers, tempFiles: await openTempFiles(join(folder, 'incoming')) }
  const renditions = await openRenditions(parts, join(folder, 'renditions'), 1e8)
  return {
    parts: { storage, renditions, addresses: publicAddresses(keyring, baseUrl) },
    async [Symbol.asyncDispose]() {
      await workers.stop()
      await rm(folder, { recursive: true })
    },
  }
}

const noise = () => ({ type: 'gaussian', mean: 128, sigma: 60 }) as const

/** A connection that asks, reads the beginning of the answer, and no more. */
async function readSlowly(url: string): Promise<Socket> {
  const { hostname, port, pathname, host } = new URL(url)
  const socket = connectSocket({ host: hostname, port: Number(port) })
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('readable', () => resolve())
  })
  socket.on('error', () => undefined)
  return socket
}
