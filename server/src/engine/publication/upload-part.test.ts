import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import {
  aFile,
  aLargeFile,
  anEngine,
  anImage,
  aWork,
  openResettingServer,
} from '../../../test/rigs/engine-rig.ts'
import { sandboxShort } from '../../networks/providers/sandbox/sandbox.ts'
import type { CallAnswer, HttpRequest } from '../../networks/providers/port/calls.ts'
import type { Adapter, UploadVerdict, UploadWork } from '../../networks/providers/port/port.ts'
import { digest, wait, type Steps } from '../../networks/providers/port/procedure.ts'
import type { MediaSource } from './engine-port.ts'
import type { WaitingUpload, WorkPart } from '../queue/work.ts'
import { openMedia } from './open-media.ts'
import { watchBudget } from './rate-budget.ts'
import { uploadPart, type PartContext } from './upload-part.ts'

const part: WorkPart = {
  index: 0,
  firstComment: false,
  status: 'pending',
  text: '',
  media: [anImage],
  remoteId: null,
}
const unavailable = { is: 'deferred', code: 'media_unavailable', afterMs: null }

function contextOf(adapter: Adapter): PartContext {
  return { adapter, limits: adapter.limits, budget: watchBudget(anEngine().engine, adapter, aWork([])) }
}

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
  const { engine } = anEngine({ media: { prepare }, call })
  return uploadPart(engine, contextOf(await sandboxShort.load()), aWork([]), part)
}

const taken = () => ({
  arrived: true,
  response: { status: 201, headers: {}, body: '{"id":"med_1","contentType":"image/png"}' },
})

test('an upload that waits for its provider holds no place: it goes on where it was, and never uploads twice', async () => {
  const context = contextOf(await slowly(2))
  const { engine } = anEngine({
    media: { prepare: async () => aFile('abcdef') },
    processingMs: 60_000,
    wait: () => expect.unreachable('waited'),
    call: () => expect.unreachable('called'),
  })
  const two = { ...part, media: [anImage, { ...anImage, mediaId: 'n' }] }
  let work = aWork([])
  const afterMs: number[] = []
  for (;;) {
    const ended = await uploadPart(engine, context, work, two)
    if (!('waiting' in ended)) {
      expect(ended).toMatchObject({ media: [{ remoteId: 'med_2' }, { remoteId: 'med_2' }] })
      break
    }
    afterMs.push(ended.afterMs)
    work = { ...work, upload: JSON.parse(JSON.stringify(ended.waiting)) as WaitingUpload }
  }
  expect(afterMs).toEqual([5_000, 5_000, 5_000, 5_000])

  const waiting = { partIndex: 0, uploaded: [], checkpoint: { asked: 1 }, waitedMs: 58_000 }
  expect(await uploadPart(engine, context, { ...work, upload: waiting }, part)).toEqual({
    refused: { ...unavailable, code: 'provider_unavailable' },
  })
})

test('an image whose alt text has changed since is uploaded again, and what comes before it is not', async () => {
  const shown: (string | null)[] = []
  function* upload({ altText, file }: UploadWork): Steps<UploadVerdict> {
    yield* digest(file)
    shown.push(altText)
    return { is: 'uploaded', media: { remoteId: 'new' } }
  }
  const { engine } = anEngine({ media: { prepare: async () => aFile('abcdef') } })
  const context = contextOf({ ...(await sandboxShort.load()), upload })
  const media = ['A wren', 'A linnet', 'A finch'].map((altText, at) => ({
    ...anImage,
    mediaId: `m${at}`,
    altText,
  }))
  const uploaded = ['A wren', 'A robin', 'A finch'].map(
    (altText) => ({ remoteId: 'kept', kind: 'image', altText }) as const,
  )
  const begun = { partIndex: 0, uploaded, checkpoint: null, waitedMs: 0 }
  const ended = await uploadPart(engine, context, aWork([], { upload: begun }), { ...part, media })
  expect(ended).toMatchObject({ media: [{ remoteId: 'kept' }, { remoteId: 'new' }, { remoteId: 'new' }] })
  expect(shown).toEqual(['A linnet', 'A finch'])
})

test('media that cannot be read is not blamed on the network: not at the start, and not in the middle', async () => {
  const gone = () => Promise.reject(new Error('is missing'))
  expect(await upload(gone, taken)).toEqual({ refused: unavailable })
  const torn = async () => aFile('abc', new Error('the storage went away'))
  expect(await upload(torn, taken)).toEqual({ refused: unavailable })
})

test('a network that breaks off in the middle of an upload is to blame itself, too', async () => {
  await using network = await openResettingServer('beginning')
  const { engine } = anEngine({ media: { prepare: async () => aLargeFile() }, call: network.call })
  const ended = await uploadPart(engine, contextOf(await sandboxShort.load()), aWork([]), part)
  expect(ended).toEqual({ refused: { ...unavailable, code: 'provider_unavailable' } })
})

test('what ends the reading of a file from outside is no fault of the file', async () => {
  const { engine } = anEngine({ media: { prepare: async () => aLargeFile() } })
  const opened = await openMedia(
    engine,
    { provider: sandboxShort, limits: sandboxShort.limits, settings: {} },
    anImage,
  )
  if ('refused' in opened) return expect.unreachable('refused')
  const body = Readable.from(opened.file.open())
  await once(body, 'readable')
  body.destroy(new Error('ECONNRESET'))
  await once(body, 'error')
  expect(opened.failed()).toBe(false)
})

test('a network that goes away over media that can be read is to blame itself', async () => {
  const lost = () => ({ arrived: false, maybeSent: true, reason: 'ECONNRESET' }) as const
  const refused = { ...unavailable, code: 'provider_unavailable' }
  expect(await upload(async () => aFile('abcdef'), lost)).toEqual({ refused })
  expect(await upload(async () => aFile('abcdef'), taken)).toMatchObject({ media: [{ remoteId: 'med_1' }] })
})
