import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { deflateSync } from 'node:zlib'
import { mediaTypes, permissionNames } from '@postrider/contract'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  aBomb,
  anAnimation,
  aPdf,
  aPhoto,
  aVideo,
  everyType,
  pngChunk,
  SECRETS,
  waveHead,
} from '../../test/rigs/media-files.ts'
import { openApiJudge } from '../../test/rigs/openapi-judge.ts'
import { openReceiver } from '../../test/rigs/receiver.ts'
import { hashAgentKey } from '../people/keys/agent-key.ts'
import { aKey, openRunningApp, type Answer, type RunningApp } from '../../test/rigs/running-app.ts'

let app: RunningApp
let files: Record<string, Buffer>
let release: () => void
const released = new Promise<void>((resolve) => (release = resolve))
/** A host that strangers run, at an address that this server takes for public. */
const host = await openReceiver(async ({ path }, response) => {
  if (path === '/moved.jpg') return void response.writeHead(302, { location: '/gate.jpg' }).end()
  if (path === '/nothing.jpg') return void response.writeHead(404).end()
  response.writeHead(200, { 'content-type': 'application/octet-stream' })
  const photo = await aPhoto()
  if (path === '/page.html') return void response.end('<p>A page, and no file of any type that is taken.</p>')
  if (path === '/broken.jpg') return void response.write(photo.subarray(0, 5_000), () => response.destroy())
  if (path === '/endless.gif') {
    async function* endless() {
      yield files['image/gif']!
      for (;;) yield Buffer.alloc(1_000_000)
    }
    return pipeline(endless, response).catch(() => undefined)
  }
  if (path === '/waits.jpg') await released
  response.end(photo)
})
beforeAll(async () => {
  app = await openRunningApp({ env: { TRUSTED_ORIGINS: `http://127.0.0.1:${host.port}` } })
  files = await everyType()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

function withJpegSize(jpeg: Buffer, side: number): Buffer {
  const bytes = Buffer.from(jpeg)
  const frame = bytes.indexOf(Buffer.from('ffc00011', 'hex'))
  bytes.writeUInt16BE(side, frame + 5)
  bytes.writeUInt16BE(side, frame + 7)
  return bytes
}

/** The size of a GIF's canvas: each frame has its own besides. */
function withGifSize(gif: Buffer, side: number): Buffer {
  const bytes = Buffer.from(gif)
  bytes.writeUInt16LE(side, 6)
  bytes.writeUInt16LE(side, 8)
  return bytes
}

let keys = 0

type Options = {
  claimed?: string
  altText?: string
  confirmed?: string | null
  key?: string
  as?: string
  name?: string
}

async function upload(bytes: Uint8Array, requested: Options = {}): Promise<Answer> {
  const { claimed = 'application/octet-stream', altText, confirmed = 'true', name = 'a file' } = requested
  const form = new FormData()
  if (confirmed !== null) form.set('confirmed', confirmed)
  if (altText !== undefined) form.set('altText', altText)
  form.set('file', new Blob([bytes], { type: claimed }), name)
  return send(form, requested)
}

async function send(
  body: FormData | Buffer | string,
  requested: Options = {},
  headers = {},
): Promise<Answer> {
  const response = await fetch(`${app.baseUrl}/agent/v1/media`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${requested.as ?? app.key}`,
      'idempotency-key': requested.key ?? `k${++keys}`,
      ...headers,
    },
    body: body as never,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

async function content(mediaId: string, headers: Record<string, string> = {}, query = '') {
  const response = await fetch(`${app.baseUrl}/agent/v1/media/${mediaId}/content${query}`, {
    headers: { authorization: `Bearer ${app.key}`, ...headers },
  })
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}

/** What is kept of media, but for marks and caches: nothing that was refused may stay. */
const onDisk = () => filesOf().filter((path) => !/\/(incoming|renditions|pictures|used-by)\//.test(path))
/** What is in transit, of whoever is still at it. */
const incoming = () => filesOf().filter((path) => path.includes('/incoming/'))

function filesOf(): string[] {
  return readdirSync(`${app.dataDir}/media`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
}

const kindOf = (type: string) =>
  Object.entries(mediaTypes).find(([, types]) => types.some((one) => one === type))![0]

describe('every type that is taken', () => {
  const types = Object.values(mediaTypes).flat()
  test.each(types)('%s is taken, listed and read back as what it is', async (type) => {
    const made = await upload(files[type]!, { claimed: type, altText: 'What it shows' })
    expect(made.body).toMatchObject({ kind: kindOf(type), contentType: type, altText: 'What it shows' })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`/agent/v1/media/${made.body.mediaId}`)
    openApiJudge().judge('uploadMedia', 201, made.body)

    const read = await app.ask('GET', `/agent/v1/media/${made.body.mediaId}`)
    expect(read.body).toEqual(made.body)
    const list = await app.ask('GET', `/agent/v1/media?kind=${kindOf(type)}&limit=1`)
    expect(list.body.items).toEqual([made.body])

    const seen = await content(made.body.mediaId)
    if (kindOf(type) === 'image') {
      expect(seen.status).toBe(200)
      expect(seen.headers.get('content-type')).toBe(type)
      expect(seen.bytes.length).toBe(made.body.size)
    } else {
      expect(JSON.parse(seen.bytes.toString())).toMatchObject({ status: 409, code: 'media_not_image' })
    }
    for (const word of ['sha256', 'storageKey', 'hash', app.workspace.workspaceId])
      expect(made.text).not.toContain(word)
  })

  test('recordings have a length, and videos a size', async () => {
    expect((await upload(files['video/mp4']!)).body).toMatchObject({
      width: 64,
      height: 48,
      durationSeconds: 1,
    })
    expect((await upload(files['audio/wav']!)).body).toMatchObject({ width: null, durationSeconds: 0.5 })
    expect((await upload(files['application/pdf']!)).body).toMatchObject({
      width: null,
      durationSeconds: null,
    })
  })
})

describe('an image', () => {
  test('is turned upright, and everything but its pixels is gone', async () => {
    const photo = await aPhoto()
    expect(photo.includes(SECRETS[0])).toBe(true)
    const { body } = await upload(photo)
    expect(body).toMatchObject({ width: 40, height: 60 })
    const { bytes } = await content(body.mediaId)
    for (const secret of [...SECRETS, 'Exif', 'GPS']) expect(bytes.includes(secret)).toBe(false)
    const { orientation, exif, xmp, icc } = await sharp(bytes).metadata()
    expect({ orientation, exif, xmp, icc }).toEqual({})
  })

  test('that carries a bomb besides its pixels is freed of it, or refused', async () => {
    const zeros = deflateSync(Buffer.alloc(100_000_000), { level: 9 })
    const png = files['image/png']!
    const behindHead = (type: string, data: Buffer) =>
      Buffer.concat([png.subarray(0, 33), pngChunk(type, data), png.subarray(33)])
    const profile = Buffer.concat([Buffer.from('bomb\0\0'), zeros])
    // 255 pieces of a colour profile: as many as a JPEG can have.
    const pieces = Array.from({ length: 255 }, (_, n) =>
      Buffer.concat([
        Buffer.from('ffe2fffd', 'hex'),
        Buffer.from('ICC_PROFILE\0'),
        Buffer.of(n + 1, 255),
        Buffer.alloc(65_517, n),
      ]),
    )
    const jpeg = files['image/jpeg']!
    const loaded = [
      behindHead('iCCP', profile),
      behindHead('zTXt', profile),
      behindHead('iTXt', Buffer.concat([Buffer.from('bomb\0\x01\0\0\0'), zeros])),
      Buffer.concat([jpeg.subarray(0, 2), ...pieces, jpeg.subarray(2)]),
      withGifSize(files['image/gif']!, 30_000),
      withGifSize(files['image/gif']!, 65_535),
    ]
    for (const bytes of loaded) {
      const { status, body } = await upload(bytes)
      if (status !== 201) expect(body).toMatchObject({ status: 422, code: 'media_rejected' })
      else expect(body.size).toBeLessThan(5_000)
    }
  })

  test.each(['gif', 'webp'] as const)('of type %s goes on moving', async (format) => {
    const { body } = await upload(await anAnimation(format))
    expect(body).toMatchObject({ animated: true, width: 60, height: 40 })
    const { bytes } = await content(body.mediaId)
    expect(await sharp(bytes, { animated: true }).metadata()).toMatchObject({ pages: 3 })
    const small = await content(body.mediaId, {}, '?width=30')
    expect(await sharp(small.bytes, { animated: true }).metadata()).toMatchObject({ pages: 3, width: 30 })
  })

  test('is given out so that no browser runs anything in it', async () => {
    const { body } = await upload(files['image/png']!)
    const { headers } = await content(body.mediaId)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('content-disposition')).toBe(`inline; filename="${body.mediaId}.png"`)
    expect(headers.get('cache-control')).toBe('private, no-cache')
  })

  test('is given out in ranges, and not at all to whoever has it', async () => {
    const { body } = await upload(files['image/png']!)
    const whole = await content(body.mediaId)
    const etag = whole.headers.get('etag')!
    const range = async (sent: string, more = {}) => {
      const { status, bytes, headers } = await content(body.mediaId, { range: sent, ...more })
      return [status, bytes.length, headers.get('content-range')]
    }
    const { size } = body
    expect(await range('bytes=0-9')).toEqual([206, 10, `bytes 0-9/${size}`])
    expect(await range('bytes=-5')).toEqual([206, 5, `bytes ${size - 5}-${size - 1}/${size}`])
    expect(await range('bytes=5-')).toEqual([206, size - 5, `bytes 5-${size - 1}/${size}`])
    expect(await range(`bytes=${size}-`)).toEqual([416, expect.any(Number), `bytes */${size}`])
    for (const odd of ['bytes=9-1', 'lines=1-2', 'bytes=0-1,3-4', 'bytes=a-b', 'bytes=']) {
      expect(await range(odd)).toEqual([200, size, null])
    }
    expect(await range('bytes=0-9', { 'if-range': etag })).toEqual([206, 10, `bytes 0-9/${size}`])
    expect(await range('bytes=0-9', { 'if-range': '"other"' })).toEqual([200, size, null])
    const piece = await content(body.mediaId, { range: 'bytes=3-7' })
    expect(piece.bytes).toEqual(whole.bytes.subarray(3, 8))

    expect((await content(body.mediaId, { 'if-none-match': etag })).status).toBe(304)
    expect((await content(body.mediaId, { 'if-none-match': '"x"' })).status).toBe(200)
    const modified = whole.headers.get('last-modified')!
    expect((await content(body.mediaId, { 'if-modified-since': modified })).status).toBe(304)
  })

  test('has the same tag as no equal image: nobody learns that they are equal', async () => {
    const one = await upload(files['image/png']!)
    const two = await upload(files['image/png']!)
    expect(one.body.mediaId).not.toBe(two.body.mediaId)
    const tags = await Promise.all(
      [one, two].map(async ({ body }) => (await content(body.mediaId)).headers.get('etag')),
    )
    expect(tags[0]).not.toBe(tags[1])
    const [kept] = await app.db`select count(distinct storage_key)::int as keys from media_item
      where workspace_id = ${app.workspace.workspaceId} and id = any(${[one, two].map(({ body }) => body.mediaId)}::uuid[])`
    expect(kept).toEqual({ keys: 1 })
  })

  test('has renditions, never larger than itself', async () => {
    const { body } = await upload(files['image/png']!)
    const { bytes } = await content(body.mediaId, {}, '?width=30')
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 30, height: 20, format: 'png' })
    expect((await content(body.mediaId, {}, '?width=600')).bytes.length).toBe(body.size)
    for (const odd of ['1', '4097', '1e3', '-30', '30.5', '', '30&width=31', 'NaN'])
      expect((await content(body.mediaId, {}, `?width=${odd}`)).status).toBe(400)
  })

  test('is answered for by HEAD, and only while it is what the client means', async () => {
    const { body } = await upload(files['image/png']!)
    const url = `${app.baseUrl}/agent/v1/media/${body.mediaId}/content`
    const authorization = `Bearer ${app.key}`
    const head = await fetch(url, { method: 'HEAD', headers: { authorization, range: 'bytes=0-1' } })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(body.size)])
    const etag = head.headers.get('etag')!
    const statusOf = async (headers: Record<string, string>) => (await content(body.mediaId, headers)).status
    expect(await statusOf({ 'if-match': '"other"' })).toBe(412)
    expect(await statusOf({ 'if-match': `"other", ${etag}` })).toBe(200)
    expect(await statusOf({ 'if-match': '*' })).toBe(200)
    expect(await statusOf({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(412)
    expect(await statusOf({ 'if-none-match': `W/"other", W/${etag}`, range: 'bytes=0-1' })).toBe(304)
    expect(await statusOf({ range: 'BYTES=0-1' })).toBe(206)
    expect(await statusOf({ range: `bytes=${'9'.repeat(40)}-` })).toBe(416)
    for (const [sent, code] of [
      [{ 'if-match': '"other"' }, 'precondition_failed'],
      [{ range: `bytes=${body.size}-` }, 'range_not_satisfiable'],
    ] as const) {
      const { headers, bytes } = await content(body.mediaId, sent)
      expect(headers.get('content-type')).toBe('application/problem+json')
      expect(headers.get('link')).toBe(`<${app.baseUrl}/problems/${code}>; rel="describedby"`)
      expect(JSON.parse(bytes.toString())).toMatchObject({ code, requestId: headers.get('x-request-id') })
    }
    expect(app.logged.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([])
  })

  /** Where the bytes of an item are. */
  async function pathOf(mediaId: string): Promise<string> {
    const [row] = await app.db<{ key: string }[]>`
      select storage_key as key from media_item where id = ${mediaId}`
    return onDisk().find((one) => one.endsWith(row!.key.split('/')[1]!))!
  }
  const damages: [string, (path: string) => void][] = [
    ['missing', (path) => rmSync(path)],
    ['cut', (path) => truncateSync(path, 20)],
    ['empty', (path) => truncateSync(path, 0)],
    ['longer than it was', (path) => appendFileSync(path, 'x')],
  ]
  test.each(damages)(
    'whose stored file is %s is a clear problem, and is restored by the same file',
    async (what, damage) => {
      const photo = await aPhoto(91, 17 + what.length)
      const { body } = await upload(photo)
      const whole = (await content(body.mediaId)).bytes
      damage(await pathOf(body.mediaId))
      for (const [headers, query] of [
        [{}, ''] as const,
        [{ range: 'bytes=0-1' }, ''] as const,
        [{ range: `bytes=${body.size - 1}-` }, ''] as const,
        [{}, '?width=16'] as const,
      ]) {
        const seen = await content(body.mediaId, headers, query)
        expect([seen.status, seen.headers.get('cache-control'), seen.headers.get('etag')]).toEqual([
          503,
          'no-store',
          null,
        ])
        const problem = JSON.parse(seen.bytes.toString())
        expect(problem).toMatchObject({ code: 'media_unavailable' })
        openApiJudge().judge('readMediaContent', 503, problem)
        expect(app.logged.at(-1)).toContain(`${app.dataDir}/media/kept`)
      }
      const again = await upload(photo)
      expect(again.status).toBe(201)
      for (const { mediaId } of [body, again.body]) {
        expect((await content(mediaId)).bytes.equals(whole)).toBe(true)
        expect((await content(mediaId, {}, '?width=16')).status).toBe(200)
      }
      expect(app.logged.at(-1)).not.toContain('"level":"error"')
      app.logged.length = 0
    },
  )

  test('that cannot be decoded any more has no renditions, and says so', async () => {
    const { body } = await upload(await aPhoto(93, 19))
    writeFileSync(await pathOf(body.mediaId), Buffer.alloc(body.size, 7))
    const seen = await content(body.mediaId, {}, '?width=16')
    expect(JSON.parse(seen.bytes.toString())).toMatchObject({ status: 503, code: 'media_unavailable' })
    app.logged.length = 0
  })
})

describe('what is refused, and leaves nothing', () => {
  const jpeg = () => files['image/jpeg']!
  const after = (more: string | Buffer) => Buffer.concat([jpeg(), Buffer.from(more)])
  const zip = () =>
    Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(40), Buffer.from('PK\x05\x06'), Buffer.alloc(18)])
  const cut = (type: string, share: number) => {
    const whole = files[type]!
    return whole.subarray(0, Math.floor(whole.length * share))
  }
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
  const cases: [string, () => Buffer | Promise<Buffer>, string][] = [
    ['nothing at all', () => Buffer.alloc(0), 'media_rejected'],
    ['text', () => Buffer.from('hello'), 'unsupported_media'],
    ['SVG', () => Buffer.from(svg), 'unsupported_media'],
    ['SVG behind an XML declaration', () => Buffer.from(`<?xml version="1.0"?>${svg}`), 'unsupported_media'],
    ['HTML', () => Buffer.from('<!doctype html><script>alert(1)</script>'), 'unsupported_media'],
    ['a program', () => Buffer.from('7f454c4602010100'.padEnd(200, '0'), 'hex'), 'unsupported_media'],
    ['a ZIP', zip, 'unsupported_media'],
    [
      'a GIF that is a script',
      () => Buffer.from('GIF89a/*\x00\x00\x00\x00*/=1;alert(1)//;'),
      'media_rejected',
    ],
    ['a JPEG with a page behind it', () => after('<html><script >alert(1)</script>'), 'media_rejected'],
    ['a JPEG that is an archive, too', () => after(zip()), 'media_rejected'],
    [
      'a GIF with markup in its head',
      () => Buffer.concat([Buffer.from('GIF89a<script>alert(1)</script>'), jpeg()]),
      'media_rejected',
    ],
    [
      'a JPEG with a PDF in its head',
      async () => {
        const head = Buffer.from('fffe0010', 'hex')
        return Buffer.concat([jpeg().subarray(0, 2), head, Buffer.from('%PDF-1.4 12345'), jpeg().subarray(2)])
      },
      'media_rejected',
    ],
    [
      'half a JPEG',
      async () =>
        (
          await sharp({
            create: {
              width: 800,
              height: 800,
              channels: 3,
              background: '#1af',
              noise: { type: 'gaussian', mean: 9, sigma: 40 },
            },
          })
            .jpeg()
            .toBuffer()
        ).subarray(0, 20_000),
      'media_rejected',
    ],
    ['half a PNG', () => cut('image/png', 0.6), 'media_rejected'],
    ['half a WebP', () => cut('image/webp', 0.6), 'media_rejected'],
    ['half an AVIF', () => cut('image/avif', 0.8), 'media_rejected'],
    ['half an MP4', () => cut('video/mp4', 0.5), 'media_rejected'],
    ['half a PDF', () => cut('application/pdf', 0.5), 'media_rejected'],
    ['a PDF that acts', () => aPdf('/OpenAction<</S/JavaScript/JS(app.alert(1))>>'), 'media_rejected'],
    [
      'a PDF that acts, by another spelling',
      () => aPdf('/OpenAction<</S/J#61vaScript/J#53(app.alert(1))>>'),
      'media_rejected',
    ],
    ['a PDF that sends a form', () => aPdf('/AA<</O<</S/SubmitForm/F(http://a.test)>>>>'), 'media_rejected'],
    ['a PDF that reads data from a file', () => aPdf('/OpenAction<</S/ImportData/F(a)>>'), 'media_rejected'],
    ['a PDF that opens another', () => aPdf('/OpenAction<</S/GoToR/F(//a.test/b)>>'), 'media_rejected'],
    ['a PDF that opens one inside', () => aPdf('/AA<</WC<</S/GoToE/T<</R/C>>>>>>'), 'media_rejected'],
    ['a PDF that starts a program', () => aPdf('/OpenAction<</S /Launch/F(a.exe)>>'), 'media_rejected'],
    ['a PDF that plays', () => aPdf('/AA<</O<</S/R#65ndition>>>>'), 'media_rejected'],
    ['a PDF with named scripts', () => aPdf('/Names<</JavaScript 3 0 R>>'), 'media_rejected'],
    ['a PDF with a film', () => aPdf('/Annots[<</Subtype/RichMedia>>]'), 'media_rejected'],
    ['a PNG of 30,000 × 30,000', () => aBomb(30_000, 30_000), 'media_rejected'],
    ['a JPEG that claims 65,500 × 65,500', () => withJpegSize(jpeg(), 65_500), 'media_rejected'],
    [
      'an animation of too many pixels',
      async () => withGifSize(await anAnimation('gif', 60), 2_000),
      'media_rejected',
    ],
    [
      'a PNG that moves',
      () =>
        Buffer.concat([
          files['image/png']!.subarray(0, 33),
          pngChunk('acTL', Buffer.alloc(8)),
          files['image/png']!.subarray(33),
        ]),
      'unsupported_media',
    ],
    [
      'a PNG that moves, and says so late',
      () =>
        Buffer.concat([
          files['image/png']!.subarray(0, 33),
          pngChunk('tEXt', Buffer.alloc(200_000, 'a')),
          pngChunk('acTL', Buffer.alloc(8)),
          files['image/png']!.subarray(33),
        ]),
      'media_rejected',
    ],
    ['a GIF header alone', () => Buffer.from('GIF89a'), 'media_rejected'],
    [
      'an ID3 tag with nothing behind it',
      () => Buffer.from('ID3\x04\x00\x00\x00\x00\x00\x00'),
      'media_rejected',
    ],
    ['an image above 25 MB', () => Buffer.concat([jpeg(), Buffer.alloc(25_000_000)]), 'media_too_large'],
  ]
  test.each(cases)('%s', async (_name, bytes, code) => {
    const before = { rows: await rowsOf(), files: onDisk() }
    const answer = await upload(await bytes())
    expect(answer.body).toMatchObject({ code })
    openApiJudge().judge('uploadMedia', answer.status, answer.body)
    expect({ rows: await rowsOf(), files: onDisk() }).toEqual(before)
    await expect.poll(incoming).toEqual([])
  })

  test('and not a PDF that only leads to pages', async () => {
    const links = '/OpenAction[1 0 R/Fit]/Annots[<</A<</S/URI/URI(http://a.test)>>>><</A<</S/GoTo/D(x)>>>>]'
    expect((await upload(aPdf(links))).status).toBe(201)
  })

  test('a type that is not the true one', async () => {
    expect((await upload(files['image/png']!, { claimed: 'image/jpeg' })).body.code).toBe('unsupported_media')
    expect((await upload(files['image/png']!, { claimed: 'text/html', name: 'x.html' })).body.code).toBe(
      'unsupported_media',
    )
    expect((await upload(files['image/png']!, { name: '../../\u0000etc/passwd.exe' })).status).toBe(201)
  })

  async function rowsOf() {
    return (await app.db`select count(*)::int as count from media_item`)[0]
  }
})

describe('a form', () => {
  const png = () => new Blob([files['image/png']!])
  const form = (...entries: [string, string | Blob][]) => {
    const made = new FormData()
    for (const [name, value] of entries) made.append(name, value)
    return made
  }
  const typed = (type: string) => ({ 'content-type': type })
  const partOf = (disposition: string, bytes: Buffer) =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ])
  const theRest = () =>
    Buffer.concat([
      partOf('name="confirmed"', Buffer.from('true')),
      partOf('name="file"', files['image/png']!),
      Buffer.from('--b--\r\n'),
    ])

  test.each([
    ['without a file', () => form(['confirmed', 'true']), 'validation_failed', '/file'],
    [
      'with two files',
      () => form(['confirmed', 'true'], ['file', png()], ['file', png()]),
      'validation_failed',
      '/file',
    ],
    [
      'with a file of another name',
      () => form(['confirmed', 'true'], ['file', png()], ['photo', png()]),
      'validation_failed',
      '/photo',
    ],
    [
      'with an unknown field',
      () => form(['confirmed', 'true'], ['alt', 'x'], ['file', png()]),
      'validation_failed',
      '/alt',
    ],
    [
      'with a field twice',
      () => form(['confirmed', 'true'], ['altText', 'x'], ['altText', 'y'], ['file', png()]),
      'validation_failed',
      '/altText',
    ],
    ['without confirmation', () => form(['file', png()]), 'confirmation_required', '/confirmed'],
    [
      'that is not confirmed',
      () => form(['confirmed', 'yes'], ['file', png()]),
      'confirmation_required',
      '/confirmed',
    ],
    [
      'with a long alt text',
      () => form(['confirmed', 'true'], ['altText', 'x'.repeat(2_001)], ['file', png()]),
      'validation_failed',
      '/altText',
    ],
    [
      'with NUL in its alt text',
      () => form(['confirmed', 'true'], ['altText', 'a\u0000b'], ['file', png()]),
      'validation_failed',
      '/altText',
    ],
    [
      'with __proto__ as a field',
      () => form(['confirmed', 'true'], ['__proto__', 'x'], ['file', png()]),
      'validation_failed',
      '/__proto__',
    ],
    [
      'with an alt text that is not UTF-8',
      () => Buffer.concat([partOf('name="altText"', Buffer.of(0x61, 0xff)), theRest()]),
      'validation_failed',
      '/altText',
    ],
    [
      'with its confirmation as a file',
      () => Buffer.concat([partOf('name="confirmed"; filename="x"', Buffer.from('true')), theRest()]),
      'validation_failed',
      '/confirmed',
    ],
    [
      'with an empty name',
      () => Buffer.concat([partOf('name=""', Buffer.of(0x61)), theRest()]),
      'validation_failed',
      '/',
    ],
    [
      'whose file has NUL in its name',
      () => Buffer.concat([partOf('name="fi\0le"; filename="x"', files['image/png']!), theRest()]),
      'validation_failed',
      '/fi\0le',
    ],
  ] as const)('%s is refused', async (_name, make, code, pointer) => {
    const form = make()
    const raw = Buffer.isBuffer(form)
    const { body } = await send(form, {}, raw ? typed('multipart/form-data; boundary=b') : {})
    expect(body.code).toBe(code)
    expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  })

  test('may have its fields behind the file', async () => {
    const { status, body } = await send(form(['file', png()], ['altText', ' After '], ['confirmed', 'true']))
    expect({ status, altText: body.altText }).toEqual({ status: 201, altText: 'After' })
  })

  test.each([
    ['a text', '{"confirmed":true}', typed('text/plain'), 415],
    ['no JSON', '{"confirmed":', typed('application/json'), 400],
    ['no type', Buffer.from('x'), {}, 415],
    ['no boundary', 'x', typed('multipart/form-data'), 400],
    ['an empty boundary', 'x', typed('multipart/form-data; boundary='), 400],
    ['a boundary that never comes', 'x'.repeat(1_000), typed('multipart/form-data; boundary=b'), 400],
    [
      'an end that never comes',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nGIF89a',
      typed('multipart/form-data; boundary=b'),
      400,
    ],
    ['an empty body', '', typed('multipart/form-data; boundary=b'), 400],
    [
      'a part without a name',
      partOf('filename="x"', Buffer.from('x')),
      typed('multipart/form-data; boundary=b'),
      400,
    ],
    [
      'a field without a name',
      Buffer.from('--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n'),
      typed('multipart/form-data; boundary=b'),
      400,
    ],
    [
      '10,000 parts',
      `${'--b\r\nContent-Disposition: form-data; name="altText"\r\n\r\nx\r\n'.repeat(10_000)}--b--\r\n`,
      typed('multipart/form-data; boundary=b'),
      400,
    ],
  ])('of %s cannot be read', async (_name, body, headers, status) => {
    const answer = await send(body, {}, headers)
    expect(answer.body).toMatchObject({ status, code: 'malformed_request' })
  })

  test('needs a key, and the permission', async () => {
    expect((await send(form(['confirmed', 'true'], ['file', png()]), { key: ' ' })).body.code).toBe(
      'idempotency_key_required',
    )
    const reader = await aKey(app.db, app.workspace, { permissions: ['media:read', 'posts:write'] })
    expect((await upload(files['image/png']!, { as: reader })).body).toMatchObject({
      code: 'missing_permission',
    })
  })
})

describe('a file that an address is given of', () => {
  const at = (path: string) => `http://127.0.0.1:${host.port}${path}`
  const ask = (body: object, key = `s${++keys}`) =>
    app.ask('POST', '/agent/v1/media', {
      body: { confirmed: true, ...body },
      headers: { 'idempotency-key': key },
    })

  test('is fetched once, by JSON or by a form, and answered by its record again', async () => {
    const before = host.received.length
    const first = await ask({ sourceUrl: at('/gate.jpg'), altText: 'A gate' }, 'fetched')
    expect(first.body).toMatchObject({ kind: 'image', altText: 'A gate' })
    const again = await ask({ sourceUrl: at('/gate.jpg'), altText: 'A gate' }, 'fetched')
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect(host.received.length).toBe(before + 1)
    expect((await ask({ sourceUrl: at('/other.jpg') }, 'fetched')).body.code).toBe('idempotency_key_reused')

    const form = new FormData()
    form.set('confirmed', 'true')
    form.set('sourceUrl', at('/gate.jpg'))
    expect((await send(form)).body).toMatchObject({ kind: 'image', altText: null })
    // What fetches it for others tells them nothing of who asked.
    expect(host.received.at(-1)!.headers).not.toHaveProperty('authorization')
  })

  test.each([
    ['leads inside', 'https://169.254.169.254/latest/meta-data', '/sourceUrl', /public https addresses only/],
    ['leads to this machine', 'http://127.0.0.1:9/x.jpg', '/sourceUrl', /public https addresses only/],
    ['is none', 'gate.jpg', '/sourceUrl', /must be an https address/],
    ['is a number', 7, '/sourceUrl', /must be text/],
    ['redirects', '/moved.jpg', '/sourceUrl', /redirects/],
    ['has nothing', '/nothing.jpg', '/sourceUrl', /answered 404/],
    ['breaks off', '/broken.jpg', '/sourceUrl', /could not be read/],
  ])('is refused where it %s', async (_, sourceUrl, pointer, detail) => {
    const before = onDisk().length
    const isOurs = typeof sourceUrl === 'string' && sourceUrl.startsWith('/')
    const { body } = await ask({ sourceUrl: isOurs ? at(sourceUrl) : sourceUrl })
    expect(body).toMatchObject({
      code: 'validation_failed',
      detail: expect.stringMatching(detail),
      errors: [{ pointer }],
    })
    expect(onDisk().length).toBe(before)
  })

  test('is found by the hash of what was sent, as an upload is, and shows none', async () => {
    const png = files['image/png']!
    const sent = createHash('sha256').update(png).digest('hex')
    const form = new FormData()
    form.set('confirmed', 'true')
    form.set('file', new Blob([png]))
    const uploaded = (await send(form)).body
    const sentJpeg = createHash('sha256').update(files['image/jpeg']!).digest('hex')
    const fetched = (await ask({ sourceUrl: at('/gate.jpg') })).body
    const found = async (hash: string, more = '') =>
      (await app.ask('GET', `/agent/v1/media?sentSha256=${hash}${more}`)).body
    expect((await found(sent)).items).toContainEqual(uploaded)
    expect((await found(sent)).items).not.toContainEqual(fetched)
    expect((await found(sentJpeg, '&kind=image')).items).toContainEqual(fetched)
    expect(await found(sentJpeg, '&kind=video')).toEqual({ items: [], nextCursor: null })
    expect(await found('0'.repeat(64))).toEqual({ items: [], nextCursor: null })
    expect(JSON.stringify([uploaded, fetched, await found(sent)])).not.toMatch(/[0-9a-f]{64}/)
    expect(await found('ABC')).toMatchObject({ errors: [{ pointer: '?sentSha256' }] })
    // A cursor is good for its own filter.
    await send(form)
    const { nextCursor } = await found(sent, '&limit=1')
    expect(await found(sentJpeg, `&cursor=${nextCursor}`)).toMatchObject({ code: 'invalid_cursor' })
  })

  test('is checked as any other, and stands for itself', async () => {
    expect((await ask({ sourceUrl: at('/page.html') })).body.code).toBe('unsupported_media')
    expect((await ask({ sourceUrl: at('/endless.gif') })).body.code).toBe('media_too_large')
    expect((await ask({})).body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/file' }] })
    const both = new FormData()
    both.set('confirmed', 'true')
    both.set('sourceUrl', at('/gate.jpg'))
    both.set('file', new Blob([files['image/png']!]))
    expect((await send(both)).body).toMatchObject({
      errors: [{ pointer: '/sourceUrl', code: 'not_allowed' }],
    })
  })

  test('is not kept for a key that is revoked while it is fetched', async () => {
    const { items: before } = (await app.ask('GET', '/agent/v1/media?limit=1')).body
    const key = await aKey(app.db, app.workspace)
    const headers = { 'idempotency-key': 'late' }
    const body = { confirmed: true, sourceUrl: at('/waits.jpg') }
    const asking = app.ask('POST', '/agent/v1/media', { key, headers, body })
    await expect.poll(() => host.received.at(-1)?.path).toBe('/waits.jpg')
    await app.db`update agent_key set revoked_at = now() where secret_hash = ${hashAgentKey(key)}`
    release()
    expect((await asking).body.code).toBe('invalid_credential')
    expect((await app.ask('GET', '/agent/v1/media?limit=1')).body.items).toEqual(before)
  })
})

describe('the same key', () => {
  test('with the same file is one item, and with another is refused', async () => {
    const key = 'once'
    const first = await upload(files['image/png']!, { key })
    const again = await upload(files['image/png']!, { key, name: 'another name' })
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ])
    expect((await upload(files['image/webp']!, { key })).body.code).toBe('idempotency_key_reused')
    expect((await upload(files['image/png']!, { key, altText: 'x' })).body.code).toBe(
      'idempotency_key_reused',
    )
    await upload(Buffer.from('no image'), { key: 'refused' })
    expect((await upload(files['image/png']!, { key: 'refused' })).status).toBe(201)
  })

  test('twenty times at once makes one item, and twenty keys make twenty', async () => {
    const before = onDisk().length
    const photo = await aPhoto(77, 55)
    const same = await Promise.all(Array.from({ length: 20 }, () => upload(photo, { key: 'equal' })))
    const made = same.filter(({ status }) => status === 201)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    for (const { body } of same.filter(({ status }) => status !== 201))
      expect(body.code).toBe('idempotency_in_progress')
    expect(onDisk().length).toBe(before + 1)

    const clips = await Promise.all(Array.from({ length: 20 }, (_, n) => aVideo(undefined, 1 + n)))
    const each = await Promise.all(clips.map((bytes) => upload(bytes)))
    expect(each.map(({ status }) => status)).toEqual(each.map(() => 201))
    expect(onDisk().length).toBe(before + 21)
  })
})

test('a request without a body may say that it would be JSON', async () => {
  const { mediaId } = (await upload(files['image/png']!)).body
  const headers = { 'content-type': 'application/json', 'content-length': '0' }
  const asking = { body: '', headers }
  expect((await app.ask('DELETE', `/agent/v1/media/${mediaId}`, asking)).body).toMatchObject({ mediaId })
  // What needs one says so.
  const { body } = await app.ask('POST', `/agent/v1/media/${mediaId}`, asking)
  expect(body).toMatchObject({
    code: 'malformed_request',
    detail: expect.stringContaining('The body is empty'),
  })
})

describe('a file above the limit of its kind', () => {
  let small: RunningApp
  beforeAll(async () => {
    const settings = { IMAGE: '1', VIDEO: '2', AUDIO: '1', DOCUMENT: '1' }
    const env = Object.fromEntries(Object.entries(settings).map(([kind, mb]) => [`MEDIA_${kind}_MAX_MB`, mb]))
    small = await openRunningApp({ env })
  })
  afterAll(() => small[Symbol.asyncDispose]())

  // A box of an ISO file that says nothing, behind everything else.
  const free = (size: number) => {
    const box = Buffer.alloc(size)
    box.writeUInt32BE(size)
    box.write('free', 4)
    return box
  }
  const wave = (size: number) => Buffer.concat([waveHead(size - 44), Buffer.alloc(size - 44)])
  const pdf = (size: number) => {
    const bare = aPdf().length
    return aPdf(`/Fill(${' '.repeat(size - bare - '/Fill()'.length - (size >= 1_000_000 ? 4 : 0))})`)
  }
  const grown = (type: string, size: number) => {
    const whole = files[type]!
    return Buffer.concat([whole, free(size - whole.length)])
  }
  const cases: [string, number, (size: number) => Buffer][] = [
    [
      'image/jpeg',
      1_000_000,
      (size) => Buffer.concat([files['image/jpeg']!, Buffer.alloc(size - files['image/jpeg']!.length)]),
    ],
    ['video/mp4', 2_000_000, (size) => grown('video/mp4', size)],
    ['audio/wav', 1_000_000, wave],
    // What it holds shows only when it is whole: until then it might be a video.
    [
      'audio/mp4',
      1_000_000,
      (size) => Buffer.concat([isoVideo(files['audio/mp4']!), free(size - files['audio/mp4']!.length)]),
    ],
    ['application/pdf', 1_000_000, pdf],
  ]
  test.each(cases)('%s is refused at once, and at the limit it is not', async (type, most, make) => {
    const ask = (bytes: Buffer) => {
      const form = new FormData()
      form.set('confirmed', 'true')
      form.set('file', new Blob([new Uint8Array(bytes)]))
      return small.ask('POST', '/agent/v1/media', {
        body: form,
        headers: { 'idempotency-key': `k${++keys}` },
      })
    }
    const fits = make(most)
    expect(fits.length).toBeLessThanOrEqual(most)
    expect((await ask(fits)).body).toMatchObject({ contentType: type })
    const { status, body } = await ask(
      Buffer.concat([make(most), type === 'audio/wav' ? Buffer.of(0) : free(8)]),
    )
    expect({ status, code: body.code }).toEqual({ status: 413, code: 'media_too_large' })
    openApiJudge().judge('uploadMedia', status, body)
    expect(readdirSync(`${small.dataDir}/media/incoming`)).toEqual([])
  })
})

/** Sound whose container calls itself one for video, as many programs write it. */
function isoVideo(m4a: Buffer): Buffer {
  const bytes = Buffer.from(m4a)
  bytes.write('isom', 8)
  return bytes
}

test('each permission opens its own routes and no other', async () => {
  const { body } = await upload(files['image/png']!)
  for (const permission of permissionNames) {
    const key = await aKey(app.db, app.workspace, { permissions: [permission] })
    const reads = ['', `/${body.mediaId}`, `/${body.mediaId}/content`].map(async (path) => {
      const answer = await app.ask('GET', `/agent/v1/media${path}`, { key })
      return answer.status
    })
    const wrote = await upload(files['image/webp']!, { as: key })
    expect({ permission, read: await Promise.all(reads), wrote: wrote.status }).toEqual({
      permission,
      read: Array.from({ length: 3 }, () => (permission === 'media:read' ? 200 : 403)),
      wrote: permission === 'media:write' ? 201 : 403,
    })
  }
})

test('an item of another workspace is one that does not exist', async () => {
  const { body } = await upload(files['image/png']!)
  const { aWorkspace } = await import('../../test/rigs/fixtures.ts')
  const stranger = await aKey(app.db, await aWorkspace(app.db))
  for (const path of [body.mediaId, `${body.mediaId}/content`, '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11']) {
    const { body: problem } = await app.ask('GET', `/agent/v1/media/${path}`, { key: stranger })
    expect(problem).toMatchObject({ status: 404, code: 'not_found' })
  }
  const sent = createHash('sha256').update(files['image/png']!).digest('hex')
  for (const query of ['', `?sentSha256=${sent}`]) {
    expect((await app.ask('GET', `/agent/v1/media${query}`, { key: stranger })).body.items).toEqual([])
  }
})
