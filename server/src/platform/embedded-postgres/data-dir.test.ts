import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { refuseForeignCluster, settleDataDir, UnusableDataDir } from './data-dir.ts'

const isRoot = process.getuid?.() === 0

async function openPlace() {
  const parent = await mkdtemp(join(tmpdir(), 'data-dir-'))
  await chmod(parent, 0o711)
  const closed = join(parent, 'closed')
  await mkdir(closed, { mode: 0o700 })
  const fallbackRoot = join(parent, 'stand-in')
  return {
    parent,
    fallbackRoot,
    wanted: join(closed, 'data'),
    settle: (more: { wanted?: string; chosen?: boolean; embedded?: boolean } = {}) =>
      settleDataDir({ wanted: join(closed, 'data'), chosen: false, embedded: true, fallbackRoot, ...more }),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true }),
  }
}

async function writeCluster(dir: string): Promise<void> {
  await mkdir(join(dir, 'postgres'), { recursive: true })
  await writeFile(join(dir, 'postgres', 'PG_VERSION'), '18\n')
}

test('the wanted folder is created, and nothing needs saying', async () => {
  await using place = await openPlace()
  const wanted = join(place.parent, 'open', 'data')

  expect(await place.settle({ wanted })).toEqual({ path: wanted, notice: null })
  expect((await stat(wanted)).mode & 0o777).toBe(isRoot ? 0o711 : 0o700)
})

test.each([
  ['a file', 'file', 'there is a file in its place'],
  ['below a file', 'file/data', 'there is a file in its place, or above it'],
  ['where the system makes no folders', '/proc/postrider/data', 'the system allows no folder there'],
])('a folder that is %s is refused at once, in words', async (_, name, reason) => {
  await using place = await openPlace()
  await writeFile(join(place.parent, 'file'), '')
  const wanted = resolve(place.parent, name)

  const settled = place.settle({ wanted, chosen: true })

  await expect(settled).rejects.toThrow(UnusableDataDir)
  await expect(settled).rejects.toThrow(`${wanted} cannot be used as DATA_DIR: ${reason}`)
})

test.runIf(!isRoot)('a folder that may not be written to is refused in words', async () => {
  await using place = await openPlace()
  const wanted = join(place.parent, 'read-only')
  await mkdir(wanted, { mode: 0o500 })
  await expect(place.settle({ wanted, chosen: true })).rejects.toThrow('this user may not write there')
})

test("another user's database is said to be theirs, and not to be missing", async () => {
  await using place = await openPlace()
  const dataDir = join(place.parent, 'theirs')
  await writeCluster(dataDir)
  await refuseForeignCluster(dataDir)
  await refuseForeignCluster(join(place.parent, 'nothing'))
  await chmod(join(dataDir, 'postgres'), 0)
  // For root every folder is open.
  if (isRoot) process.seteuid?.(65_534)
  try {
    await expect(refuseForeignCluster(dataDir)).rejects.toThrow('not readable by you')
  } finally {
    if (isRoot) process.seteuid?.(0)
    await chmod(join(dataDir, 'postgres'), 0o700)
  }
})

describe.runIf(isRoot)('as root, where the user of PostgreSQL may not go', () => {
  test('the default gives way to one folder for good, and says so', async () => {
    await using place = await openPlace()

    const first = await place.settle()

    expect(first.path.startsWith(place.fallbackRoot)).toBe(true)
    expect(first.notice).toContain(first.path)
    expect(existsSync(first.path)).toBe(true)
    expect(await place.settle()).toEqual(first)
  })

  test('data that went to the stand-in is found there after the wanted folder has been opened', async () => {
    await using place = await openPlace()
    const { path } = await place.settle()
    await writeCluster(path)
    await chmod(join(place.wanted, '..'), 0o755)

    expect((await place.settle()).path).toBe(path)
  })

  test.each([
    ['a person chose it', { chosen: true }],
    ['no PostgreSQL of ours runs', { embedded: false }],
  ])('the folder stays when %s', async (_, more) => {
    await using place = await openPlace()

    expect(await place.settle(more)).toEqual({ path: place.wanted, notice: null })
  })

  test('the folder stays when it holds a cluster already', async () => {
    await using place = await openPlace()
    await writeCluster(place.wanted)

    expect((await place.settle()).path).toBe(place.wanted)
  })
})
