import { randomBytes, randomUUID } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCluster } from '../../test/rigs/cluster.ts'
import { commandLineWith } from '../../test/rigs/command-line.ts'
import { aChannel, aPost, aWorkspace, openTransaction } from '../../test/rigs/fixtures.ts'
import { aPhoto } from '../../test/rigs/media-files.ts'
import { dumpTables, openRunningApp, type RunningApp } from '../../test/rigs/running-app.ts'
import { untilLocked } from '../../test/rigs/publishing-store.ts'
import { aChange } from '../../test/rigs/webhook-world.ts'
import { openEmptyWorld, openWorld, type World } from '../../test/rigs/world.ts'
import { putGrant } from '../apps/app-grant-store.ts'
import { announce } from '../outbox/outbox-store.ts'
import { MIGRATIONS } from '../platform/database.ts'
import { emailOf } from '../platform/email-address.ts'
import { migrate, schemaStatus } from '../platform/migrate.ts'
import { mailQueue } from '../mail/mail-store.ts'
import { openFolderStorage } from '../media/folder-storage.ts'
import { openTempFiles } from '../media/temp-files.ts'
import { openSession } from '../sign-in/session-store.ts'
import { openSnapshot } from './backup-store.ts'
import { restoreBackup } from './restore-backup.ts'
import { writeBackup } from './write-backup.ts'

const secretKeys = randomBytes(32).toString('base64')
let app: RunningApp
/** A database in which refused restores leave nothing. */
let empty: World
let folder: string
/** The backup of an installation with posts, events, a channel and a picture. */
let backup: string
/** A cursor of the feed of events, and the events that follow it. */
let cursor: string
let later: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-backup-'))
  app = await openRunningApp({ secretKeys })
  empty = await openEmptyWorld()
  const { workspaceId } = app.workspace
  const sealed = { grant: { accessToken: 'a token' }, keyring: app.keyring }
  const channelIds = [
    await aChannel(app.db, workspaceId, sealed),
    await aChannel(app.db, workspaceId, sealed),
  ]
  await aPost(app.db, workspaceId, { states: ['scheduled', 'published'], channelIds })
  await upload()
  const ids = [await record(), await record(), await record()]
  const page = await app.ask('GET', '/agent/v1/events?limit=1')
  cursor = page.body.nextCursor as string
  later = ids.slice(1)
  backup = join(folder, 'first.backup')
  await done(source()('backup', backup))
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await empty[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** The command line of the installation that is backed up. */
function source() {
  return commandLineWith({
    DATABASE_URL: app.world.databaseUrl,
    DATA_DIR: app.dataDir,
    SECRET_KEYS: secretKeys,
  })
}

/** The command line of another installation, with a data folder of its own. */
async function target(world: World, env: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(folder, 'target-'))
  return {
    dataDir,
    postrider: commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: dataDir, ...env }),
  }
}

async function done(run: Promise<{ exitCode: number; said: string; errors: string }>): Promise<string> {
  const { exitCode, said, errors } = await run
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
  return said
}

async function upload(): Promise<void> {
  const form = new FormData()
  form.set('confirmed', 'true')
  form.set('file', new Blob([new Uint8Array(await aPhoto())]), 'a.jpg')
  const { status } = await app.ask('POST', '/agent/v1/media', {
    body: form,
    headers: { 'idempotency-key': 'up' },
  })
  expect(status).toBe(201)
}

async function record(): Promise<string> {
  await app.db.begin((tx) => announce(tx, [aChange(app.workspace.workspaceId, 'published')]))
  const [event] = await app.db<[{ id: string }]>`select id from outbox_event order by seq desc limit 1`
  return event.id
}

/** Everything but what a restore makes itself (migrations, its entry) and what the server notes at any time (use of keys). */
async function contentOf({ db }: Pick<World, 'db'>) {
  const changing = ['activity', 'schema_migration', 'agent_key']
  const tables = Object.entries(await dumpTables(db)).filter(([name]) => !changing.includes(name))
  return tables.map(([name, rows]) => [name, rows.filter((row) => !/,(backup|restore),/.test(row))])
}

test('restored into an empty database, every row, file and key is there, and feed cursors continue without gap or repeat', async () => {
  expect(await app.db`select from activity where part = 'backup'`).toHaveLength(1)
  await using world = await openEmptyWorld()
  const { dataDir, postrider } = await target(world)
  expect(await done(postrider('restore', backup, '--server-was-stopped'))).toContain('1 media file.')
  expect(await contentOf(world)).toEqual(await contentOf(app))
  expect(await readFile(join(dataDir, 'secret-keys'), 'utf8')).toBe(`${secretKeys}\n`)
  expect(await world.db`select from audit_entry where action = 'restore'`).toHaveLength(1)

  await using restored = await openRunningApp({
    world: { ...world, [Symbol.asyncDispose]: () => Promise.resolve() },
    secretKeys,
    env: { DATA_DIR: dataDir },
  })
  const { body: media } = await app.ask('GET', '/agent/v1/media')
  const path = `/agent/v1/media/${media.items[0].mediaId}/content`
  expect((await restored.ask('GET', path, { key: app.key })).text).toBe((await app.ask('GET', path)).text)
  const feed = await restored.ask('GET', `/agent/v1/events?cursor=${cursor}`, { key: app.key })
  expect(feed.body.items.map(({ id }: { id: string }) => id)).toEqual(later)
  await world.db.begin((tx) => announce(tx, [aChange(app.workspace.workspaceId, 'failed')]))
  const next = await restored.ask('GET', `/agent/v1/events?cursor=${feed.body.nextCursor}`, { key: app.key })
  expect(next.body.items).toMatchObject([{ type: 'post.failed' }])
})

test('only its owner can read the file, and no other file is replaced', async () => {
  expect((await stat(backup)).mode & 0o777).toBe(0o600)
  const again = await source()('backup', backup)
  expect(again).toMatchObject({ exitCode: 1, errors: expect.stringContaining('is there already') })
})

test('a backup shows one moment, whatever is written meanwhile', async () => {
  await using world = await openWorld()
  const { rowsOf, sql, close } = await openSnapshot(world.db)
  await sql`select`
  await world.db`insert into workspace (id, name) values (gen_random_uuid(), 'Later')`
  expect(await Array.fromAsync(rowsOf('workspace'))).toEqual([])
  close()
})

/** What lets people and programs in, as far as it may have been ended since a backup. */
async function accessIn({ db }: Pick<World, 'db'>) {
  const [row] = await db<[Record<string, number>]>`
    select (select count(*)::int from session) as sessions, (select count(*)::int from one_time_link) as links,
           (select count(*)::int from invitation where revoked_at is null and accepted_at is null) as invitations,
           (select count(*)::int from oauth_grant where revoked_at is null) as apps,
           (select count(*)::int from oauth_artifact where model = 'Client') as clients,
           (select count(*)::int from oauth_artifact where model <> 'Client') as tokens,
           (select count(*)::int from mail where content_sealed is not null) as mails`
  return row
}

async function openAccess(): Promise<void> {
  const { workspaceId, memberId, caller } = app.workspace
  const { personId } = caller.member
  await openSession(app.db, personId, { address: '192.0.2.1', userAgent: null })
  await app.db`
    insert into one_time_link (token_hash, kind, person_id, expires_at)
    values (${randomBytes(32)}, 'reset', ${personId}, now() + interval '1 day')`
  await app.db`
    insert into invitation (workspace_id, id, token_hash, email, role, by_mail, invited_by, expires_at)
    values (${workspaceId}, gen_random_uuid(), ${randomBytes(32)}, 'eve@example.com', 'editor', true, ${memberId}, now() + interval '1 day')`
  const named = { clientId: 'c', clientName: 'An app', clientOrigin: 'app.example' }
  await putGrant(app.db, { workspaceId, memberId, providerGrantId: 'g', permissions: [], ...named })
  for (const model of ['Client', 'RefreshToken'])
    await app.db`insert into oauth_artifact (model, id_hash, payload) values (${model}, ${randomBytes(32)}, '{}')`
  const message = { subject: 'A link', paragraphs: ['https://example.com/secret'] }
  await mailQueue(app.keyring, 'http://127.0.0.1').enqueue(app.db, {
    ...{ kind: 'password_reset', to: emailOf('ada@example.com'), message, hours: 1 },
  })
}

test('access that may have been ended since the backup ends, and the agent keys that work are named', async () => {
  await openAccess()
  const all = await accessIn(app)
  expect(Object.values(all).every((count) => count > 0)).toBe(true)
  const path = join(folder, 'access.backup')
  const own = await source()('backup', path)
  expect(own).toMatchObject({ exitCode: 0 })

  await using world = await openEmptyWorld()
  const said = await done((await target(world)).postrider('restore', path))
  const none = { sessions: 0, links: 0, invitations: 0, apps: 0, tokens: 0, mails: 0 }
  expect(await accessIn(world)).toEqual({ ...none, clients: 1 })
  const keys = await app.db<{ id: string }[]>`select id from agent_key where revoked_at is null`
  expect(keys.length).toBeGreaterThan(0)
  for (const { id } of keys) expect(said).toContain(id)

  await using other = await openEmptyWorld()
  const stopped = await done((await target(other)).postrider('restore', path, '--server-was-stopped'))
  expect(await accessIn(other)).toEqual(all)
  expect(stopped).not.toContain('signed out')
})

test('what is unfinished is held, and channels stay enabled, for a backup of an older schema, too', async () => {
  await using old = await openEmptyWorld()
  await migrate(old.db, MIGRATIONS, { upTo: 25 })
  const [workspaceId, channelId] = [randomUUID(), randomUUID()]
  const [postId, destinationId] = [randomUUID(), randomUUID()]
  await old.db`insert into workspace (id, name) values (${workspaceId}, 'Old')`
  await old.db`
    insert into channel (workspace_id, id, provider, remote_account_id, display_name, handle, grant_sealed)
    values (${workspaceId}, ${channelId}, 'sandbox-short', 'a', 'An old channel', 'a', '')`
  await old.db`
    insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
    values (${workspaceId}, ${postId}, '{"text": "Hello"}', 'token', 'agent_key', 'a key')`
  await old.db`
    insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at, expires_at)
    values (${workspaceId}, ${destinationId}, ${postId}, ${channelId}, 'sandbox-short', 'scheduled', 'token', now(), now(), now())`
  await old.db`
    insert into part (workspace_id, destination_id, index, text, folded) values (${workspaceId}, ${destinationId}, 0, 'Hello', 'hello')`
  const path = join(folder, 'old-posts.backup')
  const storage = await openFolderStorage(join(folder, 'kept'))
  await writeBackup({ db: old.db, storage, secretKeys }, path)

  await using world = await openEmptyWorld()
  const said = await done((await target(world)).postrider('restore', path))
  expect(said).toMatch(/An old channel +1/)
  expect(
    await world.db`select d.status, c.enabled from destination d join channel c on c.id = d.channel_id`,
  ).toEqual([{ status: 'checking', enabled: true }])
})

/** Another file made of the lines of the backup. */
async function forged(name: string, change: (lines: string[]) => string[]): Promise<string> {
  const path = join(folder, name)
  const lines = gunzipSync(await readFile(backup))
    .toString()
    .split('\n')
  await writeFile(path, gzipSync(change(lines).join('\n')))
  return path
}

const unusable: Record<string, [make: () => Promise<string>, words: string]> = {
  'a file that is not there': [async () => join(folder, 'nothing'), 'cannot be read: ENOENT'],
  'a text': [
    async () => {
      await writeFile(join(folder, 'text'), 'select 1;')
      return join(folder, 'text')
    },
    'no gzip file',
  ],
  'another gzip file': [() => forged('other', () => ['{"a":1}', '']), 'no backup of Postrider'],
  'a file that ends too early': [
    async () => {
      await writeFile(join(folder, 'short'), (await readFile(backup)).subarray(0, -100))
      return join(folder, 'short')
    },
    'ends too early',
  ],
  'a file without its end': [
    () => forged('endless', (lines) => [...lines.slice(0, -2), '']),
    'ends too early',
  ],
  'a file with a changed row': [
    () =>
      forged('changed', (lines) =>
        lines.map((line) => line.replace('"Acme"', '"Evil"').replace('Ada', 'Eve')),
      ),
    'checksum',
  ],
  'a file of a newer release': [
    () => forged('newer', (lines) => lines.map((line) => line.replace('"version":1', '"version":2'))),
    'newer release',
  ],
}

test.each(Object.entries(unusable))('%s is refused, and nothing is changed', async (_, [make, words]) => {
  const { postrider } = await target(empty)
  const { exitCode, errors } = await postrider('restore', await make())
  expect([exitCode, errors]).toEqual([1, expect.stringContaining(words)])
  expect(await dumpTables(empty.db)).toEqual({})
})

test('a database that is not empty, other secret keys and the storage of others are left alone', async () => {
  const before = await contentOf(app)
  const own = await source()('restore', backup)
  expect(own).toMatchObject({ exitCode: 1, errors: expect.stringContaining('not empty') })
  expect(await contentOf(app)).toEqual(before)

  const otherKeys = await target(empty, { SECRET_KEYS: randomBytes(32).toString('base64') })
  expect((await otherKeys.postrider('restore', backup)).errors).toContain(
    'not among those of this installation',
  )
  await using another = await openRunningApp({ roles: 'publisher' })
  const otherStorage = commandLineWith({ DATABASE_URL: empty.databaseUrl, DATA_DIR: another.dataDir })
  expect((await otherStorage('restore', backup)).errors).toContain('belongs to another installation')
  expect(await dumpTables(empty.db)).toEqual({})
})

test('a backup of an older schema is restored and brought up to date, and one of a newer schema is refused', async () => {
  await using old = await openEmptyWorld()
  await migrate(old.db, MIGRATIONS, { upTo: 25 })
  await old.db`insert into workspace (id, name) values (gen_random_uuid(), 'Old')`
  const path = join(folder, 'old.backup')
  const storage = await openFolderStorage(join(folder, 'kept'))
  await writeBackup({ db: old.db, storage, secretKeys }, path)

  await using world = await openEmptyWorld()
  const { dataDir, postrider } = await target(world)
  const migrations = join(folder, 'migrations of an older release')
  await cp(MIGRATIONS, migrations, { recursive: true, filter: (name) => !/002[5-9]|00[3-9]\d/.test(name) })
  const older = restoreBackup(
    {
      ...{ db: world.db, storage, migrations, secretKeys: { secretKeys: null, dataDir } },
      tempFiles: await openTempFiles(join(folder, 'incoming')),
    },
    path,
    { serverWasStopped: true },
  )
  await expect(older).rejects.toThrow('this release knows versions up to 24')
  expect(await dumpTables(world.db)).toEqual({})

  await done(postrider('restore', path))
  expect(await schemaStatus(world.db, MIGRATIONS)).toBe('current')
  expect(await world.db`select name from workspace`).toMatchObject([{ name: 'Old' }])
})

test('a backup goes into the folder of the data unless it is said where, and a folder keeps so many', async () => {
  const said = JSON.parse(await done(source()('backup', '--json')))
  expect(said.file).toMatch(new RegExp(`^${app.dataDir}/backups/postrider-[\\dT-]+\\.backup$`))
  expect((await stat(join(app.dataDir, 'backups'))).mode & 0o777).toBe(0o700)

  const backups = join(folder, 'backups')
  await mkdir(backups)
  const stray = [
    'before-the-upgrade.backup',
    'postrider-2020-01-01.backup',
    'postrider-2020-01-01T00-00-00.backup',
  ]
  for (const name of stray) await writeFile(join(backups, name), 'mine')
  await cp(backup, join(backups, 'kept-by-hand.backup'))
  const days = ['2021-01-01T00-00-00', '2021-01-02T00-00-00', '2021-01-03T00-00-00']
  for (const [n, day] of days.entries()) {
    const aged = await forged(`aged-${n}`, (lines) =>
      lines.map((line) => line.replace(/"createdAt":"\d+/, `"createdAt":"200${n}`)),
    )
    await cp(aged, join(backups, `postrider-${day}.backup`))
  }
  const other = await forged('other-installation', (lines) =>
    lines.map((line) => line.replace(/"mediaStorageId":"[^"]+"/, '"mediaStorageId":"another"')),
  )
  await cp(other, join(backups, 'postrider-2019-01-01T00-00-00.backup'))

  const { removed, file } = JSON.parse(await done(source()('backup', backups, '--keep', '2', '--json')))
  expect(removed).toEqual([1, 0].map((n) => join(backups, `postrider-${days[n]}.backup`)))
  expect((await readdir(backups)).toSorted()).toEqual(
    [
      ...stray,
      'kept-by-hand.backup',
      `postrider-${days[2]}.backup`,
      'postrider-2019-01-01T00-00-00.backup',
      basename(file),
    ].toSorted(),
  )
  const named = await source()('backup', join(backups, 'named.backup'), '--keep', '2')
  expect(named).toMatchObject({ exitCode: 2, errors: expect.stringContaining('give a folder') })
})

test('a backup is checked without a database, and one that is not whole is no success', async () => {
  const nowhere = commandLineWith({ DATABASE_URL: 'postgres://127.0.0.1:1/none' })
  const facts = JSON.parse(await done(nowhere('backup', '--check', backup, '--json')))
  expect(facts).toMatchObject({ file: backup, mediaFiles: 1, release: expect.any(String) })
  for (const [make, words] of Object.values(unusable)) {
    const { exitCode, errors } = await nowhere('backup', '--check', await make())
    expect([exitCode, errors]).toEqual([1, expect.stringContaining(words)])
  }
})

test('a database that was restored by other means is held by a command of its own, while no server works on it', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  const { destinationIds } = await aPost(world.db, workspaceId, { states: ['scheduled'] })
  const { postrider } = await target(world)
  const statuses = () => world.db`select status from destination where id = any(${destinationIds}::uuid[])`

  await world.db`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{publisher}', 'h', 1)`
  expect(await postrider('restore', '--hold')).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('Stop it first'),
  })
  expect(await statuses()).toEqual([{ status: 'scheduled' }])

  await world.db`update worker set beat_at = now() - interval '1 hour'`
  const starting = await openTransaction(world.db)
  await starting.tx`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{publisher}', 'h', 2)`
  const meanwhile = postrider('restore', '--hold')
  await untilLocked(world.db, 'lock table worker')
  await starting.commit()
  expect(await meanwhile).toMatchObject({ exitCode: 1, errors: expect.stringContaining('Stop it first') })
  expect(await statuses()).toEqual([{ status: 'scheduled' }])

  await world.db`update worker set beat_at = now() - interval '1 hour'`
  expect(await done(postrider('restore', '--hold'))).toContain('post list --restored')
  expect(await statuses()).toEqual([{ status: 'checking' }])
  expect(await world.db`select from audit_entry where action = 'restore'`).toHaveLength(1)
  for (const args of [
    ['restore'],
    ['restore', backup, '--hold'],
    ['restore', '--hold', '--server-was-stopped'],
  ])
    expect(await postrider(...args)).toMatchObject({ exitCode: 2 })
})

test('a server that was killed before is not taken for one that works, where PostgreSQL was started just now', async () => {
  await using cluster = await openCluster()
  await cluster.world.db`
    insert into worker (id, roles, host, pid, beat_at)
    values (gen_random_uuid(), '{publisher}', 'h', 1, now() - interval '1 hour')`
  await cluster.crash()
  const { postrider } = await target(cluster.world)
  expect(await done(postrider('restore', '--hold'))).toContain('signed out')
})
