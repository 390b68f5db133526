import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, onTestFinished, vi } from 'vitest'
import { openCluster } from '../../../test/rigs/cluster.ts'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { aChannel, aPost, aWorkspace, openTransaction } from '../../../test/rigs/fixtures.ts'
import { aPhoto } from '../../../test/rigs/media-files.ts'
import { dumpTables, openRunningApp, type RunningApp } from '../../../test/rigs/running-app.ts'
import { untilLocked } from '../../../test/rigs/publishing-store.ts'
import { aChange } from '../../../test/rigs/webhook-world.ts'
import { client, PASSWORD, peopleParts } from '../../../test/rigs/people-world.ts'
import { openEmptyWorld, openWorld, type World } from '../../../test/rigs/world.ts'
import { agentKeys } from '../../people/keys/authenticate.ts'
import { createKey, revokeKey } from '../../people/keys/key-store.ts'
import { endMembership, insertMember } from '../../people/members/member-store.ts'
import { createWorkspace } from '../../people/members/workspace-store.ts'
import { endCredentials } from '../../app/stop-credential.ts'
import { putGrant } from '../../people/apps/app-grant-store.ts'
import { announce } from '../../engine/outbox/outbox-store.ts'
import { MIGRATIONS } from '../../platform/embedded-postgres/database.ts'
import { emailOf } from '../../platform/text/email-address.ts'
import { checkSchema, knownMigrations } from '../../platform/postgres/migrate.ts'
import { type MailQueue, mailQueue } from '../../people/mail/mail-store.ts'
import { mailNotices } from '../../attention/notices/mail-notices.ts'
import { noteTroubles } from '../../attention/notices/notice-store.ts'
import { openFolderStorage } from '../../media/folder-storage.ts'
import { openTempFiles } from '../../media/temp-files.ts'
import { hashPassword } from '../../people/sign-in/password/password.ts'
import { insertResetRequest } from '../../people/sign-in/password/reset-request-store.ts'
import { openSession } from '../../people/sign-in/session/session-store.ts'
import { signInWithPassword } from '../../people/sign-in/sign-in.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { claimLeftovers } from '../../engine/queue/leftover-store.ts'
import { type BackupEntry, readBackupFile, writeBackupFile } from './backup-file.ts'
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
  const sealed = { authorization: { accessToken: 'a token' }, keyring: app.keyring }
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
           (select count(*)::int from reset_request) as resets,
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
  await insertResetRequest(app.db, { email: emailOf('ada@example.com'), address: '192.0.2.1' })
  await app.db`
    insert into invitation (workspace_id, id, token_hash, email, role, by_mail, invited_by, expires_at)
    values (${workspaceId}, gen_random_uuid(), ${randomBytes(32)}, 'eve@example.com', 'editor', true, ${memberId}, now() + interval '1 day')`
  const named = { clientId: 'c', clientName: 'An app', clientOrigin: 'app.example' }
  await putGrant(app.db, { workspaceId, memberId, artifactGrantId: 'g', permissions: [], ...named })
  for (const model of ['Client', 'RefreshToken'])
    await app.db`insert into oauth_artifact (model, id_hash, payload) values (${model}, ${randomBytes(32)}, '{}')`
  const message = { subject: 'A link', paragraphs: ['https://example.com/secret'] }
  await mailQueue(app.keyring, 'http://127.0.0.1').enqueue(app.db, {
    kind: 'password_reset',
    to: emailOf('ada@example.com'),
    message,
    hours: 1,
  })
}

test('access that may have been ended since the backup ends', async () => {
  await openAccess()
  const all = await accessIn(app)
  expect(Object.values(all).every((count) => count > 0)).toBe(true)
  const path = join(folder, 'access.backup')
  const own = await source()('backup', path)
  expect(own).toMatchObject({ exitCode: 0 })

  await using world = await openEmptyWorld()
  await done((await target(world)).postrider('restore', path))
  const none = { sessions: 0, links: 0, resets: 0, invitations: 0, apps: 0, tokens: 0, mails: 0 }
  expect(await accessIn(world)).toEqual({ ...none, clients: 1 })
  await using other = await openEmptyWorld()
  const stopped = await done((await target(other)).postrider('restore', path, '--server-was-stopped'))
  expect(await accessIn(other)).toEqual(all)
  expect(stopped).not.toContain('signed out')
})

describe('members and agent keys that a backup knows', () => {
  const owner = emailOf('owner-of-access@example.com')

  /** A backup, and what was revoked, removed or narrowed after it was made. */
  async function aBackupWithAccess(file: string) {
    await using world = await openWorld()
    const { workspaceId, memberId: ownerId } = await createWorkspace(world.db, {
      name: 'Acme',
      timeZone: 'UTC',
      owner: { name: 'Olga', email: owner },
    })
    await world.db`update person set password_hash = ${await hashPassword(PASSWORD)}`
    const [member] = await world.db<[{ id: string }]>`
      with eve as (
        insert into person (id, name, email) values (gen_random_uuid(), 'Eve', 'eve-of-access@example.com') returning id)
      insert into member (workspace_id, id, person_id, role)
      select ${workspaceId}, gen_random_uuid(), eve.id, 'editor' from eve
      returning id`
    const aKeyOf = (memberId: string, name: string) =>
      createKey(world.db, workspaceId, { memberId, name, permissions: ['posts:read'], expiresAt: null })
    const keys = [
      await aKeyOf(ownerId, 'revoked since'),
      await aKeyOf(ownerId, 'in use'),
      await aKeyOf(member.id, 'of Eve'),
    ]
    const revoked = await aKeyOf(ownerId, 'revoked before')
    await revokeKey(world.db, workspaceId, revoked.keyId)
    const path = join(folder, file)
    const { postrider } = await target(world, { SECRET_KEYS: secretKeys })
    await done(postrider('backup', path))
    return { workspaceId, ownerId, memberId: member.id, keys, revoked, path }
  }

  const worksIn = async ({ db }: Pick<World, 'db'>, keys: readonly { key: string }[]) =>
    Promise.all(keys.map(async ({ key }) => (await agentKeys.find(db, key)) !== null))
  const isMember = async ({ db }: Pick<World, 'db'>, memberId: string) =>
    (await db`select from member where id = ${memberId} and removed_at is null`).length === 1

  const signsIn = async ({ db }: Pick<World, 'db'>) =>
    !isRefusal(await signInWithPassword(peopleParts(db), { email: owner, password: PASSWORD }, client))

  test('owners neither sign in after a restore nor get another owner beside them until they are confirmed', async () => {
    const { ownerId, memberId, keys, path } = await aBackupWithAccess('owners.backup')
    await using world = await openEmptyWorld()
    const { postrider } = await target(world)
    expect(await done(postrider('restore', path))).toContain(ownerId)
    const doctor = async () => (await postrider('doctor')).said
    expect(await doctor()).toContain('2 members and 3 agent keys are suspended')
    expect([await signsIn(world), await isMember(world, ownerId)]).toEqual([false, false])
    expect(await postrider('owner', 'link')).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('postrider access'),
    })

    await done(postrider('access', 'confirm', memberId))
    expect(await signsIn(world)).toBe(false)
    await done(postrider('access', 'confirm', ownerId))
    expect([await signsIn(world), await isMember(world, ownerId)]).toEqual([true, true])
    expect(await done(postrider('access', 'deny', '--all'))).toContain('0 members and 3 agent keys')
    expect(await doctor()).not.toContain('suspended')
    expect(await worksIn(world, keys)).toEqual([false, false, false])
    expect(await world.db`select from audit_entry where action = 'denyAccess'`).toHaveLength(1)
  })

  test('do nothing after a restore until they are confirmed, one by one or all', async () => {
    const { workspaceId, ownerId, memberId, keys, revoked, path } =
      await aBackupWithAccess('suspended.backup')
    const [since, used, eves] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]]
    await using world = await openEmptyWorld()
    const { postrider } = await target(world)
    const said = await done(postrider('restore', path))
    for (const { keyId } of keys) expect(said).toContain(keyId)
    expect(said).toContain(memberId)
    expect(said).toMatch(new RegExp(`Olga <${owner}> +Acme +owner`))
    expect(said).not.toContain(revoked.keyId)
    expect(await worksIn(world, [...keys, revoked])).toEqual([false, false, false, false])
    expect(await isMember(world, memberId)).toBe(false)

    await done(postrider('access', 'confirm', ownerId, used.keyId))
    expect(await worksIn(world, keys)).toEqual([false, true, false])
    const listed = await done(postrider('access', 'list'))
    expect(listed).not.toContain(used.keyId)
    expect(await postrider('access', 'confirm', since.keyId, revoked.keyId)).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining(revoked.keyId),
    })
    expect(await worksIn(world, [since])).toEqual([false])

    // What is revoked meanwhile is no longer asked about.
    await revokeKey(world.db, workspaceId, since.keyId)
    await done(postrider('access', 'confirm', '--all'))
    expect(await worksIn(world, [since, used, eves, revoked])).toEqual([false, true, true, false])
    expect(await isMember(world, memberId)).toBe(true)
    expect(await done(postrider('access', 'list'))).toContain('Nothing waits')
    expect(await world.db`select from audit_entry where action = 'confirmAccess'`).toHaveLength(2)
    for (const args of [[], ['--all', used.keyId]])
      expect(await postrider('access', 'confirm', ...args)).toMatchObject({ exitCode: 2 })
  })

  test('stay out when they are denied, and nobody becomes the owner by a link meanwhile', async () => {
    const { ownerId, memberId, path } = await aBackupWithAccess('denied.backup')
    await using world = await openEmptyWorld()
    const { postrider } = await target(world)
    await done(postrider('restore', path))
    await world.db`update person set password_hash = null`
    expect(await postrider('owner', 'link')).toMatchObject({ exitCode: 1 })
    expect(await postrider('access', 'deny', ownerId, memberId)).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('no owner'),
    })
    await done(postrider('access', 'deny', memberId))
    await done(postrider('access', 'confirm', '--all'))
    expect([await isMember(world, ownerId), await isMember(world, memberId)]).toEqual([true, false])
  })

  test('stay out where the operator removes them instead, or invites the member again', async () => {
    const { workspaceId, memberId, keys, path } = await aBackupWithAccess('invited.backup')
    await using world = await openEmptyWorld()
    const { postrider } = await target(world)
    await done(postrider('restore', path))
    const [person] = await world.db<[{ personId: string }]>`
      select person_id as "personId" from member where id = ${memberId}`
    const again = { workspaceId, personId: person.personId, role: 'viewer' } as const
    expect(await world.db.begin((tx) => insertMember(tx, again))).toBe(memberId)
    await world.db.begin((tx) => endMembership(tx, workspaceId, memberId, endCredentials))
    await done(postrider('access', 'confirm', '--all'))
    expect(await isMember(world, memberId)).toBe(false)
    await world.db.begin((tx) => insertMember(tx, again))
    expect(await worksIn(world, keys)).toEqual([true, true, false])
  })

  test.each(['--access-unchanged', '--server-was-stopped'])('go on with %s', async (flag) => {
    const { memberId, keys, revoked, path } = await aBackupWithAccess(`${flag}.backup`)
    await using world = await openEmptyWorld()
    await done((await target(world)).postrider('restore', path, flag))
    expect(await worksIn(world, [...keys, revoked])).toEqual([true, true, true, false])
    expect(await isMember(world, memberId)).toBe(true)
    expect(await signsIn(world)).toBe(true)
  })
})

test('what is unfinished is held, and channels stay enabled', async () => {
  await using from = await openWorld()
  const { workspaceId } = await aWorkspace(from.db)
  const channelId = await aChannel(from.db, workspaceId)
  await from.db`update channel set display_name = 'A channel'`
  await aPost(from.db, workspaceId, { states: ['scheduled'], channelIds: [channelId] })
  const path = await backupOf(from, 'unfinished.backup')

  await using world = await openEmptyWorld()
  const said = await done((await target(world)).postrider('restore', path))
  expect(said).toMatch(/A channel +1/)
  expect(await heldIn(world)).toEqual([{ status: 'checking', enabled: true }])
})

test('members are mailed once of what a restore holds, and of nothing that they were told of or that is long past', async () => {
  await using from = await openWorld()
  const { db } = from
  const { workspaceId } = await aWorkspace(db)
  await db`update person set password_hash = 'x'`
  await db`
    insert into series (workspace_id, id, status, definitions, channel_ids, label_keys, media_ids, edit_token, maker_type, maker_id,
                        maker_name, changed_at, changed_by_type)
    values (${workspaceId}, gen_random_uuid(), 'active', '[{"content": {"text": "Every Monday"}}]', '{}', '{}', '{}', 'x', 'person',
            gen_random_uuid(), 'Ada', now(), 'person')`
  await aChannel(db, workspaceId, { displayName: 'Lost', connectionStatus: 'reconnect_required' })
  for (let n = 0; n < 3; n++) await failing()
  expect(await mailsOf(from)).toEqual(['4 problems need attention in Test'])
  for (let n = 0; n < 40; n++) await failing('2 days')
  for (let n = 0; n < 2; n++) await aPost(db, workspaceId, { states: ['scheduled'] })
  const path = await backupOf(from, 'notices.backup')

  await using world = await openEmptyWorld()
  await done((await target(world)).postrider('restore', path, '--access-unchanged'))
  // Two posts and the series.
  expect(await mailsOf(world)).toEqual(['3 problems need attention in Test'])
  expect(await mailsOf(world)).toEqual([])

  async function failing(ago = '0') {
    const post = await aPost(db, workspaceId, { states: ['failed'] })
    await db`update destination set status_since = now() - ${ago}::interval where post_id = ${post.postId}`
    await db`
      insert into outbox_event (workspace_id, id, type, post_id, destination_id, body, created_at)
      select workspace_id, gen_random_uuid(), 'post.failed', post_id, id, '', status_since from destination where post_id = ${post.postId}`
  }
})

test('a notice that was written and not sent when the backup was made is written anew', async () => {
  await using from = await openWorld()
  const { db } = from
  const { workspaceId } = await aWorkspace(db)
  await db`update person set password_hash = 'x'`
  const post = await aPost(db, workspaceId, { states: ['failed'] })
  await db`
    insert into outbox_event (workspace_id, id, type, post_id, destination_id, body, created_at)
    select workspace_id, gen_random_uuid(), 'post.failed', post_id, id, '', status_since from destination where post_id = ${post.postId}`
  const { enqueue } = mailQueue(app.keyring, 'https://postrider.test')
  expect(await mailsOf(from, enqueue)).toEqual(['1 problem needs attention in Test'])
  expect(await db`select from mail where content_sealed is not null`).toHaveLength(1)
  const path = await backupOf(from, 'unsent.backup')

  await using world = await openEmptyWorld()
  await done((await target(world)).postrider('restore', path, '--access-unchanged'))
  expect(await mailsOf(world)).toEqual(['1 problem needs attention in Test'])
  expect(await mailsOf(world)).toEqual([])

  // What was sent by then is not.
  await db`update mail set content_sealed = null, sent_at = now()`
  const later = await backupOf(from, 'sent.backup')
  await using other = await openEmptyWorld()
  await done((await target(other)).postrider('restore', later, '--access-unchanged'))
  expect(await mailsOf(other)).toEqual([])
})

/** The subjects of what is mailed to members once all that waits to be told is due. */
async function mailsOf({ db }: World, also?: MailQueue['enqueue']): Promise<string[]> {
  const subjects: string[] = []
  const enqueue: MailQueue['enqueue'] = async (sql, mail) => {
    const { message } = mail
    subjects.push((typeof message === 'function' ? message() : message).subject)
    await also?.(sql, mail)
  }
  await db`update notice_position set looked_at = '-infinity'`
  await noteTroubles(db, [])
  await db`update notice set tell_at = now() where seq is null`
  await noteTroubles(db, [])
  await db`update notice_reader set mail_at = now() where mail_at is not null`
  await mailNotices({
    db,
    mail: { baseUrl: 'https://postrider.test', enqueue },
    ends: [],
    onFault: (fault) => expect.unreachable(String(fault)),
  })
  return subjects
}

async function heldIn({ db }: World) {
  return [...(await db`select d.status, c.enabled from destination d join channel c on c.id = d.channel_id`)]
}

async function backupOf({ db }: World, name: string): Promise<string> {
  const path = join(folder, name)
  await writeBackup({ db, storage: await openFolderStorage(join(folder, 'kept')), secretKeys }, path)
  return path
}

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

test('a backup of an older schema is restored, held and brought up to date, and one of a newer schema is refused', async () => {
  const later = join(folder, 'migrations of a later release')
  await cp(MIGRATIONS, later, { recursive: true })
  const version = (knownMigrations(MIGRATIONS).at(-1)?.version ?? 0) + 1
  await writeFile(
    join(later, `${String(version).padStart(4, '0')}_later.sql`),
    `alter table destination add column of_later text not null default 'unknown'`,
  )
  await using old = await openWorld()
  const { workspaceId } = await aWorkspace(old.db)
  await aPost(old.db, workspaceId, { states: ['scheduled'] })
  const path = await backupOf(old, 'old.backup')

  await using world = await openEmptyWorld()
  const { dataDir } = await target(world)
  const parts = {
    db: world.db,
    migrations: later,
    secretKeys: { secretKeys: null, dataDir },
    storage: await openFolderStorage(join(folder, 'kept')),
    tempFiles: await openTempFiles(join(folder, 'incoming')),
  }
  await restoreBackup(parts, path, { serverWasStopped: false, accessUnchanged: false })
  expect(await checkSchema(world.db, later)).toMatchObject({ status: 'current' })
  expect(await heldIn(world)).toEqual([{ status: 'checking', enabled: true }])
  expect(await world.db`select of_later from destination`).toEqual([{ of_later: 'unknown' }])

  const newer = await backupOf(world, 'newer.backup')
  const { exitCode, errors } = await (await target(empty)).postrider('restore', newer)
  expect([exitCode, errors]).toEqual([
    1,
    expect.stringContaining(`this release knows versions up to ${version - 1}`),
  ])
  expect(await dumpTables(empty.db)).toEqual({})
})

describe('the files of media, after a restore', () => {
  const own = async ({ db }: Pick<World, 'db'>) =>
    (await db<{ key: string }[]>`select storage_key as key from media_file`).map(({ key }) => key)
  const idOf = async ({ db }: Pick<World, 'db'>) =>
    (await db<{ id: string }[]>`select installation_id as id from media_place`)[0]!.id
  const key = async () => (await app.db<{ key: string }[]>`select storage_key as key from media_item`)[0]!.key

  test('are its own where it has stored them', async () => {
    await using world = await openEmptyWorld()
    const { postrider } = await target(world)
    expect(await done(postrider('restore', backup))).not.toContain('left alone')
    expect(await own(world)).toEqual([await key()])
    expect(await idOf(world)).not.toBe(await idOf(app))
  })

  test('are left alone where they were there already, and it says so', async () => {
    const { dataDir } = await target(empty)
    await cp(join(app.dataDir, 'media'), join(dataDir, 'media'), { recursive: true })
    await using world = await openEmptyWorld()
    const shared = commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: dataDir })
    expect(await done(shared('restore', backup))).toContain('left alone')
    expect(await own(world)).toEqual([])
    expect(await idOf(world)).not.toBe(await idOf(app))
    expect(await world.db`select media_storage_id from installation`).toEqual([
      ...(await app.db`select media_storage_id from installation`),
    ])
    expect((await shared('doctor')).said).toMatch(/another installation uses|not stored by this installation/)
  })

  test('stay those of the same installation where its server was stopped', async () => {
    await using world = await openEmptyWorld()
    await done((await target(world)).postrider('restore', backup, '--server-was-stopped'))
    expect(await own(world)).toEqual(await own(app))
    expect(await idOf(world)).toBe(await idOf(app))
  })

  test("of a database that was restored by other means are nobody's to it", async () => {
    await using world = await openEmptyWorld()
    const { postrider } = await target(world)
    await done(postrider('restore', backup, '--server-was-stopped'))
    await done(postrider('restore', '--hold'))
    expect(await own(world)).toEqual([])
    expect(await idOf(world)).not.toBe(await idOf(app))
  })

  test('of a backup of the release that noted no files are those that it stores, and an upgrade keeps its own', async () => {
    const later = readdirSync(MIGRATIONS)
      .filter((name) => name > '0008')
      .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'))
      .join('')
    const tables = new Set(Array.from(later.matchAll(/^create table (\w+)/gm), ([, table]) => table))
    const columns = Array.from(later.matchAll(/^alter table (\w+)\s+add column/gm), ([, table]) => table)
    // What came with a column is empty here, and stands last.
    const formerly = (table: string, row: string) =>
      columns
        .filter((each) => each === table)
        .reduce<string>((rest) => `${rest.slice(0, rest.lastIndexOf(','))})`, row)
    const entries: BackupEntry[] = []
    await readBackupFile(backup, (entry) => {
      if ('header' in entry) {
        const without = (name: string, value: unknown) => (name === 'installationId' ? undefined : value)
        const header = JSON.parse(JSON.stringify(entry.header, without)) as typeof entry.header
        entries.push({ header: { ...header, migrations: header.migrations.slice(0, 7) } })
      } else if (!('table' in entry)) entries.push(entry)
      else if (!tables.has(entry.table)) {
        const { table, rows } = entry
        entries.push({ table, rows: rows.map((row) => formerly(table, row)) })
      }
    })
    async function* lines() {
      for (const entry of entries) if (!('end' in entry)) yield entry
    }
    const former = await writeBackupFile(join(folder, 'of-release-before.backup'), lines())
    for (const [flags, sameId] of [
      [[], false],
      [['--server-was-stopped'], true],
    ] as const) {
      await using world = await openEmptyWorld()
      await done((await target(world)).postrider('restore', former, ...flags))
      expect(await own(world)).toEqual([await key()])
      const [{ storageId }] = await world.db<[{ storageId: string }]>`
        select media_storage_id as "storageId" from installation`
      expect((await idOf(world)) === storageId).toBe(sameId)
    }
    const { dataDir } = await target(empty)
    await cp(join(app.dataDir, 'media'), join(dataDir, 'media'), { recursive: true })
    await using world = await openEmptyWorld()
    await done(commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: dataDir })('restore', former))
    expect(await own(world)).toEqual([])
  })
})

test('what posts have left unseen at networks is left to the server before for a week', async () => {
  await using from = await openWorld()
  const { workspaceId } = await aWorkspace(from.db)
  const { destinationIds } = await aPost(from.db, workspaceId, { states: ['failed'] })
  await from.db`
    insert into network_draft (workspace_id, destination_id, name, attempt_id, look_at)
    values (${workspaceId}, ${destinationIds[0]!}, 'video:7', gen_random_uuid(), now())`
  const path = await backupOf(from, 'drafts.backup')
  await using world = await openEmptyWorld()
  await done((await target(world)).postrider('restore', path))
  const options = { leaseMs: 60_000, workerId: randomUUID() } as never
  expect(await claimLeftovers(world.db, options, 10)).toEqual([])
  await world.db`update network_draft set look_at = look_at - interval '7 days'`
  expect(await world.db`select from network_draft where look_at <= now() and outcome is null`).toHaveLength(1)
  await using exact = await openEmptyWorld()
  await done((await target(exact)).postrider('restore', path, '--server-was-stopped'))
  expect(await exact.db`select from network_draft where look_at <= now()`).toHaveLength(1)
})

test('a backup from before 0.1.0 is refused in words, and nothing is changed', async () => {
  await using former = await openWorld()
  await former.db`update schema_migration set name = '0001_first'`
  const path = await backupOf(former, 'former.backup')
  const { exitCode, errors } = await (await target(empty)).postrider('restore', path)
  expect([exitCode, errors]).toEqual([1, expect.stringContaining('from before release 0.1.0')])
  expect(await dumpTables(empty.db)).toEqual({})
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
  // Such as one that was restored, and uses the same storage.
  const other = await forged('other-installation', (lines) =>
    lines.map((line) => line.replace(/"installationId":"[^"]+"/, '"installationId":"another"')),
  )
  await cp(other, join(backups, 'postrider-2019-01-01T00-00-00.backup'))
  // Of this installation, before it had an id beside that of its storage.
  const former = await forged('former', (lines) =>
    lines.map((line) =>
      line
        .replace(/"mediaStorageId":"[^"]+","installationId"/, '"mediaStorageId"')
        .replace(/"createdAt":"\d+/, '"createdAt":"1999'),
    ),
  )
  await cp(former, join(backups, 'postrider-2018-01-01T00-00-00.backup'))

  const { removed, file } = JSON.parse(await done(source()('backup', backups, '--keep', '2', '--json')))
  expect(removed.toSorted()).toEqual(
    ['2018-01-01T00-00-00', days[0], days[1]].map((day) => join(backups, `postrider-${day}.backup`)),
  )
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
  const nowhere = join(folder, 'not-mounted')
  const missing = await source()('backup', nowhere, '--keep', '2')
  expect(missing).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining(`There is no folder ${nowhere}. Create it first.`),
  })
})

test('backups of one second that nobody has named are all there, and count as what they are', async () => {
  const backups = join(folder, 'at-once')
  await mkdir(backups)
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime('2026-11-22T03:00:00Z')
  for (let n = 0; n < 3; n += 1) await done(source()('backup', backups))
  const names = ['', '-2', '-3'].map((nth) => `postrider-2026-11-22T03-00-00${nth}.backup`)
  expect((await readdir(backups)).toSorted()).toEqual(names.toSorted())
  for (const name of names) await done(source()('backup', '--check', join(backups, name)))

  await done(source()('backup', backups, '--keep', '2'))
  const last = 'postrider-2026-11-22T03-00-00-4.backup'
  expect((await readdir(backups)).toSorted()).toEqual([names[2], last])
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
  const { workspaceId, memberId } = await aWorkspace(world.db)
  const { destinationIds } = await aPost(world.db, workspaceId, { states: ['scheduled'] })
  const { postrider } = await target(world)
  const statuses = () => world.db`select status from destination where id = any(${destinationIds}::uuid[])`

  await world.db`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{publisher}', 'h', 1)`
  expect(await postrider('restore', '--hold')).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('Stop it first'),
  })
  expect(await statuses()).toEqual([{ status: 'scheduled' }])

  await world.db`update worker set heartbeat_at = now() - interval '1 hour'`
  const starting = await openTransaction(world.db)
  await starting.tx`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{publisher}', 'h', 2)`
  const meanwhile = postrider('restore', '--hold')
  await untilLocked(world.db, 'lock table worker')
  await starting.commit()
  expect(await meanwhile).toMatchObject({ exitCode: 1, errors: expect.stringContaining('Stop it first') })
  expect(await statuses()).toEqual([{ status: 'scheduled' }])

  await world.db`update worker set heartbeat_at = now() - interval '1 hour'`
  const { key } = await createKey(world.db, workspaceId, {
    memberId,
    name: 'k',
    permissions: [],
    expiresAt: null,
  })
  expect(await done(postrider('restore', '--hold'))).toContain('restored list')
  expect(await agentKeys.find(world.db, key)).toBeNull()
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
    insert into worker (id, roles, host, pid, heartbeat_at)
    values (gen_random_uuid(), '{publisher}', 'h', 1, now() - interval '1 hour')`
  await cluster.crash()
  const { postrider } = await target(cluster.world)
  expect(await done(postrider('restore', '--hold'))).toContain('signed out')
})

test('what a backup brings along of the processes of then is no sign that one is alive now', async () => {
  await using world = await openWorld()
  await aWorkspace(world.db)
  await world.db`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{publisher}', 'h', 1)`
  await world.db`insert into activity (part) values ('webhooks'), ('housekeeping')`
  const old = await target(world, { SECRET_KEYS: secretKeys })
  const file = join(folder, 'alive.backup')
  await done(old.postrider('backup', file))

  async function expectNoneRuns({ postrider }: Awaited<ReturnType<typeof target>>): Promise<void> {
    const findings = JSON.parse((await postrider('doctor', '--json')).said) as { name: string }[]
    const parts = ['publisher', 'webhook dispatcher', 'housekeeping']
    expect(findings.filter(({ name }) => parts.includes(name))).toMatchObject(
      parts.map((name) => ({ name, status: 'warn', detail: 'none is running' })),
    )
  }
  for (const flags of [[], ['--server-was-stopped']]) {
    await using empty = await openEmptyWorld()
    const restored = await target(empty, { SECRET_KEYS: secretKeys })
    await done(restored.postrider('restore', file, ...flags))
    await expectNoneRuns(restored)
  }
  await world.db`update worker set heartbeat_at = now() - interval '5 seconds'`
  await done(old.postrider('restore', '--hold'))
  await expectNoneRuns(old)
})
