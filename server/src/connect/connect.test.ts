import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aBrowser } from '../../test/rigs/connect-browser.ts'
import { connectParts, baseUrl } from '../../test/rigs/connect-world.ts'
import { exampleProvider } from '../../test/rigs/example-network.ts'
import { openFileWorld } from '../../test/rigs/file-world.ts'
import { aWorkspace, openTransaction, untilBlocked } from '../../test/rigs/fixtures.ts'
import { untilLocked } from '../../test/rigs/publishing-store.ts'
import { enabledChannels } from '../channels/channel-store.ts'
import { makeKeyring } from '../platform/sealing.ts'
import { endSession, endSessions, listSessions, openSession } from '../sign-in/session-store.ts'
import type { ConnectTarget } from './connect-account.ts'
import { connectByForm } from './connect-by-form.ts'
import { finishFlow, makeLink } from './connect-flow.ts'
import { deleteOldFlows, readOutcome } from './connect-flow-store.ts'

const { world } = await openFileWorld()
const keyring = makeKeyring([randomBytes(32)])
const OPERATOR = { type: 'operator', id: null, name: 'command line', personId: null } as const

async function aLink(
  wish: { channelId?: string; workspaceId?: string; actor?: ConnectTarget['actor'] } = {},
) {
  const parts = connectParts(world.db, { keyring })
  const workspaceId = wish.workspaceId ?? (await aWorkspace(world.db)).workspaceId
  const target = { workspaceId, channelId: wish.channelId ?? null, actor: wish.actor ?? OPERATOR }
  const { id, url } = await makeLink(parts, target, 'example', baseUrl)
  const link = new URL(url).searchParams.get('link') ?? ''
  return { parts, workspaceId, id, url, link, browser: aBrowser(parts) }
}

/** Goes to the network with a link, and gives the state with which it sends people back. */
async function goAway(
  { browser, link }: Awaited<ReturnType<typeof aLink>>,
  form: Record<string, string> = {},
) {
  const away = await browser.post('/connect/example', { link, ...form })
  expect(away.statusCode).toBe(303)
  return new URL(String(away.headers['location'])).searchParams
}

function channelsOf(workspaceId: string) {
  return enabledChannels(world.db, workspaceId)
}

describe('by OAuth', () => {
  test('a link leads to the network and back, and the account is connected', async () => {
    const flow = await aLink()
    const { browser, workspaceId, id, parts } = flow
    const page = await browser.get(flow.url)
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('Connect your Example account')
    const policy = page.headers['content-security-policy']
    expect(policy).toContain("form-action 'self' https: http:; frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|script-src/)
    expect(page.headers).toMatchObject({ 'x-frame-options': 'DENY', 'referrer-policy': 'same-origin' })
    // Whoever opened it may wait for it to come back.
    expect(page.headers).not.toHaveProperty('cross-origin-opener-policy')

    const sent = await goAway(flow)
    expect(sent.get('redirect_uri')).toBe(`${baseUrl}/connect/example/callback`)
    expect(sent.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    parts.server.codes.set('c1', 'ada')
    const back = await browser.get(`/connect/example/callback?code=c1&state=${sent.get('state')}`)
    expect(back.statusCode).toBe(200)
    expect(back.body).toContain('@ada is connected')

    const [channel] = await channelsOf(workspaceId)
    expect(channel).toMatchObject({ provider: 'example', handle: 'ada', displayName: 'ADA' })
    expect(await readOutcome(world.db, id)).toMatchObject({ is: 'connected', channelId: channel?.channelId })
    const [act] = await world.db`
      select action, actor_type as "actorType", subject from audit_entry where workspace_id = ${workspaceId}`
    expect(act).toEqual({
      ...{ action: 'connectChannel', actorType: 'operator' },
      subject: { channelId: channel?.channelId },
    })
  })

  test('the cookie is for these pages alone, and no script reads it', async () => {
    const { browser, link } = await aLink()
    const { headers } = await browser.post('/connect/example', { link })
    expect(headers['set-cookie']).toMatch(
      /^postrider-connect-[0-9a-f-]{36}=[\w-]{43}; Path=\/connect; Max-Age=900; HttpOnly; SameSite=Lax; Secure$/,
    )
  })

  test.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a host beside ours', { origin: 'https://evil.postrider.example', 'sec-fetch-site': 'same-site' }],
    ['a page that hides where it is', { origin: 'null' }],
    ['nobody knows where', {}],
  ])('a form from %s sends nobody to the network, and the link stays usable', async (_, sentFrom) => {
    const flow = await aLink()
    const forced = await flow.browser.post('/connect/example', { link: flow.link }, sentFrom)
    expect([forced.statusCode, forced.headers['location'], forced.headers['set-cookie']]).toEqual([
      403,
      undefined,
      undefined,
    ])
    expect((await flow.browser.get(flow.url)).statusCode).toBe(200)
    await goAway(flow)
  })

  test('a flow at whose return this server fails ends, with a reason', async () => {
    const flow = await aLink()
    const state = (await goAway(flow)).get('state') ?? ''
    flow.parts.server.codes.set('c1', 'ada')
    const unseal = () => {
      throw new Error('the key is lost')
    }
    const parts = { ...flow.parts, keyring: { ...flow.parts.keyring, unseal } }
    await expect(
      finishFlow(parts, exampleProvider, { code: 'c1', state }, () => flow.browser.cookieValue()),
    ).rejects.toThrow('the key is lost')
    expect(await readOutcome(world.db, flow.id)).toMatchObject({ is: 'refused', code: 'server_fault' })
    const back = await flow.browser.get(`/connect/example/callback?code=c1&state=${state}`)
    expect(back.body).toContain('sign-in expired')
    expect(await channelsOf(flow.workspaceId)).toEqual([])
  })

  test.each([
    [
      'another browser',
      'another browser',
      (_: string, browser: ReturnType<typeof aBrowser>) => browser.forgetCookies(),
    ],
    [
      'another cookie under the right name',
      'another browser',
      (_: string, browser: ReturnType<typeof aBrowser>) =>
        browser.changeCookies(() => randomBytes(32).toString('base64url')),
    ],
    [
      'a cookie that is one character off',
      'another browser',
      (_: string, browser: ReturnType<typeof aBrowser>) =>
        browser.changeCookies(
          (value) => `${value.slice(0, -2)}${value.at(-2) === 'A' ? 'B' : 'A'}${value.at(-1)}`,
        ),
    ],
    [
      'an empty cookie',
      'another browser',
      (_: string, browser: ReturnType<typeof aBrowser>) => browser.changeCookies(() => ''),
    ],
    ['a state of nobody', 'can no longer|sign-in expired', (state: string) => `${state}x`],
    ['no state at all', 'sign-in expired', () => ''],
  ])('%s brings nothing back, and changes nothing', async (_, words, change) => {
    const flow = await aLink()
    const state = (await goAway(flow)).get('state') ?? ''
    flow.parts.server.codes.set('c1', 'ada')
    const changed = change(state, flow.browser) ?? state
    const back = await flow.browser.get(`/connect/example/callback?code=c1&state=${changed}`)
    expect(back.statusCode).toBe(422)
    expect(back.body).toMatch(new RegExp(words))
    expect(await channelsOf(flow.workspaceId)).toEqual([])
    expect(flow.parts.server.asked.get('/token')).toBeUndefined()
  })

  test('what came back once cannot come back again', async () => {
    const flow = await aLink()
    const state = (await goAway(flow)).get('state')
    flow.parts.server.codes.set('c1', 'ada')
    const address = `/connect/example/callback?code=c1&state=${state}`
    const all = await Promise.all(Array.from({ length: 5 }, () => flow.browser.get(address)))
    expect(all.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200, 422, 422, 422, 422,
    ])
    expect(flow.parts.server.asked.get('/token')).toBe(1)
  })

  test('after ten minutes neither the link nor the way back can be used', async () => {
    const flow = await aLink()
    const late = () => world.db`update connect_flow set expires_at = now() where id = ${flow.id}`
    const state = (await goAway(flow)).get('state')
    await late()
    const back = await flow.browser.get(`/connect/example/callback?code=c1&state=${state}`)
    expect(back.statusCode).toBe(422)
    expect(await readOutcome(world.db, flow.id)).toBe('over')

    const unused = await aLink()
    await world.db`update connect_flow set expires_at = now() where id = ${unused.id}`
    expect((await unused.browser.get(unused.url)).statusCode).toBe(404)
    expect((await unused.browser.post('/connect/example', { link: unused.link })).statusCode).toBe(404)
  })

  test('a link goes to the network once', async () => {
    const flow = await aLink()
    await goAway(flow)
    expect((await flow.browser.get(flow.url)).statusCode).toBe(404)
    expect((await flow.browser.post('/connect/example', { link: flow.link })).statusCode).toBe(404)
  })

  test('what is filled in wrong is said, and the link stays usable', async () => {
    const flow = await aLink()
    const wrong = await flow.browser.post('/connect/example', { link: flow.link, name: 'nobody' })
    expect(wrong.statusCode).toBe(422)
    expect(wrong.body).toContain('Nobody has this name.')
    await goAway(flow, { name: 'ada' })
  })

  test.each([
    ['error=access_denied', 'access was refused', 'denied'],
    ['error=server_error', 'server_error', 'authorization_failed'],
    ['error=%3Cscript%3E', 'an unknown error', 'authorization_failed'],
    ['', 'neither a code nor a reason', 'authorization_failed'],
  ])('the network says %j', async (query, words, code) => {
    const flow = await aLink()
    const state = (await goAway(flow)).get('state')
    const back = await flow.browser.get(`/connect/example/callback?state=${state}&${query}`)
    expect(back.body).toContain(words)
    expect(back.body).not.toContain('<script>')
    expect(await readOutcome(world.db, flow.id)).toMatchObject({ is: 'refused', code })
    expect(await channelsOf(flow.workspaceId)).toEqual([])
  })

  test('a scope that was not allowed makes no channel', async () => {
    const flow = await aLink()
    const state = (await goAway(flow)).get('state')
    flow.parts.server.codes.set('c1', 'reader')
    const back = await flow.browser.get(`/connect/example/callback?code=c1&state=${state}`)
    expect(back.body).toContain('Allow posting, too.')
    expect(await channelsOf(flow.workspaceId)).toEqual([])
  })

  describe('by a link that a member made', () => {
    async function aLinkOfOwner() {
      const { workspaceId, memberId, caller } = await aWorkspace(world.db)
      const { personId, name } = caller.member
      const flow = await aLink({ workspaceId, actor: { type: 'person', id: personId, name, personId } })
      const state = (await goAway(flow)).get('state') ?? ''
      flow.parts.server.codes.set('c1', 'ada')
      const comeBack = () => flow.browser.get(`/connect/example/callback?code=c1&state=${state}`)
      return { ...flow, memberId, personId, state, comeBack }
    }

    test('an account is connected in their name', async () => {
      const { workspaceId, comeBack } = await aLinkOfOwner()
      expect((await comeBack()).statusCode).toBe(200)
      expect(await channelsOf(workspaceId)).toHaveLength(1)
    })

    test('neither the link nor the way back can be used once their other sessions were ended', async () => {
      const { id, workspaceId, comeBack, personId, ...flow } = await aLinkOfOwner()
      const unused = await aLink({
        workspaceId,
        actor: { type: 'person', id: personId, name: 'Ada', personId },
      })
      const others = await aLink({ workspaceId })
      await endSessions(world.db, personId)

      expect((await comeBack()).statusCode).toBe(422)
      expect(await readOutcome(world.db, id)).toBe('over')
      expect((await unused.browser.get(unused.url)).statusCode).toBe(404)
      expect((await flow.browser.post('/connect/example', { link: unused.link })).statusCode).toBe(404)
      expect(await channelsOf(workspaceId)).toEqual([])
      expect((await others.browser.get(others.url)).statusCode).toBe(200)
    })

    test.each([
      ['signed out everywhere', (personId: string) => endSessions(world.db, personId)],
      [
        'ended one session',
        async (personId: string) => {
          await openSession(world.db, personId, { address: '127.0.0.1', userAgent: null })
          const [session] = await listSessions(world.db, personId)
          await endSession(world.db, personId, session?.sessionId ?? '')
        },
      ],
    ])(
      'nothing is connected when they have %s while the network is asked for the account',
      async (_, change) => {
        const flow = await aLinkOfOwner()
        const { parts, workspaceId, id, personId } = flow
        const call: typeof parts.tools.call = async (request, ...rest) => {
          if (request.url.pathname === '/token') await change(personId)
          return parts.tools.call(request, ...rest)
        }
        const asking = { ...parts, tools: { ...parts.tools, call } }
        const result = await finishFlow(asking, exampleProvider, { code: 'c1', state: flow.state }, () =>
          flow.browser.cookieValue(),
        )
        expect(result).toMatchObject({ is: 'refused', code: 'flow_over' })
        expect(parts.server.asked.get('/token')).toBe(1)
        expect(await readOutcome(world.db, id)).toMatchObject({ is: 'refused', code: 'flow_over' })
        expect(await world.db`select from channel where workspace_id = ${workspaceId}`).toEqual([])
      },
    )

    test.each(['committed', 'about to be committed'])(
      'nothing is connected when a sign-out is %s after the account began to be stored',
      async (when) => {
        const { parts, personId, workspaceId, browser, state } = await aLinkOfOwner()
        const tableLock = await openTransaction(world.db)
        await tableLock.tx`lock table channel in share mode`
        const back = finishFlow(parts, exampleProvider, { code: 'c1', state }, () => browser.cookieValue())
        await untilBlocked(world.db)
        const signOut = await openTransaction(world.db)
        await endSessions(signOut.tx, personId)
        if (when === 'committed') await signOut.commit()
        await tableLock.commit()
        if (when !== 'committed') {
          await untilLocked(world.db, 'from connect_flow')
          await signOut.commit()
        }
        expect(await back).toMatchObject({ is: 'refused', code: 'flow_over' })
        expect(await world.db`select from channel where workspace_id = ${workspaceId}`).toEqual([])
      },
    )

    test.each([
      ['left the workspace', (id: string) => world.db`update member set removed_at = now() where id = ${id}`],
      ['lost the right', (id: string) => world.db`update member set role = 'editor' where id = ${id}`],
    ])('nothing is connected once they have %s', async (_, change) => {
      const { id, workspaceId, memberId, comeBack } = await aLinkOfOwner()
      await change(memberId)
      const back = await comeBack()
      expect(back.statusCode).toBe(422)
      expect(back.body).toContain('can no longer connect accounts')
      expect(await readOutcome(world.db, id)).toMatchObject({ is: 'refused', code: 'not_permitted' })
      expect(await world.db`select from channel where workspace_id = ${workspaceId}`).toEqual([])
      expect(await world.db`select from audit_entry where workspace_id = ${workspaceId}`).toEqual([])
    })
  })

  test('the client is registered once for all accounts of a server', async () => {
    await world.db`delete from network_client`
    const flow = await aLink()
    await goAway(flow)
    const { id, ...another } = await aLink()
    expect(id).not.toBe(flow.id)
    const parts = connectParts(world.db, { keyring, server: flow.parts.server })
    await goAway({ ...another, id, parts, browser: aBrowser(parts) })
    expect(flow.parts.server.asked.get('/register')).toBe(1)
  })

  test('nothing that is kept tells a secret', async () => {
    const flow = await aLink()
    await goAway(flow)
    const [row] = await world.db<{ text: string }[]>`
      select f::text || (select string_agg(c::text, '') from network_client c) as text
      from   connect_flow f
      where  f.id = ${flow.id}`
    expect(row?.text).not.toMatch(/kept-by-the-adapter|secret-of-the-client/)
    expect(row?.text).not.toContain(flow.link)
  })

  test('an unknown network, and one without OAuth, have no pages', async () => {
    const { browser, link } = await aLink()
    for (const name of ['nothing', '__proto__', 'sandbox-short']) {
      expect((await browser.get(`/connect/${name}?link=${link}`)).statusCode).toBe(404)
      expect((await browser.get(`/connect/${name}/callback?state=x`)).statusCode).toBe(404)
    }
  })
})

describe('reconnecting', () => {
  async function connectedAda() {
    const parts = connectParts(world.db, { keyring })
    const { workspaceId } = await aWorkspace(world.db)
    const target = { workspaceId, channelId: null, actor: OPERATOR }
    const made = await connectByForm(parts, target, exampleProvider, { name: 'ada', token: 't' })
    if (made.is !== 'connected') throw new Error(made.detail)
    return { parts, workspaceId, channelId: made.channelId }
  }

  test('the same account keeps its channel', async () => {
    const { parts, workspaceId, channelId } = await connectedAda()
    const target = { workspaceId, channelId, actor: OPERATOR }
    const again = await connectByForm(parts, target, exampleProvider, { name: 'ada', token: 't' })
    expect(again).toMatchObject({ is: 'connected', channelId, reconnected: true })
    expect(await channelsOf(workspaceId)).toHaveLength(1)
  })

  test('another account is refused, and leaves the channel as it is', async () => {
    const { parts, workspaceId, channelId } = await connectedAda()
    const before = await world.db`select * from channel where id = ${channelId}`
    const target = { workspaceId, channelId, actor: OPERATOR }
    const other = await connectByForm(parts, target, exampleProvider, { name: 'bob', token: 't' })
    expect(other).toMatchObject({ is: 'refused', code: 'another_account' })
    expect('detail' in other && other.detail).toBe(
      'This channel belongs to @ada, and access was given to @bob. Sign in to Example as @ada and try again, or connect @bob as a channel of its own.',
    )
    expect(await world.db`select * from channel where id = ${channelId}`).toEqual(before)
    expect(await channelsOf(workspaceId)).toHaveLength(1)
  })
})

describe('by a form', () => {
  test.each([
    [{ token: 't' }, 'invalid_field', 'Name is needed.'],
    [{ name: 'a', token: 't' }, 'invalid_field', 'Name must not have fewer than 2 characters.'],
    [{ name: 'ada', token: ' ' }, 'invalid_field', 'Token is needed.'],
    [{ name: 'reader', token: 't' }, 'missing_scope', 'Allow posting, too.'],
  ])('%j is refused', async (fields, code, detail) => {
    const { workspaceId } = await aWorkspace(world.db)
    const target = { workspaceId, channelId: null, actor: OPERATOR }
    const result = await connectByForm(connectParts(world.db, { keyring }), target, exampleProvider, fields)
    expect(result).toMatchObject({ is: 'refused', code, detail })
    expect(await channelsOf(workspaceId)).toEqual([])
  })

  test.each([
    ['ADDRESS_REFUSED', 'refused', /private/],
    ['ENOTFOUND', 'unavailable', /can’t reach Example \(ENOTFOUND\).*this server’s connection/],
    ['TIMEOUT', 'unavailable', /did not answer/],
  ])('a server that is %s', async (reason, is, words) => {
    const { workspaceId } = await aWorkspace(world.db)
    const target = { workspaceId, channelId: null, actor: OPERATOR }
    const silent = async () => ({ arrived: false, maybeSent: false, reason, durationMs: 1 }) as const
    const parts = connectParts(world.db, { keyring, call: silent })
    const result = await connectByForm(parts, target, exampleProvider, { name: 'ada', token: 't' })
    expect(result).toMatchObject({ is, detail: expect.stringMatching(words) })
  })
})

test('flows are removed a day after they ended', async () => {
  const [old, young] = [await aLink(), await aLink()]
  await world.db`update connect_flow set expires_at = now() - interval '25 hours' where id = ${old.id}`
  await deleteOldFlows(world.db, 1_000)
  const left = await world.db<{ id: string }[]>`
    select id from connect_flow where id = any(${[old.id, young.id]}::uuid[])`
  expect(left).toEqual([{ id: young.id }])
})
