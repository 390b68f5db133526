import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import {
  aChannel,
  anActor,
  announced,
  aPost,
  aWorkspace,
  rowCounts,
  type PostOptions,
} from '../../../test/rigs/fixtures.ts'
import { openRunningApp } from '../../../test/rigs/running-app.ts'
import { openAuthorization } from '../../networks/channels/authorization.ts'
import { upsertPerson } from '../../people/members/person-store.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { createPost } from '../../content/posts/create/create-post.ts'
import { editPost } from '../../content/posts/edit/edit-post.ts'
import { readPost } from '../../content/posts/read-post.ts'
import { providers } from '../../networks/providers/registry.ts'
import { emailOf } from '../../platform/text/email-address.ts'

const baseUrl = 'http://127.0.0.1:4000'
const secretKey = randomBytes(32)
const nobody = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'

/** A workspace, its server, and the command line that a person has on them. */
async function openDesk() {
  const network = await startSandboxNetwork({ memory: true })
  const running = await openRunningApp({ sandboxUrl: network.url, secretKeys: secretKey.toString('base64') })
  const postrider = commandLineWith(running.env)

  return {
    ...running.workspace,
    dataDir: running.dataDir,
    db: running.db,
    network,
    postrider,
    async json(...args: string[]): Promise<any> {
      const { exitCode, said, errors } = await postrider(...args, '--json')
      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
      return JSON.parse(said)
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      await network.close()
    },
  }
}

type Desk = Awaited<ReturnType<typeof openDesk>>

/** An immediate post that waits for a person. */
async function ask({ db, caller, workspaceId }: Desk, text = 'Hello', thread: string[] = []) {
  const channelId = await aChannel(db, workspaceId, { provider: 'sandbox-professional' })
  const post = await db.begin((tx) =>
    createPost(
      tx,
      caller,
      {
        confirmed: true,
        idempotencyKey: uuidv7(),
        state: 'immediate',
        channelIds: [channelId],
        text,
        ...(thread.length === 0 ? {} : { thread: thread.map((part) => ({ text: part })) }),
      },
      { providers, baseUrl },
    ),
  )
  if (isRefusal(post)) throw new Error(post.detail)
  return { post, channelId, approvalId: post.approval!.reviewUrl.split('/').at(-1)! }
}

/** A destination in doubt about a call of an hour ago, or of just now, and what names it. */
async function doubt({ db, workspaceId }: Desk, options: PostOptions = {}, age = '1 hour') {
  const post = await aPost(db, workspaceId, { states: ['checking'], ...options })
  const [destinationId, channelId] = [post.destinationIds[0]!, post.channelIds[0]!]
  await db`
    insert into attempt (workspace_id, id, destination_id, part_index, fence, armed_at, verdict, settled_at)
    values (${workspaceId}, ${uuidv7()}, ${destinationId}, 0, 1, now() - ${age}::interval, 'unknown', now())`
  const [row] = await db<{ token: string }[]>`
    select control_token as token from destination where id = ${destinationId}`
  const about = ['resolve', post.postId, '--channel-id', channelId, '--control-token', row!.token]
  return { postId: post.postId, destinationId, about }
}

async function statusOf({ db, workspaceId }: Desk, postId: string) {
  const post = await readPost(db, { workspaceId, postId }, anActor, { providers, baseUrl })
  if (isRefusal(post)) throw new Error(post.detail)
  return post.destinations[0]!.status
}

test('a person lists, sees and approves what waits, and it is scheduled for now', async () => {
  await using desk = await openDesk()
  const { post, approvalId } = await ask(desk, 'First line\nsecond line', ['And more'])

  expect(await desk.json('approval', 'list')).toMatchObject([
    { approvalId, postId: post.postId, status: 'pending' },
  ])
  const { said } = await desk.postrider('approval', 'show', approvalId)
  expect(said).toContain('ASKED BY  test key\n')
  expect(said).toMatch(
    /PROVIDER {2}sandbox-professional\n {2}HANDLE {2}a-channel\n {2}DISPLAY NAME {2}A channel\n/,
  )
  expect(said).toContain('      | First line\n      | second line\n')
  expect(said).toContain('  PARTS 2\n    KIND  reply\n    TEXT\n      | And more\n')
  expect(said).toContain(`postrider approval reject ${approvalId}`)
  const shown = /approval approve (\S+ --digest [0-9a-f]{64})\n/.exec(said)![1]!

  expect(await desk.json('approval', 'approve', ...shown.split(' '), '--note', 'Fine')).toMatchObject({
    approvalId,
    postId: post.postId,
    status: 'approved',
    decidedBy: 'Ada',
  })
  expect(await statusOf(desk, post.postId)).toBe('scheduled')
  expect((await announced(desk.db, desk.workspaceId)).map(({ type }) => type)).toEqual(['post.scheduled'])
  expect(await desk.json('approval', 'list')).toEqual([])
  expect(await desk.json('approval', 'list', '--all')).toMatchObject([
    { status: 'approved', decidedBy: 'Ada', note: 'Fine' },
  ])
})

test('what is rejected stays a draft, in the name of whoever decides', async () => {
  await using desk = await openDesk()
  const { post, approvalId } = await ask(desk)
  const bob = uuidv7()
  await desk.db`
    with person as (${upsertPerson(desk.db, { name: 'Bob', email: emailOf('bob@example.com') })})
    insert into member (workspace_id, id, person_id, role) select ${desk.workspaceId}, ${bob}, id, 'approver' from person`

  const { exitCode, said } = await desk.postrider('approval', 'reject', approvalId, '--as', 'BOB@example.com')
  expect({ exitCode, said }).toEqual({
    exitCode: 0,
    said: expect.stringMatching(/STATUS {2}rejected\n[^]*DECIDED BY {2}Bob\n/),
  })
  expect(await statusOf(desk, post.postId)).toBe('draft')
  expect(await announced(desk.db, desk.workspaceId)).toEqual([])
})

test('a decision is refused in words when there is none, when it was made, and when the post has changed', async () => {
  await using desk = await openDesk()
  const decided = await ask(desk)
  await desk.postrider('approval', 'reject', decided.approvalId, '--note', 'Too loud')
  const edited = await ask(desk)
  await desk.db.begin((tx) =>
    editPost(
      tx,
      { workspaceId: desk.workspaceId, postId: edited.post.postId },
      { confirmed: true, editToken: edited.post.editToken, content: { text: 'Other' } },
      anActor,
      { providers, baseUrl },
    ),
  )
  const lapsed = await ask(desk)
  await desk.db`update approval set expires_at = now() where id = ${lapsed.approvalId}`
  const cancelled = await ask(desk)
  await desk.db`update destination set status = 'cancelled' where post_id = ${cancelled.post.postId}`
  const changed = await ask(desk)
  await desk.db`update part p set text = 'Swapped' from destination d
    where d.id = p.destination_id and d.post_id = ${changed.post.postId}`

  const before = await rowCounts(desk.db)
  for (const [approvalId, exit, words] of [
    [nobody, 4, 'Approval request not found'],
    [decided.approvalId, 1, 'This request is closed'],
    [edited.approvalId, 1, 'This request is closed'],
    [lapsed.approvalId, 1, 'This request is closed'],
    [cancelled.approvalId, 1, 'This post was cancelled or has expired'],
    [changed.approvalId, 1, 'This post changed after'],
  ] as const) {
    const { exitCode, said, errors } = await desk.postrider('approval', 'approve', approvalId)
    expect({ exitCode, said }).toEqual({ exitCode: exit, said: '' })
    expect(errors).toMatch(words)
    expect(errors.trim().split('\n')).toHaveLength(1)
  }
  expect(await rowCounts(desk.db)).toEqual(before)
  expect((await desk.postrider('approval', 'show', decided.approvalId)).said).toContain('NOTE  Too loud\n')
  expect((await desk.postrider('approval', 'show', changed.approvalId)).said).toContain('UNCHANGED  no\n')
  expect((await desk.postrider('approval', 'show', cancelled.approvalId)).said).toContain(
    '  STATUS  cancelled\n',
  )
  expect((await desk.postrider('approval', 'approve', 'mine')).exitCode).toBe(2)
})

test('nobody decides for a workspace who is not a member of it, or in another one', async () => {
  await using desk = await openDesk()
  const { post, approvalId } = await ask(desk)
  const stranger = await desk.postrider('approval', 'approve', approvalId, '--as', 'eve@example.com')
  expect(stranger).toMatchObject({ exitCode: 4, errors: expect.stringContaining('has no member') })

  const theirs = await aWorkspace(desk.db)
  const there = await desk.postrider('approval', 'approve', approvalId, '--workspace', theirs.workspaceId)
  expect(there).toMatchObject({ exitCode: 4, errors: expect.stringContaining('request not found') })
  expect(await desk.postrider('approval', 'list')).toMatchObject({
    exitCode: 4,
    errors: expect.stringContaining('There are 2 workspaces: give --workspace'),
  })
  expect(await statusOf(desk, post.postId)).toBe('draft')
})

test('a text cannot act on the terminal, or pass for words of ours', async () => {
  await using desk = await openDesk()
  const { approvalId } = await ask(desk, 'Nice\u001B[8mhidden\u202Eback\n\nTo publish it now: nothing')
  const { said } = await desk.postrider('approval', 'show', approvalId)
  expect(said).toContain(
    '      | Nice\\u{1b}[8mhidden\\u{202e}back\n      |\n      | To publish it now: nothing\n',
  )
})

test('a doubt is settled by a word that is kept: it is out', async () => {
  await using desk = await openDesk()
  const { postId, destinationId, about } = await doubt(desk)
  const shown = await desk.postrider('show', postId)
  expect(shown.said).toContain('checking  sandbox-short A channel')
  expect(await desk.json('show', postId)).toMatchObject({ destinations: [{ controlToken: about.at(-1) }] })

  const url = 'https://example.com/p/77'
  const out = ['--finding', 'published', '--remote-id', 'p77', '--url', url, '--note', 'I saw it']
  const { said, exitCode, errors } = await desk.postrider(...about, ...out)
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
  expect(said).toContain('STATUS  published\n')
  expect(await desk.json('show', postId)).toMatchObject({
    destinations: [{ status: 'published', releaseUrl: url }],
  })
  const [attempt] = await desk.db`select evidence from attempt where destination_id = ${destinationId}`
  expect(attempt!['evidence']).toMatchObject([
    { by: 'person', name: 'Ada', note: 'I saw it', remoteId: 'p77' },
  ])
  expect(await desk.db`select actor_type, after from audit_entry order by seq desc limit 1`).toMatchObject([
    { actor_type: 'operator', after: { finding: 'published', decidedBy: 'Ada' } },
  ])
})

test.each([
  ['absent', {}, 'scheduled'],
  ['failed', {}, 'failed'],
])('a doubt settled as %s %j makes it %s', async (finding, options, status) => {
  await using desk = await openDesk()
  const { postId, about } = await doubt(desk, options)
  expect(await desk.json(...about, '--finding', finding)).toMatchObject({ status })
  expect(await statusOf(desk, postId)).toBe(status)
})

test('what is not out yet may still come out: a person is told when to look again', async () => {
  await using desk = await openDesk()
  const { postId, about } = await doubt(desk, {}, '1 second')
  for (const finding of ['absent', 'failed'])
    expect(await desk.postrider(...about, '--finding', finding)).toMatchObject({
      exitCode: 1,
      errors: expect.stringMatching(/in \d+ seconds/),
    })
  expect(await statusOf(desk, postId)).toBe('checking')
})

test('a word about a doubt that is over counts for no later one', async () => {
  await using desk = await openDesk()
  const { postId, about } = await doubt(desk)
  await desk.db`update destination set control_token = 'another' where post_id = ${postId}`
  const { exitCode, errors } = await desk.postrider(...about, '--finding', 'absent')
  expect({ exitCode, errors }).toEqual({ exitCode: 1, errors: expect.stringContaining('changed') })
  expect(await statusOf(desk, postId)).toBe('checking')
})

test('only what is in doubt can be settled', async () => {
  await using desk = await openDesk()
  const failed = await aPost(desk.db, desk.workspaceId, { states: ['failed'] })
  const before = await announced(desk.db, desk.workspaceId)
  for (const [postId, channelId, exitCode] of [
    [failed.postId, failed.channelIds[0]!, 1],
    [failed.postId, nobody, 4],
    [nobody, nobody, 4],
  ] as const) {
    const of = ['--channel-id', channelId, '--control-token', 'any', '--finding', 'absent']
    expect(await desk.postrider('resolve', postId, ...of)).toMatchObject({ exitCode })
  }
  expect(await announced(desk.db, desk.workspaceId)).toEqual(before)
})

test('a token that begins with a dash is one, and no option', async () => {
  await using desk = await openDesk()
  const { postId, about } = await doubt(desk)
  await desk.db`update destination set control_token = '-Dash' where post_id = ${postId}`
  const dashed = [...about.slice(0, -1), '-Dash', '--finding', 'failed']
  expect(await desk.json(...dashed)).toMatchObject({ status: 'failed' })
  expect(await desk.postrider(...about.slice(0, -1), '--finding', 'failed')).toMatchObject({ exitCode: 2 })
})

test.each([
  [[], 2, '--finding is required'],
  [['--finding', 'gone'], 2, '--finding is one of published, absent, failed'],
  [['--finding', 'published'], 1, '--remote-id'],
  [['--finding', 'absent', '--remote-id', 'x'], 1, '--remote-id'],
  [['--finding', 'published', '--remote-id', 'x', '--url', 'javascript:1'], 1, '--url'],
])('resolve with %j is refused, and changes nothing', async (args, exitCode, words) => {
  await using desk = await openDesk()
  const { postId, about } = await doubt(desk)
  const refused = await desk.postrider(...about, ...args)
  expect(refused).toEqual({ exitCode, said: '', errors: expect.stringContaining(words) })
  expect(await statusOf(desk, postId)).toBe('checking')
})

test('a reconnected channel has an authorization that works, and what waited for it is queued again', async () => {
  await using desk = await openDesk()
  const { channelId } = await desk.json('channel', 'add', 'sandbox', '--handle', 'acme', '--profile', 'short')
  const [{ id: accountId }] = await (async () => {
    const answer = await fetch(`${desk.network.url}/control/accounts`)
    return ((await answer.json()) as { items: [{ id: string }] }).items
  })()
  await fetch(`${desk.network.url}/control/accounts/${accountId}/revoke`, { method: 'POST' })
  await desk.db`update channel set connection_status = 'reconnect_required'`
  const { postId } = await aPost(desk.db, desk.workspaceId, {
    states: ['reconnect_required'],
    channelIds: [channelId],
  })

  expect(await desk.json('channel', 'reconnect', channelId)).toEqual({ channelId, resumed: 1 })

  const [row] = await desk.db<{ sealed: Buffer; status: string }[]>`
    select authorization_sealed as sealed, connection_status as status from channel`
  expect(row!.status).toBe('connected')
  const { baseUrl, accessToken } = openAuthorization(makeKeyring([secretKey]), channelId, row!.sealed)
  const headers = { authorization: `Bearer ${String(accessToken)}` }
  expect((await fetch(`${String(baseUrl)}/api/v1/accounts/me`, { headers })).status).toBe(200)
  expect(await statusOf(desk, postId)).toBe('scheduled')
  expect((await announced(desk.db, desk.workspaceId)).map(({ type }) => type)).toEqual(['post.scheduled'])

  expect((await desk.postrider('channel', 'reconnect', channelId)).said).toContain('Nothing was waiting')
})

test('an authorization that ends is known, and starts again when the channel is reconnected', async () => {
  await using desk = await openDesk()
  const add = (...more: string[]) =>
    desk.postrider('channel', 'add', 'sandbox', '--handle', 'acme', '--profile', 'short', ...more)
  expect((await add('--authorized-hours', 'soon')).errors).toContain('--authorized-hours is a number')
  expect((await add('--authorized-hours', '0.5')).exitCode).toBe(0)
  const [channel] = await desk.json('channel', 'list')
  const leftMs = Date.parse(channel.authorizedUntil) - Date.now()
  expect(leftMs).toBeGreaterThan(25 * 60_000)
  expect(leftMs).toBeLessThanOrEqual(30 * 60_000)
  const { said } = await desk.postrider('channel', 'list')
  expect(said).toContain(`${channel.authorizedUntil.slice(0, 16).replace('T', ' ')} UTC`)

  await desk.db`update channel set authorization_ends_at = now()`
  await desk.json('channel', 'reconnect', channel.channelId)
  const [renewed] = await desk.json('channel', 'list')
  expect(Date.parse(renewed.authorizedUntil)).toBeGreaterThanOrEqual(Date.parse(channel.authorizedUntil))
})

test('a channel that is not there, or whose account is gone, is not reconnected', async () => {
  await using desk = await openDesk()
  const gone = await aChannel(desk.db, desk.workspaceId, { connectionStatus: 'reconnect_required' })
  const keyring = makeKeyring([secretKey])
  const real = await aChannel(desk.db, desk.workspaceId, { provider: 'nowhere', keyring })
  for (const [channelId, exit, words] of [
    [nobody, 4, 'There is no channel'],
    [gone, 1, 'The sandbox network refused'],
    [real, 1, 'cannot connect accounts of the network nowhere'],
  ] as const) {
    const { exitCode, errors } = await desk.postrider('channel', 'reconnect', channelId)
    expect({ exitCode, errors }).toEqual({ exitCode: exit, errors: expect.stringContaining(words) })
  }
  const [row] = await desk.db`select connection_status as status from channel where id = ${gone}`
  expect(row!['status']).toBe('reconnect_required')
})

test('a channel is disabled and enabled', async () => {
  await using desk = await openDesk()
  const channelId = await aChannel(desk.db, desk.workspaceId)
  expect((await desk.postrider('channel', 'disable', channelId)).said).toContain('ENABLED  no\n')
  expect(await desk.json('channels')).toEqual([])
  expect(await desk.json('channel', 'list')).toMatchObject([{ channelId, enabled: false }])
  expect((await desk.postrider('channel', 'list')).said).toMatch(/A channel +no +connected +–\n/)
  expect((await desk.postrider('channel', 'enable', channelId)).said).toContain('ENABLED  yes\n')
  expect(await desk.json('channel', 'list')).toMatchObject([{ channelId, enabled: true }])
  expect((await desk.postrider('channel', 'disable', nobody)).exitCode).toBe(4)
})

test('a workspace has its own allowed time', async () => {
  await using desk = await openDesk()
  const create = (...more: string[]) =>
    desk.postrider(
      'workspace',
      'create',
      '--name',
      'New',
      '--owner-name',
      'Eve',
      '--owner-email',
      'eve@example.com',
      ...more,
    )
  await create('--allowed-hours', '0.5')
  await create()
  const rows = await desk.db`
    select extract(epoch from allowed_time)::int as seconds from workspace where name = 'New' order by id`
  expect(rows.map(({ seconds }) => seconds as number)).toEqual([1_800, 86_400])
  expect((await create('--allowed-hours', '0')).errors).toContain('--allowed-hours must be a number')
})

test('a workspace gets another name and allowed time, and what is left out stays', async () => {
  await using desk = await openDesk()
  const { workspaceId } = desk
  await desk.json('workspace', 'update', '--allowed-hours', '0.5')
  expect(
    await desk.json('workspace', 'update', '--workspace', workspaceId, '--name', 'Renamed'),
  ).toMatchObject({
    workspaceId,
    name: 'Renamed',
  })
  const rows = await desk.db`select name, extract(epoch from allowed_time)::int as seconds from workspace`
  expect([...rows]).toEqual([{ name: 'Renamed', seconds: 1_800 }])
  expect((await desk.postrider('workspace', 'update')).errors).toContain(
    'Say what changes: --name, --time-zone, --allowed-hours, --approval-policy',
  )
})

test('of several workspaces the id of a post, request or channel tells which is meant', async () => {
  await using desk = await openDesk()
  await aWorkspace(desk.db)
  const { post, channelId, approvalId } = await ask(desk)
  expect((await desk.postrider('channel', 'list')).errors).toContain('There are 2 workspaces')

  expect((await desk.postrider('approval', 'show', approvalId)).said).toContain('approval approve')
  expect(await desk.json('approval', 'approve', approvalId)).toMatchObject({ status: 'approved' })
  expect(await desk.json('show', post.postId)).toMatchObject({ reviewStatus: 'approved' })
  expect((await desk.postrider('channel', 'disable', channelId)).exitCode).toBe(0)
})

test('a look where there is no database makes none', async () => {
  await using desk = await openDesk()
  const empty = join(desk.dataDir, 'elsewhere')
  const { exitCode, errors } = await commandLineWith({ DATA_DIR: empty })('restored', 'list')
  expect({ exitCode, errors }).toEqual({
    exitCode: 1,
    errors: expect.stringContaining(`There is no database in ${empty}.`),
  })
  expect(await readdir(empty)).toEqual([])
})
