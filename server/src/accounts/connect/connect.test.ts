import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aBrowser } from '../../../test/rigs/connect-browser.ts'
import { connectParts, baseUrl } from '../../../test/rigs/connect-world.ts'
import { exampleProvider } from '../../../test/rigs/example-network.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aWorkspace, openTransaction, untilBlocked } from '../../../test/rigs/fixtures.ts'
import { untilLocked } from '../../../test/rigs/publishing-store.ts'
import { enabledChannels } from '../../networks/channels/channel-store.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import {
  endSession,
  endSessions,
  listSessions,
  openSession,
} from '../../people/sign-in/session/session-store.ts'
import type { ConnectTarget } from './connect-account.ts'
import { connectByForm } from './connect-by-form.ts'
import { choose, finishFlow, makeLink, openChoice } from './connect-flow.ts'
import { deleteOldFlows } from './connect-flow-store.ts'

const { world } = await openFileWorld()
const keyring = makeKeyring([randomBytes(32)])
const OPERATOR = { type: 'operator', id: null, name: 'command line', personId: null } as const

async function aLink(
  requested: {
    channelId?: string
    workspaceId?: string
    actor?: ConnectTarget['actor']
    wanted?: readonly string[]
  } = {},
) {
  const parts = connectParts(world.db, { keyring })
  const workspaceId = requested.workspaceId ?? (await aWorkspace(world.db)).workspaceId
  const target = { workspaceId, channelId: requested.channelId ?? null, actor: requested.actor ?? OPERATOR }
  const { id, url } = await makeLink(parts, target, 'example', baseUrl, {}, requested.wanted)
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

/** How a flow ended; `over` when its time is, and null while nothing has come of it. */
async function readOutcome(id: string) {
  const [row] = await world.db<{ outcome: unknown; isOver: boolean }[]>`
    select outcome, expires_at <= now() as "isOver" from connect_flow where id = ${id}`
  return row === undefined || (row.outcome === null && row.isOver) ? 'over' : row.outcome
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
    expect(await readOutcome(id)).toMatchObject({ is: 'connected', channelId: channel?.channelId })
    const [act] = await world.db`
      select action, actor_type as "actorType", subject from audit_entry where workspace_id = ${workspaceId}`
    expect(act).toEqual({
      action: 'connectChannel',
      actorType: 'operator',
      subject: { channelId: channel?.channelId },
    })
  })

  test('the cookie is for these pages alone, and no script reads it', async () => {
    const { browser, link } = await aLink()
    const { headers } = await browser.post('/connect/example', { link })
    expect(headers['set-cookie']).toMatch(
      /^postrider-connect-[0-9a-f-]{36}=[\w-]{43}; Path=\/connect; Max-Age=1500; HttpOnly; SameSite=Lax; Secure$/,
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
    expect(await readOutcome(flow.id)).toMatchObject({ is: 'refused', code: 'server_fault' })
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
    expect(await readOutcome(flow.id)).toBe('over')

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
    expect(await readOutcome(flow.id)).toMatchObject({ is: 'refused', code })
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
      expect(await readOutcome(id)).toBe('over')
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
        expect(await readOutcome(id)).toMatchObject({ is: 'refused', code: 'flow_over' })
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
      expect(await readOutcome(id)).toMatchObject({ is: 'refused', code: 'not_permitted' })
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

describe('with a choice of accounts', () => {
  /** A browser that is back from the network, with access to these accounts. */
  async function comeBackWith(names: string, requested: Parameters<typeof aLink>[0] = {}) {
    const flow = await aLink(requested)
    const state = (await goAway(flow)).get('state') ?? ''
    flow.parts.server.codes.set('c1', names)
    const back = await flow.browser.get(`/connect/example/callback?code=c1&state=${state}`)
    return { ...flow, state, back }
  }

  async function aChoice(requested: Parameters<typeof aLink>[0] = {}) {
    const flow = await comeBackWith('ada,bob,cleo,', requested)
    expect(flow.back.statusCode).toBe(303)
    expect(flow.back.headers['location']).toBe(`/connect/example/choose?flow=${flow.id}`)
    return {
      ...flow,
      page: () => flow.browser.get(`/connect/example/choose?flow=${flow.id}`),
      choose: (...accounts: readonly string[]) =>
        flow.browser.postAll('/connect/example/choose', [
          ['flow', flow.id],
          ...accounts.map((account): [string, string] => ['account', account]),
        ]),
    }
  }

  async function handlesOf(workspaceId: string) {
    const rows = await world.db<{ handle: string }[]>`
      select handle from channel where workspace_id = ${workspaceId} order by handle`
    return rows.map(({ handle }) => handle)
  }

  test('the person chooses, and those accounts are connected together', async () => {
    const { id, workspaceId, page, choose } = await aChoice()
    const shown = await page()
    expect(shown.statusCode).toBe(200)
    for (const name of ['ADA', 'BOB', 'CLEO']) expect(shown.body).toContain(name)
    expect(shown.headers['content-security-policy']).toContain("form-action 'self';")
    expect(await readOutcome(id)).toBeNull()
    expect(await handlesOf(workspaceId)).toEqual([])

    const chosen = await choose('cleo', 'ada')
    expect(chosen.statusCode).toBe(200)
    expect(chosen.body).toContain('2 accounts are connected')
    expect(chosen.body).toContain('@ada and @cleo')
    expect(await handlesOf(workspaceId)).toEqual(['ada', 'cleo'])
    expect(await readOutcome(id)).toMatchObject({
      is: 'connected',
      handle: 'ada',
      others: [{ handle: 'cleo', reconnected: false, resumed: 0 }],
    })
    const acts = await world.db`
      select after ->> 'handle' as handle from audit_entry
      where  workspace_id = ${workspaceId} and action = 'connectChannel' order by 1`
    expect(acts).toEqual([{ handle: 'ada' }, { handle: 'cleo' }])
  })

  test('nothing of the accounts is readable while the person chooses, or kept after it', async () => {
    const { id, choose } = await aChoice()
    const row = async () => {
      const [kept] = await world.db<{ text: string; sealed: boolean }[]>`
        select f::text as text, kept_sealed is not null as sealed from connect_flow f where id = ${id}`
      return kept
    }
    expect((await row())?.sealed).toBe(true)
    // Ids and what is sealed are hexadecimal, in which "ada" can stand.
    const readable = (await row())?.text.replaceAll(/[0-9a-f-]{12,}/g, '')
    expect(readable).not.toMatch(/ada|bob|access-|refresh-/)
    await choose('ada')
    expect((await row())?.sealed).toBe(false)
  })

  test('what the workspace has already is marked, and gets its new access', async () => {
    const first = await aChoice()
    await first.choose('bob')
    const { workspaceId } = first
    const { page, choose, id } = await aChoice({ workspaceId })
    expect((await page()).body.match(/connected already/g)).toHaveLength(1)
    await choose('ada', 'bob')
    expect(await handlesOf(workspaceId)).toEqual(['ada', 'bob'])
    expect(await readOutcome(id)).toMatchObject({
      handle: 'ada',
      reconnected: false,
      others: [{ handle: 'bob', reconnected: true }],
    })
  })

  test('of a single account there is nothing to choose', async () => {
    const { back, workspaceId } = await comeBackWith('ada,')
    expect(back.body).toContain('@ada is connected')
    expect(await handlesOf(workspaceId)).toEqual(['ada'])
  })

  test('a choice of nothing can be made again', async () => {
    const { workspaceId, choose } = await aChoice()
    for (const none of [[], ['nobody'], ['']]) {
      const answer = await choose(...none)
      expect(answer.statusCode).toBe(422)
      expect(answer.body).toContain('Choose at least one account.')
    }
    expect(await handlesOf(workspaceId)).toEqual([])
    expect((await choose('ada')).body).toContain('@ada is connected')
  })

  test('it is made once, however often it is sent', async () => {
    const { workspaceId, choose, page, id } = await aChoice()
    const all = await Promise.all(['ada', 'bob', 'cleo', 'ada', 'bob'].map((name) => choose(name)))
    expect(all.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200, 422, 422, 422, 422,
    ])
    const [only, ...more] = await handlesOf(workspaceId)
    expect(more).toEqual([])
    expect(await readOutcome(id)).toMatchObject({ is: 'connected', handle: only })
    expect((await page()).statusCode).toBe(422)
  })

  test('one that is over, or taken by another form, leaves the outcome to that one', async () => {
    const first = await aChoice()
    await first.choose('ada')
    const { parts, browser, id, workspaceId } = await aChoice({ workspaceId: first.workspaceId })
    const open = async () => {
      const choice = await openChoice(parts, exampleProvider, id, () => browser.cookieValue())
      if ('is' in choice) throw new Error(choice.detail)
      return choice
    }
    const shown = await open()
    await world.db`update connect_flow set expires_at = now() where id = ${id}`
    expect(await choose(parts, exampleProvider, shown, ['ada'])).toMatchObject({ code: 'flow_over' })
    await world.db`update connect_flow set expires_at = now() + interval '1 minute' where id = ${id}`

    const busy = await openTransaction(world.db)
    await busy.tx`lock table destination in access exclusive mode`
    const taken = choose(parts, exampleProvider, await open(), ['ada'])
    await untilBlocked(world.db)
    expect(await choose(parts, exampleProvider, shown, ['bob'])).toMatchObject({ code: 'flow_over' })
    expect(await readOutcome(id)).toBeNull()
    await busy.commit()
    expect(await taken).toMatchObject({ is: 'connected', handle: 'ada', reconnected: true })
    expect(await readOutcome(id)).toMatchObject({ is: 'connected' })
    expect(await handlesOf(workspaceId)).toEqual(['ada'])
  })

  test.each([
    ['without its cookie', (browser: ReturnType<typeof aBrowser>) => browser.forgetCookies()],
    [
      'with another cookie',
      (browser: ReturnType<typeof aBrowser>) =>
        browser.changeCookies(() => randomBytes(32).toString('base64url')),
    ],
  ])('a browser %s neither sees it nor makes it', async (_, change) => {
    const { browser, page, choose, workspaceId } = await aChoice()
    change(browser)
    const seen = await page()
    expect(seen.statusCode).toBe(422)
    expect(seen.body).not.toContain('ADA')
    expect((await choose('ada')).body).toContain('another browser')
    expect(await handlesOf(workspaceId)).toEqual([])
  })

  test('who has a choice of their own can neither see nor make that of others, nor take accounts of it', async () => {
    const theirs = await aChoice()
    const own = await comeBackWith('dora,emil,')
    // The name of a cookie says which flow it is for: the value of their own is no proof for another.
    for (const name of [own.id, theirs.id]) {
      const forged = aBrowser(own.parts)
      forged.takeCookies({ cookies: () => `postrider-connect-${name}=${own.browser.cookieValue()}` })
      const seen = await forged.get(`/connect/example/choose?flow=${theirs.id}`)
      expect([seen.statusCode, seen.body.includes('ADA')]).toEqual([422, false])
      const made = await forged.post('/connect/example/choose', { flow: theirs.id, account: 'ada' })
      expect(made.body).toContain('another browser')
    }
    const made = await own.browser.postAll('/connect/example/choose', [
      ...([
        ['flow', own.id],
        ['account', 'dora'],
        ['account', 'ada'],
      ] as [string, string][]),
    ])
    expect(made.body).toContain('@dora is connected')
    expect([await handlesOf(own.workspaceId), await handlesOf(theirs.workspaceId)]).toEqual([['dora'], []])
    expect((await theirs.choose('ada')).body).toContain('@ada is connected')
  })

  test('coming back again gives no second choice, before it is made or after it', async () => {
    const { browser, parts, state, workspaceId, choose } = await aChoice()
    const again = async () => {
      parts.server.codes.set('c2', 'ada,zoe,')
      return browser.get(`/connect/example/callback?code=c2&state=${state}`)
    }
    expect((await again()).body).toContain('sign-in expired')
    expect((await choose('zoe')).statusCode).toBe(422)
    expect((await choose('bob')).body).toContain('@bob is connected')
    expect((await again()).body).toContain('sign-in expired')
    expect(await handlesOf(workspaceId)).toEqual(['bob'])
  })

  test('a form of another site makes no choice', async () => {
    const { browser, id, workspaceId } = await aChoice()
    const sentFrom = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const forced = await browser.post('/connect/example/choose', { flow: id, account: 'ada' }, sentFrom)
    expect(forced.statusCode).toBe(403)
    expect(await handlesOf(workspaceId)).toEqual([])
  })

  test.each(['', 'x', '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', "'; drop table channel"])(
    'a flow of the name %j is over',
    async (name) => {
      const { browser } = await aChoice()
      const seen = await browser.get(`/connect/example/choose?flow=${encodeURIComponent(name)}`)
      expect([seen.statusCode, seen.body.includes('sign-in expired')]).toEqual([422, true])
    },
  )

  test('a browser that is not back yet has nothing to choose of', async () => {
    const flow = await aLink()
    await goAway(flow)
    const answer = await flow.browser.post('/connect/example/choose', { flow: flow.id, account: 'ada' })
    expect(answer.body).toContain('sign-in expired')
  })

  test('after ten minutes it is over', async () => {
    const { id, page, choose, workspaceId } = await aChoice()
    await world.db`update connect_flow set expires_at = now() where id = ${id}`
    expect((await page()).statusCode).toBe(422)
    expect((await choose('ada')).statusCode).toBe(422)
    expect(await readOutcome(id)).toBe('over')
    expect(await handlesOf(workspaceId)).toEqual([])
  })

  test('when one of the accounts cannot be stored, none is, and the choice stays', async () => {
    const { parts, id, browser, workspaceId, choose } = await aChoice()
    let stored = 0
    const seal: typeof keyring.seal = (...args) => {
      if (stored++ === 1) throw new Error('the key is lost')
      return keyring.seal(...args)
    }
    const failing = aBrowser({ ...parts, keyring: { ...keyring, seal } })
    failing.takeCookies(browser)
    const failed = await failing.postAll('/connect/example/choose', [
      ['flow', id],
      ['account', 'ada'],
      ['account', 'bob'],
    ])
    expect([failed.statusCode, stored]).toEqual([500, 2])
    expect(await handlesOf(workspaceId)).toEqual([])
    expect((await choose('ada', 'bob')).statusCode).toBe(200)
  })

  describe('by a link that a member made', () => {
    async function aChoiceOfOwner() {
      const { workspaceId, memberId, caller } = await aWorkspace(world.db)
      const { personId, name } = caller.member
      const actor = { type: 'person', id: personId, name, personId } as const
      return { ...(await aChoice({ workspaceId, actor })), memberId, personId }
    }

    test('nothing is chosen once their sessions were ended, and nothing is kept', async () => {
      const { id, workspaceId, personId, page, choose } = await aChoiceOfOwner()
      await endSessions(world.db, personId)
      expect((await page()).statusCode).toBe(422)
      expect((await choose('ada')).statusCode).toBe(422)
      expect(await readOutcome(id)).toBe('over')
      expect(await handlesOf(workspaceId)).toEqual([])
      const kept = await world.db`select from connect_flow where id = ${id} and kept_sealed is not null`
      expect(kept).toEqual([])
    })

    test.each([
      ['left the workspace', (id: string) => world.db`update member set removed_at = now() where id = ${id}`],
      ['lost the right', (id: string) => world.db`update member set role = 'editor' where id = ${id}`],
    ])('nothing is connected once they have %s', async (_, change) => {
      const { id, workspaceId, memberId, choose } = await aChoiceOfOwner()
      await change(memberId)
      expect((await choose('ada', 'bob')).body).toContain('can no longer connect accounts')
      expect(await readOutcome(id)).toMatchObject({ is: 'refused', code: 'not_permitted' })
      expect(await handlesOf(workspaceId)).toEqual([])
    })

    test('nothing is connected when a sign-out is committed after the accounts began to be stored', async () => {
      const { personId, workspaceId, choose } = await aChoiceOfOwner()
      const tableLock = await openTransaction(world.db)
      await tableLock.tx`lock table channel in share mode`
      const chosen = choose('ada', 'bob')
      await untilBlocked(world.db)
      await endSessions(world.db, personId)
      await tableLock.commit()
      expect((await chosen).statusCode).toBe(422)
      expect(await handlesOf(workspaceId)).toEqual([])
    })

    test('a sign-out that began while the accounts were about to be kept ends the flow', async () => {
      const { workspaceId, caller } = await aWorkspace(world.db)
      const { personId, name } = caller.member
      const flow = await aLink({ workspaceId, actor: { type: 'person', id: personId, name, personId } })
      const state = (await goAway(flow)).get('state') ?? ''
      const { parts } = flow
      parts.server.codes.set('c1', 'ada,bob,')
      // What is kept is written by a statement that began before the sign-out, and gets the row after it.
      const tableLock = await openTransaction(world.db)
      const call: typeof parts.tools.call = async (...asked) => {
        await tableLock.tx`lock table connect_flow in share mode`
        return parts.tools.call(...asked)
      }
      const asking = { ...parts, tools: { ...parts.tools, call } }
      const back = finishFlow(asking, exampleProvider, { code: 'c1', state }, () =>
        flow.browser.cookieValue(),
      )
      await untilBlocked(world.db)
      const signOut = await openTransaction(world.db)
      await signOut.tx`select from connect_flow where id = ${flow.id} for update`
      await tableLock.commit()
      await endSessions(signOut.tx, personId)
      await signOut.commit()
      expect(await back).toMatchObject({ is: 'refused', code: 'flow_over' })
      const kept = await world.db`select from connect_flow where id = ${flow.id} and choosing`
      expect(kept).toEqual([])
    })
  })

  describe('made before the sign-in', () => {
    test.each([
      [['bob'], ['bob']],
      [
        ['@Ada', 'cleo'],
        ['ada', 'cleo'],
      ],
      [['ADA', 'ada'], ['ada']],
    ])('%j connects %j', async (wanted, handles) => {
      const { back, workspaceId } = await comeBackWith('ada,bob,cleo,', { wanted })
      expect(back.statusCode).toBe(200)
      expect(await handlesOf(workspaceId)).toEqual(handles)
    })

    test('a name that means no account, or two, connects nothing and says which there are', async () => {
      for (const wanted of [['ada', 'dora'], ['']]) {
        const { back, id, workspaceId } = await comeBackWith('ada,bob,', { wanted })
        expect(back.statusCode).toBe(422)
        expect(back.body).toContain('ADA (ada), BOB (bob)')
        expect(await readOutcome(id)).toMatchObject({ is: 'refused', code: 'no_such_account' })
        expect(await handlesOf(workspaceId)).toEqual([])
      }
      const flow = await aLink({ wanted: ['Twin'] })
      flow.parts.server.change('ada', { displayName: 'Twin' })
      flow.parts.server.change('bob', { displayName: 'Twin' })
      const state = (await goAway(flow)).get('state') ?? ''
      flow.parts.server.codes.set('c1', 'ada,bob,')
      const back = await flow.browser.get(`/connect/example/callback?code=c1&state=${state}`)
      expect(back.body).toContain('“Twin” is not exactly one')
    })
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

  test.each([
    ['its own account among several', 'bob,ada,', '@ada is reconnected'],
    ['other accounts alone', 'bob,cleo,', 'access was given to other accounts'],
    ['another one of several', 'bob,', 'access was given to @bob'],
  ])('of %s, a channel takes its own', async (_, names, words) => {
    const { workspaceId, channelId } = await connectedAda()
    const flow = await aLink({ workspaceId, channelId })
    const state = (await goAway(flow)).get('state') ?? ''
    flow.parts.server.codes.set('c1', names)
    const back = await flow.browser.get(`/connect/example/callback?code=c1&state=${state}`)
    expect(back.body).toContain(words)
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
    [{ token: 't' }, 'invalid_field', 'Name is required.'],
    [{ name: 'a', token: 't' }, 'invalid_field', 'Name must not have fewer than 2 characters.'],
    [{ name: 'ada', token: ' ' }, 'invalid_field', 'Token is required.'],
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
