import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/*
 * "It is not in my database, so it is nobody's" has removed what others needed. So each place at which the server removes something
 * outside of its database stands here: what, whose, and why nobody else can need it.
 */
const removals: Record<string, readonly { call: string; why: string }[]> = {
  'accounts/first-start/write-greeting.ts': [
    {
      call: 'rm(path, { force: true })',
      why: 'a greeting, which is written anew to the same place in the data folder',
    },
  ],
  'media/cached-images.ts': [
    {
      call: 'rm(join(folder, name), { force: true })',
      why: 'a file in that cache, which is made again where it is needed',
    },
    {
      call: 'rm(folder, { recursive: true, force: true })',
      why: 'the cache that this process made under a random name, when it stops',
    },
    {
      call: 'rm(path, { recursive: true, force: true })',
      why: 'a cache that no process has shown to be in use for ten minutes; its process would make the images again',
    },
  ],
  'media/folder-storage.ts': [
    {
      call: 'rm(pathOf(key), { force: true })',
      why: 'a file under a random name that this process has just put there, and whose item could not be recorded',
    },
    {
      call: 'rm(trashOf(key), { force: true })',
      why: 'a file that this installation has noted, after its week in the trash',
    },
    {
      call: 'rm(markPath(installationId), { force: true })',
      why: 'the mark of an installation whose place the operator has said to take over (`media adopt`)',
    },
  ],
  'media/images.ts': [
    {
      call: 'rm(to, { force: true })',
      why: 'a file in transit that this job has just made, and that is too large',
    },
  ],
  'media/s3-storage.ts': [
    { call: 'DeleteObjectCommand(place)', why: 'as of the folder: the same three, by key' },
  ],
  'media/temp-files.ts': [
    {
      call: 'rm(path, { force: true })',
      why: 'a file in transit under a random name that its owner gives back',
    },
    {
      call: 'rm(path, { force: true })',
      why: 'one with such a name that was last written a day ago, longer than any upload takes',
    },
    { call: 'rm(path, { force: true })', why: 'an empty file that was made to ask the disk for its time' },
  ],
  'operate/backup/backup-file.ts': [
    {
      call: 'rm(partial, { force: true })',
      why: 'the unfinished backup of this process, under a random name',
    },
  ],
  'operate/backup/keep-newest.ts': [
    {
      call: 'rm(path)',
      why: 'an older backup of the same installation, as its header says, that was named by its time, where --keep was given',
    },
    { call: 'rm(path)', why: 'the same of an encrypted one, whose name has the installation' },
  ],
  'operate/backup/open-backup.ts': [
    {
      call: 'rm(path)',
      why: 'the copy of a backup that this command has just downloaded into a folder of its own',
    },
  ],
  'operate/backup/own-folder.ts': [
    {
      call: 'rm(path, { recursive: true, force: true })',
      why: 'the folder of this command under a random name',
    },
  ],
  'operate/backup/partial-file.ts': [
    {
      call: 'rm(path, { force: true })',
      why: 'an unfinished backup whose process is gone from this host, or that was not written to for long',
    },
    { call: 'rm(partial)', why: 'the second name of a backup that has just got its own' },
  ],
  'operate/workspaces/delete-workspace.ts': [
    {
      call: 'rm(join(folder, path), { force: true })',
      why: 'a smaller copy of a picture whose name has the workspace that is deleted',
    },
  ],
  'platform/embedded-postgres/binaries.ts': [
    {
      call: 'rm(half, { recursive: true })',
      why: 'the copy of programs that this process has just made under a random name',
    },
  ],
  'platform/embedded-postgres/cluster.ts': [
    {
      call: 'rm(fresh, { recursive: true, force: true, maxRetries: 10 })',
      why: 'the cluster that this process was creating under a random name, without a row of anybody',
    },
    {
      call: 'rm(half, { recursive: true, force: true })',
      why: 'one that was left unfinished an hour ago, and never had its name',
    },
  ],
  'platform/sealing/secret-keys.ts': [
    {
      call: 'rm(draftDir, { recursive: true })',
      why: 'a folder under a random name that this process has just made; the key file is a link of its own',
    },
  ],
}

test('each removal outside of the database is accounted for', () => {
  const folder = join(import.meta.dirname, '../src')
  const found: Record<string, string[]> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/(?<!\.test)\.[tj]s$/.test(name)) continue
    const text = readFileSync(join(folder, name), 'utf8')
    const calls = [
      ...text.matchAll(
        /\b(?:(?:rm|unlink|rmdir|f?truncate)(?:Sync)?|Delete(?:Object|Objects|Bucket)Command)\(/g,
      ),
    ]
    if (calls.length > 0) found[name] = calls.map(({ index }) => callAt(text, index))
  }
  const known = Object.entries(removals).map(([name, calls]) => [name, calls.map(({ call }) => call)])
  expect(found).toEqual(Object.fromEntries(known))
  expect(Object.keys(found).length).toBeGreaterThan(5)
})

/** The call that begins there, up to its closing bracket. */
function callAt(text: string, begin: number): string {
  let depth = 0
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return text.slice(begin, at + 1)
  }
  return text.slice(begin)
}
