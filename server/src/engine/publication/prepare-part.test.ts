import { expect, test } from 'vitest'
import { aFile, anEngine, anImage, aWork } from '../../../test/rigs/engine-rig.ts'
import { sandboxShort } from '../../networks/providers/sandbox/sandbox.ts'
import type {
  Adapter,
  MediaAddress,
  PrepareVerdict,
  PrepareWork,
} from '../../networks/providers/port/port.ts'
import { wait, type Steps } from '../../networks/providers/port/procedure.ts'
import type { WaitingUpload, WorkPart } from '../queue/work.ts'
import { addressPart } from './address-media.ts'
import { preparePart } from './prepare-part.ts'
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
const found = {
  url: 'https://post.example.com/public-media/a.jpg',
  contentType: 'image/jpeg',
  size: 6,
  width: 3,
  height: 4,
}
const address: MediaAddress = { ...found, kind: 'image', altText: null }

/** The sandbox network as if it fetched media, and worked on a draft for some seconds. */
async function drafting(times: number): Promise<Adapter> {
  function* prepare({ checkpoint, mediaAddresses }: PrepareWork): Steps<PrepareVerdict> {
    const asked = checkpoint === null ? 0 : (checkpoint as { asked: number }).asked
    for (let n = asked; n < times; n += 1) yield* wait(5_000, { asked: n + 1 })
    return { is: 'prepared', prepared: { fetched: mediaAddresses.map(({ url }) => url) } }
  }
  return { ...(await sandboxShort.load()), upload: null, fetchesMedia: true, prepare }
}

function contextOf(adapter: Adapter, engine = anEngine().engine): PartContext {
  return { adapter, limits: adapter.limits, budget: watchBudget(engine, adapter, aWork([])) }
}

test('a draft that waits for its provider holds no place, and goes on where it was', async () => {
  const { engine } = anEngine({ media: { prepare: async () => aFile('abcdef') }, processingMs: 60_000 })
  const context = contextOf(await drafting(2))
  const given = { media: [], former: null, mediaAddresses: [address] }
  let work = aWork([], { parts: [part] })
  for (const asked of [1, 2]) {
    // A restart in between: what was kept is all that there is, and nothing is uploaded for it.
    expect(await uploadPart(engine, context, work, part)).toEqual({ media: [] })
    const ended = await preparePart(engine, context, work, part, given)
    if (!('waiting' in ended)) return expect.unreachable('it does not wait')
    expect(ended).toMatchObject({ afterMs: 5_000, waiting: { preparing: true, checkpoint: { asked } } })
    work = { ...work, upload: JSON.parse(JSON.stringify(ended.waiting)) as WaitingUpload }
  }
  const prepared = { fetched: [address.url] }
  expect(await preparePart(engine, context, work, part, given)).toEqual({ prepared, lacks: [] })
})

test('a draft that is never finished is put off, and a wait of an upload is not taken for it', async () => {
  const { engine } = anEngine({ processingMs: 12_000 })
  const context = contextOf(await drafting(9))
  const given = { media: [], former: null, mediaAddresses: [] }
  const waiting = { partIndex: 0, uploaded: [], checkpoint: { asked: 8 }, waitedMs: 10_000 }
  const draft = { ...aWork([], { parts: [part] }), upload: { ...waiting, preparing: true } as const }
  const late = { ...draft, upload: { ...draft.upload, checkpoint: { asked: 7 } } }
  expect(await preparePart(engine, context, late, part, given)).toMatchObject({
    refused: { is: 'deferred', code: 'provider_unavailable' },
  })
  expect(await preparePart(engine, context, { ...draft, upload: waiting }, part, given)).toMatchObject({
    waiting: { checkpoint: { asked: 1 } },
  })
})

test('a network that fetches media gets an address for each, in order, and nothing where one cannot be had', async () => {
  const adapter = await drafting(0)
  const asked: string[] = []
  const engineWith = (end: () => Promise<typeof found | { unfit: string }>) =>
    anEngine({
      networks: {
        refresh: () => expect.unreachable('refreshed'),
        readCard: () => expect.unreachable('read a card'),
        now: () => new Date(),
        addressMedia: async ({ destinationId }, { mediaId }) => {
          asked.push(`${destinationId} ${mediaId}`)
          return end()
        },
      },
    }).engine
  const two = { ...part, media: [{ ...anImage, altText: 'A bell' }, anImage] }
  const work = aWork([], { parts: [two] })
  const engine = engineWith(async () => found)
  expect(await addressPart(engine, contextOf(adapter), work, two)).toEqual({
    mediaAddresses: [
      { ...address, altText: 'A bell' },
      { ...address, altText: anImage.altText },
    ],
  })
  expect(asked).toEqual(Array(2).fill(`${work.destinationId} ${anImage.mediaId}`))

  const gone = engineWith(() => Promise.reject(new Error('no such file')))
  expect(await addressPart(gone, contextOf(adapter), work, two)).toMatchObject({
    refused: { is: 'deferred', code: 'media_unavailable' },
  })
  const broken = engineWith(async () => ({ unfit: 'It is broken.' }))
  expect(await addressPart(broken, contextOf(adapter), work, two)).toMatchObject({
    refused: { is: 'rejected', code: 'media_refused', detail: 'It is broken.' },
  })
  const fetchesNothing = { ...adapter, fetchesMedia: undefined } as unknown as Adapter
  expect(await addressPart(gone, contextOf(fetchesNothing), work, two)).toEqual({ mediaAddresses: [] })
})

test('nothing is addressed where the network cannot reach this server', async () => {
  const adapter = await drafting(0)
  const { engine } = anEngine()
  const cannotFetch = { why: 'not_public', baseUrl: 'http://localhost:4000' } as const
  const providers = new Map([[aWork([]).provider, { ...sandboxShort, cannotFetch }]])
  const refused = await addressPart(
    { ...engine, providers },
    contextOf(adapter),
    aWork([], { parts: [part] }),
    part,
  )
  expect(refused).toMatchObject({
    refused: { is: 'rejected', code: 'media_refused', detail: expect.stringContaining(cannotFetch.baseUrl) },
  })
})
