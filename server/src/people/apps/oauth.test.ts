import * as oauth from 'oauth4webapi'
import { afterAll, describe, expect, test } from 'vitest'
import {
  begin,
  consent,
  consentForm,
  exchange,
  insecure,
  me,
  REDIRECT,
  refresh,
  register,
} from '../../../test/rigs/oauth-flow.ts'
import { openTransaction, untilBlocked } from '../../../test/rigs/fixtures.ts'
import { Browser, openOAuthWorld } from '../../../test/rigs/oauth-world.ts'
import { endMembership, insertMember } from '../members/member-store.ts'
import { endCredentials } from '../../app/stop-credential.ts'
import { ChangedMeanwhile } from '../../edge/operations/changed-meanwhile.ts'
import { onFirstUse } from '../../platform/process/on-first-use.ts'
import { accessTokens } from './access-tokens.ts'

const world = await openOAuthWorld()
afterAll(() => world[Symbol.asyncDispose]())

test('with nothing but the base address a client finds the server, is let in, and calls the API until it is cut off', async () => {
  const refused = await fetch(`${world.baseUrl}/agent/v1/me`)
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toContain(
    `${world.baseUrl}/.well-known/oauth-protected-resource/agent/v1`,
  )

  const flow = await begin(world)
  expect(flow.as.issuer).toBe(`${world.baseUrl}/oauth`)
  const tokens = await exchange(flow, await consent(world, flow, consentForm(world, ['posts:read'])))
  const answer = await me(world, tokens.access_token)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({
    workspace: { id: world.workspace.workspaceId },
    credential: { type: 'oauth', name: 'An agent', permissions: ['posts:read'] },
    user: { name: 'Ada' },
  })

  const revoked = await oauth.revocationRequest(
    flow.as,
    flow.client,
    oauth.None(),
    tokens.refresh_token!,
    insecure,
  )
  await oauth.processRevocationResponse(revoked)
  expect((await me(world, tokens.access_token)).status).toBe(401)
})

test('a token does what was ticked, and nothing that was not asked for', async () => {
  const flow = await begin(world, { scope: 'posts:read' })
  const tokens = await exchange(
    flow,
    await consent(world, flow, consentForm(world, ['posts:read', 'posts:write', 'ai:generate'])),
  )
  expect(tokens.scope).toBe('posts:read')
  const answer = await (await me(world, tokens.access_token)).json()
  expect(answer).toMatchObject({ credential: { permissions: ['posts:read'] } })
  const [grant] = await world.world.db`select permissions from oauth_grant order by created_at desc limit 1`
  expect(grant).toEqual({ permissions: ['posts:read'] })
})

test('a client that names no scope and no resource may be given anything', async () => {
  const flow = await begin(world, { scope: null, resource: null })
  const tokens = await exchange(
    flow,
    await consent(world, flow, consentForm(world, ['media:read', 'calendar:read'])),
  )
  const answer = await (await me(world, tokens.access_token)).json()
  expect(answer).toMatchObject({ credential: { permissions: ['calendar:read', 'media:read'] } })
})

describe.each([
  ['no code challenge', { code_challenge: null, code_challenge_method: null }],
  ['a plain challenge', { code_challenge_method: 'plain' }],
  ['another resource', { resource: 'https://elsewhere.example/api' }],
  ['the implicit flow', { response_type: 'token' }],
  ['an unknown kind of answer', { response_type: 'nothing' }],
  ['no question to anybody', { prompt: 'none' }],
  ['an unknown prompt', { prompt: 'maybe' }],
  ['an unknown scope', { scope: 'everything' }],
  ['another mode', { response_mode: 'fragment' }],
])('a request with %s', (_what, change) => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

  test('leads nobody to a client that they have not let in', async () => {
    const { url } = await begin(world, change)
    const stranger = new Browser(world.baseUrl)
    for (const browser of [stranger, world.browser()]) {
      const answer = await browser.get(url, html)
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
      const page = await answer.text()
      expect(page).toContain('<h1>Request not accepted</h1>')
      expect(page).not.toContain(REDIRECT)
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    }
    expect(await (await stranger.get(url)).json()).toHaveProperty('error')
  })

  test('is refused at the address of a client that was let in', async () => {
    const { client } = await letIn()
    const { url } = await begin(world, change, client)
    const { url: callback } = await world.browser().follow(await world.browser().get(url, html))
    expect(`${callback.origin}${callback.pathname}`).toBe(REDIRECT)
    const said = new URLSearchParams(callback.search || callback.hash.slice(1))
    expect(said.get('error')).toMatch(/invalid_|unsupported_|login_required/)
  })
})

const letIn = onFirstUse(async () => {
  const flow = await begin(world)
  await consent(world, flow)
  return flow
}).get

test.each([
  ['an unknown one', 'https://evil.example/callback'],
  ['a longer one', `${REDIRECT}/more`],
  ['one with user information', 'http://127.0.0.1:33418@evil.example/callback'],
])('nobody is sent to an address that is not registered: %s', async (_what, redirect_uri) => {
  const { url } = await begin(world, { redirect_uri })
  const answer = await world.browser().get(url)
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
})

test('a loopback redirect may have any port', async () => {
  const { url } = await begin(world, { redirect_uri: 'http://127.0.0.1:60123/callback' })
  expect((await world.browser().get(url)).status).toBe(303)
})

test('a code that is used twice takes the tokens of its first use along', async () => {
  const flow = await begin(world)
  const callback = await consent(world, flow)
  const tokens = await exchange(flow, callback)
  expect((await me(world, tokens.access_token)).status).toBe(200)
  await expect(exchange(flow, callback)).rejects.toThrow('server responded with an error')
  expect((await me(world, tokens.access_token)).status).toBe(401)
  expect((await refresh(flow, tokens.refresh_token!)).status).toBe(400)
})

test('of two exchanges of a code at the same moment one gets tokens, and they end with the other', async () => {
  const { db } = world.world
  const flow = await begin(world)
  const callback = await consent(world, flow)
  const held = await openTransaction(db)
  await held.tx`select from oauth_artifact where model = 'AuthorizationCode' for update`
  const exchanges = Promise.allSettled([exchange(flow, callback), exchange(flow, callback)])
  // Both have read the code as unused.
  await untilBlocked(db, 2)
  await held.commit()
  const outcomes = await exchanges
  const [tokens, ...more] = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(more).toEqual([])
  expect(refused).toMatchObject([{ error: 'invalid_grant', status: 400 }])
  expect((await me(world, tokens!.access_token)).status).toBe(401)
  expect((await refresh(flow, tokens!.refresh_token!)).status).toBe(400)
})

test('a wrong verifier, and another client, get nothing for a code', async () => {
  const flow = await begin(world)
  const callback = await consent(world, flow)
  await expect(exchange({ ...flow, verifier: oauth.generateRandomCodeVerifier() }, callback)).rejects.toThrow(
    'server responded with an error',
  )

  const second = await begin(world)
  const stranger = await register(second.as)
  await expect(exchange({ ...second, client: stranger }, await consent(world, second))).rejects.toThrow(
    'server responded with an error',
  )
})

test('every answer names the issuer, so that a client of several servers cannot mix them up', async () => {
  const flow = await begin(world)
  const callback = await consent(world, flow)
  expect(callback.searchParams.get('iss')).toBe(flow.as.issuer)
  const other = { ...flow.as, issuer: 'https://other.example' }
  expect(() => oauth.validateAuthResponse(other, flow.client, callback, flow.state)).toThrow(/"iss"/)

  const { url } = await begin(world, { code_challenge_method: 'plain' }, flow.client)
  const refused = await world.browser().follow(await world.browser().get(url))
  expect(refused.url.searchParams.get('iss')).toBe(flow.as.issuer)
})

test('a refresh token is of no use to another client, and stays good for its own', async () => {
  const flow = await begin(world)
  const tokens = await exchange(flow, await consent(world, flow))
  const stranger = { ...flow, client: await register(flow.as) }
  expect((await refresh(stranger, tokens.refresh_token!)).status).toBe(400)
  expect((await refresh(flow, tokens.refresh_token!)).status).toBe(200)
})

test('fifty refreshes of one token at once all succeed; a use after the grace ends the whole family', async () => {
  const { db } = world.world
  const flow = await begin(world)
  const tokens = await exchange(flow, await consent(world, flow))
  const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(flow, tokens.refresh_token!)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
  const renewed = (await answers[0]!.json()) as oauth.TokenEndpointResponse
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
  expect((await me(world, renewed.access_token)).status).toBe(200)

  await db`update oauth_artifact set consumed_at = consumed_at - interval '2 minutes' where consumed_at is not null`
  expect((await refresh(flow, tokens.refresh_token!)).status).toBe(400)
  expect((await me(world, renewed.access_token)).status).toBe(401)
  expect((await refresh(flow, renewed.refresh_token!)).status).toBe(400)
})

test('a refresh cannot ask for more than was granted', async () => {
  const flow = await begin(world, { scope: 'posts:read' })
  const tokens = await exchange(flow, await consent(world, flow))
  const more = await oauth.refreshTokenGrantRequest(
    ...([flow.as, flow.client, oauth.None(), tokens.refresh_token!] as const),
    { additionalParameters: { scope: 'posts:read posts:write' }, ...insecure },
  )
  expect(more.status).toBe(400)
  expect(await more.json()).toMatchObject({ error: 'invalid_scope' })
})

test('an expired token, a removed member and a stranger’s revocation', async () => {
  const { db } = world.world
  const flow = await begin(world)
  const tokens = await exchange(flow, await consent(world, flow))
  const stranger = await register(flow.as)
  const revocation = await oauth.revocationRequest(
    flow.as,
    stranger,
    oauth.None(),
    tokens.access_token,
    insecure,
  )
  // RFC 7009, section 2.2: a token that is not the client's is answered as one that does not exist.
  expect(revocation.status).toBe(200)
  expect((await me(world, tokens.access_token)).status).toBe(200)

  await db`update member set removed_at = now()`
  expect((await me(world, tokens.access_token)).status).toBe(401)
  await db`update member set removed_at = null`
  await db`update oauth_artifact set expires_at = now() - interval '1 second' where model = 'AccessToken'`
  expect((await me(world, tokens.access_token)).status).toBe(401)
})

test('a token opens the resource that it was given for, to the scope that it has, and no other', async () => {
  const { db } = world.world
  const flow = await begin(world, { scope: 'posts:read posts:write' })
  const tokens = await exchange(
    flow,
    await consent(world, flow, consentForm(world, ['posts:read', 'posts:write'])),
  )
  const permissions = async () => {
    const answer = await (await me(world, tokens.access_token)).json()
    return (answer as { credential: { permissions: string[] } }).credential.permissions
  }
  expect(await permissions()).toEqual(['posts:read', 'posts:write'])
  await db`update member set role = 'viewer' where id = ${world.workspace.memberId}`
  expect(await permissions()).toEqual(['posts:read'])
  await db`update member set role = 'owner' where id = ${world.workspace.memberId}`
  const setToken = (change: { scope: string } | { aud: string }) =>
    db`update oauth_artifact set payload = payload || ${db.json(change)} where model = 'AccessToken'`
  await setToken({ scope: 'posts:read ai:generate' })
  expect(await permissions()).toEqual(['posts:read'])
  await setToken({ aud: 'https://another.example/agent/v1' })
  expect((await me(world, tokens.access_token)).status).toBe(401)
})

test('the apps of whoever is removed are cut off, and stay so when they come back', async () => {
  const { db } = world.world
  const { workspaceId, memberId, caller } = world.workspace
  const back = { workspaceId, personId: caller.member.personId, role: 'owner' } as const
  const authorizeApp = async () => {
    const flow = await begin(world)
    return { flow, tokens: await exchange(flow, await consent(world, flow)) }
  }
  const expectCutOff = async ({ flow, tokens }: Awaited<ReturnType<typeof authorizeApp>>) => {
    expect((await refresh(flow, tokens.refresh_token!)).status).toBe(400)
    expect((await me(world, tokens.access_token)).status).toBe(401)
  }

  const app = await authorizeApp()
  const writing = await accessTokens(world.resource).find(db, app.tokens.access_token)
  await db.begin((tx) => endMembership(tx, workspaceId, memberId, endCredentials))
  await expectCutOff(app)
  // A write that was let in before the removal, and that begins after it.
  await expect(db.begin(async (tx) => writing?.hold?.(tx))).rejects.toThrow(ChangedMeanwhile)
  await db.begin((tx) => insertMember(tx, back))
  await expectCutOff(app)

  expect((await me(world, (await authorizeApp()).tokens.access_token)).status).toBe(200)
})

test('a server whose first request of OAuth finds no database serves the next one', async () => {
  await using fresh = await openOAuthWorld()
  const { db } = fresh.world
  const metadata = `${fresh.baseUrl}/.well-known/oauth-authorization-server/oauth`
  await db`alter table installation rename to installation_away`
  expect((await fetch(metadata)).status).toBe(500)
  await db`alter table installation_away rename to installation`
  expect((await fetch(metadata)).status).toBe(200)
})

test('the secrets of the authorization server cannot be read in the database', async () => {
  const flow = await begin(world)
  const callback = await consent(world, flow)
  const tokens = await exchange(flow, callback)
  const rows = await world.world
    .db`select t::text as row from oauth_artifact t union all select t::text from oauth_grant t`
  const text = rows.map((one) => String(one['row'])).join('\n')
  for (const secret of [tokens.access_token, tokens.refresh_token!, callback.searchParams.get('code')!]) {
    expect(text).not.toContain(secret)
  }
})
