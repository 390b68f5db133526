import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aWave } from '../../../../test/rigs/media-files.ts'
import { receiveFile } from '../../../media/receive-file.ts'
import { openTempFiles } from '../../../media/temp-files.ts'
import { createLog } from '../../../platform/process/log.ts'
import { isRefusal } from '../../operations/refusal.ts'
import { CONNECTION_RULES } from '../http/connections.ts'
import { readForm } from './form-body.ts'
import { httpServer } from '../http/http-server.ts'
import { RefusedBody } from './json-body.ts'

const BOUNDARY = 'edge'
const part = (disposition: string, body: string, more = '') =>
  `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n${more}\r\n${body}\r\n`
const END = `--${BOUNDARY}--\r\n`
const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
/** Nothing is fetched here. */
const byAddress = {
  address: 'sourceUrl',
  receiveFrom: () => {
    throw new Error('nothing is fetched here')
  },
}
const fields = { properties: { confirmed: { const: true }, altText: { type: 'string' } } }

/** Reads a form that arrives in these pieces; the file is given back as it came. */
async function read(pieces: readonly Buffer[]) {
  const request = Object.assign(new PassThrough(), { headers, complete: false })
  request.on('end', () => request.destroy())
  const received: Buffer[] = []
  const form = readForm(request as unknown as IncomingMessage, {
    file: 'file',
    ...byAddress,
    fields,
    async receive({ bytes }) {
      received.push(await buffer(bytes))
      const prepare = () => Promise.reject(new Error('nothing is prepared here'))
      return { sha256: '', prepare, dispose: async () => undefined }
    },
  })
  for (const piece of pieces) request.write(piece)
  request.complete = true
  request.end()
  return form.then(
    (form) => ({ form, file: received[0] }),
    (fault: unknown) => ({ fault }),
  )
}

test('what the receiver of a file met is the cause of what is logged', async () => {
  const request = Object.assign(new PassThrough(), { headers, complete: false })
  const fault = new Error('the folder of files is gone')
  const form = readForm(request as unknown as IncomingMessage, {
    file: 'file',
    ...byAddress,
    fields,
    receive: () => Promise.reject(fault),
  })
  request.write(part('form-data; name="file"; filename="a"', 'x'))
  await expect(form).rejects.toMatchObject({ cause: fault })
})

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
}

test('a file comes through byte by byte, however its form is cut, whatever of a boundary is in it', async () => {
  const crumb = fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    '-',
    '--',
    `\r\n--${BOUNDARY.slice(0, -1)}`,
    '\r\n--',
    'x',
    '\0',
  )
  const content = fc.array(crumb, { maxLength: 40 }).map((crumbs) => crumbs.join(''))
  await fc.assert(
    fc.asyncProperty(content, fc.integer({ min: 1, max: 50 }), async (text, size) => {
      const form = part('form-data; name="confirmed"', 'true') + part('form-data; name="file"', text) + END
      const seen = await read(cut(Buffer.from(form, 'latin1'), size))
      expect(seen).toMatchObject({ form: { fields: { confirmed: true }, violations: [] } })
      expect('file' in seen && seen.file?.toString('latin1')).toBe(text)
    }),
    { numRuns: 500 },
  )
})

test(
  'forms that are mutilated are read or refused, and none ends the process',
  { timeout: 120_000 },
  async () => {
    const whole = [
      part('form-data; name="confirmed"', 'true') +
        part('form-data; name="file"; filename="a"', 'GIF89a', 'Content-Type: image/gif\r\n') +
        END,
      part(
        "form-data; name*=utf-8'en'%66ile; filename*=utf-8''a%20b",
        'x',
        'Content-Transfer-Encoding: base64\r\n',
      ) +
        part('form-data; name="altText"', 'é', 'Content-Type: text/plain; charset=utf-16le\r\n') +
        END,
    ]
    const token = fc.constantFrom(
      '\r\n',
      `--${BOUNDARY}`,
      `--${BOUNDARY}--`,
      '"',
      ';',
      '=',
      '%',
      '%ff',
      "utf-8''",
      '\0',
      ':',
      '\\',
      '\xff',
      'name=',
      'filename=',
      'charset=',
      'form-data',
      '*0=',
      '*=',
      'Content-Disposition: ',
      'Content-Type: ',
    )
    const edit = fc.record({ at: fc.nat(400), lose: fc.nat(30), put: fc.oneof(fc.constant(''), token) })
    const mutated = fc
      .tuple(fc.constantFrom(...whole), fc.array(edit, { minLength: 1, maxLength: 5 }))
      .map(([form, edits]) =>
        edits.reduce((text, { at, lose, put }) => text.slice(0, at) + put + text.slice(at + lose), form),
      )
    await fc.assert(
      fc.asyncProperty(mutated, fc.integer({ min: 1, max: 400 }), async (form, size) => {
        const seen = await read(cut(Buffer.from(form, 'latin1'), size))
        if ('fault' in seen) expect(seen.fault).toBeInstanceOf(RefusedBody)
      }),
      { numRuns: Number(process.env['FORM_RUNS'] ?? 5_000), seed: 7 },
    )
  },
)

describe('a sender that', () => {
  const STALLED_MS = 1_000

  /** Takes in one form over a real socket, and says what came of it and what is left of the file. */
  async function receiveFrom(send: (socket: Socket) => void) {
    const folder = await mkdtemp(join(tmpdir(), 'postrider-form-'))
    const tempFiles = await openTempFiles(folder)
    const rules = { ...CONNECTION_RULES, bodyMs: STALLED_MS, bodyBytes: 4_096 }
    const http = httpServer({ baseUrl: 'https://postrider.test', log: createLog({ level: 'fatal' }), rules })
    const server = http
      .create((request, response) => {
        const path = tempFiles.newPath()
        const limits = { image: 1e6, video: 1e6, audio: 1e6, document: 1e6 }
        const form = readForm(request, {
          file: 'file',
          ...byAddress,
          fields,
          async receive(file) {
            const received = await receiveFile(file, path, limits).finally(() => tempFiles.remove(path))
            if (isRefusal(received)) return received
            const prepare = () => Promise.reject(new Error('nothing is prepared here'))
            return { sha256: received.sha256.toString('hex'), prepare, dispose: async () => undefined }
          },
        })
        const told = form.then(
          () => 'read',
          (fault: unknown) => (fault instanceof RefusedBody ? 'given up' : 'broken'),
        )
        void told.then((what) => {
          server.emit('told', what)
          response.end()
        })
      })
      .listen(0, '127.0.0.1')
    await once(server, 'listening')
    const told = once(server, 'told')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${headers['content-type']}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    send(socket)
    const [what] = (await told) as [string]
    const left = await readdir(folder)
    socket.destroy()
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
    return { what, left }
  }

  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
  const head = Buffer.from(part('form-data; name="file"', '').slice(0, -2))
  const begin = chunk(Buffer.concat([head, aWave().subarray(0, 20_000)]))

  test('says nothing any more is given up, and its file is gone', async () => {
    expect(await receiveFrom((socket) => socket.write(begin))).toEqual({ what: 'given up', left: [] })
  })

  test('drips is given up, however long it could go on', async () => {
    let drips: NodeJS.Timeout | undefined
    const seen = await receiveFrom((socket) => {
      socket.write(begin)
      drips = setInterval(() => socket.write(chunk(Buffer.of(1))), STALLED_MS / 20)
    })
    clearInterval(drips)
    expect(seen).toEqual({ what: 'given up', left: [] })
  })

  test('goes on is heard to its end, although that takes longer than any silence may', async () => {
    const rest = cut(aWave().subarray(20_000), 5_000)
    const seen = await receiveFrom((socket) => {
      socket.write(begin)
      const steps = setInterval(() => {
        const piece = rest.shift()
        if (piece !== undefined) return void socket.write(chunk(piece))
        clearInterval(steps)
        socket.write(Buffer.concat([chunk(Buffer.from(`\r\n${END}`)), Buffer.from('0\r\n\r\n')]))
      }, STALLED_MS / 5)
    })
    expect(seen).toEqual({ what: 'read', left: [] })
  })
})
