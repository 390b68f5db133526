import * as oauth from 'oauth4webapi'
import { afterAll, describe, expect, test } from 'vitest'
import {
  begin,
  consent,
  consentForm,
  exchange,
  type Flow,
  me,
  REDIRECT,
  refresh,
} from '../../../test/rigs/oauth-flow.ts'
import { Browser, type OAuthWorld, openOAuthWorld, textOf } from '../../../test/rigs/oauth-world.ts'
import { sendHeld } from '../../../test/rigs/send-held.ts'
import { OPEN_INTERACTIONS, UNUSED_CLIENTS } from './artifact-store.ts'
import { revokeGrant } from './app-grant-store.ts'

/* What outsiders try against the authorization server: floods, secrets that are wrong, and requests that arrive late. */

const world = await openOAuthWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { db } = world.world

const CLIENT = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' }

function register({ baseUrl }: Pick<OAuthWorld, 'baseUrl'>, body: object = CLIENT): Promise<Response> {
  return fetch(`${baseUrl}/oauth/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

const count = async (fresh: OAuthWorld, model: string) =>
  (await fresh.world.db`select from oauth_artifact where model = ${model}`).length

describe('a flood', () => {
  test('of registrations from other addresses keeps no app out, and no app that a person has let in goes', async () => {
    await using fresh = await openOAuthWorld()
    const authorizeApp = await begin(fresh)
    const tokens = await exchange(authorizeApp, await consent(fresh, authorizeApp))
    await fresh.world.db`
      insert into oauth_artifact (model, id_hash, payload, created_at)
      select 'Client', sha256(convert_to(n::text, 'utf8')), '{}', now() - interval '1 hour'
      from   generate_series(1, ${UNUSED_CLIENTS + 50}) as n`

    const flow = await begin(fresh)
    expect(await count(fresh, 'Client')).toBeLessThanOrEqual(UNUSED_CLIENTS + 1)
    const ofFlow = await exchange(flow, await consent(fresh, flow))
    expect((await me(fresh, ofFlow.access_token)).status).toBe(200)
    expect((await refresh(authorizeApp, tokens.refresh_token!)).status).toBe(200)
  })

  test('of authorizations leaves so many rows, and the newest ones, and those that are decided', async () => {
    await using fresh = await openOAuthWorld()
    await fresh.world.db`
      insert into oauth_artifact (model, id_hash, payload, created_at, expires_at)
      select 'Interaction', sha256(convert_to(n::text, 'utf8')),
             case when n = 1 then '{"result":{}}'::jsonb else '{}'::jsonb end,
             now() - interval '1 minute', now() + interval '29 minutes'
      from   generate_series(1, ${OPEN_INTERACTIONS + 50}) as n`
    const flow = await begin(fresh)
    await exchange(flow, await consent(fresh, flow))
    expect(await count(fresh, 'Interaction')).toBeLessThanOrEqual(OPEN_INTERACTIONS + 1)
    expect(await fresh.world.db`select from oauth_artifact where payload ? 'result'`).toHaveLength(1)
  })

  test('of one address ends at its limit, before anything is stored', async () => {
    await using fresh = await openOAuthWorld({ authorizationsPerMinute: 3 })
    const { url } = await begin(fresh)
    const answers = []
    for (let n = 0; n < 5; n++) answers.push(await new Browser(fresh.baseUrl).get(url))
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 429, 429])
    const refused = answers[4]!
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' })
    expect(await count(fresh, 'Interaction')).toBe(3)
  })

  test('leaves nothing of the library’s sessions', async () => {
    await using fresh = await openOAuthWorld()
    const flow = await begin(fresh)
    await exchange(flow, await consent(fresh, flow))
    expect(await count(fresh, 'Session')).toBe(0)
  })
})

describe('a scope', () => {
  test.each(['everything', 'openid profile', 'posts:READ', 'posts:read,posts:write', '*'])(
    'of which nothing is known is refused: %s',
    async (scope) => {
      const { url } = await begin(world, { scope })
      const answer = await world.browser().get(url)
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_scope' }])
    },
  )

  test('with something known in it asks for that alone', async () => {
    const flow = await begin(world, { scope: 'openid posts:read everything' })
    const owner = world.browser()
    const { answer } = await owner.follow(await owner.get(flow.url))
    const page = await textOf(answer)
    expect(page.match(/name="permission" value="[^"]+"/g)).toEqual(['name="permission" value="posts:read"'])
  })

  test('that is empty is none', async () => {
    const { url } = await begin(world, { scope: '' })
    const owner = world.browser()
    const { answer } = await owner.follow(await owner.get(url))
    expect((await answer.text()).match(/name="permission"/g)).toHaveLength(7)
  })
})

describe('what the database cannot hold', () => {
  /** Some of what the library stores, and of what it has never heard of. */
  const parameters = ['state', 'nonce', 'display', 'ui_locales', 'scope', 'resource', 'redirect_uri', 'foo\0']
  const fields = ['client_name', 'redirect_uris', 'initiate_login_uri', 'software_id', 'foo', 'foo\0']

  test.each(parameters)('is refused in an authorization, in %j', async (name) => {
    const { url } = await begin(world)
    for (const [value, status] of [
      ['a', ['redirect_uri', 'scope', 'resource', 'nonce'].includes(name) ? 400 : 303],
      ['a\0', 400],
    ] as const) {
      if (name.endsWith('\0') && status === 303) continue
      const asked = new URL(url)
      asked.searchParams.set(name, value)
      const answer = await world.browser().get(asked)
      expect(answer.status).toBe(status)
      if (status === 400) expect(await answer.json()).toHaveProperty('error_description')
    }
  })

  test.each(fields)('is refused in a registration, in %j', async (name) => {
    for (const text of ['http://127.0.0.1/\0', '\ud800', 'a\udc00b']) {
      const value = name === 'redirect_uris' ? [REDIRECT, text] : text
      const answer = await register(world, { ...CLIENT, [name]: value })
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_request' }])
    }
  })
})

test.each(['form_post', 'fragment', 'web_message', 'jwt', 'form_post.jwt'])(
  'an answer is asked for by %s: it is refused, and no page with a script is sent',
  async (response_mode) => {
    const { url } = await begin(world, { response_mode })
    const answer = await world.browser().get(url)
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'unsupported_response_mode' }])
  },
)

/** An app with a secret, and what the owner let it in for. */
async function withSecret(): Promise<{ flow: Flow; callback: URL; secret: string }> {
  const answer = await register(world, { ...CLIENT, token_endpoint_auth_method: 'client_secret_post' })
  const client = (await answer.json()) as { client_id: string; client_secret: string }
  const flow = await begin(world, {}, client)
  return { flow, callback: await consent(world, flow), secret: client.client_secret }
}

type Fields = Record<string, string>

async function post(path: string, fields: Fields): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${world.baseUrl}${path}`, { method: 'POST', body: new URLSearchParams(fields) })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
}

/** As long as the right one, and wrong in one character. */
const wrong = (value: string) => `${value.slice(0, -2)}${value.at(-2) === 'x' ? 'y' : 'x'}${value.at(-1)}`

describe('with one field wrong, no request of a client', () => {
  /** Sends it with each field wrong and then with each left out; then as it should be, which succeeds. */
  async function walk(path: string, good: Fields, optional: readonly string[] = []): Promise<any> {
    const tokens = async () => (await db`select from oauth_artifact where model = 'AccessToken'`).length
    const before = await tokens()
    for (const name of Object.keys(good)) {
      const { [name]: value = '', ...others } = good
      const bad = [{ ...good, [name]: wrong(value) }, ...(optional.includes(name) ? [] : [others])]
      for (const fields of bad) {
        const { status, body } = await post(path, fields)
        expect({ name, status }).toEqual({ name, status: status === 401 ? 401 : 400 })
        expect(body).toMatchObject({
          error: expect.stringMatching(/^[a-z_]+$/),
          error_description: expect.any(String),
        })
      }
    }
    expect(await tokens()).toBe(before)
    const { status, body } = await post(path, good)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body
  }

  test('gets tokens for a code or a refresh token', async () => {
    const { flow, callback, secret } = await withSecret()
    const client = { client_id: flow.client.client_id, client_secret: secret }
    const { resource } = world
    const code = callback.searchParams.get('code')!
    const { refresh_token } = await walk(
      '/oauth/token',
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        code_verifier: flow.verifier,
        ...client,
      },
      // OAuth 2.1 asks for no redirect_uri here: the verifier proves more.
      ['redirect_uri'],
    )
    const good = { grant_type: 'refresh_token', refresh_token, scope: 'posts:read', resource, ...client }
    const { access_token } = await walk('/oauth/token', good, ['resource', 'scope'])
    expect((await me(world, access_token)).status).toBe(200)
  })

  test('ends anything', async () => {
    const { flow, callback, secret } = await withSecret()
    const fields = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code_verifier: flow.verifier }
    const code = callback.searchParams.get('code')!
    const own = { client_id: flow.client.client_id, client_secret: secret }
    const { body } = await post('/oauth/token', { ...fields, code, ...own })
    const token = body.access_token as string
    for (const bad of [
      { token, ...own, client_secret: wrong(secret) },
      { token, client_id: own.client_id },
      { token, ...own, client_id: wrong(own.client_id) },
    ])
      expect([400, 401]).toContain((await post('/oauth/token/revocation', bad)).status)
    // RFC 7009, section 2.2: there is nothing to end.
    expect((await post('/oauth/token/revocation', { ...own, token: wrong(token) })).status).toBe(200)
    expect((await me(world, token)).status).toBe(200)
    expect((await post('/oauth/token/revocation', { ...own, token })).status).toBe(200)
    expect((await me(world, token)).status).toBe(401)
  })
})

test('a way back that is not the browser’s own, or not decided about, gives no code', async () => {
  const flow = await begin(world)
  const owner = world.browser()
  const page = await owner.follow(await owner.get(flow.url))
  const uid = page.url.pathname.split('/').at(-1)!
  const cookie = owner.cookie
  const resume = async (id: string, sent: string) => {
    const answer = await fetch(`${world.baseUrl}/oauth/auth/${id}`, {
      redirect: 'manual',
      headers: { cookie: sent },
    })
    return [answer.status, answer.headers.get('location')?.includes('code=') ?? false]
  }
  expect(await resume(uid, '')).toEqual([400, false])
  expect(await resume(uid, cookie.replaceAll(uid, wrong(uid)))).toEqual([400, false])
  // What the person has not decided is asked again.
  expect(await resume(uid, cookie)).toEqual([303, false])
})

describe('a request whose body is held back', () => {
  async function authorizeApp() {
    const flow = await begin(world)
    const callback = await consent(world, flow)
    const { workspaceId } = world.workspace
    const [grant] = await db<{ id: string }[]>`
      select id from oauth_grant where client_id = ${flow.client.client_id}`
    return { flow, callback, revoke: () => revokeGrant(db, workspaceId, grant!.id) }
  }

  test('gets no tokens for a code or a refresh token of an app that was cut off meanwhile', async () => {
    const token = `${world.baseUrl}/oauth/token`
    const first = await authorizeApp()
    const { client_id } = first.flow.client
    const code = first.callback.searchParams.get('code')!
    const byCode: [string, string][] = Object.entries({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id,
      code_verifier: first.flow.verifier,
    })
    const answer = await sendHeld(token, byCode, {}, first.revoke)
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { error: 'invalid_grant' }])

    const second = await authorizeApp()
    const tokens = await exchange(second.flow, second.callback)
    const byRefresh: [string, string][] = Object.entries({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token!,
      client_id: second.flow.client.client_id,
    })
    const refused = await sendHeld(token, byRefresh, {}, second.revoke)
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([400, { error: 'invalid_grant' }])
  })

  test('lets no app in after its person has signed out, left, or was signed out everywhere', async () => {
    const endings: [string, (fresh: OAuthWorld) => Promise<unknown>, number][] = [
      ['signed out', ({ world: { db } }) => db`delete from session`, 303],
      [
        'must prove again',
        ({ world: { db } }) => db`update session set proved_at = now() - interval '1 hour'`,
        303,
      ],
      ['left', ({ world: { db } }) => db`update member set removed_at = now()`, 422],
    ]
    for (const [what, end, status] of endings) {
      await using fresh = await openOAuthWorld()
      const owner = fresh.browser()
      const flow = await begin(fresh)
      const page = await owner.follow(await owner.get(flow.url))
      const form = [...owner.hidden, ...consentForm(fresh)]
      const headers = { cookie: owner.cookie, 'sec-fetch-site': 'same-origin' }
      const answer = await sendHeld(page.url.href, form, headers, () => end(fresh))
      expect([what, answer.status, answer.location?.includes('/oauth/auth/') ?? false]).toEqual([
        what,
        status,
        false,
      ])
      expect(await fresh.world.db`select from oauth_grant`).toHaveLength(0)
    }
  })
})

test('of refreshes that race with the end of their grant none leaves a token that works', async () => {
  for (let n = 0; n < 5; n++) {
    const flow = await begin(world)
    const tokens = await exchange(flow, await consent(world, flow))
    const ending = oauth.revocationRequest(flow.as, flow.client, oauth.None(), tokens.refresh_token!, {
      [oauth.allowInsecureRequests]: true,
    })
    const refreshes = await Promise.all(Array.from({ length: 4 }, () => refresh(flow, tokens.refresh_token!)))
    expect((await ending).status).toBe(200)
    for (const answer of refreshes) {
      if (answer.status !== 200) continue
      const renewed = (await answer.json()) as { access_token: string; refresh_token: string }
      expect((await me(world, renewed.access_token)).status).toBe(401)
      expect((await refresh(flow, renewed.refresh_token)).status).toBe(400)
    }
  }
})
