import { type Role, roleNames } from '@postrider/contract'
import { expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aWorkspace, openTransaction, untilBlocked } from '../../../test/rigs/fixtures.ts'
import { aPerson } from '../../../test/rigs/people-world.ts'
import { aKey } from '../../../test/rigs/running-app.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import { agentKeys } from '../keys/authenticate.ts'
import { endCredentials } from '../../app/stop-credential.ts'
import { type Acting, changeRole, mayGrant, removeMember, transferOwnership } from './manage-members.ts'
import { findMembership, holdMembership, insertMember, listMembers } from './member-store.ts'

const { world } = await openFileWorld()
const { db } = world

/** A workspace with its owner Ada and one member of each of these roles. */
async function aTeam(...roles: Role[]) {
  const { workspaceId, memberId: owner } = await aWorkspace(db)
  const ids: string[] = []
  for (const role of roles) {
    const { personId } = await aPerson(db, { password: false, name: role })
    ids.push((await db.begin((tx) => insertMember(tx, { workspaceId, personId, role })))!)
  }
  const as = (memberId: string) => ({ workspaceId, memberId })
  const rolesNow = async () =>
    Object.fromEntries((await listMembers(db, workspaceId)).map(({ memberId, role }) => [memberId, role]))
  return { workspaceId, owner, ids, as, rolesNow }
}

const change = (...args: Parameters<typeof changeRole> extends [unknown, ...infer Rest] ? Rest : never) =>
  writeInTransaction(db, (tx) => changeRole(tx, ...args))
const remove = (acting: Acting, memberId: string) =>
  writeInTransaction(db, (tx) => removeMember(tx, acting, memberId, endCredentials))

test('only owners make and unmake owners; admins do so with all others', () => {
  const granting = roleNames.map((granter) => roleNames.filter((role) => mayGrant(granter, role)))
  expect(granting).toEqual([roleNames, ['admin', 'editor', 'approver', 'viewer'], [], [], []])
})

test('a member gets another role, and the change says what it was', async () => {
  const { owner, ids, as, rolesNow } = await aTeam('viewer')
  const [viewer] = ids
  const changed = await change(as(owner), viewer!, 'editor')
  expect(changed).toMatchObject({ details: { before: { role: 'viewer' }, after: { role: 'editor' } } })
  expect((await rolesNow())[viewer!]).toBe('editor')
})

test('an admin leaves owners alone, and no role goes above its own', async () => {
  const { owner, ids, as, rolesNow } = await aTeam('admin', 'editor')
  const [admin, editor] = ids
  const before = await rolesNow()
  for (const refused of [
    await change(as(admin!), owner, 'viewer'),
    await change(as(admin!), admin!, 'owner'),
    await remove(as(admin!), owner),
    await change(as(editor!), editor!, 'admin'),
    await remove(as(editor!), admin!),
  ]) {
    expect(refused).toMatchObject({ refused: 'missing_permission' })
  }
  expect(await rolesNow()).toEqual(before)
})

test('the last owner neither leaves nor is demoted; with a second one, either may', async () => {
  const { owner, ids, as, rolesNow } = await aTeam('editor')
  const [editor] = ids
  expect(await change(as(owner), owner, 'admin')).toMatchObject({ refused: 'last_owner' })
  expect(await remove(as(owner), owner)).toMatchObject({ refused: 'last_owner' })
  await change(as(owner), editor!, 'owner')
  expect(isRefusal(await remove(as(owner), owner))).toBe(false)
  expect(await rolesNow()).toEqual({ [editor!]: 'owner' })
})

test('of two owners who leave at once, one stays', async () => {
  const { owner, ids, as, rolesNow } = await aTeam('owner')
  const results = await Promise.all([owner, ids[0]!].map((memberId) => remove(as(memberId), memberId)))
  expect(results.filter(isRefusal)).toMatchObject([{ refused: 'last_owner' }])
  expect(Object.values(await rolesNow())).toEqual(['owner'])
})

test('ownership is handed over whole', async () => {
  const { owner, ids, as, rolesNow } = await aTeam('viewer')
  const [viewer] = ids
  await writeInTransaction(db, (tx) => transferOwnership(tx, as(owner), viewer!))
  expect(await rolesNow()).toEqual({ [owner]: 'admin', [viewer!]: 'owner' })
  expect(await writeInTransaction(db, (tx) => transferOwnership(tx, as(owner), owner))).toMatchObject({
    refused: 'missing_permission',
  })
})

test('whoever is removed takes their keys along, and can come back with another role', async () => {
  const { workspaceId, owner, ids, as } = await aTeam('editor')
  const [editor] = ids
  const key = await aKey(db, { workspaceId, memberId: editor! })
  expect(await agentKeys.find(db, key)).not.toBeNull()
  // Those of one millisecond are in no order.
  const keysOf = new Map((await listMembers(db, workspaceId)).map(({ memberId, keys }) => [memberId, keys]))
  expect(keysOf.get(editor!)).toBe(1)
  expect([...keysOf.values()].toSorted((a, b) => a - b)).toEqual([0, 1])

  expect(await remove(as(owner), editor!)).toMatchObject({ keysEnded: 1 })
  expect(await agentKeys.find(db, key)).toBeNull()
  expect(await remove(as(owner), editor!)).toMatchObject({ refused: 'not_found' })

  const [row] = await db<
    { personId: string }[]
  >`select person_id as "personId" from member where id = ${editor!}`
  const personId = row!.personId
  expect(await findMembership(db, workspaceId, personId)).toBeNull()
  const again = await db.begin((tx) => insertMember(tx, { workspaceId, personId, role: 'viewer' }))
  expect(again).toBe(editor)
  expect(await findMembership(db, workspaceId, personId)).toEqual({ memberId: editor, role: 'viewer' })
  expect(await agentKeys.find(db, key)).toBeNull()
})

test('a member whose write is under way is removed after it, and not in the middle', async () => {
  const { workspaceId, owner, ids, as } = await aTeam('editor')
  const [editor] = ids
  const writing = await openTransaction(db)
  expect(await holdMembership(writing.tx, workspaceId, editor!)).toBe('editor')
  const removing = remove(as(owner), editor!)
  await untilBlocked(db)
  await writing.commit()
  expect(await removing).toMatchObject({ member: { memberId: editor } })
  expect(await db.begin((tx) => holdMembership(tx, workspaceId, editor!))).toBeNull()
})

test('nobody acts in a workspace in which they are no member', async () => {
  const [mine, theirs] = [await aTeam('viewer'), await aTeam('viewer')]
  const foreign = { workspaceId: theirs.workspaceId, memberId: mine.owner }
  expect(await change(foreign, theirs.ids[0]!, 'owner')).toMatchObject({ refused: 'not_found' })
  expect(await remove(mine.as(mine.owner), theirs.ids[0]!)).toMatchObject({ refused: 'not_found' })
})
