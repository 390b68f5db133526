import { expect, test } from 'vitest'
import { Browser, openOAuthWorld, type OAuthWorld } from '../../test/oauth-world.ts'

const REDIRECT = 'https://agent.example/callback'

/** A client that is registered, and the address at which it asks for access. */
async function anAuthorization({ baseUrl, resource }: OAuthWorld, client_name = 'An agent'): Promise<string> {
  const answer = await fetch(`${baseUrl}/oauth/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name, redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' }),
  })
  const { client_id } = (await answer.json()) as { client_id: string }
  const challenge = {
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  const query = {
    client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'posts:read posts:write',
    state: 'st',
    resource,
  }
  return `${baseUrl}/oauth/auth?${new URLSearchParams({ ...query, ...challenge }).toString()}`
}

test('the page names the client, where access goes, each permission and the workspaces', async () => {
  await using world = await openOAuthWorld()
  const owner = world.browser()
  const { answer } = await owner.follow(await owner.get(await anAuthorization(world, '<b>An & agent</b>')))
  const page = await answer.text()
  expect(page).toContain('&lt;b&gt;An &amp; agent&lt;/b&gt;')
  expect(page).toContain('agent.example')
  expect(page).toContain('nobody has checked that name')
  expect(page.match(/name="permission"/g)).toHaveLength(2)
  expect(page).toContain('Create and change posts.')
  expect(page).toContain(world.workspace.workspaceId)
  expect(answer.headers.get('content-security-policy')).toMatch(
    /form-action 'self' https:\/\/agent\.example; frame-ancestors 'none'/,
  )
  expect(answer.headers.get('x-frame-options')).toBe('DENY')
})

test('somebody who is not signed in, or has not shown lately who they are, does that first', async () => {
  await using world = await openOAuthWorld()
  const { db } = world.world
  const url = await anAuthorization(world)
  await db`update session set proved_at = now() - interval '11 minutes'`
  for (const [browser, place] of [
    [new Browser(world.baseUrl), '/sign-in'],
    [world.browser(), '/prove'],
  ] as const) {
    const { url: reached } = await browser.follow(await browser.get(url))
    expect(reached.pathname).toBe(place)
    expect(reached.searchParams.get('next')).toMatch(/^\/oauth\/consent\/[\w-]+$/)
  }
})

test('who denies is sent back with access_denied', async () => {
  await using world = await openOAuthWorld()
  const owner = world.browser()
  const page = await owner.follow(await owner.get(await anAuthorization(world)))
  const { url } = await owner.follow(await owner.submit(page.url, [['decision', 'deny']]))
  expect(`${url.origin}${url.pathname}`).toBe(REDIRECT)
  expect(url.searchParams.get('error')).toBe('access_denied')
  expect(url.searchParams.get('state')).toBe('st')
  expect(await world.world.db`select 1 from oauth_grant`).toHaveLength(0)
})

test('a form from another site, from another browser or for another workspace lets nobody in', async () => {
  await using world = await openOAuthWorld()
  const owner = world.browser()
  const page = await owner.follow(await owner.get(await anAuthorization(world)))
  const allow: [string, string][] = [
    ['decision', 'allow'],
    ['permission', 'posts:read'],
  ]
  const itsWorkspace: [string, string] = ['workspaceId', world.workspace.workspaceId]

  expect(
    (await owner.submit(page.url, [...allow, itsWorkspace], { 'sec-fetch-site': 'cross-site' })).status,
  ).toBe(403)
  expect((await world.browser().submit(page.url, [...allow, itsWorkspace])).status).toBe(404)
  const foreign: [string, string] = ['workspaceId', '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11']
  expect((await owner.submit(page.url, [...allow, foreign])).status).toBe(422)
  expect((await owner.submit(page.url, [['decision', 'allow'], itsWorkspace])).status).toBe(422)
  expect(await world.world.db`select 1 from oauth_grant`).toHaveLength(0)

  expect((await owner.submit(page.url, [...allow, itsWorkspace])).status).toBe(303)
  expect(await world.world.db`select 1 from oauth_grant`).toHaveLength(1)
})

test('what was let in stands in the audit log', async () => {
  await using world = await openOAuthWorld()
  const owner = world.browser()
  const page = await owner.follow(await owner.get(await anAuthorization(world)))
  const { workspaceId } = world.workspace
  await owner.submit(page.url, [
    ['decision', 'allow'],
    ['permission', 'posts:read'],
    ['workspaceId', workspaceId],
  ])
  const entries = await world.world
    .db`select actor_type, action, after from audit_entry where workspace_id = ${workspaceId}`
  expect(entries).toEqual([
    {
      actor_type: 'person',
      action: 'connectApp',
      after: { clientName: 'An agent', clientOrigin: 'agent.example', permissions: ['posts:read'] },
    },
  ])
})
