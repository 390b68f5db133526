import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BackupEntry, headerOf, readBackupFile, writeBackupFile } from './backup-file.ts'
import { putInPlace, sweepPartials } from './partial-file.ts'

/* Several processes write backups, and are killed over it. */

let folder: string
let path: string
let children: ChildProcess[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-backups-'))
  path = join(folder, 'a.backup')
  children = []
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

type Writer = { readonly finish: () => Promise<string>; readonly kill: () => Promise<void> }

/** A process in the middle of a backup. */
async function begin(filling: string): Promise<Writer> {
  const child = fork(join(import.meta.dirname, '../../../test/rigs/backup-process.ts'), [path, filling], {
    stdio: 'inherit',
  })
  children.push(child)
  expect(await once(child, 'message')).toEqual(['begun', undefined])
  return {
    async finish() {
      const end = once(child, 'message')
      child.send('go on')
      return String((await end)[0])
    },
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** What the rows of the backup are filled with; throws where it is none. */
async function fillingsIn(): Promise<string[]> {
  const tables = new Set<string>()
  await readBackupFile(path, (entry) => void ('table' in entry && tables.add(entry.table)))
  return [...tables]
}

test('of several backups to one path at once, one is there, whole, and the others say that they are not', async () => {
  const writers = await Promise.all(['one', 'two', 'three'].map(begin))
  const ends = await Promise.all(writers.map(({ finish }) => finish()))
  expect(ends.filter((end) => end === 'done')).toHaveLength(1)
  expect(ends.filter((end) => end.includes('is there already'))).toHaveLength(2)
  expect(await fillingsIn()).toEqual([['one', 'two', 'three'][ends.indexOf('done')]])
  expect(await readdir(folder)).toEqual(['a.backup'])
})

test('a backup that cannot be read back as it was written does not appear', async () => {
  await using swapped = await open(join(folder, 'other'), 'w')
  async function* entries(): AsyncGenerator<BackupEntry> {
    const createdAt = new Date().toISOString()
    yield headerOf({ release: '0', createdAt, migrations: [], mediaStorageId: null, secretKeys: '' })
    // A disk that keeps other bytes than it was given.
    const [partial = ''] = (await readdir(folder)).filter((name) => name.endsWith('.partial'))
    await rename(join(folder, 'other'), join(folder, partial))
  }
  await expect(writeBackupFile(path, entries())).rejects.toThrow('no whole backup')
  expect(await readdir(folder)).toEqual([])
  await swapped.sync()
})

test('where there are no hard links, a file appears as whole, and replaces none either', async () => {
  const noLinks = async () => {
    throw Object.assign(new Error('no links'), { code: 'EPERM' })
  }
  for (const text of ['one', 'two']) await writeFile(join(folder, text), text)
  expect(await putInPlace(join(folder, 'one'), path, noLinks)).toBe(true)
  expect(await putInPlace(join(folder, 'two'), path, noLinks)).toBe(false)
  expect(await readFile(path, 'utf8')).toBe('one')
})

test('what other hosts have left goes when it has not grown for a day', async () => {
  const names = ['a.backup.elsewhere.1.0123456789ab.partial', 'a.backup.partial', 'mine.partial', 'b.backup']
  for (const name of names) await writeFile(join(folder, name), '')
  await sweepPartials(folder)
  expect(await readdir(folder)).toHaveLength(4)
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000)
  for (const name of names) await utimes(join(folder, name), twoDaysAgo, twoDaysAgo)
  await sweepPartials(folder)
  expect((await readdir(folder)).toSorted()).toEqual(['a.backup.partial', 'b.backup', 'mine.partial'])
})

test('what a killed backup leaves is readable for its owner alone, and goes with the next one', async () => {
  const killed = await begin('killed')
  const running = await begin('running')
  await killed.kill()
  const left = await readdir(folder)
  expect(left).toHaveLength(2)
  for (const name of left) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)

  const next = await begin('next')
  expect(await readdir(folder)).toHaveLength(2)
  // What another one is still writing stays.
  expect(await running.finish()).toBe('done')
  expect(await next.finish()).toContain('is there already')
  expect(await fillingsIn()).toEqual(['running'])
  expect(await readdir(folder)).toEqual(['a.backup'])
})

test('a file that came while the backup was written is not replaced', async () => {
  const writer = await begin('late')
  await writeFile(path, 'mine')
  expect(await writer.finish()).toContain('is there already')
  expect((await stat(path)).size).toBe(4)
  expect(await readdir(folder)).toEqual(['a.backup'])
})
