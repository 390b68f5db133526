import { randomBytes } from 'node:crypto'
import { app as people, type Operation, type Role, roleHas, roleNames } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertInvitation } from '../src/people/members/invitation-store.ts'
import { putGrant } from '../src/people/apps/app-grant-store.ts'
import { createKey } from '../src/people/keys/key-store.ts'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import { createEndpoint, sendTest } from '../src/engine/webhooks/manage-endpoints.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aChannel, anApproval, aPicture, aPost, aWorkspace, snapshotOf } from './rigs/fixtures.ts'
import { ask, aUser, type AUser, comparable, join, openSite, OWN_PAGE, SITE } from './rigs/people-world.ts'
import { aKey } from './rigs/running-app.ts'
import { emailOf } from '../src/platform/text/email-address.ts'

/*
 * Walks every operation of the people's API: who is let in, as what, from where, and to whose things. The operations come
 * from the contract, and so do the rights; what is added there is walked without a change here.
 */

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

const operations = people.appOperations
const ofMembers = operations.filter(({ asks }) => asks === 'member')
const writes = operations.filter(({ idempotency }) => idempotency !== undefined)
const nameOf = ({ id }: Operation) => id
const titled = (list: readonly Operation[]) =>
  list.map((operation) => [nameOf(operation), operation] as const)

type Ids = Readonly<Record<string, string>>

/** The address with these ids in it; an id that is not given is one that nobody has. */
function addressOf({ at }: Operation, ids: Ids): string {
  return at.replace('/app/api', '').replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? uuidv7())
}

const query: Record<string, string> = {
  appReadCalendar: '?from=2026-12-01T00:00:00Z&to=2026-12-31T00:00:00Z',
  readCalendarOverview: '?from=2026-12-01&days=7&by=day&most=3',
}

/** A workspace with one thing of every kind that an id can name. */
async function aFullWorkspace(): Promise<Ids & { workspaceId: string; memberId: string }> {
  const { workspaceId, memberId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  const { postId } = await aPost(db, workspaceId, { channelIds: [channelId] })
  const approvalId = await anApproval(db, workspaceId, postId)
  const permissions = ['posts:read'] as const
  const { keyId } = await createKey(db, workspaceId, { memberId, name: 'k', permissions, expiresAt: null })
  const { invitationId } = await db.begin((tx) =>
    insertInvitation(tx, {
      workspaceId,
      email: emailOf('new@example.com'),
      role: 'viewer',
      invitedBy: memberId,
      byMail: false,
    }),
  )
  const keyring = makeKeyring([randomBytes(32)])
  const rules = { httpsOnly: true, trustedOrigins: [], trustedNetworks: [] }
  const wanted = { url: 'https://example.com/hook', description: '', eventTypes: ['post.published'] }
  const made = await createEndpoint({ db, keyring, rules }, workspaceId, wanted)
  if ('refused' in made) throw new Error(made.refused)
  const { endpointId } = made.endpoint
  const sent = await sendTest({ db, keyring, rules }, { workspaceId, endpointId }, null)
  if ('refused' in sent) throw new Error(sent.refused)
  const { eventId } = sent
  const mediaId = await aPicture(db, workspaceId)
  const { grantId } = await putGrant(db, {
    workspaceId,
    memberId,
    permissions,
    artifactGrantId: randomBytes(16).toString('hex'),
    clientId: 'c',
    clientName: 'An app',
    clientOrigin: 'app.example',
  })
  const about = { channelId, postId, approvalId, keyId, invitationId, endpointId, eventId, grantId, mediaId }
  return { workspaceId, memberId, ...about }
}

describe('what a role may do', () => {
  let full: Awaited<ReturnType<typeof aFullWorkspace>>
  const users = new Map<Role, AUser>()
  beforeAll(async () => {
    full = await aFullWorkspace()
    for (const role of roleNames) {
      const user = await aUser(db, site.app)
      await join(db, full.workspaceId, user, role)
      users.set(role, user)
    }
  })

  test.each(titled(ofMembers))('%s is as the table of rights says', async (_, operation) => {
    const { permission } = operation
    // Without a body: whoever passes the door is refused by the shape of the request, and changes nothing.
    const at = addressOf(operation, { workspaceId: full.workspaceId })
    for (const role of roleNames) {
      const before = await snapshotOf(db, full.workspaceId)
      const { status, body } = await users.get(role)!.ask(at + (query[operation.id] ?? ''))
      const may = permission === null || roleHas(role, permission)
      if (may) expect(body?.code).not.toBe('missing_permission')
      else
        expect(body).toMatchObject({
          status: 403,
          code: 'missing_permission',
          requiredPermission: permission,
        })
      expect(status).not.toBe(500)
      // Leaving needs nothing but the wish.
      if (!may) expect(await snapshotOf(db, full.workspaceId)).toEqual(before)
      if (operation.id === 'leaveWorkspace') await join(db, full.workspaceId, users.get(role)!, role)
    }
  })

  test('every operation of members has a right, and lives below its workspace', () => {
    const bare = ofMembers.filter(({ permission }) => permission === null)
    expect(bare.map(nameOf)).toEqual([])
    const elsewhere = ofMembers.filter(({ at }) => !at.includes('/app/api/workspaces/{workspaceId}'))
    expect(elsewhere).toEqual([])
  })
})

describe('who is let in', () => {
  const rest = operations.filter(({ asks }) => asks !== 'anyone')

  test.each(titled(rest))('%s needs a session, and no other credential will do', async (_, operation) => {
    const workspace = await aWorkspace(db)
    const key = await aKey(db, workspace)
    const at = addressOf(operation, workspace as unknown as Ids)
    const none = { ...OWN_PAGE }
    const tried = [
      none,
      { ...none, authorization: `Bearer ${key}` },
      { ...none, cookie: `__Host-postrider=${key}` },
      { ...none, cookie: `__Host-postrider=${randomBytes(32).toString('base64url')}` },
      { ...none, cookie: `postrider=${randomBytes(32).toString('base64url')}` },
    ]
    for (const headers of tried) {
      expect((await ask(site.app, at, undefined, headers)).body).toMatchObject({
        status: 401,
        code: 'not_signed_in',
      })
    }
  })

  test('a session that has ended is refused from the next request on', async () => {
    const user = await aUser(db, site.app)
    expect((await user.ask('GET /me')).status).toBe(200)
    await db`delete from session where person_id = ${user.personId}`
    expect((await user.ask('GET /me')).status).toBe(401)
  })

  test('a member who was removed is a stranger from the next request on', async () => {
    const { workspaceId } = await aWorkspace(db)
    const user = await aUser(db, site.app)
    const memberId = await join(db, workspaceId, user, 'admin')
    expect((await user.ask(`GET /workspaces/${workspaceId}/keys`)).status).toBe(200)
    await db`update member set removed_at = now() where id = ${memberId}`
    expect((await user.ask(`GET /workspaces/${workspaceId}/keys`)).body).toMatchObject({ code: 'not_found' })
  })
})

describe('a write of another site', () => {
  const foreign: Record<string, string | undefined>[] = [
    { 'x-postrider-app': undefined },
    { 'x-postrider-app': 'true' },
    { origin: undefined, 'sec-fetch-site': undefined },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': undefined },
    { origin: 'null', 'sec-fetch-site': undefined },
    { origin: `${SITE}:8443`, 'sec-fetch-site': undefined },
    { 'sec-fetch-site': 'same-site' },
  ]

  test.each(titled(writes))('%s is refused before anything is read or done', async (_, operation) => {
    const full = await aWorkspace(db)
    const user = await aUser(db, site.app)
    await join(db, full.workspaceId, user, 'owner')
    const at = addressOf(operation, { workspaceId: full.workspaceId })
    for (const headers of foreign) {
      const { body, headers: sent } = await user.ask(at, operation.example ?? {}, headers)
      expect(body).toMatchObject({ status: 403, code: 'cross_site_request' })
      expect(sent).not.toHaveProperty('set-cookie')
    }
    expect((await user.ask('GET /me')).status).toBe(200)
  })

  test('a form as plain text is no way in', async () => {
    const user = await aUser(db, site.app)
    const answer = await user.ask('POST /me', undefined, { 'content-type': 'text/plain' })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    const simple = await ask(
      site.app,
      'POST /me',
      { name: 'Mallory' },
      {
        cookie: user.cookie,
        'content-type': 'text/plain',
        origin: 'https://evil.example',
      },
    )
    expect(simple.body).toMatchObject({ code: 'cross_site_request' })
  })

  test('no answer can be read, framed or embedded elsewhere', async () => {
    const user = await aUser(db, site.app)
    const { headers } = await user.ask('GET /me', undefined, { origin: 'https://evil.example' })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    expect(headers).toMatchObject({
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'") as unknown,
    })
    const asked = await site.app.inject({
      method: 'OPTIONS',
      url: '/app/api/me',
      headers: { origin: 'https://evil.example' },
    })
    expect(asked.statusCode).toBe(405)
  })
})

describe('what needs a fresh proof', () => {
  test.each(titled(operations.filter(({ fresh }) => fresh === true)))('%s', async (_, operation) => {
    const { workspaceId } = await aWorkspace(db)
    const user = await aUser(db, site.app)
    await join(db, workspaceId, user, 'owner')
    await db`update session set proved_at = now() - interval '10 minutes' where person_id = ${user.personId}`
    const before = await snapshotOf(db, workspaceId)
    const at = addressOf(operation, { workspaceId })
    const { body } = await user.ask(at, operation.body === undefined ? undefined : operation.example)
    expect(body).toMatchObject({ status: 403, code: 'fresh_proof_required' })
    expect(await snapshotOf(db, workspaceId)).toEqual(before)
  })
})

describe('the things of another workspace', () => {
  let own: Awaited<ReturnType<typeof aFullWorkspace>>
  let foreign: Awaited<ReturnType<typeof aFullWorkspace>>
  let user: AUser
  beforeAll(async () => {
    own = await aFullWorkspace()
    foreign = await aFullWorkspace()
    user = await aUser(db, site.app)
    await join(db, own.workspaceId, user, 'owner')
  })

  const reads = ofMembers.filter(({ idempotency }) => idempotency === undefined)

  test.each(titled(reads))('%s finds nothing there, just as in one that nobody has', async (_, operation) => {
    const asked = async (ids: Ids) =>
      comparable(await user.ask(addressOf(operation, ids) + (query[operation.id] ?? ''), operation.example))
    const inForeign = await asked(foreign)
    expect(inForeign).toEqual(await asked({ workspaceId: uuidv7() }))
    expect(inForeign.status).toBe(404)
    // In one's own workspace, with ids of the other one.
    const nobodys = await asked({ workspaceId: own.workspaceId })
    expect(await asked({ ...foreign, workspaceId: own.workspaceId })).toEqual(nobodys)
  })

  test('what is malformed where an id belongs is not there, either', async () => {
    for (const id of ['x', '%00', "'", own.workspaceId.toUpperCase(), `${own.workspaceId}%20`]) {
      expect((await user.ask(`GET /workspaces/${id}/keys`)).status).toBe(404)
    }
  })
})

test('the log has the role of a member, of what it refuses, too', async () => {
  const { workspaceId } = await aWorkspace(db)
  const [viewer, stranger] = [await aUser(db, site.app), await aUser(db, site.app)]
  await join(db, workspaceId, viewer, 'viewer')
  site.logged.length = 0
  await viewer.ask(`GET /workspaces/${workspaceId}`)
  await viewer.ask(`GET /workspaces/${workspaceId}/keys`)
  await stranger.ask(`GET /workspaces/${workspaceId}`)

  const person = { credential: 'person', credentialId: expect.any(String) as string }
  expect(site.logged).toEqual([
    expect.objectContaining({ status: 200, workspaceId, role: 'viewer', ...person }),
    expect.objectContaining({ status: 403, workspaceId, role: 'viewer', ...person }),
    expect.objectContaining({ status: 404, ...person }),
  ])
  expect(site.logged[2]).not.toHaveProperty('role')
})
