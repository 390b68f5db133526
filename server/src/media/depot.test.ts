import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import S3rver from 's3rver'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { aWorkspace } from '../../test/fixtures.ts'
import { openWorld } from '../../test/world.ts'
import { Secret } from '../platform/sealing.ts'
import { type Depot, NotKept } from './depot.ts'
import { openFolderDepot } from './folder-depot.ts'
import { insertMedia } from './media-store.ts'
import { openS3Depot } from './s3-depot.ts'
import { sweepOrphans } from './sweep-orphans.ts'
import { openWorkbench } from './workbench.ts'

type Place = AsyncDisposable & {
  depot: Depot
  folder: string
  /** Takes away what the depot talks to. */
  close: () => Promise<void>
  file: (bytes: Buffer) => Promise<string>
}

async function inFolder(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-depot-'))
  return placeOf(await openFolderDepot(join(folder, 'kept')), folder, async () => undefined)
}

/** s3rver: a server of its own, on a port of its own, that speaks S3 and checks signatures. */
async function inBucket(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-s3-'))
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: join(folder, 'buckets'),
    configureBuckets: [{ name: 'media-test', configs: [] }],
  })
  const { port } = await server.run()
  const depot = await openS3Depot({
    bucket: 'media-test',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    prefix: 'shared/',
    accessKeyId: new Secret('S3RVER'),
    secretAccessKey: new Secret('S3RVER'),
    pathStyle: true,
  })
  return placeOf(depot, folder, () => server.close())
}

function placeOf(depot: Depot, folder: string, stop: () => Promise<void>): Place {
  let files = 0
  let closed: Promise<void> | null = null
  const close = () => (closed ??= stop())
  return {
    depot,
    folder,
    close,
    async file(bytes) {
      const path = join(folder, `incoming-${++files}`)
      await writeFile(path, bytes)
      return path
    },
    async [Symbol.asyncDispose]() {
      await depot.close()
      await close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const aKey = () => `${uuidv7()}/${uuidv7()}`
const facts = (bytes: Buffer) => ({ size: bytes.length, contentType: 'image/png' })

async function keysOf({ depot }: Place): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of depot.all()) keys.push(key)
  return keys.toSorted()
}

describe.each([
  ['a folder', inFolder],
  ['an S3-compatible store', inBucket],
])('%s as a depot', (_name, openPlace) => {
  test('gives back what it keeps, whole and in ranges', async () => {
    await using place = await openPlace()
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, n) => n % 251))
    const key = aKey()
    await place.depot.keep(key, await place.file(bytes), facts(bytes))
    expect((await buffer(await place.depot.read(key))).equals(bytes)).toBe(true)
    const piece = await buffer(await place.depot.read(key, { start: 300_000, end: 300_009 }))
    expect(piece.equals(bytes.subarray(300_000, 300_010))).toBe(true)
    expect(await keysOf(place)).toEqual([key])
  })

  test('says that it does not keep what it does not keep, and forgets on demand', async () => {
    await using place = await openPlace()
    await expect(place.depot.read(aKey())).rejects.toThrow(NotKept)
    const key = aKey()
    await place.depot.keep(key, await place.file(Buffer.from('x')), facts(Buffer.from('x')))
    await place.depot.remove(key)
    await place.depot.remove(key)
    await expect(place.depot.read(key)).rejects.toThrow(NotKept)
    expect(await keysOf(place)).toEqual([])
  })

  test.each(['../../etc/passwd', '/etc/passwd', 'a/b', '', `${uuidv7()}/..`])(
    'takes no key such as %j',
    async (key) => {
      await using place = await openPlace()
      await expect(async () => place.depot.read(key)).rejects.toThrow('no key')
    },
  )

  test('loses to the sweep only what is old and has no item', async () => {
    await using world = await openWorld()
    await using place = await openPlace()
    const { workspaceId } = await aWorkspace(world.db)
    const workbench = await openWorkbench(join(place.folder, 'bench'))
    const bytes = Buffer.from('kept')
    const [wanted, orphan] = [`${workspaceId}/${uuidv7()}`, `${workspaceId}/${uuidv7()}`]
    for (const key of [wanted, orphan]) await place.depot.keep(key, await place.file(bytes), facts(bytes))
    await insertMedia(world.db, workspaceId, {
      ...{ mediaId: uuidv7(), kind: 'image', contentType: 'image/png', sizeBytes: 4, width: 1, height: 1 },
      ...{ durationMs: null, animated: false, altText: null, sha256: Buffer.alloc(32), storageKey: wanted },
    })
    const left = workbench.place()
    await writeFile(left, 'half an upload')

    expect(await sweepOrphans(world.db, { depot: place.depot, workbench })).toBe(0)
    const old = new Date(Date.now() - 60_000)
    await utimes(left, old, old)
    // Counted from later than now, everything is old.
    expect(await sweepOrphans(world.db, { depot: place.depot, workbench }, -5_000)).toBe(2)
    expect(await keysOf(place)).toEqual([wanted])
    await expect(readFile(left)).rejects.toThrow('ENOENT')
  })
})

test('a store that is away fails as such', async () => {
  await using place = await inBucket()
  const path = await place.file(Buffer.from('x'))
  await place.close()
  await expect(place.depot.keep(aKey(), path, { size: 1, contentType: 'image/png' })).rejects.toThrow(
    'ECONNREFUSED',
  )
})
