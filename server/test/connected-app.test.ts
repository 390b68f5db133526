import { expect, test } from 'vitest'
import { agentResource } from '../src/api/gate.ts'
import { openSession } from '../src/people/session-store.ts'
import { siteOf } from '../src/people/site.ts'
import { hoursAhead } from './file-world.ts'
import { aChannel } from './fixtures.ts'
import { begin, consent, consentForm, exchange, me, refresh } from './oauth-flow.ts'
import { Browser } from './oauth-world.ts'
import { client, OWN_PAGE } from './people-world.ts'
import { openRunningApp } from './running-app.ts'

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
    async connect() {
      const flow = await begin(server, { scope: null })
      const form = consentForm(server, ['posts:read', 'posts:write', 'channels:read'])
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
    ...{
      confirmed: true,
      idempotencyKey: 'k',
      state: 'scheduled',
      publishAt: hoursAhead(1),
      text: 'Planned',
    },
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
