import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { aPdf, aPhoto, everyType } from '../../test/rigs/media-files.ts'
import {
  childrenOf,
  filesIn,
  forgetPeak,
  FORM_TYPE,
  formOf,
  memoryOf,
  sendForm,
  startMediaServer,
} from '../../test/rigs/media-server.ts'
import { openRunningApp } from '../../test/rigs/running-app.ts'
import { openWorld, type World } from '../../test/rigs/world.ts'

test('an upload that is broken off leaves nothing', async () => {
  await using app = await openRunningApp()
  const { port, hostname } = new URL(app.baseUrl)
  const bytes = formOf(Buffer.concat([await aPhoto(), Buffer.alloc(5_000_000, 7)]))
  for (const share of [0.2, 0.6, 0.99]) {
    const socket = connect(Number(port), hostname)
    const head = [
      'POST /agent/v1/media HTTP/1.1',
      `Host: ${hostname}`,
      `Authorization: Bearer ${app.key}`,
      'Idempotency-Key: cut',
      `Content-Type: ${FORM_TYPE}`,
      `Content-Length: ${bytes.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(bytes.subarray(0, bytes.length * share))
    await expect.poll(() => filesIn(join(app.dataDir, 'media/incoming')).length).toBeGreaterThan(0)
    socket.destroy()
    await expect.poll(() => filesIn(join(app.dataDir, 'media'))).toEqual(['storage-id'])
  }
})

/** A form with a file that has something in front and behind, made while it is sent. */
async function* largeForm(front: Buffer, filler: number, back: Buffer): AsyncGenerator<Buffer> {
  const [before = '', after = ''] = formOf(Buffer.from('@')).toString('latin1').split('@')
  const piece = Buffer.alloc(250_000, ' ')
  yield Buffer.concat([Buffer.from(before, 'latin1'), front])
  for (let sent = 0; sent < filler; sent += piece.length)
    yield piece.subarray(0, Math.min(piece.length, filler - sent))
  yield Buffer.concat([back, Buffer.from(after, 'latin1')])
}

/** A video, and a box that says nothing and fills the file. */
async function aLargeVideo(filler: number): Promise<[Buffer, Buffer]> {
  const free = Buffer.concat([Buffer.alloc(4), Buffer.from('free')])
  free.writeUInt32BE(8 + filler)
  return [Buffer.concat([(await everyType())['video/mp4']!, free]), Buffer.alloc(0)]
}

async function aLargePdf(): Promise<[Buffer, Buffer]> {
  const [front = '', back = ''] = aPdf('/Fill(@)').toString('latin1').split('@')
  return [Buffer.from(front), Buffer.from(back)]
}

test.runIf(process.platform === 'linux').each([
  ['a video of 500 MB', 500_000_000, aLargeVideo],
  ['a document of 95 MB', 95_000_000, aLargePdf],
])(
  '%s raises the memory of a server that has just started by less than 64 MB',
  { timeout: 300_000 },
  async (_name, filler, make) => {
    const [front, back] = await make(filler)
    await using server = await startMediaServer()
    const before = memoryOf(server.pid).now
    forgetPeak(server.pid)
    const response = await fetch(`${server.url}/agent/v1/media`, {
      method: 'POST',
      duplex: 'half',
      headers: {
        authorization: `Bearer ${server.key}`,
        'idempotency-key': 'large',
        'content-type': FORM_TYPE,
      },
      body: Readable.from(largeForm(front, filler, back)),
    })
    expect(await response.json()).toMatchObject({ size: front.length + filler + back.length })

    const growth = memoryOf(server.pid).peak - before
    // The files of its program are in memory already: the server runs on the same ones.
    const workers = childrenOf(server.pid).map((pid) => memoryOf(pid).peak - memoryOf(pid).program)
    console.log(`memory: ${[growth, ...workers].map((bytes) => Math.round(bytes / 1e6)).join(' + ')} MB`)
    expect(workers).toHaveLength(1)
    expect(growth).toBeLessThan(64_000_000)
    expect(workers[0]).toBeLessThan(64_000_000)
  },
)

async function itemsIn({ db }: World): Promise<number> {
  const [row] = await db<{ count: number }[]>`select count(*)::int as count from media_item`
  return row?.count ?? 0
}

test('killed at any moment of uploads, no half item is ever listed', { timeout: 180_000 }, async () => {
  const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2)
  await using world = await openWorld()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-kill-'))
  try {
    for (let round = 0; round < rounds; round++) {
      await using server = await startMediaServer({ world, folder })
      const photos = await Promise.all(Array.from({ length: 12 }, (_, n) => aPhoto(300 + n, 200 + round)))
      const had = await itemsIn(world)
      const sending = photos.map((photo, n) =>
        sendForm(server, formOf(photo), `kill-${round}-${n}`).catch(() => undefined),
      )
      await expect.poll(() => itemsIn(world), { interval: 2, timeout: 20_000 }).toBeGreaterThan(had + round)
      server.kill()
      await Promise.all(sending)
    }
    await using server = await startMediaServer({ world, folder })
    const { items } = await server.ask('/agent/v1/media?limit=100')
    expect(items.length).toBeGreaterThan(rounds)
    for (const { mediaId, size, width } of items) {
      const bytes = await server.bytes(`/agent/v1/media/${mediaId}/content`)
      expect(bytes.length).toBe(size)
      expect((await sharp(bytes, { failOn: 'warning' }).stats()).channels).toHaveLength(3)
      expect((await sharp(bytes).metadata()).width).toBe(width)
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})

test('a folder that is gone, or an empty one in its place, is told as that; nothing is stored there, and all is well once it is back', async () => {
  await using server = await startMediaServer()
  const { folder } = server
  const photo = formOf(await aPhoto(600, 400))
  const { body: item } = await sendForm(server, photo, 'before')
  const authorization = `Bearer ${server.key}`
  const read = async (query: string) =>
    fetch(`${server.url}/agent/v1/media/${item.mediaId}/content${query}`, { headers: { authorization } })
  const told = { status: 503, code: 'not_ready', detail: expect.stringContaining('its disk is not mounted') }

  const missing = [
    { gone: 'media', reads: 503, smaller: 503 },
    { gone: 'media/kept', reads: 503, smaller: 503 },
    { gone: 'media/incoming', reads: 200, smaller: 503 },
  ]
  for (const [round, { gone, reads, smaller }] of missing.entries()) {
    for (const instead of [false, true]) {
      const [place, away] = [join(folder, gone), join(folder, 'away')]
      await rename(place, away)
      // The folder of files in transit may be another one.
      if (instead && gone !== 'media/incoming') await mkdir(place)
      const { status, body } = await sendForm(
        server,
        formOf(await aPhoto(300 + round, 200)),
        `${gone}-${instead}`,
      )
      expect({ gone, status, ...body }).toMatchObject({ gone, ...told })
      expect(filesIn(place)).toEqual([])
      const [whole, small] = [await read(''), await read(`?width=${50 + 2 * round + Number(instead)}`)]
      expect([gone, whole.status, small.status]).toEqual([gone, reads, smaller])
      expect(await small.json()).toMatchObject(told)
      await rm(place, { recursive: true, force: true })
      await rename(away, place)
    }
  }
  await rm(join(folder, 'media/renditions'), { recursive: true })
  expect([(await read('')).status, (await read('?width=60')).status]).toEqual([200, 200])
  expect((await sendForm(server, formOf(await aPhoto(299, 200)), 'after')).status).toBe(201)
  expect((await server.ask('/agent/v1/media')).items).toHaveLength(2)
})

type Room = { folder: string; mostFileBytes?: number; leave: () => Promise<void> }
const ROOM_BYTES = 3 * 1024 * 1024

/** A process that may write no file above 3 MB: any user can have this, and to a program it is a disk that is full. */
async function aLimit(): Promise<Room> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-full-'))
  const leave = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  return { folder, mostFileBytes: ROOM_BYTES, leave }
}

/** A file system of 3 MB: the limit of `aLimit` where this user may not make one. */
async function aSmallDisk(): Promise<Room> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${ROOM_BYTES}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    console.log('This user may not mount a file system; a limit on the size of files takes its place.')
    await rm(folder, { recursive: true })
    return aLimit()
  }
  async function leave(): Promise<void> {
    execFileSync('umount', ['-l', folder])
    await rm(folder, { recursive: true, force: true })
  }
  return { folder, leave }
}

const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const

test.each([
  ['a disk that is full', aSmallDisk],
  ['a limit that is reached', aLimit],
])('%s: the client is told to come back, nothing stays, and what fits is taken', async (_name, make) => {
  const { leave, folder, ...limit } = await make()
  try {
    await using world = await openWorld()
    await using server = await startMediaServer({ world, folder }, limit)
    const square = (side: number) =>
      sharp({ create: { width: side, height: side, channels: 3, background: '#123', noise } })
    // As it comes in it does not fit; and one that does, does not once it is clean.
    const large = await square(1_500).png().toBuffer()
    expect(large.length).toBeGreaterThan(ROOM_BYTES)
    const grows = await square(2_400).webp({ quality: 20, effort: 0 }).toBuffer()
    expect(grows.length).toBeLessThan(ROOM_BYTES - 500_000)
    for (const bytes of [large, grows]) {
      const { status, body } = await sendForm(server, formOf(bytes), 'full')
      expect({ status, code: body.code, left: filesIn(join(folder, 'media')) }).toEqual({
        status: 503,
        code: 'not_ready',
        left: ['storage-id'],
      })
    }
    expect((await sendForm(server, formOf(await aPhoto()), 'full')).status).toBe(201)
  } finally {
    await leave()
  }
})
