import { expect, test } from 'vitest'
import { sandboxShort } from '../providers/sandbox/sandbox.ts'
import type { Adapter, CallAnswer, HttpRequest, UploadVerdict, UploadWork } from '../providers/port.ts'
import { wait, type Steps } from '../providers/procedure.ts'
import type { Engine, MediaSource, WaitingUpload, Work, WorkMedia, WorkPart } from './engine-port.ts'
import { uploadPart } from './upload-part.ts'

const image: WorkMedia = {
  ...{ mediaId: 'm', kind: 'image', contentType: 'image/png', sizeBytes: 6, width: 1, height: 1 },
  ...{ altText: null, storageKey: 'w/m' },
}
const part: WorkPart = { index: 0, status: 'pending', text: '', media: [image], remoteId: null }
const grant = { baseUrl: 'http://network.test', accessToken: 'secret', accountId: 'acc' }
const unavailable = { is: 'deferred', code: 'media_unavailable', afterMs: null }

/** The sandbox network as if it processed a file for some seconds: the procedure waits, and asks again. */
async function slowly(times: number): Promise<Adapter> {
  function* upload({ checkpoint }: UploadWork): Steps<UploadVerdict> {
    const asked = checkpoint === null ? 0 : (checkpoint as { asked: number }).asked
    for (let n = asked; n < times; n += 1) yield* wait(5_000, { asked: n + 1 })
    return { is: 'uploaded', media: { remoteId: `med_${times}` } }
  }
  return { ...(await sandboxShort.load()), upload }
}

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
  const work = { grant, provider: 'sandbox-short', upload: null } as Partial<Work> as Work
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

test('an upload that waits for its provider holds no place: it goes on where it was, and never uploads twice', async () => {
  const adapter = await slowly(2)
  const engine = {
    ...{ media: { prepare: async () => file('abcdef') }, processingMs: 60_000 },
    ...{ wait: () => expect.unreachable('waited'), call: () => expect.unreachable('called') },
    ...{ onAdapterFault: () => undefined, stopping: new AbortController().signal },
  } as Partial<Engine> as Engine
  const two = { ...part, media: [image, { ...image, mediaId: 'n' }] }
  let work = { grant, provider: 'sandbox-short', upload: null } as Partial<Work> as Work
  const afterMs: number[] = []
  for (;;) {
    const ended = await uploadPart(engine, adapter, work, two)
    if (!('waiting' in ended)) {
      expect(ended).toMatchObject({ media: [{ remoteId: 'med_2' }, { remoteId: 'med_2' }] })
      break
    }
    afterMs.push(ended.afterMs)
    work = { ...work, upload: JSON.parse(JSON.stringify(ended.waiting)) as WaitingUpload }
  }
  expect(afterMs).toEqual([5_000, 5_000, 5_000, 5_000])

  const waiting = { partIndex: 0, uploaded: [], checkpoint: { asked: 1 }, waitedMs: 58_000 }
  expect(await uploadPart(engine, adapter, { ...work, upload: waiting }, part)).toEqual({
    refused: { ...unavailable, code: 'provider_unavailable' },
  })
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
