import { operations, permissionNames } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { agentResource } from '../src/edge/api/documents/resources.ts'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import { siteOf } from '../src/platform/outbound/site.ts'
import { hoursAhead } from './rigs/file-world.ts'
import { aChannel } from './rigs/fixtures.ts'
import { begin, consent, consentForm, exchange, me, refresh } from './rigs/oauth-flow.ts'
import { Browser } from './rigs/oauth-world.ts'
import { client, OWN_PAGE } from './rigs/people-world.ts'
import { openRunningApp } from './rigs/running-app.ts'

/** The real server with its owner in a browser, and apps that connect with nothing but its address. */
async function openSeveralApps() {
  const app = await openRunningApp()
  const { baseUrl, workspace } = app
  const site = siteOf(baseUrl).url
  const session = await openSession(app.db, workspace.caller.member.personId, client)
  const server = {
    resource: agentResource(baseUrl),
    workspace,
    browser: () => new Browser(site, [['postrider', session]]),
  }
  return {
    ...app,
    /** An app that the owner has let in, with its tokens. */
    async connect(
      permissions: readonly string[] = ['posts:read', 'posts:write', 'channels:read'],
      scope: string | null = null,
    ) {
      const flow = await begin(server, { scope })
      const form = consentForm(server, permissions)
      const tokens = await exchange(flow, await consent(server, flow, form))
      const [grant] = await app.db<{ id: string }[]>`
        select id from oauth_grant where client_id = ${flow.client.client_id}`
      return {
        grantId: grant!.id,
        tokens,
        refreshes: async () => (await refresh(flow, tokens.refresh_token!)).status,
      }
    },
    /** Something that the owner does about an app. */
    async owner(grantId: string, act: string) {
      const headers = { ...OWN_PAGE, origin: site, cookie: `postrider=${session}` }
      const path = `/app/api/workspaces/${workspace.workspaceId}/apps/${grantId}/${act}`
      return app.ask('POST', path, { at: site, key: null, headers })
    },
  }
}

test('every operation of the Agent API takes an access token as it takes a key', async () => {
  await using world = await openSeveralApps()
  const { tokens, grantId } = await world.connect(permissionNames, permissionNames.join(' '))
  for (const { at, id, body, example } of operations) {
    const [method, path] = at.replaceAll(/\{\w+\}/g, uuidv7()).split(' ') as [string, string]
    const asked = async (key: string) => {
      const headers = { 'idempotency-key': uuidv7() }
      // A name that is taken would be the second caller's alone.
      const named = id === 'createTemplate' ? { name: uuidv7() } : {}
      const sent = body === undefined ? {} : { body: { ...(example as object | undefined), ...named } }
      const { status, body: answer } = await world.ask(method, path, { key, headers, ...sent })
      return { id, status, code: answer?.code }
    }
    const byToken = await asked(tokens.access_token)
    expect(byToken).toEqual(await asked(world.key))
    expect([401, 403, 500]).not.toContain(byToken.status)
  }
  expect((await me(world, tokens.access_token)).headers.get('ratelimit')).toBeTruthy()

  const draft = { confirmed: true, idempotencyKey: 'one', state: 'draft', text: 'By an app' }
  const body = { ...draft, channelIds: [await aChannel(world.db, world.workspace.workspaceId)] }
  const asks = () => world.ask('POST', '/agent/v1/posts', { key: tokens.access_token, body })
  expect((await asks()).body.createdBy).toMatchObject({ type: 'oauth', name: 'An agent' })
  expect((await asks()).headers.get('idempotent-replayed')).toBe('true')
  const acts = await world.db`select actor_type, actor_id from audit_entry where action = 'createPost'`
  expect(acts).toEqual([{ actor_type: 'oauth', actor_id: grantId }])
})

test('an app gets webhooks:write only where it asks for it by name', async () => {
  await using world = await openSeveralApps()
  const unnamed = await world.connect(permissionNames)
  expect(unnamed.tokens.scope?.split(' ')).toEqual(
    permissionNames.filter((permission) => permission !== 'webhooks:write'),
  )
  const named = await world.connect(permissionNames, 'posts:read webhooks:write')
  expect(named.tokens.scope?.split(' ').toSorted()).toEqual(['posts:read', 'webhooks:write'])
})

test('an app that its owner cuts off is refused from the next call on, and no other one is', async () => {
  await using world = await openSeveralApps()
  const [app, other] = [await world.connect(), await world.connect()]
  const { access_token } = app.tokens
  expect((await me(world, access_token)).status).toBe(200)

  expect((await world.owner(app.grantId, 'revoke')).status).toBe(200)
  const refused = await me(world, access_token)
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ code: 'invalid_credential' })
  expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=')
  expect(await app.refreshes()).toBe(400)
  expect((await me(world, other.tokens.access_token)).status).toBe(200)
})

test('with an app that is stopped, what it planned is over, too', async () => {
  await using world = await openSeveralApps()
  const { db, workspace } = world
  const app = await world.connect()
  const key = app.tokens.access_token
  const body = {
    confirmed: true,
    idempotencyKey: 'k',
    state: 'scheduled',
    publishAt: hoursAhead(1),
    text: 'Planned',
    channelIds: [await aChannel(db, workspace.workspaceId)],
  }
  const planned = await world.ask('POST', '/agent/v1/posts', { key, body })
  expect(planned.status).toBe(201)

  expect(await world.owner(app.grantId, 'stop')).toMatchObject({ status: 200, body: { cancelled: 1 } })
  expect((await world.ask('POST', '/agent/v1/posts', { key, body })).status).toBe(401)
  expect((await world.ask('GET', `/agent/v1/posts/${planned.body.postId}`, { key })).status).toBe(401)
  expect(await app.refreshes()).toBe(400)
  const left = await world.ask('GET', `/agent/v1/posts/${planned.body.postId}`)
  expect(left.body.destinations).toMatchObject([{ status: 'cancelled' }])
})
