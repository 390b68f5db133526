import { createHash, createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { startS3 } from '../../test/rigs/s3-process.ts'
import { openWorld } from '../../test/rigs/world.ts'
import { Unready } from '../edge/operations/refusal.ts'
import { createLog } from '../platform/process/log.ts'
import { Secret } from '../platform/sealing/sealing.ts'
import { type MediaStorage, MediaUnavailable, recovering } from './media-storage.ts'
import { openFolderStorage } from './folder-storage.ts'
import { openS3Storage, type S3Options } from './s3-storage.ts'
import { sweepStorage } from './sweep-storage.ts'

type Place = AsyncDisposable & {
  storage: MediaStorage
  folder: string
  /** Takes away what the storage talks to. */
  close: () => Promise<void>
  file: (bytes: Buffer) => Promise<string>
}

async function inFolder(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-storage-'))
  return placeOf(await openFolderStorage(join(folder, 'kept')), folder, async () => undefined)
}

async function inBucket(): Promise<Place & { options: S3Options }> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-s3-'))
  const { options, kill } = await startS3(folder)
  return { ...placeOf(await openS3Storage(options), folder, kill), options }
}

function placeOf(storage: MediaStorage, folder: string, stop: () => Promise<void>): Place {
  let files = 0
  let closed: Promise<void> | null = null
  const close = () => (closed ??= stop())
  return {
    storage,
    folder,
    close,
    async file(bytes) {
      const path = join(folder, `incoming-${++files}`)
      await writeFile(path, bytes)
      return path
    },
    async [Symbol.asyncDispose]() {
      await storage.close()
      await close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const aKey = () => `${uuidv7()}/${uuidv7()}`
const facts = (bytes: Buffer) => ({ size: bytes.length, contentType: 'image/png' })

async function keysOf({ storage }: Place): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list()) keys.push(key)
  return keys.toSorted()
}

describe.each([
  ['a folder', inFolder],
  ['an S3-compatible store', inBucket],
])('%s as media storage', (_name, openPlace) => {
  test('gives back what it stores, whole and in ranges', async () => {
    await using place = await openPlace()
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, n) => n % 251))
    const key = aKey()
    await place.storage.put(key, await place.file(bytes), facts(bytes))
    expect((await buffer(await place.storage.read(key, bytes.length))).equals(bytes)).toBe(true)
    const piece = await buffer(await place.storage.read(key, bytes.length, { start: 300_000, end: 300_009 }))
    expect(piece.equals(bytes.subarray(300_000, 300_010))).toBe(true)
    expect(await keysOf(place)).toEqual([key])
  })

  test('says what is missing, and removes on demand', async () => {
    await using place = await openPlace()
    await expect(place.storage.read(aKey(), 1)).rejects.toThrow(MediaUnavailable)
    const key = aKey()
    await place.storage.put(key, await place.file(Buffer.from('x')), facts(Buffer.from('x')))
    await place.storage.remove(key)
    await place.storage.remove(key)
    await expect(place.storage.read(key, 1)).rejects.toThrow(MediaUnavailable)
    expect(await keysOf(place)).toEqual([])
  })

  test('knows the size of what it stores, and does not give out what is cut or missing', async () => {
    await using place = await openPlace()
    const bytes = Buffer.alloc(1_000, 7)
    const key = aKey()
    await place.storage.put(key, await place.file(bytes), facts(bytes))
    await place.storage.check(key, 1_000)
    const damaged = { name: 'MediaUnavailable', refusal: { refused: 'media_unavailable' } }
    const range = { start: 10, end: 19 }
    await expect(place.storage.check(key, 1_001)).rejects.toMatchObject(damaged)
    await expect(place.storage.read(key, 1_001)).rejects.toMatchObject(damaged)
    await expect(place.storage.read(key, 1_001, range)).rejects.toMatchObject(damaged)
    await expect(place.storage.read(key, 5_000, { start: 4_000, end: 4_999 })).rejects.toMatchObject(damaged)
    await expect(place.storage.check(aKey(), 1_000)).rejects.toThrow(/is missing/)
    // The same bytes may be put back.
    await place.storage.put(key, await place.file(bytes), facts(bytes))
    expect(await buffer(await place.storage.read(key, 1_000, range))).toHaveLength(10)
  })

  test('keeps a label, which is no file', async () => {
    await using place = await openPlace()
    expect(await place.storage.readLabel()).toBeNull()
    await place.storage.writeLabel('a label')
    expect(await place.storage.readLabel()).toBe('a label')
    expect(await keysOf(place)).toEqual([])
  })

  test.each(['../../etc/passwd', '/etc/passwd', 'a/b', '', `${uuidv7()}/..`])(
    'takes no key such as %j',
    async (key) => {
      await using place = await openPlace()
      await expect(async () => place.storage.read(key, 1)).rejects.toThrow('no key')
    },
  )

  test('has a trash, from which a file comes back, and which nothing leaves but by name', async () => {
    await using place = await openPlace()
    const { storage } = place
    const bytes = Buffer.from('thrown away')
    const [key, other] = [aKey(), aKey()]
    for (const each of [key, other]) await storage.put(each, await place.file(bytes), facts(bytes))
    await storage.discard(key)
    await storage.discard(key)
    expect(await keysOf(place)).toEqual([other])
    expect([await storage.holds(key, bytes.length), await storage.holds(other, bytes.length)]).toEqual([
      false,
      true,
    ])
    expect(await storage.holds(other, 1)).toBe(false)
    await expect(storage.check(key, bytes.length)).rejects.toThrow(MediaUnavailable)

    expect(await storage.recover(key)).toBe(true)
    expect(await storage.recover(key)).toBe(false)
    expect((await buffer(await storage.read(key, bytes.length))).equals(bytes)).toBe(true)
    await storage.removeDiscarded(key)
    expect(await keysOf(place)).toEqual([key, other].toSorted())

    await storage.discard(key)
    await storage.removeDiscarded(key)
    expect(await storage.recover(key)).toBe(false)
    expect(await keysOf(place)).toEqual([other])
  })

  test('brings back from the trash what is read, where that is wanted', async () => {
    await using place = await openPlace()
    const bytes = Buffer.from('in use')
    const [read, checked] = [aKey(), aKey()]
    for (const key of [read, checked]) {
      await place.storage.put(key, await place.file(bytes), facts(bytes))
      await place.storage.discard(key)
    }
    const recovered: string[] = []
    const storage = recovering(place.storage, (key) => recovered.push(key))
    expect((await buffer(await storage.read(read, bytes.length))).equals(bytes)).toBe(true)
    await storage.check(checked, bytes.length)
    expect(recovered).toEqual([read, checked])
    await expect(storage.check(aKey(), 1)).rejects.toThrow(MediaUnavailable)
    expect(await keysOf(place)).toEqual([read, checked].toSorted())
  })

  test('is empty but for its label until something is there, be it a mark or in the trash, and keeps marks that are no files', async () => {
    await using place = await openPlace()
    const { storage } = place
    expect(await storage.isEmpty()).toBe(true)
    await storage.writeLabel('a label')
    expect(await storage.isEmpty()).toBe(true)
    const [one, other] = [randomUUID(), randomUUID()]
    await storage.writeMark(one, 'first')
    expect(await storage.isEmpty()).toBe(false)
    await storage.writeMark(one, 'second')
    await storage.writeMark(other, 'another')
    expect(Object.fromEntries(await storage.readMarks())).toEqual({ [one]: 'second', [other]: 'another' })
    await storage.removeMark(one)
    await storage.removeMark(one)
    expect([...(await storage.readMarks()).keys()]).toEqual([other])
    await storage.removeMark(other)
    expect(await storage.isEmpty()).toBe(true)
    const key = aKey()
    await storage.put(key, await place.file(Buffer.from('x')), facts(Buffer.from('x')))
    await storage.discard(key)
    expect(await keysOf(place)).toEqual([])
    expect(await storage.isEmpty()).toBe(false)
  })

  test.each(['../../etc/passwd', 'a/b', ''])('has no mark with a name such as %j', async (id) => {
    await using place = await openPlace()
    await expect(async () => place.storage.writeMark(id, 'x')).rejects.toThrow('no id')
  })
})

describe('an S3-compatible store', () => {
  const one = Buffer.from('x')
  const refused = { name: 'Unready', cause: { code: 'ECONNREFUSED' } }

  test('that is away, or goes away, fails as such', async () => {
    await using place = await inBucket()
    const large = Buffer.alloc(50_000_000, 7)
    const [first, second] = [await place.file(large), await place.file(one)]
    const keeping = place.storage.put(aKey(), first, facts(large))
    const [kept] = await Promise.allSettled([keeping, place.close()])
    const cut = { cause: { code: expect.stringMatching(/ECONN|EPIPE/) } }
    expect(kept).toMatchObject({ status: 'rejected', reason: cut })
    await expect(place.storage.put(aKey(), second, facts(one))).rejects.toMatchObject(refused)
    await expect(place.storage.read(aKey(), 1)).rejects.toMatchObject(refused)
  })

  test('is asked as whoever the settings name', async () => {
    await using place = await inBucket()
    const stranger = await openS3Storage({ ...place.options, accessKeyId: new Secret('nobody') })
    await expect(stranger.put(aKey(), await place.file(one), facts(one))).rejects.toMatchObject({
      cause: { message: expect.stringContaining('Access Key') },
    })
    await expect(stranger.read(aKey(), 1)).rejects.toThrow(Unready)
    await stranger.close()
    expect(await keysOf(place)).toEqual([])
  })

  test('that does not answer, or stops in the middle, is given up', async () => {
    await using place = await inBucket()
    await using mute = await aServer(() => undefined)
    await using halting = await aServer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
    })
    const settings = { ...place.options, silenceMs: 300 }
    const silent = await openS3Storage({ ...settings, endpoint: mute.url })
    await expect(silent.put(aKey(), await place.file(one), facts(one))).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/time/i) },
    })
    const cut = await openS3Storage({ ...settings, endpoint: halting.url })
    await expect(buffer(await cut.read(aKey(), 100))).rejects.toThrow(/time|abort|terminated/i)
    await Promise.all([silent.close(), cut.close()])
  })

  test('a sweep that is told to stop does not wait for a listing that never comes', async () => {
    await using world = await openWorld()
    await using place = await inBucket()
    const label = randomUUID()
    await world.db`update installation set media_storage_id = ${label}`
    const asked = Promise.withResolvers<void>()
    await using mute = await aServer(({ url = '' }, response) => {
      if (url.includes('storage-id')) response.end(label)
      else asked.resolve()
    })
    const storage = await openS3Storage({ ...place.options, endpoint: mute.url })
    const log = createLog({ level: 'silent' })
    const stop = new AbortController()
    const sweep = sweepStorage({ db: world.db, storage, address: 'http://localhost', log }, stop.signal)
    await asked.promise
    stop.abort()
    await expect(sweep).rejects.toMatchObject({ name: 'AbortError' })
    await storage.close()
  })

  /** Amazon's Signature Version 4, computed again from what came over the wire and the secret. */
  function signatureOf({ method = '', url = '', headers }: IncomingMessage, secret: string): string {
    const [, scope = '', names = ''] = /Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+)/.exec(
      headers.authorization ?? '',
    )!
    const { pathname, searchParams } = new URL(url, 'http://x')
    searchParams.sort()
    const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
    const hash = headers['x-amz-content-sha256']
    const canonical = [method, pathname, searchParams.toString(), signed.join(''), names, hash].join('\n')
    const digest = createHash('sha256').update(canonical).digest('hex')
    const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
    const key = scope.split('/').reduce<string | Buffer>(mac, `AWS4${secret}`)
    return mac(key, `AWS4-HMAC-SHA256\n${String(headers['x-amz-date'])}\n${scope}\n${digest}`).toString('hex')
  }

  test('can verify each request with the secret, and with no other', async () => {
    await using place = await inBucket()
    const requests: IncomingMessage[] = []
    await using witness = await aServer((request, response) => {
      requests.push(request)
      request.resume().on('end', () => response.end())
    })
    const secretAccessKey = new Secret('a secret that only two know')
    const storage = await openS3Storage({ ...place.options, endpoint: witness.url, secretAccessKey })
    await storage.put(aKey(), await place.file(one), facts(one))
    await buffer(await storage.read(aKey(), 0, { start: 0, end: 9 }))
    await storage.remove(aKey())
    await storage.close()

    expect(requests.map(({ method }) => method)).toEqual(['PUT', 'GET', 'DELETE'])
    for (const request of requests) {
      const authorization = request.headers.authorization
      expect(authorization).toContain(`Signature=${signatureOf(request, secretAccessKey.reveal())}`)
      expect(authorization).not.toContain(signatureOf(request, 'another secret'))
    }
  })
})

async function aServer(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
