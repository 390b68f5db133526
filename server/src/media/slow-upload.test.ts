import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openEdge } from '../../test/rigs/edge.ts'
import { aWorkspace, wiredRoutes } from '../../test/rigs/fixtures.ts'
import { everyType } from '../../test/rigs/media-files.ts'
import { filesIn, FORM_TYPE, formOf } from '../../test/rigs/media-server.ts'
import { aKey } from '../../test/rigs/running-app.ts'
import { openWorld } from '../../test/rigs/world.ts'
import type { UploadAddresses } from './upload-addresses.ts'
import type { Outbound } from '../platform/outbound/outbound-http.ts'
import { agentKeys, authenticateBy } from '../people/keys/authenticate.ts'
import { openMedia } from './open-media.ts'

/* The rules of the server, scaled: a body has to grow by 16 KiB in 30 seconds. */
const RULES = { bodyMs: 4_000, bodyBytes: 500_000, wholeBodyMs: 3_000 }
const FILE_BYTES = 3_000_000

async function openServer() {
  const world = await openWorld()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-slow-'))
  const maxBytes = { image: 1, video: 10 * FILE_BYTES, audio: 1, document: 1 }
  const settings = { maxBytes, maxPixels: 1e6, workers: 1, renditionsMaxBytes: 1e7, s3: null }
  const media = await openMedia(folder, settings)
  const { db } = world
  const log = { error: () => undefined, warn: () => undefined }
  // Files are sent here: none is fetched, or sent to an address of its own.
  const outbound = {} as Outbound
  const addresses = {} as UploadAddresses
  const edge = await openEdge({
    db,
    ...wiredRoutes(db, undefined, { ...media, db, limits: settings, log, outbound, addresses }),
    authenticate: authenticateBy([agentKeys]),
    config: { connections: RULES },
  })
  onTestFinished(async () => {
    await edge[Symbol.asyncDispose]()
    await media.close()
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })
  await edge.app.listen({ host: '127.0.0.1', port: 0 })
  const key = await aKey(db, await aWorkspace(db))
  return { folder, key, port: (edge.app.server.address() as AddressInfo).port }
}

test('a large upload may come slowly, as long as it grows; one that hardly does is given up, and told so', async () => {
  const { folder, key, port } = await openServer()
  const free = Buffer.concat([Buffer.alloc(4), Buffer.from('free')])
  free.writeUInt32BE(free.length + FILE_BYTES)
  const form = formOf(Buffer.concat([(await everyType())['video/mp4']!, free, Buffer.alloc(FILE_BYTES)]))

  /** Sends so much of it every second and a half, until all of it is sent or an answer comes. */
  async function send(idempotencyKey: string, pieceBytes: number): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => undefined)
    const ended = new AbortController()
    const answer = text(socket).finally(() => ended.abort())
    const head = [
      'POST /agent/v1/media HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      `Idempotency-Key: ${idempotencyKey}`,
      `Content-Type: ${FORM_TYPE}`,
      `Content-Length: ${form.length}`,
      'Connection: close',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    for (let sent = 0; sent < form.length && !ended.signal.aborted; sent += pieceBytes) {
      socket.write(form.subarray(sent, sent + pieceBytes))
      await delay(1_500, undefined, { signal: ended.signal }).catch(() => undefined)
    }
    return answer
  }

  const [slow, slower] = await Promise.all([send('slow', 600_000), send('slower', 50_000)])

  expect(slow).toMatch(/^HTTP\/1\.1 201 /)
  expect(slower).toMatch(/^HTTP\/1\.1 408 /)
  expect(slower).toContain('its body has to grow by 16 KB every 30 seconds')
  expect(filesIn(join(folder, 'media/incoming'))).toEqual([])
})
