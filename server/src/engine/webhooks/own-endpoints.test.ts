import { type CredentialLimits, noLimits, type Permission } from '@postrider/contract'
import { expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { type AWorkspace, aWorkspace, untilBlocked, openTransaction } from '../../../test/rigs/fixtures.ts'
import { createKey, limitKey, listKeys, revokeKey } from '../../people/keys/key-store.ts'
import { pruneEndpoints } from './delivery-retention-store.ts'
import { setRole } from '../../people/members/member-store.ts'
import { NIL_UUID } from '../../platform/text/nil-uuid.ts'
import { claim, type ClaimOptions } from './delivery-store.ts'
import { insertTestDelivery } from './delivery-log-store.ts'
import { disableWithoutRight } from './lost-right-store.ts'
import { findEndpoint, insertEndpoint } from './endpoint-store.ts'
import { enable, MAX_OWN_ENDPOINTS } from './manage-endpoints.ts'
import { sampleEvent } from './sample-event.ts'
import { v7 as uuidv7 } from 'uuid'

const { world, api } = await openFileWorld()
const { db } = world
const AT = '/webhook-endpoints'
const wanted = {
  url: 'https://example.com/hook?token=abcdefghijklmnop',
  eventTypes: ['post.published' as const],
}

/** A workspace, and as whom its agent asks: by a key that is stored. */
async function anAgent(of?: AWorkspace): Promise<AWorkspace> {
  const workspace = of ?? (await aWorkspace(db))
  const { workspaceId, memberId, caller } = workspace
  const { permissions } = caller.credential
  const named = { memberId, name: 'bot', permissions, expiresAt: null }
  const { keyId } = await createKey(db, workspaceId, named)
  return { ...workspace, caller: { ...caller, credential: { ...caller.credential, id: keyId } } }
}

const create = async (agent: AWorkspace) => (await api.call(agent, 'POST', AT, wanted)).body
const statusOf = async ({ workspaceId }: AWorkspace, endpointId: string) => {
  const found = await findEndpoint(db, { workspaceId, endpointId })
  return found && { status: found.status, reason: found.disabledReason, credentialId: found.credentialId }
}
const ended = { status: 'disabled', reason: 'credential_ended' }

test('a credential sees the secret of an endpoint once, and the endpoint among its own', async () => {
  const agent = await anAgent()
  const made = await api.call(agent, 'POST', AT, wanted)
  expect(made).toMatchObject({ status: 201, headers: { location: `/agent/v1${AT}/${made.body.endpointId}` } })
  expect(made.body.secret).toMatch(/^whsec_/)
  const path = `${AT}/${made.body.endpointId}`
  const listed = await api.call(agent, 'GET', AT)
  const read = await api.call(agent, 'GET', path)
  expect(listed.body).toEqual([read.body])
  expect(read.body).toEqual(made.body.endpoint)
  expect(read.body).toMatchObject({ status: 'active', credentialId: agent.caller.credential.id })
  expect(listed.text + read.text).not.toMatch(/whsec_|abcdefghijklmnop/)
  const rotated = await api.call(agent, 'POST', `${path}/rotate`, { atOnce: true })
  expect(rotated.body).toEqual({ secret: expect.stringMatching(/^whsec_/), overlapUntil: null })
  expect(rotated.body.secret).not.toBe(made.body.secret)
})

test.each([
  ['channelIds', { channelIds: [uuidv7()] }],
  ['label', { label: 'Spring' }],
] as const)(
  'a credential that sees only some posts (%s) makes no endpoint for all',
  async (limit, limits) => {
    const agent = await anAgent()
    const credential = { ...agent.caller.credential, limits: { ...noLimits, ...limits } as CredentialLimits }
    const limited = { ...agent, caller: { ...agent.caller, credential } }
    expect(await api.call(limited, 'POST', AT, wanted)).toMatchObject({
      status: 403,
      body: { code: 'credential_limit', limit },
    })
    expect((await api.call(agent, 'GET', AT)).body).toEqual([])
  },
)

test('a credential that is limited to some posts afterwards has its endpoints disabled, and one limited otherwise not', async () => {
  const agent = await anAgent()
  const { workspaceId, caller } = agent
  const { endpointId } = await create(agent)
  const limit = (limits: Partial<CredentialLimits>) =>
    limitKey(db, workspaceId, caller.credential.id, { ...noLimits, ...limits })
  await limit({ draftsOnly: true })
  await disableWithoutRight(db, 1_000)
  expect(await statusOf(agent, endpointId)).toMatchObject({ status: 'active' })
  await limit({ label: 'Spring' })
  expect(await statusOf(agent, endpointId)).toMatchObject(ended)
  // What a person has confirmed after a restore is still limited.
  await db`update agent_key set revoked_at = now() where id = ${caller.credential.id}`
  await db`update agent_key set revoked_at = null where id = ${caller.credential.id}`
  expect(await statusOf(agent, endpointId)).toMatchObject(ended)

  const other = await anAgent(agent)
  const before = (await create(other)).endpointId
  await db`alter table agent_key disable trigger agent_key_limits_endpoints`
  await db`update agent_key set limits = ${db.json({ channelIds: [uuidv7()] })} where id = ${other.caller.credential.id}`
  await db`alter table agent_key enable trigger agent_key_limits_endpoints`
  await disableWithoutRight(db, 1_000)
  expect(await statusOf(other, before)).toMatchObject(ended)
})

test('a confirmation that it does not take is an unknown field, and no missing one', async () => {
  const agent = await anAgent()
  const refused = await api.call(agent, 'POST', AT, { ...wanted, confirmed: true })
  expect(refused).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  expect(refused.body.errors).toMatchObject([{ pointer: '/confirmed', code: 'unknown_field' }])
})

test('a test event is among the deliveries, and can be sent again', async () => {
  const agent = await anAgent()
  const path = `${AT}/${(await create(agent)).endpointId}`
  const { eventId } = (await api.call(agent, 'POST', `${path}/test`, {})).body
  const deliveries = await api.call(agent, 'GET', `${path}/deliveries?status=pending`)
  expect(deliveries.body).toMatchObject([{ eventId, test: true, status: 'pending' }])
  expect((await api.call(agent, 'GET', `${path}/deliveries/${eventId}/attempts`)).body).toEqual([])
  await db`update delivery set status = 'failed', error = 'timeout', settled_at = now() where event_id = ${eventId}`
  const sent = await api.call(agent, 'POST', `${path}/deliveries/${eventId}/resend`)
  expect([sent.status, sent.body.eventId]).toEqual([200, eventId])
  const replayed = await api.call(agent, 'POST', `${path}/replay`, {
    since: '2026-01-01T00:00:00Z',
    onlyFailed: true,
  })
  expect(replayed.body).toEqual({ count: 0 })
})

test('an address that leads inside is refused with a pointer, and nothing is created', async () => {
  const agent = await anAgent()
  const refused = await api.call(agent, 'POST', AT, { ...wanted, url: 'http://example.com/hook' })
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/url' }] } })
  expect((await api.call(agent, 'GET', AT)).body).toEqual([])
})

const asked: readonly ['GET' | 'POST' | 'DELETE', string, object?][] = [
  ['GET', ''],
  ['POST', '/rotate', { atOnce: true }],
  ['POST', '/test', {}],
  ['GET', '/deliveries'],
  ['GET', '/deliveries/{eventId}/attempts'],
  ['POST', '/deliveries/{eventId}/resend'],
  ['POST', '/replay', { since: '2026-01-01T00:00:00Z', onlyFailed: false }],
  ['DELETE', ''],
]

test.each(asked)(
  '%s …%s of another’s endpoint is answered as of an unknown one',
  async (method, rest, body) => {
    const agent = await anAgent()
    const eventId = uuidv7()
    const ofPerson = uuidv7()
    const { workspaceId } = agent
    await insertEndpoint(
      db,
      { workspaceId, endpointId: ofPerson },
      {
        ...wanted,
        description: '',
        autoReplay: false,
      },
    )
    const ofOther = (await create(await anAgent(agent))).endpointId as string
    for (const endpointId of [ofPerson, ofOther]) {
      await insertTestDelivery(
        db,
        { workspaceId, endpointId, eventId },
        sampleEvent('post.published', workspaceId),
      )
    }
    const ask = async (endpointId: string) => {
      const path = `${AT}/${endpointId}${rest.replace('{eventId}', eventId)}`
      const { status, body: problem } = await api.call(agent, method, path, body)
      return { status, code: problem.code, detail: problem.detail }
    }
    const rows =
      async () => db`select e::text, s::text from endpoint e left join endpoint_secret s on s.endpoint_id = e.id
                              where e.workspace_id = ${workspaceId} order by 1, 2`
    const before = await rows()
    const unknown = await ask(uuidv7())
    expect(unknown).toMatchObject({ status: 404, code: 'not_found' })
    expect([await ask(ofPerson), await ask(ofOther)]).toEqual([unknown, unknown])
    expect(await rows()).toEqual(before)
    expect((await api.call(agent, 'GET', AT)).body).toEqual([])
  },
)

test('a deleted endpoint is gone for everybody, with its secrets, and its row once nothing refers to it', async () => {
  const agent = await anAgent()
  const { endpointId } = await create(agent)
  await api.call(agent, 'POST', `${AT}/${endpointId}/test`, {})
  const deleted = await api.call(agent, 'DELETE', `${AT}/${endpointId}`)
  expect(deleted).toMatchObject({ status: 200, body: { endpointId } })
  expect((await api.call(agent, 'DELETE', `${AT}/${endpointId}`)).status).toBe(404)
  expect(await statusOf(agent, endpointId)).toBeNull()
  expect(await db`select from endpoint_secret where endpoint_id = ${endpointId}`).toHaveLength(0)
  expect(
    await db`select from delivery where endpoint_id = ${endpointId} and status = 'pending'`,
  ).toHaveLength(0)
  const left = () => db`select from endpoint where id = ${endpointId}`
  await db`update endpoint set deleted_at = now() - interval '2 days' where id = ${endpointId}`
  await pruneEndpoints(db, 100)
  expect(await left()).toHaveLength(1)
  await db`delete from delivery where endpoint_id = ${endpointId}`
  await pruneEndpoints(db, 100)
  expect(await left()).toHaveLength(0)
})

test('a credential has a bounded number of endpoints, and those of ended ones take no place', async () => {
  const agent = await anAgent()
  for (let n = 0; n < MAX_OWN_ENDPOINTS; n += 1) await create(agent)
  const full = await api.call(agent, 'POST', AT, wanted)
  expect(full).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  await revokeKey(db, agent.workspaceId, agent.caller.credential.id)
  const next = await anAgent(agent)
  for (let n = 0; n < MAX_OWN_ENDPOINTS; n += 1) await create(next)
  const third = await anAgent(agent)
  expect((await api.call(third, 'POST', AT, wanted)).status).toBe(201)
})

test('revoking a credential disables its endpoints in the same transaction, and no others', async () => {
  const agent = await anAgent()
  const other = await anAgent(agent)
  const [mine, others] = [await create(agent), await create(other)]
  const revoking = await openTransaction(db)
  await revokeKey(revoking.tx, agent.workspaceId, agent.caller.credential.id)
  expect(await statusOf(agent, mine.endpointId)).toMatchObject({ status: 'active' })
  await revoking.commit()
  expect(await statusOf(agent, mine.endpointId)).toMatchObject(ended)
  expect(await statusOf(agent, others.endpointId)).toMatchObject({ status: 'active' })
})

test('an endpoint that is being created while its credential is revoked is disabled, too', async () => {
  const agent = await anAgent()
  const { workspaceId } = agent
  const { id } = agent.caller.credential
  const endpointId = uuidv7()
  const creating = await openTransaction(db)
  await creating.tx`select from agent_key where id = ${id} for share`
  await insertEndpoint(
    creating.tx,
    { workspaceId, endpointId },
    { ...wanted, description: '', autoReplay: false },
    id,
  )
  const revoking = revokeKey(db, workspaceId, id)
  await untilBlocked(db)
  await creating.commit()
  await revoking
  expect(await statusOf(agent, endpointId)).toMatchObject(ended)
})

test('a person may take over the endpoint of a credential that has ended', async () => {
  const agent = await anAgent()
  const { endpointId } = await create(agent)
  const key = { workspaceId: agent.workspaceId, endpointId }
  await revokeKey(db, agent.workspaceId, agent.caller.credential.id)
  await enable({ db, keyring: { seal: () => Buffer.of() }, rules: {} as never }, key)
  expect(await statusOf(agent, endpointId)).toEqual({ status: 'active', reason: null, credentialId: null })
  await disableWithoutRight(db, 100)
  expect(await statusOf(agent, endpointId)).toMatchObject({ status: 'active' })
})

test('a credential that expires loses its endpoints with the next sweep', async () => {
  const agent = await anAgent()
  const { endpointId } = await create(agent)
  await disableWithoutRight(db, 100)
  expect(await statusOf(agent, endpointId)).toMatchObject({ status: 'active' })
  await db`update agent_key set expires_at = now() where id = ${agent.caller.credential.id}`
  await disableWithoutRight(db, 100)
  expect(await statusOf(agent, endpointId)).toMatchObject(ended)
})

const without = { status: 'disabled', reason: 'right_lost' }

/** What takes the right to endpoints away from a credential that goes on, and gives it back. */
const rightLosses: Record<string, (agent: AWorkspace, has: boolean) => Promise<unknown>> = {
  'its member is a viewer': ({ workspaceId, memberId }, has) =>
    db.begin((tx) => setRole(tx, workspaceId, memberId, has ? 'admin' : 'viewer')),
  'its member is an editor': ({ workspaceId, memberId }, has) =>
    db.begin((tx) => setRole(tx, workspaceId, memberId, has ? 'admin' : 'editor')),
  'it may not read posts': ({ caller }, has) => allow(caller, has, 'posts:read'),
  'it may not have endpoints': ({ caller }, has) => allow(caller, has, 'webhooks:write'),
}
const allow = ({ credential }: AWorkspace['caller'], has: boolean, permission: Permission) =>
  db`update agent_key set permissions = ${has ? db`array_append` : db`array_remove`}(permissions, ${permission}) where id = ${credential.id}`

test.each(Object.entries(rightLosses))(
  'an endpoint is sent nothing once %s, is disabled with the next sweep, and a person may take it over',
  async (_, change) => {
    const agent = await anAgent()
    const { endpointId } = await create(agent)
    const key = { workspaceId: agent.workspaceId, endpointId }
    await api.call(agent, 'POST', `${AT}/${endpointId}/test`, {})
    const claimed = async () => (await claim(db, claiming)).filter((one) => one.endpointId === endpointId)
    await change(agent, false)
    expect(await claimed()).toEqual([])
    await change(agent, true)
    expect(await claimed()).toHaveLength(1)

    await change(agent, false)
    await disableWithoutRight(db, 1_000)
    expect(await statusOf(agent, endpointId)).toMatchObject(without)
    // Nothing goes on by itself.
    await change(agent, true)
    await disableWithoutRight(db, 1_000)
    expect(await statusOf(agent, endpointId)).toMatchObject(without)
    await enable({ db, keyring: { seal: () => Buffer.of() }, rules: {} as never }, key)
    await change(agent, false)
    await disableWithoutRight(db, 1_000)
    expect(await statusOf(agent, endpointId)).toEqual({ status: 'active', reason: null, credentialId: null })
  },
)

const claiming: ClaimOptions = {
  limit: 256,
  perEndpoint: 2,
  favoured: { endpointIds: [], perEndpoint: 2 },
  failing: false,
  after: NIL_UUID,
  except: [],
  leaseMs: 30_000,
}

test('a credential that may not read posts makes no endpoint for their events', async () => {
  const agent = await anAgent()
  const { credential } = agent.caller
  const permissions = credential.permissions.filter((one) => one !== 'posts:read')
  const blind = { ...agent, caller: { ...agent.caller, credential: { ...credential, permissions } } }
  expect(await api.call(blind, 'POST', AT, wanted)).toMatchObject({
    status: 403,
    body: { code: 'missing_permission', requiredPermission: 'posts:read' },
  })
  expect((await api.call(agent, 'GET', AT)).body).toEqual([])
})

test('a key that is confirmed after a restore has its endpoints again', async () => {
  const agent = await anAgent()
  const { endpointId } = await create(agent)
  const { id } = agent.caller.credential
  await db`update agent_key set revoked_at = now(), suspended_at = now() where id = ${id}`
  expect(await statusOf(agent, endpointId)).toMatchObject(ended)
  await db`update agent_key set revoked_at = null, suspended_at = null where id = ${id}`
  expect(await statusOf(agent, endpointId)).toMatchObject({ status: 'active', credentialId: id })
  expect((await listKeys(db, agent.workspaceId)).map(({ revokedAt }) => revokedAt)).toEqual([null])
})
