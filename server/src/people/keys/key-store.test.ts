import { noApprovalPolicy, noLimits, permissionNames } from '@postrider/contract'
import { expect, test } from 'vitest'
import { openWorld } from '../../../test/rigs/world.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { newAgentKey } from './agent-key.ts'
import { agentKeys, authenticateBy } from './authenticate.ts'
import { createKey, listKeys, recordKeyUses, revokeKey } from './key-store.ts'
import { findOwner } from '../members/member-store.ts'
import { createWorkspace, listWorkspaces } from '../members/workspace-store.ts'
import { emailOf } from '../../platform/text/email-address.ts'

const authenticate = authenticateBy([agentKeys])

const owner = { name: 'Ada', email: emailOf('ada@example.org') }

async function aWorkspace(db: Db) {
  return createWorkspace(db, { name: 'Acme', timeZone: 'Europe/Vienna', owner })
}

async function aKey(db: Db, { expiresAt = null as Date | null } = {}) {
  const { workspaceId, memberId } = await aWorkspace(db)
  const made = await createKey(db, workspaceId, {
    memberId,
    name: 'bot',
    permissions: permissionNames,
    expiresAt,
  })
  return { workspaceId, memberId, ...made }
}

test('a workspace has its owner from the beginning', async () => {
  await using world = await openWorld()
  const { workspaceId, memberId } = await aWorkspace(world.db)

  expect(await listWorkspaces(world.db)).toMatchObject([
    { workspaceId, name: 'Acme', timeZone: 'Europe/Vienna' },
  ])
  expect(await findOwner(world.db, workspaceId)).toEqual({ memberId, role: 'owner', ...owner })
})

test('a key opens its workspace in the name of its owner, with its permissions', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId, memberId } = await aWorkspace(db)
  const { keyId, key } = await createKey(db, workspaceId, {
    memberId,
    name: 'reader',
    permissions: ['posts:read'],
    expiresAt: null,
  })

  expect(await authenticate(db, key)).toEqual({
    confirm: expect.any(Function),
    hold: expect.any(Function),
    workspaceId,
    credential: {
      id: keyId,
      type: 'agent_key',
      name: 'reader',
      permissions: ['posts:read'],
      limits: noLimits,
      approval: noApprovalPolicy,
      expiresAt: null,
    },
    member: { id: memberId, personId: expect.any(String) as unknown, ...owner, role: 'owner' },
  })
})

test('the secret is in no column', async () => {
  await using world = await openWorld()
  const { key } = await aKey(world.db)

  const [row] = await world.db<{ text: string }[]>`select agent_key::text as text from agent_key`
  expect(row!.text).not.toContain(key.slice(3))
  expect(row!.text).not.toContain(Buffer.from(key).toString('hex'))
})

test('a malformed, an unknown and an expired key open nothing', async () => {
  await using world = await openWorld()
  const { key } = await aKey(world.db, { expiresAt: new Date(Date.now() + 60_000) })

  expect(await authenticate(world.db, '')).toBeNull()
  expect(await authenticate(world.db, newAgentKey())).toBeNull()
  expect(await authenticate(world.db, key)).not.toBeNull()
  await world.db`update agent_key set expires_at = now()`
  expect(await authenticate(world.db, key)).toBeNull()
})

test('a revoked key is refused at once, and revoking again changes nothing', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId, keyId, key } = await aKey(db)

  const first = await revokeKey(db, workspaceId, keyId)
  expect(await authenticate(db, key)).toBeNull()
  expect(await revokeKey(db, workspaceId, keyId)).toEqual(first)
})

test('a key never may do more than the member who owns it, and ends with their membership', async () => {
  await using world = await openWorld()
  const { db } = world
  const { key, memberId } = await aKey(db)
  const granted = async () => (await authenticate(db, key))?.credential.permissions

  expect(await granted()).toEqual(permissionNames)
  await db`update member set role = 'viewer' where id = ${memberId}`
  expect(await granted()).toEqual(['channels:read', 'calendar:read', 'posts:read', 'media:read'])
  await db`update member set removed_at = now() where id = ${memberId}`
  expect(await authenticate(db, key)).toBeNull()
})

test('a key can be revoked only in its own workspace', async () => {
  await using world = await openWorld()
  const { db } = world
  const { keyId, key } = await aKey(db)
  const other = await aWorkspace(db)

  expect(await revokeKey(db, other.workspaceId, keyId)).toBeNull()
  expect(await authenticate(db, key)).not.toBeNull()
  expect(await listKeys(db, other.workspaceId)).toEqual([])
})

test('the last use is written to the minute', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId, keyId } = await aKey(db)
  const lastUsedAt = async () => (await listKeys(db, workspaceId))[0]!.lastUsedAt

  await recordKeyUses(db, [{ workspaceId, keyId, agoMs: 0 }])
  const first = await lastUsedAt()
  expect(first).not.toBeNull()
  await recordKeyUses(db, [{ workspaceId, keyId, agoMs: 0 }])
  expect(await lastUsedAt()).toEqual(first)

  await db`update agent_key set last_used_at = last_used_at - interval '2 minutes'`
  await recordKeyUses(db, [{ workspaceId, keyId, agoMs: 1_000 }])
  expect((await lastUsedAt())!.getTime()).toBeGreaterThan(first!.getTime() - 60_000)
})
