import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { aPhoto, everyType, recordingAt } from '../../test/rigs/media-files.ts'
import { filesIn, formOf, memoryOf, sendForm, startMediaServer } from '../../test/rigs/media-server.ts'
import { openWorld } from '../../test/rigs/world.ts'

/** How many mutated files the upload route is sent. */
const RUNS = Number(process.env['MEDIA_FUZZ_RUNS'] ?? 600)
const SEED = Number(process.env['MEDIA_FUZZ_SEED'] ?? 1)
const AT_ONCE = 8

/** Small real files of every type (AVIF as small as can be, for it takes longest), so that ten thousand of them take less than a minute. */
async function corpus(): Promise<Buffer[]> {
  const files = Object.entries(await everyType()).filter(([type]) => type !== 'image/avif')
  const dot = { create: { width: 9, height: 7, channels: 4, background: '#c228' } } as const
  const dots = [
    sharp(dot).png(),
    sharp(dot).webp(),
    sharp(dot).gif(),
    sharp(dot).jpeg(),
    sharp(dot).avif({ effort: 0, chromaSubsampling: '4:2:0' }),
  ]
  const whole = files.map(([, bytes]) => bytes.subarray(0, 6_000))
  const coded = [
    'h264-aac.mp4',
    'hevc-aac.mp4',
    'vp9-opus.webm',
    'mpeg4.mp4',
    'rate-12.5.webm',
    'rate-120-surround.mov',
  ]
  return [
    ...whole,
    ...(await Promise.all(dots.map((one) => one.toBuffer()))),
    ...(await Promise.all(coded.map((name) => readFile(recordingAt(name))))),
  ]
}

type Edit = { at: number; how: 'flip' | 'cut' | 'fill' | 'grow' | 'swap' | 'lose'; value: number }
type Mutation = { file: number; edits: Edit[]; form: boolean }

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  how: fc.constantFrom('flip', 'flip', 'flip', 'fill', 'cut', 'grow', 'swap', 'lose'),
  value: fc.nat(255),
})

function applied(bytes: Buffer, { at, how, value }: Edit): Buffer {
  const place = Math.floor(at * bytes.length)
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)]
  switch (how) {
    case 'flip':
      return Buffer.concat([before, Buffer.of((after[0] ?? 0) ^ (1 << (value % 8))), after.subarray(1)])
    case 'fill':
      return Buffer.concat([before, Buffer.alloc(Math.min(4, after.length), value), after.subarray(4)])
    case 'cut':
      return before
    case 'grow':
      return Buffer.concat([before, Buffer.alloc(value, value), after])
    case 'lose':
      return Buffer.concat([before, after.subarray(1 + (value % 24))])
    case 'swap':
      return Buffer.concat([after, before])
    default:
      return how satisfies never
  }
}

test(
  `${RUNS} mutated files: each is taken or refused, and nothing breaks or grows`,
  { timeout: 30_000 + RUNS * 50 },
  async () => {
    await using world = await openWorld()
    const folder = await mkdtemp(join(tmpdir(), 'postrider-fuzz-'))
    await using cleanUp = new AsyncDisposableStack()
    cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    await using to = await startMediaServer({ world, folder })
    const files = await corpus()
    const mutation: fc.Arbitrary<Mutation> = fc.record({
      file: fc.nat(files.length - 1),
      edits: fc.array(edit, { minLength: 1, maxLength: 6 }),
      // Of one in five the form is broken, and not the file.
      form: fc.nat(4).map((n) => n === 0),
    })
    const mutations = fc.sample(mutation, { numRuns: RUNS, seed: SEED })
    const statuses = new Map<number, number>()
    const resident: number[] = []

    async function sendEvery(from: number): Promise<void> {
      for (let n = from; n < mutations.length; n += AT_ONCE) {
        const { file, edits, form } = mutations[n]!
        const whole = form ? formOf(files[file]!) : files[file]!
        const mutated = edits.reduce(applied, whole)
        const { status, body } = await sendForm(to, form ? mutated : formOf(mutated), `fuzz-${n}`)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        expect(status, `${JSON.stringify(mutations[n])}: ${JSON.stringify(body)}`).toBeLessThan(500)
        if (n % 500 === 0) resident.push(memoryOf(to.pid).now)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => sendEvery(n)))

    console.log(
      'fuzz',
      Object.fromEntries(statuses),
      resident.map((bytes) => Math.round(bytes / 1e6)).join(' '),
    )
    expect([...statuses.keys()].every((status) => [201, 400, 413, 415, 422].includes(status))).toBe(true)
    expect(to.logged()).toBe('')
    expect(filesIn(join(folder, 'media/incoming'))).toEqual([])
    // The heap grows into its working size, some 140 MB above the start, sooner or later, and no further.
    expect((resident.at(-1) ?? 0) - (resident[0] ?? 0)).toBeLessThan(200_000_000)
    expect((await sendForm(to, formOf(await aPhoto()), 'after')).status).toBe(201)
  },
)
