import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join as pathOf } from 'node:path'
import { Readable } from 'node:stream'
import { app, noApprovalPolicy, noLimits, type Operation, operations, roleHas } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, describe, expect, test } from 'vitest'
import { splitAddress } from '../src/edge/api/operation/operation-route.ts'
import { agentKeys, authenticateBy } from '../src/people/keys/authenticate.ts'
import { createKey, limitKey, revokeKey } from '../src/people/keys/key-store.ts'
import { endMembership, setRole } from '../src/people/members/member-store.ts'
import { updateWorkspace } from '../src/people/members/workspace-store.ts'
import { insertInvitation } from '../src/people/members/invitation-store.ts'
import { lockPerson } from '../src/people/sign-in/person-sign-in-store.ts'
import { endSessions, openSession, renewSession } from '../src/people/sign-in/session/session-store.ts'
import { siteOf } from '../src/platform/outbound/site.ts'
import type { Tx } from '../src/platform/postgres/db.ts'
import { endCredentials } from '../src/app/stop-credential.ts'
import { Authenticator } from './rigs/authenticator.ts'
import { openEdge } from './rigs/edge.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace, openTransaction, untilBlocked, wiredRoutes } from './rigs/fixtures.ts'
import { openIssuerSite } from './rigs/issuer-site.ts'
import { aPhoto } from './rigs/media-files.ts'
import { byPeople, onPosts, openScene } from './rigs/people-requests.ts'
import { aBrowser, aPerson, ask, client, join, OWN_PAGE, PASSWORD, SITE } from './rigs/people-world.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'

/*
 * Walks every write, of people's API, agents' API and pages, whose caller is let in, and then changes before it is carried
 * out: as where a body is held back. The operations come from the contract, and the forms from the routes of the pages; one
 * that is added is walked without a change here, or a test says that it has to be listed.
 *
 * The change is made in a transaction that is open while the request comes in: whatever looks at the caller before its own
 * transaction sees them as they were. A write that asks again waits for the change; one that does not is answered before.
 */

const { world } = await openFileWorld()
const { db } = world
const issuerSite = await openIssuerSite(db)
const { site } = issuerSite
const agents = await openEdge({ db, ...wiredRoutes(db), authenticate: authenticateBy([agentKeys]) })
afterAll(async () => {
  await agents[Symbol.asyncDispose]()
  await issuerSite[Symbol.asyncDispose]()
})

/** What a request is answered that is let in before the change, and carried out after it. */
async function whileChanging<T>(
  change: (tx: Tx) => Promise<unknown>,
  request: () => Promise<T>,
  of = db,
): Promise<T> {
  const changing = await openTransaction(of)
  await change(changing.tx)
  const answer = request()
  await Promise.race([answer, untilBlocked(of)])
  await changing.commit()
  return answer
}

/** Files need folders and processes of their own: below, with a started app. */
const writes = (of: readonly Operation[]) =>
  of.filter(({ idempotency, file }) => idempotency !== undefined && file === undefined)
const titled = (of: readonly Operation[]) => of.map((operation) => [operation.id, operation] as const)
const some = (at: string) => at.replaceAll(/\{\w+\}/g, () => uuidv7())

const signOutEverywhere = async (tx: Tx, personId: string) => {
  await lockPerson(tx, personId)
  await endSessions(tx, personId)
}

describe('a member whose request is under way', () => {
  const ofMembers = writes(app.appOperations.filter(({ asks }) => asks === 'member'))

  async function asMember({ id, at, example }: Operation) {
    const scene = await openScene(db, site.app)
    const { workspaceId, owner } = scene
    const [path, body] = (await byPeople[id]?.(scene)) ?? [
      some(at.slice(at.indexOf('{workspaceId}') + '{workspaceId}'.length)),
      example,
    ]
    const [{ memberId }] = await db<[{ memberId: string }]>`
      select id as "memberId" from member where workspace_id = ${workspaceId} and person_id = ${owner.personId}`
    const acts = await scene.acts()
    const asked = async (change: (tx: Tx) => Promise<unknown>) => {
      const answer = await whileChanging(change, () => scene.ask(path, body, splitAddress(at)[0]))
      return { answer, isDone: (await scene.acts()).length > acts.length }
    }
    return { ...scene, memberId, asked }
  }

  test.each(titled(ofMembers))('changes nothing by %s once signed out everywhere', async (_, operation) => {
    const { owner, asked } = await asMember(operation)
    expect(await asked((tx) => signOutEverywhere(tx, owner.personId))).toMatchObject({
      answer: { status: 401, body: { code: 'not_signed_in' } },
      isDone: false,
    })
  })

  test.each(titled(ofMembers))('changes nothing by %s once removed', async (_, operation) => {
    const { workspaceId, memberId, asked } = await asMember(operation)
    expect(await asked((tx) => endMembership(tx, workspaceId, memberId, endCredentials))).toMatchObject({
      answer: { status: 404, body: { code: 'not_found' } },
      isDone: false,
    })
  })

  test.each(
    titled(ofMembers.filter(({ permission }) => permission !== null && !roleHas('viewer', permission))),
  )('changes nothing by %s once a viewer', async (_, operation) => {
    const { workspaceId, memberId, asked } = await asMember(operation)
    expect(await asked((tx) => setRole(tx, workspaceId, memberId, 'viewer'))).toMatchObject({
      answer: { status: 403, body: { code: 'missing_permission' } },
      isDone: false,
    })
  })

  test('goes on with what another role may do, too', async () => {
    const operation = ofMembers.find(({ id }) => id === 'createKey')!
    const { workspaceId, memberId, asked } = await asMember(operation)
    expect(await asked((tx) => setRole(tx, workspaceId, memberId, 'admin'))).toMatchObject({
      answer: { status: 201 },
      isDone: true,
    })
  })

  test('is not answered by the record of a key, either', async () => {
    const scene = await openScene(db, site.app)
    const [path, body] = await byPeople['appCreatePost']!(scene)
    const send = () =>
      scene.owner.ask(`POST /workspaces/${scene.workspaceId}${path}`, body, { 'idempotency-key': 'same' })
    expect((await send()).status).toBe(201)
    const change = (tx: Tx) => signOutEverywhere(tx, scene.owner.personId)
    expect(await whileChanging(change, send)).toMatchObject({ status: 401 })
  })
})

describe('a person whose request is under way', () => {
  const ofPeople = writes(app.appOperations.filter(({ asks }) => asks === 'person'))
  const personalActs = async (personId: string) =>
    (await db`select from audit_entry where person_id = ${personId}`).length

  async function aPersonWithSession() {
    const person = await aPerson(db)
    const secret = await openSession(db, person.personId, client)
    const headers = { cookie: `__Host-postrider=${secret}`, ...OWN_PAGE }
    return { ...person, secret, ask: (at: string, body?: unknown) => ask(site.app, at, body, headers) }
  }
  type Person = Pick<Awaited<ReturnType<typeof aPersonWithSession>>, 'personId' | 'email' | 'ask'>

  const withPasskey = async ({ ask: asks }: Person) => {
    const device = new Authenticator(SITE)
    const { options } = (await asks('POST /passkeys/offer')).body
    await asks('POST /passkeys', { name: 'Phone', credential: device.create(options) })
    return device
  }
  /** Where the example would be refused before anything is written. */
  const bodies: Record<string, (person: Person) => Promise<unknown>> = {
    registerPasskey: async ({ ask: asks }) => {
      const { options } = (await asks('POST /passkeys/offer')).body
      return { name: 'Phone', credential: new Authenticator(SITE).create(options) }
    },
    proveWithPasskey: async (person) => {
      const device = await withPasskey(person)
      const { options } = (await person.ask('POST /proof/passkey/begin')).body
      return { credential: device.get(options) }
    },
  }

  test.each(titled(ofPeople))('changes nothing by %s once signed out everywhere', async (id, operation) => {
    const person = await aPersonWithSession()
    const body = (await bodies[id]?.(person)) ?? operation.example
    const acts = await personalActs(person.personId)
    const at = some(operation.at.replace('/app/api', ''))
    const answer = await whileChanging(
      (tx) => signOutEverywhere(tx, person.personId),
      () => person.ask(at, body),
    )
    // The challenge of a passkey ends with its session.
    const code = id.endsWith('Passkey') ? /not_signed_in|sign_in_failed/ : /not_signed_in/
    expect(answer).toMatchObject({ status: 401, body: { code: expect.stringMatching(code) } })
    expect(await personalActs(person.personId)).toBe(acts)
  })

  test('has another secret after a proof of identity: the one before acts no more', async () => {
    const person = await aPersonWithSession()
    const [{ id }] = await db<[{ id: string }]>`select id from session where person_id = ${person.personId}`
    const answer = await whileChanging(
      (tx) => renewSession(tx, id),
      () => formsOf(person.secret).post('/account/password', { password: 'a brand new password' }),
    )
    expect(answer.location).toBe('/sign-in')
  })

  const formsOf = (secret: string) => aBrowser(site.app, new Map([['__Host-postrider', secret]]))

  /** Forms of somebody who is signed in, each with what it is sent with. */
  const forms: Record<string, (person: Person) => Promise<readonly [string, Record<string, string>?]>> = {
    endSessionByForm: async () => ['/account/sessions/end', { sessionId: uuidv7() }],
    endOtherSessionsByForm: async () => ['/account/sessions/end-others'],
    changeNameByForm: async () => ['/account/name', { name: 'Another name' }],
    changePasswordByForm: async () => ['/account/password', { password: 'a brand new password' }],
    confirmAuthenticatorByForm: async () => ['/account/authenticator', { code: '123456' }],
    removeAuthenticatorByForm: async () => ['/account/authenticator/remove'],
    recoveryCodesByForm: async () => ['/account/recovery-codes'],
    changeEmailByForm: async () => ['/account/email', { email: `${uuidv7()}@example.com` }],
    renamePasskeyByForm: async () => ['/account/passkeys/rename', { passkeyId: uuidv7(), name: 'Phone' }],
    removePasskeyByForm: async () => ['/account/passkeys/remove', { passkeyId: uuidv7() }],
    connectIssuerByForm: async () => ['/account/issuer'],
    disconnectIssuerByForm: async () => ['/account/issuer/disconnect'],
    proveByForm: async () => ['/prove', { password: PASSWORD }],
    signOutByForm: async () => ['/sign-out'],
    acceptByForm: async ({ email }) => {
      const { workspaceId, memberId: invitedBy } = await aWorkspace(db)
      const invited = { workspaceId, email, role: 'editor', invitedBy, byMail: false } as const
      const { secret } = await db.begin((tx) => insertInvitation(tx, invited))
      return [`/invitation/${secret}`]
    },
  }
  /** Forms of those who are yet to come in: a link or a password is what they go by. */
  const entries = [
    'setUp',
    'signInByForm',
    'secondFactorByForm',
    'forgotByForm',
    'resetByForm',
    'confirmEmailByForm',
  ]

  /** Forms that ask for no proof of identity. */
  const free = new Set([
    'endSessionByForm',
    'endOtherSessionsByForm',
    'renamePasskeyByForm',
    'proveByForm',
    'signOutByForm',
    'acceptByForm',
    'changeNameByForm',
  ])

  test('every form is walked', () => {
    const sent = site.pages.filter(({ at }) => at.startsWith('POST')).map(({ id }) => id)
    expect(new Set([...Object.keys(forms), ...entries])).toEqual(new Set(sent))
  })

  test.each(Object.entries(forms))('changes nothing by %s once signed out everywhere', async (id, form) => {
    const person = await aPersonWithSession()
    const [path, fields] = await form(person)
    const acts = await personalActs(person.personId)
    const answer = await whileChanging(
      (tx) => signOutEverywhere(tx, person.personId),
      () => formsOf(person.secret).post(path, fields),
    )
    // An invitation is shown to whoever has its link; everything else asks for a sign-in.
    if (id === 'acceptByForm') expect(answer.text).toContain('Sign in to accept')
    else expect(answer.location).toMatch(/^\/sign-in/)
    expect(await personalActs(person.personId)).toBe(acts)
  })

  /** Forms that need a fresh proof of identity. */
  const proven = Object.entries(forms).filter(([id]) => !free.has(id))

  test.each(proven)(
    'is asked by %s for another proof of identity once theirs is too old',
    async (_, form) => {
      const person = await aPersonWithSession()
      const [path, fields] = await form(person)
      const acts = await personalActs(person.personId)
      const send = () => formsOf(person.secret).post(path, fields)
      // It is waited for after its session was found, until the proof has run out.
      const waiting = await openTransaction(db)
      await lockPerson(waiting.tx, person.personId)
      const late = send()
      await Promise.race([late, untilBlocked(db)])
      await db`update session set proved_at = now() - interval '11 minutes' where person_id = ${person.personId}`
      await waiting.commit()
      const answers = [await late, await send()]
      for (const { location } of answers) expect(location).toMatch(/^\/prove\?next=%2Faccount/)
      expect(await personalActs(person.personId)).toBe(acts)
    },
  )

  test.each(
    [...writes(ofPeople), ...writes(app.appOperations.filter(({ asks }) => asks === 'member'))].flatMap(
      (operation) =>
        operation.fresh === true && operation.body !== undefined ? [[operation.id, operation] as const] : [],
    ),
  )(
    'whose proof of identity is no longer fresh when the body arrives does nothing by %s',
    async (id, operation) => {
      const scene = await openScene(db, site.app)
      const { owner, workspaceId } = scene
      const [path, sent] = (await byPeople[id]?.(scene)) ?? [
        some(operation.at.replace('POST /app/api/workspaces/{workspaceId}', '')),
        (await bodies[id]?.(owner)) ?? operation.example,
      ]
      const url =
        operation.asks === 'member'
          ? `/app/api/workspaces/${workspaceId}${path}`
          : some(operation.at.slice(5))
      /** Read once the gate has let the request in. */
      async function* late() {
        await db`update session set proved_at = now() - interval '11 minutes' where person_id = ${owner.personId}`
        yield JSON.stringify(sent)
      }
      const before = (await scene.acts()).length + (await personalActs(owner.personId))
      const answer = await site.app.inject({
        method: 'POST',
        url,
        payload: Readable.from(late()),
        headers: {
          host: 'postrider.test',
          cookie: owner.cookie,
          ...OWN_PAGE,
          'content-type': 'application/json',
          'idempotency-key': uuidv7(),
        },
      })
      expect(answer.json()).toMatchObject({ status: 403, code: 'fresh_proof_required' })
      expect((await scene.acts()).length + (await personalActs(owner.personId))).toBe(before)
    },
  )

  test('ends the sessions of others only where the own has not been ended, whichever of two comes first', async () => {
    const person = await aPersonWithSession()
    const other = await openSession(db, person.personId, client)
    const asOther = (at: string) =>
      ask(site.app, at, undefined, { cookie: `__Host-postrider=${other}`, ...OWN_PAGE })
    const answers = await Promise.all([
      person.ask('POST /sessions/end-others'),
      asOther('POST /sessions/end-others'),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
    const [row] = await db<[{ left: number }]>`
      select count(*)::int as left from session where person_id = ${person.personId}`
    expect(row.left).toBe(1)
  })
})

test('a write that was there first is waited for by what signs its person out', async () => {
  const scene = await openScene(db, site.app)
  const { workspaceId, channelId, owner } = scene
  // Holds up the write after it has held its session.
  const blocking = await openTransaction(db)
  await blocking.tx`select from channel where workspace_id = ${workspaceId} and id = ${channelId} for update`
  const writing = scene.ask(`/channels/${channelId}/disable`)
  await untilBlocked(db)
  const ending = db.begin((tx) => signOutEverywhere(tx, owner.personId))
  await untilBlocked(db, 2)
  await blocking.commit()
  expect((await writing).status).toBe(200)
  await ending
  expect((await scene.ask(`/channels/${channelId}/enable`)).status).toBe(401)
})

describe('an agent whose request is under way', () => {
  async function anAgent() {
    const scene = await openScene(db, site.app)
    const { workspaceId } = scene
    const { memberId } = scene.workspace
    const { permissions } = scene.workspace.caller.credential
    const { key, keyId } = await createKey(db, workspaceId, {
      memberId,
      name: 'bot',
      permissions,
      expiresAt: null,
    })
    const send = async (path: string, body: unknown, method: 'GET' | 'POST' | 'DELETE' = 'POST') => {
      const answer = await agents.app.inject({
        method,
        url: `/agent/v1${path}`,
        ...(method === 'DELETE' ? {} : { payload: JSON.stringify(body ?? {}) }),
        headers: {
          authorization: `Bearer ${key}`,
          ...(method === 'DELETE' ? {} : { 'content-type': 'application/json' }),
          'idempotency-key': uuidv7(),
        },
      })
      return { status: answer.statusCode, body: answer.json() }
    }
    return { scene, workspaceId, memberId, keyId, send }
  }
  type Agent = Awaited<ReturnType<typeof anAgent>>

  const changes: Record<string, (agent: Agent) => (tx: Tx) => Promise<unknown>> = {
    'whose key is revoked': (agent) => (tx) => revokeKey(tx, agent.workspaceId, agent.keyId),
    'whose member is removed': (agent) => (tx) =>
      endMembership(tx, agent.workspaceId, agent.memberId, endCredentials),
    'whose member is a viewer by now': (agent) => (tx) =>
      setRole(tx, agent.workspaceId, agent.memberId, 'viewer'),
    'whose key is for another network by now': (agent) => (tx) =>
      limitKey(tx, agent.workspaceId, agent.keyId, { ...noLimits, networks: ['203.0.113.0/24'] }),
  }

  test.each(
    writes(operations).flatMap((operation) =>
      Object.entries(changes)
        .filter(([name]) => !name.includes('viewer') || !roleHas('viewer', operation.permission!))
        // Both when the key is remembered and when it was just looked up.
        .flatMap(([name, change]) =>
          [true, false].map((isKnown) => [operation.id, name, isKnown, operation, change] as const),
        ),
    ),
  )('changes nothing by %s, %s (remembered: %s)', async (id, _, isKnown, { at, example }, change) => {
    const agent = await anAgent()
    const [path, body] = (await onPosts[id]?.(agent.scene)) ?? [
      some(splitAddress(at)[1].replace('/agent/v1', '')),
      example,
    ]
    if (isKnown) await agent.send('/post-checks', {})
    const acts = (await agent.scene.acts()).length
    const answer = await whileChanging(change(agent), () => agent.send(path, body, splitAddress(at)[0]))
    expect([401, 403]).toContain(answer.status)
    expect((await agent.scene.acts()).length).toBe(acts)
  })

  const plan = (channelId: string) => ({
    confirmed: true,
    state: 'scheduled',
    text: 'x',
    channelIds: [channelId],
    publishAt: '2027-12-01T09:00:00.000Z',
  })

  test('is held to limits that come meanwhile', async () => {
    const { scene, workspaceId, keyId, send } = await anAgent()
    const limits = { ...noLimits, channelIds: [uuidv7()] }
    const answer = await whileChanging(
      (tx) => limitKey(tx, workspaceId, keyId, limits),
      () => send('/posts', plan(scene.channelId)),
    )
    expect(answer).toMatchObject({ status: 403, body: { code: 'credential_limit' } })
  })

  test('is held to a policy that comes meanwhile: its post waits for a person', async () => {
    const { scene, workspaceId, send } = await anAgent()
    const approvalPolicy = { ...noApprovalPolicy, all: true }
    const answer = await whileChanging(
      (tx) => updateWorkspace(tx, workspaceId, { approvalPolicy }),
      () => send('/posts', plan(scene.channelId)),
    )
    expect(answer).toMatchObject({ status: 201, body: { reviewStatus: 'pending' } })
  })
})

describe('a file that is under way', () => {
  const photo = aPhoto()

  async function upload(
    app: RunningApp,
    path: string,
    headers: Record<string, string>,
    change: (tx: Tx) => Promise<unknown>,
  ) {
    const body = new FormData()
    body.set('confirmed', 'true')
    body.set('file', new Blob([new Uint8Array(await photo)]))
    const { url } = siteOf(app.baseUrl)
    const asked = {
      at: url,
      key: null,
      headers: { ...OWN_PAGE, origin: url, 'idempotency-key': uuidv7(), ...headers },
      body,
    }
    const answer = await whileChanging(change, () => app.ask('POST', path, asked), app.db)
    const [kept] = await app.db<[{ count: number }]>`select count(*)::int as count from media_item`
    return { status: answer.status, kept: kept.count }
  }

  async function filesOf(app: RunningApp): Promise<string[]> {
    const files = await readdir(pathOf(app.dataDir, 'media'), { recursive: true, withFileTypes: true })
    // The marks of installations that use the storage are no media.
    return files.filter((one) => one.isFile() && !one.parentPath.endsWith('/used-by')).map(({ name }) => name)
  }

  test('is kept for nobody whose key was revoked, or who was signed out', async () => {
    await using app = await openRunningApp()
    const { workspaceId } = app.workspace
    const person = await aPerson(app.db)
    await join(app.db, workspaceId, person, 'owner')
    const secret = await openSession(app.db, person.personId, client)
    const before = await filesOf(app)
    const [{ id: keyId }] = await app.db<[{ id: string }]>`select id from agent_key`
    const byKey = await upload(app, '/agent/v1/media', { authorization: `Bearer ${app.key}` }, (tx) =>
      revokeKey(tx, workspaceId, keyId),
    )
    expect(byKey).toEqual({ status: 401, kept: 0 })
    // What came in is removed while the answer is on its way.
    await expect.poll(() => filesOf(app)).toEqual(before)
    const bySession = await upload(
      app,
      `/app/api/workspaces/${workspaceId}/media`,
      { cookie: `postrider=${secret}` },
      (tx) => signOutEverywhere(tx, person.personId),
    )
    expect(bySession).toEqual({ status: 401, kept: 0 })
    await expect.poll(() => filesOf(app)).toEqual(before)
  })
})

test('nothing here depends on luck: a request that nothing changes under is carried out', async () => {
  const scene = await openScene(db, site.app)
  const answer = await whileChanging(
    async (tx) => tx`select ${randomBytes(1)}::bytea`,
    () => scene.ask('', { name: 'Renamed' }),
  )
  expect(answer.status).toBe(200)
})
