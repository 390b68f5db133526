import { expect, test } from 'vitest'
import { sandboxShort } from '../providers/sandbox/sandbox.ts'
import type { CallAnswer, HttpRequest } from '../providers/port.ts'
import type { Engine, MediaSource, Work, WorkMedia, WorkPart } from './engine-port.ts'
import { uploadPart } from './upload-part.ts'

const image: WorkMedia = {
  ...{ mediaId: 'm', kind: 'image', contentType: 'image/png', sizeBytes: 6, width: 1, height: 1 },
  ...{ altText: null, storageKey: 'w/m' },
}
const part: WorkPart = { index: 0, status: 'pending', text: '', media: [image], remoteId: null }
const grant = { baseUrl: 'http://network.test', accessToken: 'secret', accountId: 'acc' }
const unavailable = { is: 'deferred', code: 'media_unavailable', afterMs: null }

/** An engine whose calls read what they are to send; what happens then is the network's. */
async function upload(prepare: MediaSource['prepare'], reply: (sent: number) => Partial<CallAnswer>) {
  async function call({ file }: HttpRequest): Promise<CallAnswer> {
    let sent = 0
    try {
      for await (const bytes of file?.open() ?? []) sent += bytes.length
    } catch {
      // Half a body: to the network the connection has broken off.
      return { arrived: false, maybeSent: true, reason: 'ECONNRESET', durationMs: 1 }
    }
    return { durationMs: 1, ...reply(sent) } as CallAnswer
  }
  const engine = {
    ...{ media: { prepare }, call, wait: async () => undefined, onAdapterFault: () => undefined },
    stopping: new AbortController().signal,
  } as Partial<Engine> as Engine
  const work = { grant, provider: 'sandbox-short' } as Partial<Work> as Work
  return uploadPart(engine, await sandboxShort.load(), work, part)
}

async function* bytes(...pieces: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece
    yield Buffer.from(piece)
  }
}

const file = (...pieces: (string | Error)[]) => ({
  file: { contentType: 'image/png', size: 6, open: () => bytes(...pieces) },
  release: async () => undefined,
})
const taken = () => ({
  ...{ arrived: true },
  response: { status: 201, headers: {}, body: '{"id":"med_1","contentType":"image/png"}' },
})

test('media that cannot be read is not blamed on the network: not at the start, and not in the middle', async () => {
  const gone = () => Promise.reject(new Error('is missing'))
  expect(await upload(gone, taken)).toEqual({ refused: unavailable })
  const torn = async () => file('abc', new Error('the storage went away'))
  expect(await upload(torn, taken)).toEqual({ refused: unavailable })
})

test('a network that goes away over media that can be read is to blame itself', async () => {
  const lost = () => ({ arrived: false, maybeSent: true, reason: 'ECONNRESET' }) as const
  const refused = { ...unavailable, code: 'provider_unavailable' }
  expect(await upload(async () => file('abcdef'), lost)).toEqual({ refused })
  expect(await upload(async () => file('abcdef'), taken)).toMatchObject({ media: [{ remoteId: 'med_1' }] })
})
