import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aWorkspace } from '../../test/rigs/fixtures.ts'
import { startS3 } from '../../test/rigs/s3-process.ts'
import { copyWorld, openWorld, type World } from '../../test/rigs/world.ts'
import { Unready } from '../edge/operations/refusal.ts'
import type { Db } from '../platform/postgres/db.ts'
import { adoptStorage, viewStorage } from './adopt-storage.ts'
import { checkStoredFiles } from './check-stored-files.ts'
import { claimStorage } from './claim-storage.ts'
import { MOST_AN_HOUR, recordFile, recordFiles } from './file-store.ts'
import { openFolderStorage } from './folder-storage.ts'
import { type MediaStorage, recovering } from './media-storage.ts'
import { insertMedia, removeMedia } from './media-store.ts'
import { disownFiles } from './own-files.ts'
import { isContested, renewInstallation } from './place-store.ts'
import { openS3Storage } from './s3-storage.ts'
import { sweepStorage } from './sweep-storage.ts'

const RUNS = Number(process.env['SWEEP_RUNS'] ?? 6)
const SIZE = 3

async function aFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-sweep-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return openFolderStorage(join(folder, 'kept'))
}

async function aBucket() {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-sweep-s3-'))
  const { options, kill } = await startS3(folder)
  const storage = await openS3Storage(options)
  onTestFinished(async () => {
    await storage.close()
    await kill()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return storage
}

/** An installation that works on a storage as the server does, without decoding anything. */
class Installation {
  readonly db: Db
  readonly storage: MediaStorage
  readonly warnings: { keys?: readonly string[] }[] = []
  private readonly folder: string
  private workspaceId = ''

  private constructor(db: Db, storage: MediaStorage, folder: string) {
    this.db = db
    this.storage = storage
    this.folder = folder
  }

  static async open({ db }: Pick<World, 'db'>, storage: MediaStorage): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'postrider-sweep-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const one = new Installation(db, storage, folder)
    one.workspaceId = (await aWorkspace(db)).workspaceId
    return one
  }

  private newKey(): string {
    return `${this.workspaceId}/${uuidv7()}`
  }

  async store(key = this.newKey()): Promise<string> {
    const path = join(this.folder, uuidv7())
    await writeFile(path, 'abc')
    const put = () => this.storage.put(key, path, { size: SIZE, contentType: 'image/png' })
    // A server may close a connection just as it is used again: a client then sends its file again, as here.
    await put().catch((fault: unknown) => (fault instanceof Unready ? put() : Promise.reject(fault)))
    return key
  }

  /** What a crash between the file and its item leaves. */
  async crash(): Promise<string> {
    const key = this.newKey()
    await recordFile(this.db, key)
    return this.store(key)
  }

  async upload(): Promise<string> {
    const storageKey = await this.crash()
    const sha256 = randomBytes(32)
    const unmeasured = { width: null, height: null, durationMs: null, videoCodec: null, audioCodec: null }
    const unheard = {
      frameRate: null,
      audioChannels: null,
      audioSampleRate: null,
      animated: false,
      altText: null,
    }
    await insertMedia(this.db, this.workspaceId, {
      mediaId: uuidv7(),
      kind: 'image',
      contentType: 'image/png',
      sizeBytes: SIZE,
      ...unmeasured,
      ...unheard,
      sha256,
      sentSha256: sha256,
      storageKey,
    })
    return storageKey
  }

  async items(): Promise<string[]> {
    const rows = await this.db<{ key: string }[]>`select storage_key as key from media_item order by id`
    return rows.map(({ key }) => key)
  }

  async deleteItem(key: string): Promise<void> {
    await this.db.begin(async (tx) => {
      const [row] = await tx<{ workspaceId: string; id: string }[]>`
        select workspace_id as "workspaceId", id from media_item where storage_key = ${key} for update`
      await removeMedia(tx, row!.workspaceId, row!.id)
    })
  }

  sweep(storage = this.storage): Promise<number> {
    const log = { warn: (facts: object) => void this.warnings.push(facts) }
    return sweepStorage({ db: this.db, storage, address: 'http://localhost', log: log as never })
  }

  /** The same beside others: s3rver breaks an answer off when the mark in it is replaced, and the next hour tries again. */
  sweepBeside(): Promise<number> {
    return this.sweep().catch((fault: unknown) => {
      if (fault instanceof Unready) return 0
      throw fault
    })
  }

  /** Lets so many hours pass. */
  async pass(hours: number): Promise<void> {
    const by = `${hours} hours`
    await this.db`
      update media_file set written_at = written_at - ${by}::interval, unused_since = unused_since - ${by}::interval,
             discarded_at = discarded_at - ${by}::interval`
    await this.db`update media_place set contested_at = contested_at - ${by}::interval`
  }

  async missing(): Promise<string[]> {
    const items = await this.items()
    const held = await Promise.all(items.map((key) => this.storage.holds(key, SIZE)))
    return items.filter((_, n) => held[n] === false)
  }

  /** Time goes on, and nothing is done but housekeeping. */
  async rest(days: number): Promise<void> {
    for (let day = 0; day < days; day++) {
      await this.pass(24)
      await this.sweep()
    }
  }
}

/** Two installations, neither a copy of the other, in one place. */
async function twoIn(storage: MediaStorage): Promise<[Installation, Installation]> {
  const [one, other] = [await openWorld(), await openWorld()]
  onTestFinished(async () => {
    await one[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
  })
  for (const { db } of [one, other]) await renewInstallation(db)
  const [ours, theirs] = [await Installation.open(one, storage), await Installation.open(other, storage)]
  expect(await claimStorage(one.db, storage)).toBeNull()
  await other.db`update installation set media_storage_id = ${await storage.readLabel()}`
  return [ours, theirs]
}

async function oneIn(storage: MediaStorage): Promise<Installation> {
  const world = await openWorld()
  onTestFinished(() => world[Symbol.asyncDispose]())
  expect(await claimStorage(world.db, storage)).toBeNull()
  return Installation.open(world, storage)
}

/** A copy of the database of an installation, in the same place. */
async function copyOf({ db, storage }: Installation): Promise<Installation> {
  const world = await copyWorld({ db } as World)
  onTestFinished(() => world[Symbol.asyncDispose]())
  return Installation.open(world, storage)
}

async function stored(storage: MediaStorage): Promise<string[]> {
  return (await Array.fromAsync(storage.list())).map(({ key }) => key).toSorted()
}

const inTrash = async (storage: MediaStorage, key: string) => {
  if (!(await storage.recover(key))) return false
  await storage.discard(key)
  return true
}

describe.each([
  ['a folder', aFolder],
  ['a bucket', aBucket],
])('in %s', (_, openPlace) => {
  test('what an installation has stored and no item refers to goes into the trash after a day, with a warning, and is gone a week later', async () => {
    const storage = await openPlace()
    const ours = await oneIn(storage)
    const [kept, deleted, left, ofNobody] = [
      await ours.upload(),
      await ours.upload(),
      await ours.crash(),
      await ours.store(),
    ]
    await ours.deleteItem(deleted)
    await ours.pass(23)
    expect(await ours.sweep()).toBe(0)
    await ours.pass(1.1)
    expect(await ours.sweep()).toBe(2)
    expect(ours.warnings).toMatchObject([{ keys: expect.toSatisfy((keys: string[]) => keys.length === 2) }])
    expect(ours.warnings[0]!.keys!.toSorted()).toEqual([deleted, left].toSorted())
    expect(await stored(storage)).toEqual([kept, ofNobody].toSorted())
    for (const key of [deleted, left]) expect(await inTrash(storage, key)).toBe(true)

    await ours.pass(7 * 24 - 1)
    expect(await ours.sweep()).toBe(0)
    await ours.pass(1.1)
    expect(await ours.sweep()).toBe(2)
    for (const key of [deleted, left]) expect(await inTrash(storage, key)).toBe(false)
    expect(await stored(storage)).toEqual([kept, ofNobody].toSorted())
    expect(await ours.db`select from media_file`).toHaveLength(1)
  })

  test('a file in the trash that is in use comes back: when it is read, and at the latest when its time is over', async () => {
    const storage = await openPlace()
    const ours = await oneIn(storage)
    const [read, unread] = [await ours.upload(), await ours.upload()]
    for (const key of [read, unread]) await storage.discard(key)
    await ours.db`update media_file set unused_since = now() - interval '8 days', discarded_at = now() - interval '8 days'`
    await recovering(storage, () => undefined).check(read, SIZE)
    expect(await ours.sweep()).toBe(0)
    expect(await ours.missing()).toEqual([])
    expect(await ours.db`select from media_file where unused_since is null`).toHaveLength(2)
  })

  test('two installations in one place, for a week and more of random work, touch nothing of each other, and leak nothing', async () => {
    const storage = await openPlace()
    const [ours, theirs] = await twoIn(storage)
    const both = [ours, theirs]
    const random = fc.sample(fc.infiniteStream(fc.nat(1_000)), {
      numRuns: 1,
      seed: Number(process.env['SWEEP_SEED'] ?? 7),
    })[0]!
    const next = (most: number) => (random.next().value as number) % most
    for (let hour = 0; hour < 8 * 24; hour++) {
      for (const one of both) {
        const items = await one.items()
        const chance = next(12)
        if (chance < 3) await one.upload()
        else if (chance === 3) await one.crash()
        else if (chance < 6 && items.length > 0) await one.deleteItem(items[next(items.length)]!)
        await one.pass(1)
      }
      // Sometimes one after the other, sometimes at once, sometimes not at all.
      const turn = next(4)
      if (turn === 0) await Promise.all([ours.sweepBeside(), theirs.sweepBeside(), ours.sweepBeside()])
      else if (turn < 3) await both[turn - 1]!.sweep()
      if (hour % 24 === 0) for (const one of both) expect(await one.missing()).toEqual([])
    }
    for (const one of both) {
      await one.rest(9)
      expect(await one.missing()).toEqual([])
      expect(await isContested(one.db)).toBe(false)
    }
    expect(await stored(storage)).toEqual([...(await ours.items()), ...(await theirs.items())].toSorted())
    for (const one of both)
      expect(await one.db`select from media_file where unused_since is not null`).toHaveLength(0)
  })

  test('a restored copy removes nothing that the original has, for weeks, and each removes its own', async () => {
    const storage = await openPlace()
    const ours = await oneIn(storage)
    const [kept, deletedThere, deletedHere] = [await ours.upload(), await ours.upload(), await ours.upload()]
    await ours.sweep()
    const copy = await copyOf(ours)
    await copy.db.begin(disownFiles)
    const [later, ofCopy, leftByCopy] = [await ours.upload(), await copy.upload(), await copy.crash()]
    await copy.deleteItem(deletedThere)
    await ours.deleteItem(deletedHere)
    for (let day = 0; day < 20; day++) for (const one of [copy, ours]) await one.rest(1)

    expect(await ours.missing()).toEqual([])
    expect(await stored(storage)).toEqual([kept, deletedThere, later, ofCopy].toSorted())
    expect(await storage.holds(leftByCopy, SIZE)).toBe(false)
    expect(await copy.missing()).toEqual([deletedHere])
    expect([await isContested(ours.db), await isContested(copy.db)]).toEqual([false, false])
  })

  test('an original and a copy that has its id both keep their hands off, until a week after one got another id', async () => {
    const storage = await openPlace()
    const ours = await oneIn(storage)
    const [kept, deletedThere, deletedHere] = [await ours.upload(), await ours.upload(), await ours.upload()]
    await ours.rest(2)
    const copy = await copyOf(ours)
    const inFlight = await ours.crash()
    await copy.deleteItem(deletedThere)
    await ours.deleteItem(deletedHere)
    const later = await ours.upload()
    for (let day = 0; day < 30; day++) for (const one of [copy, ours]) await one.rest(1)
    expect([await isContested(ours.db), await isContested(copy.db)]).toEqual([true, true])
    for (const key of [kept, deletedThere, later, inFlight])
      expect(await recovering(storage, () => undefined).check(key, SIZE)).toBeUndefined()
    expect(await ours.missing()).toEqual([])
    expect(ours.warnings.length).toBeGreaterThan(0)

    await copy.db.begin(disownFiles)
    for (let day = 0; day < 20; day++) for (const one of [copy, ours]) await one.rest(1)
    expect([await isContested(ours.db), await isContested(copy.db)]).toEqual([false, false])
    expect(await stored(storage)).toEqual([kept, deletedThere, later].toSorted())
  })

  test('processes on one database are no copies of each other, however they interleave', async () => {
    const storage = await openPlace()
    const ours = await oneIn(storage)
    for (let round = 0; round < 10; round++) {
      await Promise.all([1, 2, 3, 4].map(() => ours.sweepBeside()))
      expect(await isContested(ours.db)).toBe(false)
    }
  })
})

test('no more than so many go into the trash in an hour, by all processes together, and the rest follows', async () => {
  const storage = await aFolder()
  const ours = await oneIn(storage)
  const workspaceId = (await aWorkspace(ours.db)).workspaceId
  await recordFiles(
    ours.db,
    Array.from({ length: 2.5 * MOST_AN_HOUR }, () => `${workspaceId}/${uuidv7()}`),
  )
  await ours.pass(25)
  const discarded = async () => (await ours.db`select from media_file where discarded_at is not null`).length
  for (const most of [1, 2, 2.5]) {
    await Promise.all([ours.sweep(), ours.sweep(), ours.sweep()])
    await ours.sweep()
    expect(await discarded()).toBe(most * MOST_AN_HOUR)
    await ours.pass(0.9)
    await ours.sweep()
    expect(await discarded()).toBe(most * MOST_AN_HOUR)
    await ours.pass(0.2)
  }
  await ours.rest(9)
  expect(await ours.db`select from media_file`).toHaveLength(0)
})

test('a process that ends at any call to the storage loses nothing, and leaves nothing for ever', async () => {
  const storage = await aFolder()
  const ours = await oneIn(storage)
  const calls = ['readLabel', 'readMarks', 'writeMark', 'discard', 'removeDiscarded', 'recover'] as const
  const endingAt = (name: (typeof calls)[number], when: 'before' | 'after'): MediaStorage => ({
    ...storage,
    async [name](...args: never[]) {
      if (when === 'after') await (storage[name] as (...all: never[]) => Promise<unknown>)(...args)
      throw new Error('the process ended')
    },
  })
  for (const name of calls)
    for (const when of ['before', 'after'] as const) {
      const [kept, deleted] = [await ours.upload(), await ours.upload()]
      await ours.deleteItem(deleted)
      for (let day = 0; day < 9; day++) {
        await ours.pass(24)
        await ours.sweep(endingAt(name, when)).catch(() => undefined)
        expect(await storage.holds(kept, SIZE)).toBe(true)
      }
    }
  await ours.rest(18)
  expect(await isContested(ours.db)).toBe(false)
  expect(await stored(storage)).toEqual((await ours.items()).toSorted())
  expect(await ours.db`select from media_file where unused_since is not null`).toHaveLength(0)
  expect(await ours.missing()).toEqual([])
})

type Step = {
  of: 'ours' | 'theirs' | 'copy'
  does: 'upload' | 'crash' | 'delete' | 'sweep' | 'pass' | 'copy' | 'hold'
  at: number
}
const aStep: fc.Arbitrary<Step> = fc.record({
  of: fc.constantFrom('ours', 'theirs', 'copy'),
  does: fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constantFrom('upload' as const, 'delete' as const, 'sweep' as const, 'pass' as const),
    },
    { weight: 2, arbitrary: fc.constant('crash' as const) },
    { weight: 1, arbitrary: fc.constantFrom('copy' as const, 'hold' as const) },
  ),
  at: fc.nat(40),
})

test(
  'random steps of two installations and of copies of one, held or not: what an original has is there',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 60, maxLength: 120 }), async (steps) => {
        const storage = await aFolder()
        const [ours, theirs] = await twoIn(storage)
        let copy: Installation | null = null
        let isHeld = false
        const worlds: World[] = []
        for (const { of, does, at } of steps) {
          const one = of === 'ours' ? ours : of === 'theirs' ? theirs : copy
          if (does === 'copy') {
            if (copy !== null) continue
            const world = await copyWorld(ours as unknown as World)
            worlds.push(world)
            copy = await Installation.open(world, storage)
          } else if (does === 'hold') {
            if (copy !== null && !isHeld) await copy.db.begin(disownFiles)
            isHeld = copy !== null
          } else if (does === 'pass') {
            // Time passes for all, and housekeeping is done at least once a day.
            for (const each of [ours, theirs, ...(copy === null ? [] : [copy])])
              await each.pass(1 + (at % 24))
            for (const each of [ours, theirs, ...(copy === null ? [] : [copy])]) await each.sweep()
          } else if (one === null) continue
          else if (does === 'sweep') await one.sweep()
          else if (does === 'delete') {
            const items = await one.items()
            if (items.length > 0) await one.deleteItem(items[at % items.length]!)
          } else await one[does]()
        }
        const readers = recovering(storage, () => undefined)
        for (const one of [ours, theirs]) for (const key of await one.items()) await readers.check(key, SIZE)
        // And once the copy is gone, each cleans up what is its own.
        if (copy !== null && !isHeld) await copy.db.begin(disownFiles)
        for (let day = 0; day < 20; day++) for (const one of [ours, theirs]) await one.rest(1)
        for (const one of [ours, theirs]) {
          expect(await one.missing()).toEqual([])
          const rows = await one.db<{ key: string }[]>`select storage_key as key from media_file`
          expect(rows.map(({ key }) => key).toSorted()).toEqual((await one.items()).toSorted())
        }
        for (const world of worlds) await world[Symbol.asyncDispose]()
      }),
      {
        numRuns: RUNS,
        ...(process.env['SWEEP_SEED'] === undefined ? {} : { seed: Number(process.env['SWEEP_SEED']) }),
      },
    )
  },
)

describe('taking a storage over', () => {
  const done = async () => undefined

  test('begins with a look, which says how many files there are, the newest, and whose', async () => {
    const storage = await aFolder()
    const [ours, theirs] = await twoIn(storage)
    await ours.upload()
    await ours.upload()
    const crashed = await theirs.crash()
    await theirs.sweep()
    const view = await viewStorage(ours.db, storage)
    expect(view).toMatchObject({ files: 3, bytes: 9, ofItems: 2, own: 2, label: view.storageId })
    expect(view.users).toMatchObject([{ address: 'http://localhost', host: expect.any(String) }])
    expect(view.newest!.getTime()).toBeGreaterThan(Date.now() - 60_000)
    expect(await storage.holds(crashed, SIZE)).toBe(true)
  })

  test('has a new database use it beside what is there, which it leaves alone', async () => {
    const storage = await aFolder()
    const before = await oneIn(storage)
    await before.upload()
    const world = await openWorld()
    onTestFinished(() => world[Symbol.asyncDispose]())
    expect(await claimStorage(world.db, storage)).not.toBeNull()
    const label = await storage.readLabel()
    for (const wrong of ['another', null])
      expect(await adoptStorage(world.db, storage, { label: wrong, files: 'own' }, done)).toMatchObject({
        why: expect.stringMatching(/Look at it again\. Nothing was changed\.$/),
      })
    expect(await adoptStorage(world.db, storage, { label, files: 'own' }, done)).toMatchObject({ adopted: 0 })
    expect(await claimStorage(world.db, storage)).toBeNull()
    const after = await Installation.open(world, storage)
    await after.rest(10)
    expect(await before.missing()).toEqual([])
    expect((await checkStoredFiles(world.db, storage)).ofOthers).toBe(1)
  })

  test('takes the files of one that was gone for a week, those that nobody knows, too, and none before', async () => {
    const storage = await aFolder()
    const before = await oneIn(storage)
    const [kept, deleted, left] = [await before.upload(), await before.upload(), await before.crash()]
    await before.sweep()
    const after = await copyOf(before)
    await after.db.begin(disownFiles)
    const since = await before.crash()
    const label = await storage.readLabel()
    expect(await adoptStorage(after.db, storage, { label, files: 'all' }, done)).toMatchObject({
      why: expect.stringContaining('Another installation, http://localhost on '),
    })
    for (const [id, text] of await storage.readMarks()) {
      const at = new Date(Date.now() - 8 * 86_400_000).toISOString()
      await storage.writeMark(id, JSON.stringify({ ...(JSON.parse(text) as object), at }))
    }
    await after.deleteItem(deleted)
    expect(await adoptStorage(after.db, storage, { label, files: 'all' }, done)).toMatchObject({ adopted: 4 })
    expect((await storage.readMarks()).size).toBe(0)
    await after.rest(10)
    expect(await stored(storage)).toEqual([kept])
    expect(await Promise.all([left, since].map((key) => inTrash(storage, key)))).toEqual([false, false])
  })

  test('lets the halves of a split each have the files of their own workspaces', async () => {
    const storage = await aFolder()
    const ours = await oneIn(storage)
    const world = await copyWorld(ours as unknown as World)
    onTestFinished(() => world[Symbol.asyncDispose]())
    const theirs = await Installation.open(world, storage)
    const label = await storage.readLabel()
    expect(await adoptStorage(theirs.db, storage, { label, files: 'own' }, done)).not.toHaveProperty('why')
    const [one, other] = [await ours.upload(), await theirs.upload()]
    await ours.deleteItem(one)
    await theirs.deleteItem(other)
    for (let day = 0; day < 10; day++) for (const each of [ours, theirs]) await each.rest(1)
    expect(await stored(storage)).toEqual([])
    expect([await isContested(ours.db), await isContested(theirs.db)]).toEqual([false, false])
  })
})
