import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { app } from '@postrider/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aPost, anApproval, aWorkspace } from '../../../../test/rigs/fixtures.ts'
import { aPerson } from '../../../../test/rigs/people-world.ts'
import { dumpTables, openRunningApp, type RunningApp } from '../../../../test/rigs/running-app.ts'
import { insertMember, suspendAllMembers } from '../../members/member-store.ts'
import { NIL_UUID } from '../../../platform/text/nil-uuid.ts'
import { makeKeyring } from '../../../platform/sealing/sealing.ts'
import {
  isFromThisMachine,
  makeOperatorToken,
  type OperatorClaim,
  readOperatorToken,
} from './operator-token.ts'

let running: RunningApp
let keyring: RunningApp['keyring']
beforeAll(async () => {
  running = await openRunningApp({ env: { TRUST_PROXY: '127.0.0.1' } })
  keyring = running.keyring
})
afterAll(() => running[Symbol.asyncDispose]())

const plain: OperatorClaim = { user: 'root', workspace: null, about: null, as: null }
const here = `/app/api/workspaces/${NIL_UUID}`

function tokenFor(claim: Partial<OperatorClaim> = {}, now = Date.now(), ring = keyring): string {
  const { workspaceId } = running.workspace
  return makeOperatorToken(ring, { ...plain, workspace: workspaceId, ...claim }, now)
}

async function makeKey(token: string, path = here, headers: Record<string, string> = {}) {
  const body = { name: 'by the operator', permissions: ['posts:read'] }
  return running.ask('POST', `${path}/keys`, { key: token, body, headers })
}

/** Everything that must stay as it is where a token is refused. */
const stateNow = () => dumpTables(running.db)

test('the operator makes a key in the name of the owner, and the log names the user of the machine', async () => {
  const { status, body } = await makeKey(tokenFor({ user: 'deploy' }))
  expect({ status, key: body.key }).toEqual({ status: 201, key: expect.stringMatching(/^pr_/) })
  const [key] = await running.db`select member_id as by from agent_key where id = ${body.keyId}`
  expect(key!['by']).toBe(running.workspace.memberId)
  const [act] = await running.db`
    select actor_type, actor_name, actor_id, person_id, action, subject from audit_entry order by seq desc limit 1`
  expect(act).toEqual({
    actor_type: 'operator',
    actor_name: 'deploy',
    actor_id: null,
    person_id: null,
    action: 'createKey',
    subject: expect.objectContaining({ keyId: body.keyId }),
  })
})

test.each<[string, () => Parameters<typeof makeKey>]>([
  ['is over', () => [tokenFor({}, Date.now() - 2 * 60_000)]],
  ['is of later than now', () => [tokenFor({}, Date.now() + 60_000)]],
  [
    'was made with a key that this server does not have',
    () => [tokenFor({}, Date.now(), makeKeyring([randomBytes(32)]))],
  ],
  ['has a byte changed', () => [changed(tokenFor())]],
  ['was cut', () => [tokenFor().slice(0, -3)]],
  ['is nothing but its first letters', () => ['prop_']],
  [
    'is a value that was sealed for something else',
    () => [
      `prop_${keyring.seal(JSON.stringify({ ...plain, until: Date.now() + 1_000 }), 'another').toString('base64url')}`,
    ],
  ],
  ['came through a proxy', () => [tokenFor(), here, { 'x-forwarded-for': '203.0.113.9' }]],
  ['came through a proxy on the same machine', () => [tokenFor(), here, { 'x-forwarded-for': '127.0.0.1' }]],
  ['came through a proxy of RFC 7239', () => [tokenFor(), here, { forwarded: 'for=127.0.0.1' }]],
  ['came through a proxy that says so alone', () => [tokenFor(), here, { via: '1.1 proxy' }]],
])('a token that %s does nothing', async (_, asking) => {
  const before = await stateNow()
  const { status, body } = await makeKey(...asking())
  expect({ status, code: body.code }).toEqual({ status: 401, code: 'not_signed_in' })
  expect(await stateNow()).toEqual(before)
})

function changed(token: string): string {
  const bytes = Buffer.from(token.slice('prop_'.length), 'base64url')
  bytes[bytes.length - 1]! ^= 1
  return `prop_${bytes.toString('base64url')}`
}

test('a token counts in the workspace that it names, and in no other', async () => {
  const theirs = await aWorkspace(running.db)
  await running.db`update workspace set name = 'Theirs' where id = ${theirs.workspaceId}`
  const before = await stateNow()
  const there = await makeKey(tokenFor(), `/app/api/workspaces/${theirs.workspaceId}`)
  expect({ status: there.status, detail: there.body.detail }).toEqual({
    status: 404,
    detail: expect.stringContaining('another workspace'),
  })
  const unsaid = await makeKey(tokenFor({ workspace: null }))
  expect(unsaid).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining('There are 2 workspaces') },
  })
  const unknown = await makeKey(tokenFor({ workspace: 'Nowhere' }))
  expect(unknown).toMatchObject({ status: 404, body: { detail: expect.stringContaining('"Nowhere"') } })
  expect(await stateNow()).toEqual(before)
  expect((await makeKey(tokenFor({ workspace: 'Theirs' }))).status).toBe(201)
  const [key] = await running.db`select workspace_id as at from agent_key order by id desc limit 1`
  expect(key!['at']).toBe(theirs.workspaceId)
})

test('the id of a request tells the workspace', async () => {
  const { db, workspace } = running
  const { postId } = await aPost(db, workspace.workspaceId, { states: ['draft'] })
  const approvalId = await anApproval(db, workspace.workspaceId, postId)
  const at = `${here}/approvals/${approvalId}`
  const found = await running.ask('GET', at, { key: tokenFor({ workspace: null, about: approvalId }) })
  expect(found).toMatchObject({ status: 200, body: { approvalId } })
})

test('a member decides only what their role may, and the log says in whose name', async () => {
  const { db, workspace } = running
  const { workspaceId } = workspace
  const { postId } = await aPost(db, workspaceId, { states: ['draft'] })
  const approvalId = await anApproval(db, workspaceId, postId)
  const members = await Promise.all(
    (['editor', 'approver'] as const).map(async (role) => {
      const { personId, email } = await aPerson(db, { name: role, password: false })
      await db.begin((tx) => insertMember(tx, { workspaceId, personId, role }))
      return email
    }),
  )
  const read = await running.ask('GET', `${here}/approvals/${approvalId}`, { key: tokenFor() })
  const decide = (as: string) =>
    running.ask('POST', `${here}/approvals/${approvalId}/decide`, {
      key: tokenFor({ as }),
      body: { verdict: 'reject', digest: read.body.digest },
    })
  expect(await decide(members[0]!)).toMatchObject({ status: 403, body: { code: 'missing_permission' } })
  expect(await decide('eve@example.com')).toMatchObject({ status: 404 })
  expect(await decide(members[1]!)).toMatchObject({ status: 200, body: { decidedBy: 'approver' } })
  const [act] = await db`select actor_type as by, after from audit_entry order by seq desc limit 1`
  expect(act).toMatchObject({ by: 'operator', after: { verdict: 'reject', decidedBy: 'approver' } })
})

test('what concerns a person themselves, and all that no command does, is not for the operator', async () => {
  const known = new Set(app.operatorOperations.map(({ id }) => id))
  const others = app.appOperations.filter(({ id }) => !known.has(id))
  expect(others.length).toBeGreaterThan(30)
  const before = await stateNow()
  for (const { at, id } of others) {
    const [method = '', path = ''] = at.split(' ')
    const filled = path
      .replaceAll(/\{workspaceId\}/g, running.workspace.workspaceId)
      .replaceAll(/\{\w+\}/g, NIL_UUID)
    const body = method === 'POST' ? { body: {} } : {}
    const { status, body: problem } = await running.ask(method, filled, { key: tokenFor(), ...body })
    expect({ id, status, code: problem?.code }).toEqual({ id, status: 401, code: 'not_signed_in' })
  }
  expect(await stateNow()).toEqual(before)
})

test('agents cannot be what a token of the operator makes them', async () => {
  const { status, body } = await running.ask('GET', '/agent/v1/me', { key: tokenFor() })
  expect({ status, code: body.code }).toEqual({ status: 401, code: 'invalid_credential' })
})

test('no key is made in the name of an owner who is suspended since a restore', async () => {
  await using suspended = await openRunningApp()
  await suspended.db.begin((tx) => suspendAllMembers(tx))
  const token = makeOperatorToken(suspended.keyring, plain, Date.now())
  const body = { name: 'k', permissions: ['posts:read'] }
  const refused = await suspended.ask('POST', `${here}/keys`, { key: token, body })
  expect(refused).toMatchObject({ status: 404, body: { detail: expect.stringContaining('access confirm') } })
})

test('a token made with an older key counts as long as the server has that key', () => {
  const [old, recent] = [randomBytes(32), randomBytes(32)]
  const token = makeOperatorToken(makeKeyring([old]), plain, 0)
  expect(readOperatorToken(makeKeyring([recent, old]), token, 1)).toEqual(plain)
  expect(readOperatorToken(makeKeyring([recent]), token, 1)).toBeNull()
})

test.each([
  ['127.0.0.1', '127.0.0.1', {}, true],
  ['::1', '::1', {}, true],
  ['::ffff:127.0.0.1', '::ffff:127.0.0.1', {}, true],
  ['127.8.8.8', '127.0.0.1', {}, true],
  // The machine by an address that others reach it by.
  ['192.0.2.7', '192.0.2.7', {}, true],
  ['192.0.2.8', '192.0.2.7', {}, false],
  ['172.17.0.1', '172.17.0.2', {}, false],
  ['2001:db8::1', '2001:db8::2', {}, false],
  ['127.0.0.1', '127.0.0.1', { 'x-real-ip': '127.0.0.1' }, false],
  ['127.0.0.1', '127.0.0.1', { 'x-forwarded-proto': 'https' }, false],
  ['', undefined, {}, false],
])(
  'a request from %s to %s with %j comes from this machine: %s',
  (remoteAddress, localAddress, headers, own) => {
    const socket = { remoteAddress, localAddress } as unknown as IncomingMessage['socket']
    expect(isFromThisMachine({ headers, socket })).toBe(own)
  },
)
