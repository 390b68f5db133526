import { expect, test } from 'vitest'
import { hoursAhead } from '../../../test/rigs/file-world.ts'
import { aChannel, aWorkspace, openTransaction, untilBlocked } from '../../../test/rigs/fixtures.ts'
import { begin, consent, consentForm, exchange, me } from '../../../test/rigs/oauth-flow.ts'
import { openSession } from '../sign-in/session/session-store.ts'
import { Browser, openOAuthWorld, type OAuthWorld, textOf } from '../../../test/rigs/oauth-world.ts'

const REDIRECT = 'https://agent.example/callback'

/** A client that is registered, and the address at which it asks for access. */
async function anAuthorization(
  { baseUrl, resource }: OAuthWorld,
  client_name = 'An agent',
  redirect = REDIRECT,
): Promise<string> {
  const answer = await fetch(`${baseUrl}/oauth/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name, redirect_uris: [redirect], token_endpoint_auth_method: 'none' }),
  })
  const { client_id } = (await answer.json()) as { client_id: string }
  const challenge = {
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  const query = {
    client_id,
    redirect_uri: redirect,
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
  expect(page).toContain('Its name isn’t verified')
  expect(page.match(/name="permission"/g)).toHaveLength(2)
  expect(page).toContain('Create and change posts.')
  expect(page).toContain(world.workspace.workspaceId)
  expect(answer.headers.get('content-security-policy')).toMatch(
    /form-action 'self' https:\/\/agent\.example; frame-ancestors 'none'/,
  )
  expect(answer.headers.get('x-frame-options')).toBe('DENY')
})

test('where access goes stands in a line of its own, in ASCII, and no name can change how it reads', async () => {
  await using world = await openOAuthWorld()
  const { db } = world.world
  const shown = async (redirect: string, name: string, stored = name) => {
    const url = new URL(await anAuthorization(world, name, redirect))
    // Whatever is stored.
    await db`update oauth_artifact set payload = payload || ${db.json({ client_name: stored })} where model = 'Client'`
    const owner = world.browser()
    const { answer } = await owner.follow(await owner.get(url))
    return textOf(answer)
  }
  const idn = await shown('https://cl\u0430ude.com/callback', 'Claude')
  expect(idn).toContain('Access goes to</p> <p><strong><bdi>xn--clude-5ve.com</bdi></strong></p>')

  const scheme = await shown('moc.edualc:/callback', 'An agent', 'Claude\u202E')
  expect(scheme).toContain(
    'opens addresses beginning with</p> <p><strong><bdi>moc.edualc:</bdi></strong></p>',
  )
  expect(scheme).not.toContain('\u202E')
  expect(scheme).toContain('<h1>Allow <bdi>Claude</bdi> access?</h1>')
  const long = await shown('https://agent.example/callback', 'An agent', 'x'.repeat(5_000))
  expect(long).toContain(`<h1>Allow <bdi>${'x'.repeat(100)}</bdi> access?</h1>`)
  const blank = await shown('https://agent.example/callback', 'An agent', '\u200B\u200B')
  expect(blank).toContain('<h1>Allow <bdi>agent.example</bdi> access?</h1>')
})

test('a form that was shown to one session is not taken from another one of the same browser', async () => {
  await using world = await openOAuthWorld()
  const { db } = world.world
  const owner = world.browser()
  const page = await owner.follow(await owner.get(await anAuthorization(world)))
  const form = consentForm(world, ['posts:read'])
  const before = owner.hidden
  // The person signs in again, in the same browser: another one, perhaps.
  const session = await openSession(db, world.workspace.caller.member.personId, {
    address: '127.0.0.1',
    userAgent: null,
  })
  owner.keep('postrider', session)
  const answer = await owner.submit(page.url, form)
  expect(answer.status).toBe(422)
  expect(await answer.text()).toContain('signed in again since this page was shown')
  expect(await db`select from oauth_grant`).toHaveLength(0)
  expect(owner.hidden).not.toEqual(before)

  // It was shown to this session now.
  expect((await owner.submit(page.url, form)).status).toBe(303)
  expect(await db`select from oauth_grant`).toHaveLength(1)
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

test('a form whose person is signed out everywhere while it is under way lets nothing in', async () => {
  await using world = await openOAuthWorld()
  const { db } = world.world
  const owner = world.browser()
  const page = await owner.follow(await owner.get(await anAuthorization(world)))
  const form = consentForm(world, ['posts:read'])
  const changing = await openTransaction(db)
  await changing.tx`delete from session`
  const sent = owner.submit(page.url, form)
  await Promise.race([sent, untilBlocked(db)])
  await changing.commit()
  expect((await sent).headers.get('location')).toMatch(/^\/sign-in\?next=/)
  expect(await db`select from oauth_grant`).toEqual([])
})

test('a form whose proof of identity grows old while it is under way lets nothing in', async () => {
  await using world = await openOAuthWorld()
  const { db } = world.world
  const owner = world.browser()
  const page = await owner.follow(await owner.get(await anAuthorization(world)))
  const form = consentForm(world, ['posts:read'])
  // What the library stores of the grant, between the look at the proof and the transaction, waits for this.
  const changing = await openTransaction(db)
  await changing.tx`lock table oauth_artifact in share mode`
  const sent = owner.submit(page.url, form)
  await untilBlocked(db)
  await db`update session set proved_at = now() - interval '1 hour'`
  await changing.commit()
  expect((await sent).headers.get('location')).toMatch(/^\/prove\?next=/)
  expect(await db`select from oauth_grant`).toEqual([])
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

test('whoever is taken out of the workspace while their form is on its way lets nobody in', async () => {
  await using world = await openOAuthWorld()
  const { db } = world.world
  const owner = world.browser()
  const page = await owner.follow(await owner.get(await anAuthorization(world)))
  const removing = await openTransaction(db)
  await removing.tx`update member set removed_at = now()`
  const submitted = owner.submit(page.url, consentForm(world, ['posts:read']))
  await Promise.race([untilBlocked(db), submitted])
  await removing.commit()
  const answer = await submitted
  expect(answer.status).toBe(422)
  expect(await answer.text()).toContain('no longer a member')
  expect(await db`select 1 from oauth_grant`).toHaveLength(0)
})

test('the person narrows the app as an agent key can be narrowed, and says for how long it is let in', async () => {
  await using world = await openOAuthWorld()
  const { db } = world.world
  const channelId = await aChannel(db, world.workspace.workspaceId, { displayName: 'News' })
  await aChannel(db, world.workspace.workspaceId, { displayName: 'Private' })
  const flow = await begin(world, { scope: null })
  const owner = world.browser()
  const page = await owner.follow(await owner.get(flow.url))
  expect(await textOf(page.answer)).toMatch(
    /name="channelId" value="[^"]+" \/>News \(@a-channel, sandbox-short\)/,
  )
  const narrowed: [string, string][] = [
    ...consentForm(world, ['posts:read', 'posts:write', 'channels:read']),
    ...(
      [
        ['channelId', channelId],
        ['postsPerDay', '3'],
        ['daysAhead', '14'],
        ['days', '7'],
      ] as const
    ).map(([name, value]): [string, string] => [name, value]),
    ['draftsOnly', 'on'],
  ]
  const { access_token } = await exchange(flow, await consent(world, flow, narrowed))

  const limits = {
    channelIds: [channelId],
    postsPerDay: 3,
    publishWithinHours: 336,
    draftsOnly: true,
    networks: null,
    approval: null,
  }
  const credential = (await (await me(world, access_token)).json()) as { credential: { limits: object } }
  expect(credential.credential.limits).toMatchObject({
    channelIds: [channelId],
    postsPerDay: 3,
    draftsOnly: true,
  })
  const ask = (path: string, body?: object) =>
    fetch(`${world.resource}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  expect(await (await ask('/channels')).json()).toMatchObject([{ channelId }])
  const post = { confirmed: true, idempotencyKey: 'k', channelIds: [channelId], text: 'Hello' }
  const scheduled = await ask('/posts', { ...post, state: 'scheduled', publishAt: hoursAhead(1) })
  expect(await scheduled.json()).toMatchObject({ code: 'credential_limit', limit: 'draftsOnly' })

  const entries = await db`select actor_type, action, after from audit_entry`
  expect(entries).toMatchObject([
    {
      actor_type: 'person',
      action: 'connectApp',
      after: { clientName: 'An agent', clientOrigin: '127.0.0.1', limits, days: 7 },
    },
  ])

  const [grant] = await db`select expires_at - created_at as lasts, limits from oauth_grant`
  expect(String(grant!['lasts'])).toBe('7 days')
  await db`update oauth_grant set expires_at = now()`
  expect((await me(world, access_token)).status).toBe(401)
})

test('what is no limit is told, changes nothing, and leaves the form as it was', async () => {
  await using world = await openOAuthWorld()
  const { db } = world.world
  const { workspaceId } = await aWorkspace(db)
  const foreign = await aChannel(db, workspaceId)
  const flow = await begin(world)
  const owner = world.browser()
  const page = await owner.follow(await owner.get(flow.url))
  const wrong: [string, string, string][] = [
    ['postsPerDay', '0', 'Posts a day'],
    ['postsPerDay', '2.5', 'Posts a day'],
    ['postsPerDay', 'many', 'Posts a day'],
    ['daysAhead', '0', 'Days ahead'],
    ['daysAhead', '4000', 'Days ahead'],
    ['channelId', foreign, 'You chose a channel'],
    ['channelId', 'x', 'Channels'],
    ['days', '8', 'For how long'],
  ]
  for (const [name, value, told] of wrong) {
    const answer = await owner.submit(page.url, [...consentForm(world, ['channels:read']), [name, value]])
    const text = await textOf(answer)
    expect({ name, value, status: answer.status }).toEqual({ name, value, status: 422 })
    expect(text).toContain(`role="alert">${told}`)
    expect(text).toMatch(/value="channels:read" checked/)
    expect(text).toMatch(/value="posts:read" \/>/)
  }
  expect(await db`select from oauth_grant`).toHaveLength(0)
})
