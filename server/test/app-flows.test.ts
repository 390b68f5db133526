import { randomBytes } from 'node:crypto'
import { noLimits, permissionNames } from '@postrider/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { agentKeys } from '../src/people/keys/authenticate.ts'
import { accessTokens } from '../src/people/apps/access-tokens.ts'
import { putArtifact } from '../src/people/apps/artifact-store.ts'
import { putGrant, recordGrantUses } from '../src/people/apps/app-grant-store.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aChannel, anApproval, anAttempt, aPost, aWorkspace } from './rigs/fixtures.ts'
import { aBrowser, aUser, join, openSite } from './rigs/people-world.ts'

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

async function anOwner() {
  const { workspaceId, memberId: ada } = await aWorkspace(db)
  const user = await aUser(db, site.app, 'Olga')
  const memberId = await join(db, workspaceId, user, 'owner')
  const at = (path: string) => path.replace(' ', ` /workspaces/${workspaceId}`)
  return {
    ...user,
    workspaceId,
    memberId,
    ada,
    /** A request about the workspace. */
    in: (path: string, body?: unknown, headers?: Record<string, string>) => user.ask(at(path), body, headers),
    acts: async () => {
      const { body } = await user.ask(at('GET /audit?limit=100'))
      return body.items as { action: string; actor: object; subject: object; before: any; after: any }[]
    },
  }
}

describe('a session', () => {
  test('ends when its person signs out, and its cookie goes', async () => {
    const user = await aUser(db, site.app)
    const out = await user.ask('POST /sign-out')
    expect(out.body).toEqual({ done: true })
    expect(out.headers['set-cookie']).toMatch(/^__Host-postrider=; .*Max-Age=0/)
    expect((await user.ask('GET /me')).body).toMatchObject({ code: 'not_signed_in' })
  })

  test('somebody sees where they are signed in, and ends the others', async () => {
    const user = await aUser(db, site.app)
    await db`insert into session (id, person_id, token_hash, ends_at) values (gen_random_uuid(), ${user.personId},
             sha256('x'), now() + interval '1 day')`
    const { body } = await user.ask('GET /sessions')
    expect(body.map(({ current }: { current: boolean }) => current).toSorted()).toEqual([false, true])
    expect((await user.ask('POST /sessions/end-others')).body).toEqual({ ended: 1 })
    expect((await user.ask('POST /me', { name: '  Eve Two ' })).body).toEqual({ done: true })
    expect((await user.ask('GET /me')).body).toMatchObject({ person: { name: 'Eve Two' }, workspaces: [] })
    for (const name of ['', '  ', 'a\nb', 'x'.repeat(101)]) {
      expect((await user.ask('POST /me', { name })).body).toMatchObject({ code: 'validation_failed' })
    }
  })
})

test('a file is imported as an agent imports it', async () => {
  const owner = await anOwner()
  const channelId = await aChannel(db, owner.workspaceId)
  const file = `id,text,channels\na,Imported,${channelId}\n`
  const body = { confirmed: true, format: 'csv', name: 'autumn', file }
  expect((await owner.in('POST /posts/import', body)).body).toMatchObject({ created: 1 })
})

test('a workspace is read, changed and made, and the log says what it was', async () => {
  const owner = await anOwner()
  expect((await owner.in('GET ')).body).toMatchObject({ name: 'Test', timeZone: 'UTC', allowedHours: 24 })
  const changed = await owner.in('POST ', { name: ' Acme ', timeZone: 'europe/vienna', allowedHours: 0.5 })
  expect(changed.body).toMatchObject({ name: 'Acme', timeZone: 'europe/vienna', allowedHours: 0.5 })
  const wrong = await owner.in('POST ', { timeZone: 'Mars/Olympus' })
  expect(wrong.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/timeZone' }] })
  expect(await owner.acts()).toMatchObject([
    {
      action: 'updateWorkspace',
      actor: { type: 'person', id: owner.personId, name: 'Olga' },
      before: { name: 'Test', timeZone: 'UTC', allowedHours: 24 },
      after: { name: 'Acme', timeZone: 'europe/vienna', allowedHours: 0.5 },
    },
  ])
  const policed = await owner.in('POST ', { approvalPolicy: { firstPosts: 5 } })
  const policy = { all: false, withinMinutes: null, firstPosts: 5 }
  expect(policed.body).toMatchObject({ name: 'Acme', approvalPolicy: policy })
  expect((await owner.acts())[0]).toMatchObject({
    action: 'updateWorkspace',
    before: { approvalPolicy: { ...policy, firstPosts: null } },
    after: { approvalPolicy: policy },
  })
  const made = await owner.ask('POST /workspaces', { name: 'Second', timeZone: 'UTC' })
  expect(made).toMatchObject({ status: 201, body: { name: 'Second' } })
  expect((await owner.ask('GET /me')).body.workspaces).toMatchObject([
    { name: 'Acme' },
    { name: 'Second', role: 'owner' },
  ])
  const nobody = await aUser(db, site.app)
  expect((await nobody.ask('POST /workspaces', { name: 'Mine', timeZone: 'UTC' })).body).toMatchObject({
    code: 'missing_permission',
  })
})

test('members are invited by link, change roles, leave and are removed', async () => {
  const owner = await anOwner()
  const guest = await aUser(db, site.app)
  const invited = await owner.in('POST /invitations', {
    email: guest.email,
    role: 'editor',
    deliverBy: 'link',
  })
  expect(invited.body.link).toMatch(/^https:\/\/postrider\.test\/invitation\/[\w-]{43}$/)
  const page = aBrowser(site.app, new Map([['__Host-postrider', guest.cookie.split('=')[1]!]]))
  expect((await page.post(new URL(invited.body.link).pathname)).status).toBe(303)
  const members = (await owner.in('GET /members')).body as { memberId: string; email: string; role: string }[]
  const { memberId } = members.find(({ email }) => email === guest.email)!
  const again = await owner.in('POST /invitations', { email: guest.email, role: 'viewer', deliverBy: 'link' })
  expect(again.body).toMatchObject({ code: 'already_exists' })

  expect((await owner.in(`POST /members/${memberId}/role`, { role: 'admin' })).body).toEqual({
    memberId,
    role: 'admin',
  })
  const asGuest = (at: string, body?: unknown) =>
    guest.ask(at.replace(' ', ` /workspaces/${owner.workspaceId}`), body)
  expect(
    (await asGuest('POST /invitations', { email: 'x@example.com', role: 'owner', deliverBy: 'link' })).body,
  ).toMatchObject({
    code: 'missing_permission',
  })
  expect((await asGuest(`POST /members/${owner.memberId}/remove`)).body).toMatchObject({
    code: 'missing_permission',
  })
  expect((await owner.in('POST /ownership', { memberId })).body).toEqual({ memberId, role: 'owner' })
  expect((await owner.in('POST /ownership', { memberId })).body).toMatchObject({ code: 'missing_permission' })
  expect((await asGuest(`POST /members/${owner.ada}/remove`)).body).toEqual({ keysEnded: 0 })
  expect((await asGuest('POST /leave')).body).toMatchObject({ code: 'last_owner' })
  expect((await owner.in('POST /leave')).body).toEqual({ keysEnded: 0 })
  expect((await owner.in('GET /members')).body).toMatchObject({ code: 'not_found' })
  const { body: log } = await asGuest('GET /audit')
  expect(log.items.map(({ action }: { action: string }) => action)).toEqual([
    'leaveWorkspace',
    'removeMember',
    'transferOwnership',
    'changeMemberRole',
    'acceptInvitation',
    'inviteMember',
  ])
  expect(JSON.stringify(log)).not.toContain(invited.body.link.split('/').at(-1))
})

test('an invitation is listed and withdrawn', async () => {
  const owner = await anOwner()
  const { body: made } = await owner.in('POST /invitations', {
    email: 'x@example.com',
    role: 'viewer',
    deliverBy: 'link',
  })
  expect((await owner.in('GET /invitations')).body).toMatchObject([
    { invitationId: made.invitationId, invitedBy: 'Olga' },
  ])
  const revoke = () => owner.in(`POST /invitations/${made.invitationId}/revoke`)
  expect((await revoke()).body).toEqual({ done: true })
  expect((await revoke()).body).toMatchObject({ code: 'not_found' })
  const mailed = await owner.in('POST /invitations', {
    email: 'y@example.com',
    role: 'viewer',
    deliverBy: 'mail',
  })
  expect(mailed.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/deliverBy' }] })
})

test('an agent key is made in the name of whoever makes it, shown once, and revoked', async () => {
  const owner = await anOwner()
  const { body: made } = await owner.in('POST /keys', {
    name: 'planner',
    permissions: ['posts:read', 'posts:write'],
  })
  expect(await agentKeys.find(db, made.key)).toMatchObject({
    credential: { name: 'planner', permissions: ['posts:read', 'posts:write'] },
    member: { id: owner.memberId },
  })
  const { body: keys } = await owner.in('GET /keys')
  expect(keys).toMatchObject([{ keyId: made.keyId, owner: 'Olga', revokedAt: null }])
  expect(JSON.stringify([keys, await owner.acts()])).not.toContain(made.key)
  const past = { name: 'x', permissions: ['posts:read'], expiresAt: '2020-01-01T00:00:00Z' }
  expect((await owner.in('POST /keys', past)).body).toMatchObject({ errors: [{ pointer: '/expiresAt' }] })

  const limits = { postsPerDay: 5, networks: ['203.0.113.7/24'] }
  const kept = { ...noLimits, postsPerDay: 5, networks: ['203.0.113.0/24'] }
  const narrow = { name: 'narrow', permissions: ['posts:read'], limits }
  const { body: narrowed } = await owner.in('POST /keys', narrow)
  expect((await agentKeys.find(db, narrowed.key))?.credential.limits).toEqual(kept)
  const other = { ...noLimits, draftsOnly: true }
  expect((await owner.in(`POST /keys/${narrowed.keyId}/limits`, { draftsOnly: true })).body).toMatchObject({
    keyId: narrowed.keyId,
    limits: other,
  })
  expect((await owner.acts())[0]).toMatchObject({
    action: 'limitKey',
    before: { limits: kept },
    after: { limits: other },
  })
  const bad = { ...narrow, limits: { networks: ['203.0.113.0/24', 'home'] } }
  expect((await owner.in('POST /keys', bad)).body).toMatchObject({
    errors: [{ pointer: '/limits/networks/1' }],
  })
  const foreign = { channelIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'] }
  expect((await owner.in(`POST /keys/${narrowed.keyId}/limits`, foreign)).body).toMatchObject({
    errors: [{ pointer: '/channelIds/0', code: 'channel_unknown' }],
  })

  const { body: revoked } = await owner.in(`POST /keys/${made.keyId}/revoke`)
  expect(await agentKeys.find(db, made.key)).toBeNull()
  expect((await owner.in(`POST /keys/${made.keyId}/revoke`)).body).toEqual(revoked)
  expect((await owner.acts()).map(({ action }) => action)).toEqual([
    'revokeKey',
    'revokeKey',
    'limitKey',
    'createKey',
    'createKey',
  ])
})

test('a connected app is listed, narrowed and cut off at once, and stopped with all that it planned', async () => {
  const owner = await anOwner()
  const { workspaceId, memberId } = owner
  const resource = 'https://postrider.test/agent/v1'
  const connect = async (clientName: string) => {
    const [artifactGrantId, token] = [randomBytes(16), randomBytes(32)].map((of) => of.toString('base64url'))
    const grant = { workspaceId, memberId, artifactGrantId: artifactGrantId!, permissions: permissionNames }
    const named = { clientId: 'c-1', clientName, clientOrigin: 'agent.example' }
    const { grantId } = await putGrant(db, { ...grant, ...named })
    const payload = { aud: resource, scope: permissionNames.join(' ') }
    const artifact = {
      model: 'AccessToken',
      id: token!,
      uid: undefined,
      grantId: artifactGrantId,
      expiresIn: 600,
    }
    await putArtifact(db, { ...artifact, payload })
    return { grantId, find: () => accessTokens(resource).find(db, token!) }
  }
  const [app, other] = [await connect('An agent'), await connect('Another')]
  expect((await app.find())?.credential).toMatchObject({ type: 'oauth', limits: noLimits })
  await recordGrantUses(db, [{ workspaceId, keyId: app.grantId, agoMs: 0 }])
  const { body: listed } = await owner.in('GET /apps')
  expect(listed).toMatchObject([
    { grantId: other.grantId, clientName: 'Another', lastUsedAt: null, revokedAt: null },
    {
      grantId: app.grantId,
      clientName: 'An agent',
      clientOrigin: 'agent.example',
      connectedBy: 'Olga',
      permissions: permissionNames,
      lastUsedAt: expect.any(String),
      revokedAt: null,
    },
  ])

  const limits = { ...noLimits, draftsOnly: true }
  expect((await owner.in(`POST /apps/${app.grantId}/limits`, { draftsOnly: true })).body).toMatchObject({
    limits,
  })
  expect((await app.find())?.credential.limits).toEqual(limits)

  const { body: cut } = await owner.in(`POST /apps/${app.grantId}/revoke`)
  expect(await app.find()).toBeNull()
  expect((await owner.in(`POST /apps/${app.grantId}/revoke`)).body).toEqual(cut)

  const channelId = await aChannel(db, workspaceId)
  const { postId } = await aPost(db, workspaceId, { states: ['scheduled'], channelIds: [channelId] })
  await db`update destination set planned_by_id = ${other.grantId} where post_id = ${postId}`
  expect((await owner.in(`POST /apps/${other.grantId}/stop`)).body).toMatchObject({
    cancelled: 1,
    underWay: 0,
  })
  expect(await other.find()).toBeNull()
  const [latest, ...earlier] = await owner.acts()
  expect(latest).toMatchObject({
    action: 'stopApp',
    subject: { grantId: other.grantId },
    after: { name: 'Another', cancelled: 1, postIds: [postId] },
  })
  expect(earlier.map(({ action }) => action)).toEqual(['revokeApp', 'revokeApp', 'limitApp'])
})

test('a key is stopped with all that it planned', async () => {
  const owner = await anOwner()
  const { workspaceId } = owner
  const { body: made } = await owner.in('POST /keys', { name: 'bot', permissions: ['posts:write'] })
  const channelId = await aChannel(db, workspaceId)
  const { postId } = await aPost(db, workspaceId, { states: ['scheduled'], channelIds: [channelId] })
  await db`update destination set planned_by_id = ${made.keyId} where post_id = ${postId}`
  expect((await owner.in(`POST /keys/${made.keyId}/stop`)).body).toMatchObject({
    keyId: made.keyId,
    cancelled: 1,
    underWay: 0,
  })
  expect(await agentKeys.find(db, made.key)).toBeNull()
  expect((await owner.acts())[0]).toMatchObject({ action: 'stopKey', after: { name: 'bot', cancelled: 1 } })
})

test('an endpoint is made, tested, rotated, disabled and replayed, and its secret is shown once', async () => {
  const owner = await anOwner()
  const inner = await owner.in('POST /endpoints', {
    url: 'http://10.0.0.1/hook',
    eventTypes: ['post.published'],
  })
  expect(inner.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/url' }] })
  const url = 'https://hooks.example.com/in?token=s3cret'
  const { body: made } = await owner.in('POST /endpoints', { url, eventTypes: ['post.published'] })
  expect(made.secret).toMatch(/^whsec_/)
  expect(made.endpoint).toMatchObject({ url: 'https://hooks.example.com/in?token=***', status: 'active' })
  const at = `/endpoints/${made.endpointId}`

  const { body: tested } = await owner.in(`POST ${at}/test`, {})
  expect((await owner.in(`GET ${at}/deliveries`)).body).toMatchObject([
    { eventId: tested.eventId, test: true, status: 'pending' },
  ])
  expect((await owner.in(`GET ${at}/deliveries/${tested.eventId}/attempts`)).body).toEqual([])
  expect((await owner.in(`POST ${at}/deliveries/${tested.eventId}/resend`)).body).toEqual({ done: true })
  const { body: rotated } = await owner.in(`POST ${at}/rotate`, { atOnce: false })
  expect(rotated.secret).not.toBe(made.secret)
  expect((await owner.in(`POST ${at}/disable`)).body).toMatchObject({
    status: 'disabled',
    disabledReason: 'by_hand',
  })
  expect((await owner.in(`POST ${at}/test`, {})).body).toMatchObject({ code: 'invalid_state' })
  expect((await owner.in(`POST ${at}/enable`)).body).toMatchObject({ status: 'active' })
  expect(
    (await owner.in(`POST ${at}/replay`, { since: '2026-01-01T00:00:00Z', onlyFailed: false })).body,
  ).toEqual({ count: 0 })
  expect((await owner.in(`POST ${at}`, { description: 'Production' })).body).toMatchObject({
    description: 'Production',
  })
  expect((await owner.in('GET /endpoints')).body).toHaveLength(1)
  const acts = await owner.acts()
  const { url: shown, eventTypes, autoReplay } = made.endpoint
  const was = { url: shown, description: '', eventTypes, autoReplay, status: 'active' }
  const changes = acts.filter(({ action }) => /^(update|disable|enable)Endpoint$/.test(action))
  expect(changes.map(({ before, after }) => ({ before, after }))).toEqual([
    { before: was, after: { ...was, description: 'Production' } },
    { before: { ...was, status: 'disabled' }, after: was },
    { before: was, after: { ...was, status: 'disabled' } },
  ])
  const log = JSON.stringify(acts)
  for (const secret of [made.secret, rotated.secret, 's3cret']) expect(log).not.toContain(secret)
})

test('a request for approval is decided by what was seen, and by nothing else', async () => {
  const owner = await anOwner()
  const channelId = await aChannel(db, owner.workspaceId)
  const { postId } = await aPost(db, owner.workspaceId, { channelIds: [channelId], texts: ['Exactly this'] })
  const approvalId = await anApproval(db, owner.workspaceId, postId)
  expect((await owner.in('GET /approvals')).body).toMatchObject([{ approvalId, status: 'pending' }])
  const { body: shown } = await owner.in(`GET /approvals/${approvalId}`)
  expect(shown).toMatchObject({
    askedBy: 'test key',
    unchanged: true,
    destinations: [{ parts: [{ text: 'Exactly this' }] }],
  })

  const decide = (digest: string) =>
    owner.in(`POST /approvals/${approvalId}/decide`, { verdict: 'approve', digest })
  for (const digest of ['', 'zz', 'ab'.repeat(32)]) {
    expect((await decide(digest)).body).toMatchObject({ code: 'invalid_state' })
  }
  const both = await Promise.all([decide(shown.digest), decide(shown.digest)])
  expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409'])
  expect((await owner.in('GET /approvals')).body).toEqual([])
  expect((await owner.in('GET /approvals?all=true')).body).toMatchObject([
    { status: 'approved', decidedBy: 'Olga' },
  ])
  const { body: post } = await owner.in(`GET /posts/${postId}`)
  expect(post.destinations).toMatchObject([{ status: 'scheduled' }])
  expect(await owner.acts()).toMatchObject([{ action: 'decideApproval', subject: { approvalId, postId } }])
})

test('channels are listed with those that are disabled, and switched', async () => {
  const owner = await anOwner()
  const channelId = await aChannel(db, owner.workspaceId)
  expect((await owner.in(`POST /channels/${channelId}/disable`)).body).toMatchObject({ enabled: false })
  expect((await owner.in('GET /channels')).body).toMatchObject([
    { channelId, publication: { available: false } },
  ])
  expect((await owner.in(`POST /channels/${channelId}/enable`)).body).toMatchObject({ enabled: true })
})

test('a person writes posts by the very operations that agents have, under their own name', async () => {
  const owner = await anOwner()
  const channelId = await aChannel(db, owner.workspaceId)
  const plan = {
    confirmed: true,
    idempotencyKey: 'k',
    state: 'draft',
    channelIds: [channelId],
    text: 'By hand',
  }
  const made = await owner.in('POST /posts', plan)
  expect(made).toMatchObject({ status: 201, body: { createdBy: { type: 'person', name: 'Olga' } } })
  expect((await owner.in('POST /posts', plan)).headers).toHaveProperty('idempotent-replayed', 'true')
  const { postId } = made.body
  expect((await owner.in('GET /posts?q=hand')).body.items).toMatchObject([{ postId }])
  expect(await owner.acts()).toMatchObject([
    { action: 'appCreatePost', actor: { type: 'person', id: owner.personId }, subject: { postId } },
  ])
})

test('what cannot be proven is settled by a word that is kept', async () => {
  const owner = await anOwner()
  const { postId, channelIds, destinationIds } = await aPost(db, owner.workspaceId, { states: ['checking'] })
  await anAttempt(db, owner.workspaceId, destinationIds[0]!, 'unknown')
  const { body: post } = await owner.in(`GET /posts/${postId}`)
  const { controlToken } = post.destinations[0]
  const resolve = (more: object) =>
    owner.in(`POST /posts/${postId}/resolve`, { channelId: channelIds[0], controlToken, ...more })
  expect((await resolve({ finding: 'absent' })).body).toMatchObject({ code: 'invalid_state' })
  expect((await resolve({ finding: 'published' })).body).toMatchObject({ errors: [{ pointer: '/remoteId' }] })
  expect((await resolve({ finding: 'failed', remoteId: 'x' })).body).toMatchObject({
    code: 'validation_failed',
  })
  const out = { finding: 'published', remoteId: 'r1', url: 'https://example.com/r1', note: 'I saw it' }
  expect((await resolve({ ...out, controlToken: 'other' })).body).toMatchObject({
    code: 'stale_control_token',
  })
  expect((await resolve({ ...out, url: 'javascript:alert(1)' })).body).toMatchObject({
    errors: [{ pointer: '/url' }],
  })
  expect((await resolve(out)).body).toMatchObject({
    status: 'published',
    releaseUrl: 'https://example.com/r1',
  })
  expect((await resolve(out)).body).toMatchObject({ code: 'invalid_state', currentStatus: 'published' })
  expect(await owner.acts()).toMatchObject([
    { action: 'resolveDestination', before: { status: 'checking' }, after: { status: 'published' } },
  ])
})

test('the audit log is read in pages, each entry once', async () => {
  const owner = await anOwner()
  for (let n = 0; n < 5; n++) await owner.in('POST ', { name: `Name ${n}` })
  const seen: string[] = []
  let cursor = ''
  for (;;) {
    const { body } = await owner.in(`GET /audit?limit=2${cursor}`)
    seen.push(...body.items.map(({ auditId }: { auditId: string }) => auditId))
    if (body.nextCursor === null) break
    cursor = `&cursor=${body.nextCursor}`
  }
  expect(new Set(seen).size).toBe(5)
  const other = await anOwner()
  const { body: first } = await owner.in('GET /audit?limit=2')
  const foreign = await other.in(`GET /audit?cursor=${first.nextCursor}`)
  expect(foreign.body).toMatchObject({ code: 'invalid_cursor' })
})
