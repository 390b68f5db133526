import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noLimits } from '@postrider/contract'
import { expect, test } from 'vitest'
import { commandLineWith } from '../../test/rigs/command-line.ts'
import { aChannel, aPost, aWorkspace } from '../../test/rigs/fixtures.ts'
import { openWorld } from '../../test/rigs/world.ts'
import { agentKeys } from '../keys/authenticate.ts'
import { putGrant } from '../apps/app-grant-store.ts'

/** A workspace, and the command line of somebody at its server. */
async function openShell() {
  const world = await openWorld()
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-keys-'))
  const workspace = await aWorkspace(world.db)
  const postrider = commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: dataDir })
  return {
    ...workspace,
    db: world.db,
    postrider,
    async json(...args: string[]): Promise<any> {
      const { exitCode, said, errors } = await postrider(...args, '--json')
      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
      return JSON.parse(said)
    },
    acts: async () => [
      ...(await world.db`
        select action, actor_type as by, subject, before, after
        from   audit_entry where workspace_id = ${workspace.workspaceId} order by seq`),
    ],
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true })
    },
  }
}

test('a key is narrowed when it is made, and otherwise later, and both are in the audit log', async () => {
  await using shell = await openShell()
  const { db, workspaceId } = shell
  const channelId = await aChannel(db, workspaceId)
  const made = await shell.json(
    ...['key', 'create', '--name', 'bot', '--channels', channelId, '--posts-per-day', '5', '--within', '14d'],
    ...['--drafts-only', '--networks', '203.0.113.7/24, 2001:DB8::/32'],
  )
  const limits = {
    channelIds: [channelId],
    postsPerDay: 5,
    publishWithinHours: 336,
    draftsOnly: true,
    networks: ['203.0.113.0/24', '2001:db8::/32'],
    approval: null,
  }
  expect((await agentKeys.find(db, made.key))?.credential.limits).toEqual(limits)
  const listed = await shell.postrider('key', 'list')
  expect(listed.said).toMatch(/limited to drafts only, 1 channel, 5 posts a day, 336 h ahead, from 203/)

  await shell.json('key', 'limit', made.keyId, '--posts-per-day', '9')
  const after = { ...noLimits, postsPerDay: 9 }
  expect((await agentKeys.find(db, made.key))?.credential.limits).toEqual(after)
  await shell.json('key', 'revoke', made.keyId)
  expect(await agentKeys.find(db, made.key)).toBeNull()
  const subject = { keyId: made.keyId }
  expect(await shell.acts()).toMatchObject([
    { action: 'createKey', by: 'operator', subject, after: { name: 'bot', limits } },
    { action: 'limitKey', by: 'operator', subject, before: { limits }, after: { limits: after } },
    { action: 'revokeKey', by: 'operator', subject },
  ])
  expect(JSON.stringify(await shell.acts())).not.toContain(made.key)
})

test.each([
  [['--channels', '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'], /no channel 0199c1de/],
  [['--channels', 'all'], /--channels must be an id/],
  [['--posts-per-day', '0'], /whole number from 1/],
  [['--within', '2 weeks'], /--within must be a span such as 30d/],
  [['--networks', '203.0.113.7'], /does not understand "203.0.113.7".*203.0.113.0\/24/],
])('key create %j makes nothing, and says what to type', async (options, fault) => {
  await using shell = await openShell()
  const { exitCode, errors } = await shell.postrider('key', 'create', '--name', 'bot', ...options)
  expect(exitCode).not.toBe(0)
  expect(errors).toMatch(fault)
  expect(await shell.json('key', 'list')).toEqual([])
  expect(await shell.acts()).toEqual([])
})

test('a key that is stopped takes along what it planned', async () => {
  await using shell = await openShell()
  const { db, workspaceId } = shell
  const made = await shell.json('key', 'create', '--name', 'bot')
  const { postId } = await aPost(db, workspaceId, { states: ['scheduled', 'publishing'] })
  await db`update destination set planned_by_id = ${made.keyId} where post_id = ${postId}`
  const { said } = await shell.postrider('key', 'stop', made.keyId)
  expect(said).toBe(
    'The key "bot" is revoked. What it had planned is cancelled: 1 in all. 1 had begun to publish, and go on.\n',
  )
  expect(await agentKeys.find(db, made.key)).toBeNull()
  expect((await shell.acts()).at(-1)).toMatchObject({
    ...{ action: 'stopKey', by: 'operator', subject: { keyId: made.keyId } },
    after: { cancelled: 1, underWay: 1, postIds: [postId] },
  })
})

test('a connected app is narrowed, cut off and stopped from the shell', async () => {
  await using shell = await openShell()
  const { db, workspaceId, memberId } = shell
  const { grantId } = await putGrant(db, {
    ...{ workspaceId, memberId, artifactGrantId: 'g', permissions: ['posts:write'] },
    ...{ clientId: 'c', clientName: 'An agent', clientOrigin: 'agent.example' },
  })
  await shell.json('app', 'limit', grantId, '--posts-per-day', '3')
  expect(await shell.json('app', 'list')).toMatchObject([
    { grantId, limits: { postsPerDay: 3 }, revokedAt: null },
  ])
  await shell.json('app', 'revoke', grantId)
  await shell.json('app', 'stop', grantId)
  expect(await shell.json('app', 'list')).toMatchObject([{ grantId, revokedAt: expect.any(String) }])
  expect((await shell.acts()).map(({ action }) => action)).toEqual(['limitApp', 'revokeApp', 'stopApp'])
})

test('what waits for a person is set for a workspace and for a key, and the stricter of both holds', async () => {
  await using shell = await openShell()
  await shell.json('workspace', 'update', '--approval', 'within=30m', '--time-zone', 'Europe/Vienna')
  const made = await shell.json('key', 'create', '--name', 'bot', '--approval', 'first=5,within=10m')
  const policy = async () => (await agentKeys.find(shell.db, made.key))?.credential.approval
  expect(await policy()).toEqual({ all: false, withinMinutes: 30, firstPosts: 5 })
  expect((await shell.postrider('key', 'list')).said).toMatch(
    /approval of what is due within 10 min and the first 5 posts/,
  )
  expect(await shell.json('workspace', 'list')).toMatchObject([
    { timeZone: 'Europe/Vienna', approvalPolicy: { all: false, withinMinutes: 30, firstPosts: null } },
  ])
  await shell.json('workspace', 'update', '--approval', 'none')
  expect(await policy()).toEqual({ all: false, withinMinutes: 10, firstPosts: 5 })
  const bad = await shell.postrider('workspace', 'update', '--approval', 'sometimes')
  expect(bad.errors).toMatch(/does not understand "sometimes".*all,within=30m,first=5/)
  const none = { all: false, withinMinutes: null, firstPosts: null }
  expect((await shell.acts()).at(-1)).toMatchObject({
    ...{ action: 'updateWorkspace', by: 'operator' },
    before: { approvalPolicy: { ...none, withinMinutes: 30 } },
    after: { approvalPolicy: none },
  })
})
