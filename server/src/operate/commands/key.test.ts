import { noLimits } from '@postrider/contract'
import { expect, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { aChannel, aPost } from '../../../test/rigs/fixtures.ts'
import { openRunningApp } from '../../../test/rigs/running-app.ts'
import { agentKeys } from '../../people/keys/authenticate.ts'
import { putGrant } from '../../people/apps/app-grant-store.ts'

/** A workspace, and the command line of somebody at its server. */
async function openShell() {
  const running = await openRunningApp()
  const { db, workspace } = running
  await db`delete from agent_key`
  const postrider = commandLineWith(running.env)
  return {
    ...workspace,
    db,
    postrider,
    async json(...args: string[]): Promise<any> {
      const { exitCode, said, errors } = await postrider(...args, '--json')
      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
      return JSON.parse(said)
    },
    acts: async () => [
      ...(await db`
        select action, actor_type as by, subject, before, after
        from   audit_entry where workspace_id = ${workspace.workspaceId} order by seq`),
    ],
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

test('a key is narrowed when it is made, and otherwise later, and both are in the audit log', async () => {
  await using shell = await openShell()
  const { db, workspaceId } = shell
  const channelId = await aChannel(db, workspaceId)
  const made = await shell.json(
    'key',
    'create',
    '--name',
    'bot',
    '--channel-ids',
    channelId,
    '--posts-per-day',
    '5',
    '--publish-within-hours',
    '336',
    '--drafts-only',
    '--networks',
    '203.0.113.7/24, 2001:DB8::/32',
  )
  const limits = {
    channelIds: [channelId],
    postsPerDay: 5,
    publishWithinHours: 336,
    draftsOnly: true,
    label: null,
    networks: ['203.0.113.0/24', '2001:db8::/32'],
    approval: null,
  }
  expect((await agentKeys.find(db, made.key))?.credential.limits).toEqual(limits)
  const listed = await shell.postrider('key', 'list')
  expect(listed.said).toContain(
    'postsPerDay=5 publishWithinHours=336 draftsOnly networks=203.0.113.0/24,2001:db8::/32',
  )

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
  [['--channel-ids', '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'], 1, /--channel-ids: .*no channel 0199c1de/],
  [['--channel-ids', 'all'], 1, /--channel-ids: /],
  [['--posts-per-day', '0'], 2, /--posts-per-day must be a whole number of at least 1/],
  [['--publish-within-hours', '2 weeks'], 2, /--publish-within-hours is a number such as 24/],
  [['--networks', '203.0.113.7'], 1, /--networks: .*203.0.113.0\/24/],
  [
    ['--permissions', 'posts:read,posts:wirte'],
    2,
    /--permissions does not know posts:wirte\. Give some of channels:read/,
  ],
  [['--permissions', ''], 2, /--permissions does not know/],
  [['--expires-at', 'soon'], 2, /--expires-at does not understand "soon"/],
  [['--expires-at', '2027-01-31'], 2, /--expires-at does not understand/],
  [['--expires-at', '1h'], 1, /--expires-at: .*in the past/],
  [['--approval', 'sometimes'], 2, /--approval is written as JSON/],
  [['--approval-first-posts', '9999'], 1, /--approval-first-posts: /],
  [['--server', 'https://example.com'], 2, /goes to the server of this machine/],
])('key create %j makes nothing, exits with %d and says what to type', async (options, exit, fault) => {
  await using shell = await openShell()
  const { exitCode, errors } = await shell.postrider('key', 'create', '--name', 'bot', ...options)
  expect({ exitCode, errors }).toEqual({ exitCode: exit, errors: expect.stringMatching(fault) })
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
  expect(said).toMatch(/CANCELLED  1\nUNDER WAY  1\n/)
  expect(await agentKeys.find(db, made.key)).toBeNull()
  expect((await shell.acts()).at(-1)).toMatchObject({
    action: 'stopKey',
    by: 'operator',
    subject: { keyId: made.keyId },
    after: { cancelled: 1, underWay: 1, postIds: [postId] },
  })
})

test('a connected app is narrowed, cut off and stopped from the shell', async () => {
  await using shell = await openShell()
  const { db, workspaceId, memberId } = shell
  const { grantId } = await putGrant(db, {
    workspaceId,
    memberId,
    artifactGrantId: 'g',
    permissions: ['posts:write'],
    clientId: 'c',
    clientName: 'An agent',
    clientOrigin: 'agent.example',
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
  await shell.json(
    'workspace',
    'update',
    '--approval-policy-within-minutes',
    '30',
    '--time-zone',
    'Europe/Vienna',
  )
  const made = await shell.json(
    'key',
    'create',
    '--name',
    'bot',
    '--approval-first-posts',
    '5',
    '--approval-within-minutes',
    '10',
  )
  const policy = async () => (await agentKeys.find(shell.db, made.key))?.credential.approval
  expect(await policy()).toEqual({ all: false, withinMinutes: 30, firstPosts: 5 })
  expect((await shell.postrider('key', 'list')).said).toContain('approval=(withinMinutes=10 firstPosts=5)')
  expect(await shell.json('workspace', 'list')).toMatchObject([
    { timeZone: 'Europe/Vienna', approvalPolicy: { all: false, withinMinutes: 30, firstPosts: null } },
  ])
  await shell.json('workspace', 'update', '--approval-policy', '{}')
  expect(await policy()).toEqual({ all: false, withinMinutes: 10, firstPosts: 5 })
  expect(await shell.postrider('workspace', 'update')).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('Say what changes: --name, --time-zone'),
  })
  const none = { all: false, withinMinutes: null, firstPosts: null }
  expect((await shell.acts()).at(-1)).toMatchObject({
    action: 'updateWorkspace',
    by: 'operator',
    before: { approvalPolicy: { ...none, withinMinutes: 30 } },
    after: { approvalPolicy: none },
  })
})
