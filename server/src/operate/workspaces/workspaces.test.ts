import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { aWorkspace, snapshotOf } from '../../../test/rigs/fixtures.ts'
import { aFullWorkspace, type FullWorkspace } from '../../../test/rigs/full-workspace.ts'
import { dumpTables } from '../../../test/rigs/running-app.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { openFolderStorage } from '../../media/folder-storage.ts'
import { openAuthorization } from '../../networks/channels/authorization.ts'
import { auditStream } from '../../people/audit/stream-audit.ts'
import { agentKeys } from '../../people/keys/authenticate.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type Keyring, makeKeyring } from '../../platform/sealing/sealing.ts'
import { recordFile } from '../../media/file-store.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { writeBackupFile } from '../backup/backup-file.ts'
import { findDamaged, keysInUse } from '../secrets/open-secrets.ts'
import { deleteWorkspace, LAST } from './delete-workspace.ts'
import { EXPORT, type WorkspaceEntry } from './workspace-file.ts'
import { listWorkspaceTables } from './workspace-store.ts'
import { movedTables } from './workspace-tables.ts'

/* Exports, imports and deletions of a workspace that has a row in every table, without a server that runs. */

type Site = World & {
  readonly keyring: Keyring
  readonly dataDir: string
  readonly run: (...args: string[]) => Promise<any>
  readonly refused: (...args: string[]) => Promise<string>
  readonly says: (...args: string[]) => Promise<string>
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-workspaces-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** An installation with keys and a storage of its own. */
async function aSite(): Promise<Site> {
  const world = await openWorld()
  const key = randomBytes(32)
  const dataDir = await mkdtemp(join(folder, 'site-'))
  const postrider = commandLineWith({
    DATABASE_URL: world.databaseUrl,
    DATA_DIR: dataDir,
    SECRET_KEYS: key.toString('base64'),
  })
  return {
    ...world,
    keyring: makeKeyring([key]),
    dataDir,
    async run(...args) {
      const { exitCode, said, errors } = await postrider(...args, '--json')
      expect({ args, exitCode, errors: exitCode === 0 ? '' : errors }).toEqual({
        args,
        exitCode: 0,
        errors: '',
      })
      return JSON.parse(said)
    },
    says: async (...args) => (await postrider(...args)).said,
    async refused(...args) {
      const { exitCode, errors } = await postrider(...args)
      expect({ args, failed: exitCode !== 0 }).toEqual({ args, failed: true })
      return errors
    },
  }
}

const nth = { file: 0 }
const newPath = () => join(folder, `${(nth.file += 1)}.workspace`)

/** A workspace in a site, whose file is in the storage, and which nothing publishes. */
async function aStill(site: Site): Promise<FullWorkspace> {
  const made = await aFullWorkspace(site.db, site.keyring)
  await settlePublishing(site.db)
  const [file] = await site.db<{ key: string }[]>`
    update media_item set size_bytes = 5, sha256 = sha256('bytes') where workspace_id = ${made.workspaceId} returning storage_key as key`
  const path = join(site.dataDir, 'a-file')
  await writeFile(path, 'bytes')
  const storage = await openFolderStorage(join(site.dataDir, 'media', 'kept'))
  await storage.put(file!.key, path, { size: 5, contentType: 'image/png' })
  return made
}

/** As the server does with what a publisher has left that is gone. */
async function settlePublishing(db: Db): Promise<void> {
  await db`update attempt set verdict = 'unknown', settled_at = now() where verdict is null`
  await db`update part set status = 'checking' where status = 'publishing'`
  await db`
    update destination set status = 'checking', due_at = now(), leased_by = null, lease_until = null where status = 'publishing'`
}

const countsOf = async (db: Db, workspaceId: string) => {
  const rows = await snapshotOf(db, workspaceId)
  return Object.fromEntries(Object.entries(rows).map(([table, of]) => [table, of.length]))
}

test('the workspace of these tests has a row in every table that has rows of workspaces', async () => {
  await using site = await aSite()
  const { workspaceId } = await aStill(site)
  await site.run('workspace', 'export', workspaceId, newPath(), '--move')
  const counts = await countsOf(site.db, workspaceId)
  const tables = (await listWorkspaceTables(site.db)).map(({ name }) => name)
  // `publication` has what is published at this moment.
  const empty = tables.filter(
    (name) => name !== 'workspace' && name !== 'unindexed_post' && counts[name] === 0,
  )
  expect(empty).toEqual(['publication'])
})

test('with every table moved, what was stopped goes on, for the people who are there already', async () => {
  await using from = await aSite()
  await using to = await aSite()
  // Ada is known there under another id and name, and has a password; Bob is not.
  await aWorkspace(to.db)
  await to.db`update person set name = 'Ada There', password_hash = 'a hash'`
  const [there] = await to.db`select * from person`
  const { workspaceId, channelIds, endpointId, key } = await aStill(from)
  await from.db`update person set password_hash = 'another hash', email_proven_at = now()`
  const before = await countsOf(from.db, workspaceId)
  const statuses = (db: Db) => db`
    select id, status, due_at is null as never from destination where workspace_id = ${workspaceId} order by id`
  const known = await statuses(from.db)
  const file = newPath()
  await from.run('workspace', 'export', workspaceId, file, '--move')
  expect(await agentKeys.find(from.db, key)).toBeNull()
  expect(await from.db`select from channel where enabled`).toEqual([])

  const done = await to.run('workspace', 'import', file)
  expect(done).toMatchObject({
    workspaceId,
    moved: true,
    mediaFiles: 1,
    suspended: { members: [], keys: [] },
  })
  const after = await countsOf(to.db, workspaceId)
  for (const table of movedTables) {
    // One entry for the import is added, and what says that it is frozen is over.
    const more = table === 'audit_entry' ? 1 : 0
    if (!['workspace', 'workspace_freeze', 'unindexed_post'].includes(table))
      expect([table, after[table]]).toEqual([table, before[table]! + more])
  }
  expect(await statuses(to.db)).toEqual(known)
  expect(await agentKeys.find(to.db, key)).not.toBeNull()
  const people = await to.db<{ name: string; passwordHash: string | null }[]>`
    select p.name, p.password_hash as "passwordHash" from member m join person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.removed_at is null order by p.email`
  expect(people).toEqual([
    { name: 'Ada There', passwordHash: 'a hash' },
    { name: 'Bob', passwordHash: null },
  ])
  expect(await to.db`select * from person where id = ${there!['id'] as string}`).toEqual([there])
  const [entry] = await to.db`
    select actor_id, person_id from audit_entry where action = 'createPost' and workspace_id = ${workspaceId}`
  expect(entry).toEqual({ actor_id: there!['id'], person_id: there!['id'] })

  // Every secret is sealed by the key of this installation alone, and opens.
  expect((await keysInUse(to.db)).map(({ keyId }) => keyId)).toEqual([to.keyring.keyId])
  expect(await findDamaged(to.db, to.keyring)).toEqual([])
  const [channel] = await to.db<{ sealed: Buffer }[]>`
    select authorization_sealed as sealed from channel where id = ${channelIds[0]!}`
  expect(openAuthorization(to.keyring, channelIds[0]!, channel!.sealed)).toEqual({ accessToken: 'a token' })
  expect(
    await to.db`select id from channel where workspace_id = ${workspaceId} and enabled order by id`,
  ).toHaveLength(2)
  expect(await to.db`select status from endpoint where id = ${endpointId}`).toEqual([{ status: 'active' }])
  const [queue] = await to.db`
    select look_at < now() + interval '2 hours' as soon from channel_queue where channel_id = ${channelIds[0]!}`
  expect(queue).toEqual({ soon: true })
  // Apps have the tokens of the installation before.
  expect(await to.db`select from oauth_grant where revoked_at is null`).toEqual([])

  // No file is that of the other installation, also where they share a storage.
  const [there1, there2] = await Promise.all(
    [from, to].map(
      ({ db }) =>
        db<{ key: string }[]>`select storage_key as key from media_item where workspace_id = ${workspaceId}`,
    ),
  )
  expect(there2![0]!.key).not.toBe(there1![0]!.key)
  const storage = await openFolderStorage(join(to.dataDir, 'media', 'kept'))
  await storage.check(there2![0]!.key, 5)
  expect(await to.refused('workspace', 'import', file)).toContain('is here already')
})

test('imported from an installation that goes on, everything unfinished is held, and access waits to be confirmed', async () => {
  await using from = await aSite()
  await using to = await aSite()
  const { workspaceId, key } = await aFullWorkspace(from.db, from.keyring)
  const other = await aFullWorkspace(to.db, to.keyring)
  const untouched = await snapshotOf(to.db, other.workspaceId)
  const before = await snapshotOf(from.db, workspaceId)
  const file = newPath()
  // Its picture has no file.
  expect(await from.refused('workspace', 'export', workspaceId, file)).toContain('1 media file')
  const { audit_entry: entries, ...same } = await snapshotOf(from.db, workspaceId)
  const { audit_entry: entriesBefore, ...sameBefore } = before
  expect(same).toEqual(sameBefore)
  expect(entries).toHaveLength(entriesBefore!.length + 1)

  const done = await to.run('workspace', 'import', file)
  expect(done).toMatchObject({
    moved: false,
    heldChannels: [{}, {}],
    suspended: { members: [{}, {}], keys: [{}] },
  })
  const open = await to.db<{ status: string; by: string }[]>`
    select d.status, a.evidence -> -1 ->> 'was' as by from destination d
    join   attempt a on a.workspace_id = d.workspace_id and a.destination_id = d.id and a.verdict = 'unknown'
    where  d.workspace_id = ${workspaceId} order by 2`
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set(['checking']))
  expect(open.map(({ by }) => by)).toEqual([
    'checking',
    'delayed',
    'draft',
    'partially_published',
    'publishing',
    'reconnect_required',
    'scheduled',
  ])
  expect(await agentKeys.find(to.db, key)).toBeNull()
  expect(await to.db`select status, look_at from series where workspace_id = ${workspaceId}`).toEqual([
    { status: 'paused', look_at: null },
  ])
  expect(await to.db`select status from bulk_run where workspace_id = ${workspaceId}`).toEqual([
    { status: 'stopped' },
  ])
  expect(await snapshotOf(to.db, other.workspaceId)).toEqual(untouched)
  expect(await to.run('access', 'list')).toMatchObject({ members: [{}, {}], keys: [{}] })

  await using third = await aSite()
  await third.run('workspace', 'import', file, '--access-unchanged')
  expect(await agentKeys.find(third.db, key)).not.toBeNull()
})

test('a workspace that is frozen and goes on here after all has missed nothing', async () => {
  await using site = await aSite()
  const { workspaceId, endpointId } = await aStill(site)
  const restless = /^(updated_at|status_since|fence|next_at|look_at|refresh_due_at|profile_due_at)$/
  const still = async () =>
    Object.fromEntries(
      Object.entries(await snapshotOf(site.db, workspaceId))
        .filter(([table]) => table !== 'audit_entry')
        .map(([table, rows]) => [
          table,
          (rows as object[])
            .map((row) =>
              JSON.stringify(
                Object.fromEntries(
                  Object.entries(row).filter(([name]) => !restless.test(name) && name !== 'due_at'),
                ),
              ),
            )
            .toSorted(),
        ]),
    )
  const before = await still()
  const pending = await site.db<
    { event: string }[]
  >`select event_id as event from delivery where status = 'pending'`
  expect(pending).toHaveLength(2)
  await site.run('workspace', 'export', workspaceId, newPath(), '--move')
  // The dispatchers give up what is owed to a disabled endpoint, and an event is recorded meanwhile.
  await site.db`update delivery set status = 'failed', error = 'endpoint_disabled', settled_at = now() where status = 'pending'`
  expect(await site.run('access', 'list')).toEqual({ members: [], keys: [] })
  expect(await site.run('doctor')).toContainEqual(
    expect.objectContaining({
      code: 'workspaces_frozen',
      detail: expect.stringContaining('1 workspace frozen'),
    }),
  )
  expect(await site.refused('workspace', 'unfreeze', workspaceId)).toContain('--not-moved')
  await site.run('workspace', 'unfreeze', workspaceId, '--not-moved')
  expect(await still()).toEqual(before)
  expect(
    await site.db`select from destination where status = 'checking' and due_at is null and error is null`,
  ).toEqual([])
  expect(
    await site.db`select from delivery where endpoint_id = ${endpointId} and status = 'pending'`,
  ).toHaveLength(2)
  expect(await site.refused('workspace', 'unfreeze', workspaceId, '--not-moved')).toContain('is not frozen')
})

test('what an export and an import say to do next can be run as it stands', async () => {
  await using site = await aSite()
  await using to = await aSite()
  const { workspaceId } = await aStill(site)
  const file = newPath()
  const commands = (said: string) =>
    [...said.matchAll(/`postrider (workspace [^`]*)`/g)].map(([, line]) => line!.split(' '))
  const [remove, goOn] = commands(await site.says('workspace', 'export', workspaceId, file, '--move'))
  expect(await site.run(...remove!)).toMatchObject({ workspaceId, deleted: false })
  const [there] = commands(await to.says('workspace', 'import', file))
  expect(there).toEqual(remove)
  expect(await site.run(...goOn!)).toMatchObject({ workspaceId })
})

test('what is being published is waited for, and a file is written only once nothing is', async () => {
  await using site = await aSite()
  const { workspaceId } = await aFullWorkspace(site.db, site.keyring)
  const file = newPath()
  const exporting = site.run('workspace', 'export', workspaceId, file, '--move')
  await expect.poll(() => site.db`select from workspace_freeze`).toHaveLength(1)
  await expect(readFile(file)).rejects.toThrow('ENOENT')
  await settlePublishing(site.db)
  await exporting.catch(() => undefined)
  const lines = linesOf(await readFile(file))
  expect(lines.filter((line) => line.includes('"table":"destination"')).join('')).not.toContain('publishing')
  // What has become doubtful meanwhile is looked up nowhere but where it goes on.
  expect(await site.db`select from destination where status = 'checking' and due_at is not null`).toEqual([])
})

function linesOf(file: Buffer): string[] {
  return gunzipSync(file).toString().trimEnd().split('\n')
}

describe('refused before anything is touched', () => {
  let from: Site
  let to: Site
  let file: Buffer
  let untouched: unknown
  beforeAll(async () => {
    ;[from, to] = [await aSite(), await aSite()]
    const { workspaceId } = await aStill(from)
    const path = newPath()
    await from.run('workspace', 'export', workspaceId, path)
    file = await readFile(path)
    await to.run('workspace', 'list')
    untouched = await dumpTables(to.db)
  })
  afterAll(async () => {
    await from[Symbol.asyncDispose]()
    await to[Symbol.asyncDispose]()
  })

  /** The same file with other entries, and a checksum that fits. */
  async function forged(change: (entry: any) => any): Promise<Buffer> {
    const path = newPath()
    const entries = linesOf(file)
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    async function* changed(): AsyncGenerator<WorkspaceEntry> {
      for (const entry of entries) yield change(entry)
    }
    await writeBackupFile(path, changed(), undefined, { kind: { ...EXPORT, version: 99 } })
    return readFile(path)
  }
  const header = (more: object) =>
    forged((entry) => ('header' in entry ? { header: { ...entry.header, ...more } } : entry))

  test.each<[string, () => Promise<Buffer> | Buffer, string]>([
    [
      'one that is cut',
      () => file.subarray(0, file.length - 20),
      'no whole exported workspace: it ends too early',
    ],
    [
      'one that was changed',
      () => gzipSync(linesOf(file).join('\n').replace('a-channel', 'b-channel') + '\n'),
      'its checksum is another one',
    ],
    ['one that is none', () => Buffer.from('hello'), 'no whole exported workspace'],
    ['one of a newer release', () => header({ version: 2 }), 'newer release'],
    [
      'one of another schema',
      () => header({ migrations: [{ version: 1, name: '0001_tables' }] }),
      'Upgrade the older installation',
    ],
    [
      'one with a file of other bytes',
      () => forged((entry) => ('bytes' in entry ? { bytes: 'aGVsbG8=' } : entry)),
      'other bytes',
    ],
    [
      'one with rows of another table',
      () => forged((entry) => ('table' in entry ? { ...entry, table: 'person' } : entry)),
      'not imported',
    ],
  ])('%s', async (_, make, words) => {
    const path = newPath()
    await writeFile(path, await make())
    expect(await to.refused('workspace', 'import', path)).toContain(words)
    expect(await dumpTables(to.db)).toEqual(untouched)
  })

  test.each(['workspace import', 'backup verify', 'backup --check', 'restore'])(
    'by %s, what is no file',
    async (command) => {
      expect(await to.refused(...command.split(' '), folder)).toContain(`${folder} is no file, but a folder.`)
      const pipe = newPath()
      execFileSync('mkfifo', [pipe])
      expect(await to.refused(...command.split(' '), pipe)).toContain(`${pipe} is no regular file.`)
    },
  )

  test('a backup of all', async () => {
    const path = newPath()
    await from.run('backup', path)
    expect(await to.refused('workspace', 'import', path)).toContain('is no exported workspace')
    await from.run('workspace', 'list')
    expect(await from.refused('restore', newPath())).toContain('cannot be read')
  })

  test('one of a workspace that is being deleted, or a file that is there', async () => {
    await using site = await aSite()
    const { workspaceId } = await aStill(site)
    const path = newPath()
    await writeFile(path, 'mine')
    expect(await site.refused('workspace', 'export', workspaceId, path)).toContain('is there already')
    await site.run('workspace', 'export', workspaceId, newPath(), '--move')
    await site.db`update workspace_freeze set deleting = true`
    expect(await site.refused('workspace', 'export', workspaceId, newPath())).toContain('being deleted')
    expect(await site.refused('workspace', 'unfreeze', workspaceId, '--not-moved')).toContain('being deleted')
  })
})

test('an import that fails in the middle leaves nothing but files that are noted, and can be repeated', async () => {
  await using from = await aSite()
  await using to = await aSite()
  const { workspaceId } = await aStill(from)
  const file = newPath()
  await from.run('workspace', 'export', workspaceId, file)
  await to.db.script(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$;
    create trigger fails before insert on audit_entry for each row when (new.action = 'importWorkspace') execute function fail();`)
  expect(await to.refused('workspace', 'import', file)).toContain('the disk is full')
  const rows = await countsOf(to.db, workspaceId)
  expect(Object.entries(rows).filter(([, count]) => count > 0)).toEqual([['media_file', 1]])
  expect(await to.db`select from person`).toEqual([])
  await to.db.script('drop trigger fails on audit_entry')
  await to.run('workspace', 'import', file)
})

describe('a deletion', () => {
  test('says what will go, and removes every row and file of the workspace and of no other', async () => {
    await using site = await aSite()
    const { workspaceId } = await aStill(site)
    const other = await aStill(site)
    const untouched = await snapshotOf(site.db, other.workspaceId)
    const counts = await site.run('workspace', 'delete', workspaceId)
    expect(counts).toMatchObject({
      deleted: false,
      mediaFiles: 1,
      rows: { channel: 2, idempotency_record: 1 },
    })
    expect(await site.refused('workspace', 'delete', workspaceId, '--yes', other.workspaceId)).toContain(
      '--yes',
    )
    expect(await snapshotOf(site.db, workspaceId)).not.toEqual({})
    await site.run('workspace', 'delete', workspaceId, '--yes', workspaceId)
    const found = Object.values(await dumpTables(site.db, workspaceId)).flat()
    expect(found).toEqual([expect.stringContaining('deleteWorkspace')])
    expect(await site.db`select from oauth_artifact`).toHaveLength(1)
    expect(await snapshotOf(site.db, other.workspaceId)).toEqual(untouched)
    const storage = await openFolderStorage(join(site.dataDir, 'media', 'kept'))
    const left = (await Array.fromAsync(storage.list())).map(({ key }) => key.split('/')[0])
    expect(left).toEqual([other.workspaceId])
    const [entry] = await site.db`
      select workspace_id, subject, before from audit_entry where action = 'deleteWorkspace'`
    expect(entry).toMatchObject({
      workspace_id: null,
      subject: { workspaceId },
      before: { name: 'Test', mediaFiles: 1 },
    })
  })

  test('waits until its audit log is written out, and deletes nothing of it where it cannot be', async () => {
    await using site = await aSite()
    const { workspaceId } = await aStill(site)
    const storage = await openFolderStorage(join(site.dataDir, 'media', 'kept'))
    const remove = (streams: boolean, stillMs?: number) =>
      deleteWorkspace({ ...site, storage, streams }, workspaceId, async () => undefined, stillMs)
    const known = await site.db<{ id: string }[]>`
      select id from audit_entry where workspace_id = ${workspaceId} order by seq`
    const before = await snapshotOf(site.db, workspaceId)
    const written: string[] = []
    const full = auditStream(site.db, uuidv7(), () => Promise.reject(new Error('the disk is full')))
    await expect(full()).rejects.toThrow('the disk is full')
    // The process that writes tells of itself, or the setting does.
    await expect(remove(false, 0)).rejects.toThrow('AUDIT_STREAM')
    await site.db`update audit_stream set held_until = null`
    await expect(remove(true, 0)).rejects.toThrow('AUDIT_STREAM')
    expect(await snapshotOf(site.db, workspaceId)).toEqual(before)
    const removed = remove(true)
    await auditStream(site.db, uuidv7(), async (text) => void written.push(text))()
    await removed
    for (const { id } of known) expect(written.join('')).toContain(id)
    expect(known).not.toEqual([])
    expect(Object.values(await snapshotOf(site.db, workspaceId)).flat()).toEqual([])
  })

  test('that is interrupted at any table is continued by the same command', async () => {
    await using site = await aSite()
    const { workspaceId } = await aStill(site)
    await site.db.script(
      `create function fail() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`,
    )
    const tables = (await listWorkspaceTables(site.db)).map(({ name }) => name).toReversed()
    for (const name of [...tables.filter((each) => !LAST.includes(each)), ...LAST]) {
      await site.db.script(
        `create trigger fails before delete on ${name} for each statement execute function fail()`,
      )
      expect(await site.refused('workspace', 'delete', workspaceId, '--yes', workspaceId)).toContain('killed')
      await site.db.script(`drop trigger fails on ${name}`)
      // Found by its id until it is gone, and of no use until then.
      expect(await site.refused('workspace', 'unfreeze', workspaceId, '--not-moved')).toContain(
        'being deleted',
      )
    }
    await site.run('workspace', 'delete', workspaceId, '--yes', workspaceId)
    expect(Object.values(await dumpTables(site.db, workspaceId)).flat()).toHaveLength(1)
  })

  test('waits for what writes to it at that moment, and finds that, too', async () => {
    await using site = await aSite()
    const { workspaceId } = await aStill(site)
    const { promise, resolve } = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    // As a process does that moves posts to where they are searched, and began before.
    const writing = site.db.begin(async (tx) => {
      await tx`insert into unindexed_post (workspace_id, post_id, folded) values (${workspaceId}, gen_random_uuid(), '{late}')`
      begun.resolve()
      await promise
    })
    await begun.promise
    const deleting = site.run('workspace', 'delete', workspaceId, '--yes', workspaceId)
    await expect.poll(async () => (await countsOf(site.db, workspaceId))['media_file']).toBe(0)
    resolve()
    await writing
    await deleting
    expect(Object.values(await dumpTables(site.db, workspaceId)).flat()).toHaveLength(1)
  })

  test('brings files to the trash where another installation uses the storage, and refuses one that is not its own', async () => {
    await using site = await aSite()
    const { workspaceId } = await aStill(site)
    const storage = await openFolderStorage(join(site.dataDir, 'media', 'kept'))
    const [file] = await site.db<{ key: string }[]>`select storage_key as key from media_file`
    await site.db`update media_place set contested_at = now()`
    expect(await site.refused('workspace', 'delete', workspaceId, '--yes', workspaceId)).toContain(
      'Nothing was deleted',
    )
    expect(await site.db`select from workspace_freeze`).toEqual([])
    await site.db`update media_place set contested_at = null`
    const mark = { mark: 'm', address: 'https://other.example', host: 'h', at: new Date().toISOString() }
    await storage.writeMark('0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', JSON.stringify(mark))
    const done = await deleteWorkspace(
      { ...site, storage, streams: false },
      workspaceId,
      async () => undefined,
    )
    expect(done.trashed).toBe(true)
    expect(await storage.recover(file!.key)).toBe(true)
    expect(
      await site.db`select unused_since is not null and discarded_at is not null as noted from media_file`,
    ).toEqual([{ noted: true }])
    await recordFile(site.db, file!.key)
  })
})
