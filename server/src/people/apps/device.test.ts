import { afterAll, describe, expect, test } from 'vitest'
import { aPerson } from '../../../test/rigs/people-world.ts'
import { aWorkspace, openTransaction, untilBlocked } from '../../../test/rigs/fixtures.ts'
import { beginDevice, type Device, DEVICE_GRANT, poll } from '../../../test/rigs/oauth-device.ts'
import { consentForm, me } from '../../../test/rigs/oauth-flow.ts'
import { Browser, type OAuthWorld, openOAuthWorld, textOf } from '../../../test/rigs/oauth-world.ts'
import { sendHeld } from '../../../test/rigs/send-held.ts'
import { openSession } from '../sign-in/session/session-store.ts'
import { revokeGrant } from './app-grant-store.ts'
import { OPEN_INTERACTIONS, pruneArtifacts } from './artifact-store.ts'
import { readCode } from './device-codes.ts'

/* A program without a browser shows a code (RFC 8628): a person enters it elsewhere, and decides. */

const world = await openOAuthWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { db } = world.world

const PAGE = '/device'
const enter = (browser: Browser, code: string) => browser.submit(PAGE, [['code', code]])

/** The page with what the device asks for, in a browser of the owner. */
async function entered(
  device: Device,
  browser = world.browser(),
): Promise<{ browser: Browser; page: string }> {
  const answer = await enter(browser, device.answer.user_code)
  expect(answer.status).toBe(200)
  return { browser, page: await textOf(answer) }
}

async function allow(device: Device, form = consentForm(world)): Promise<Response> {
  const { browser } = await entered(device)
  return browser.submit(PAGE, form)
}

/** Lets the times of the device pass by so much. */
const later = (interval: string) => db`
  update oauth_artifact
  set    used_at = used_at - ${interval}::interval, created_at = created_at - ${interval}::interval,
         expires_at = expires_at - ${interval}::interval
  where  model = 'DeviceCode'`

async function another(fresh: OAuthWorld = world) {
  const person = await aPerson(fresh.world.db, { name: 'Grace' })
  const client = { address: '127.0.0.1', userAgent: null }
  const session = await openSession(fresh.world.db, person.personId, client)
  return { person, browser: new Browser(fresh.baseUrl, [['postrider', session]]) }
}

test('a person enters the code, sees who asks and from where, and the device gets what was ticked', async () => {
  const device = await beginDevice(world)
  expect(device.answer).toMatchObject({
    verification_uri: `${world.baseUrl}${PAGE}`,
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    expires_in: 600,
    interval: 5,
  })
  // A link with the code in it would lead people past the look at what they allow.
  expect(device.answer.verification_uri_complete).toBeUndefined()

  const owner = world.browser()
  expect(await textOf(await owner.get(PAGE))).toContain('Enter the code that the program shows')
  const { page } = await entered(device, owner)
  for (const shown of [
    'Allow <bdi>An agent</bdi> access?',
    'Its name isn’t verified',
    device.answer.user_code,
    'It asked just now, from the address',
    '127.0.0.1',
    'If another person sent it to you, close this page',
    world.workspace.workspaceId,
    'You are signed in as Ada.',
  ])
    expect(page).toContain(shown)
  expect(page.match(/name="permission"/g)).toHaveLength(2)

  const decided = await owner.submit(PAGE, consentForm(world, ['posts:read', 'posts:write']))
  expect([decided.status, await textOf(decided)]).toEqual([200, expect.stringContaining('Access allowed')])
  const { status, body } = await poll(device)
  expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'Bearer', scope: 'posts:read' } })
  const answer = await me(world, body.access_token)
  expect(await answer.json()).toMatchObject({
    workspace: { id: world.workspace.workspaceId },
    credential: { type: 'oauth', name: 'An agent', permissions: ['posts:read'] },
  })
  expect(await db`select subject, address from audit_entry where action = 'connectApp'`).toHaveLength(1)
})

test('a device that waits is told so, and to slow down when it asks too soon; an answer does not wait', async () => {
  const device = await beginDevice(world)
  const pending = { status: 400, body: { error: 'authorization_pending' } }
  expect(await poll(device)).toMatchObject(pending)
  expect(await poll(device)).toMatchObject({ status: 400, body: { error: 'slow_down' } })
  await later('5 seconds')
  expect(await poll(device)).toMatchObject(pending)
  expect((await allow(device)).status).toBe(200)
  expect((await poll(device)).status).toBe(200)
})

test('a device that a person denies is told so, however often it asks', async () => {
  const device = await beginDevice(world)
  const { browser } = await entered(device)
  expect(await textOf(await browser.submit(PAGE, [['decision', 'deny']]))).toContain('Access denied')
  for (let n = 0; n < 2; n++)
    expect(await poll(device)).toMatchObject({ status: 400, body: { error: 'access_denied' } })
  expect((await enter(world.browser(), device.answer.user_code)).status).toBe(404)
})

test('a code that has expired lets nobody in, and its device hears so for an hour', async () => {
  const device = await beginDevice(world)
  const { browser } = await entered(device)
  await later('11 minutes')
  const late = await browser.submit(PAGE, consentForm(world))
  expect([late.status, await textOf(late)]).toEqual([
    404,
    expect.stringContaining('No device waits under this code'),
  ])
  await pruneArtifacts(db, 1_000)
  expect(await poll(device)).toMatchObject({ status: 400, body: { error: 'expired_token' } })
  await later('1 hour')
  await pruneArtifacts(db, 1_000)
  expect(await poll(device)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('a device code that is used twice takes the tokens of its first use along', async () => {
  const device = await beginDevice(world)
  await allow(device)
  const { body } = await poll(device)
  expect((await me(world, body.access_token)).status).toBe(200)
  expect(await poll(device)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await me(world, body.access_token)).status).toBe(401)
})

test('a device code is its client’s: another client gets nothing for it, and takes nothing from it', async () => {
  const [device, other] = [await beginDevice(world), await beginDevice(world)]
  await allow(device)
  expect(await poll({ ...device, client: other.client })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
  expect((await poll(device)).status).toBe(200)
})

test('of two decisions at the same moment one counts, and the other person is told', async () => {
  const device = await beginDevice(world)
  const { client_id } = device.client
  const [one, two] = [await entered(device), await entered(device)]
  const held = await openTransaction(db)
  await held.tx`select from oauth_artifact where model = 'DeviceCode' for update`
  const both = Promise.all([
    one.browser.submit(PAGE, consentForm(world, ['posts:read'])),
    two.browser.submit(PAGE, [['decision', 'deny']]),
  ])
  await untilBlocked(db, 2)
  await held.commit()
  expect((await both).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
  const grants = await db`select from oauth_grant where client_id = ${client_id}`
  const { status } = await poll(device)
  expect([grants.length, status]).toEqual(status === 200 ? [1, 200] : [0, 400])
})

test('neither code is stored as it is', async () => {
  const device = await beginDevice(world)
  const [row] = await db<{ text: string }[]>`
    select string_agg(a::text, ' ') as text from oauth_artifact a where model = 'DeviceCode'`
  expect(row!.text).not.toContain(device.answer.device_code)
  expect(row!.text).not.toContain(readCode(device.answer.user_code)!)
})

test.each(['', 'BCDF', 'bcdf-ghja', '🄱CDFGHJK', 'BCDF-GHJK-L', "' or 1=1 --"])(
  'what is no code is told as one that nobody waits under: %j',
  async (code) => {
    const answer = await enter((await another()).browser, code)
    expect([answer.status, await textOf(answer)]).toEqual([404, expect.stringContaining('No device waits')])
  },
)

test('a code is taken in small letters and however it is spaced', async () => {
  const device = await beginDevice(world)
  const typed = ` ${device.answer.user_code.toLowerCase().replace('-', ' – ')} `
  expect((await enter(world.browser(), typed)).status).toBe(200)
})

test('nobody knows which of two devices with the same code is meant: neither is let in', async () => {
  const [device, other] = [await beginDevice(world), await beginDevice(world)]
  const { browser } = await entered(device)
  await db`
    update oauth_artifact set uid_hash = sha256(convert_to(${readCode(device.answer.user_code)}, 'utf8'))
    where  model = 'DeviceCode' and payload ->> 'clientId' = ${other.client.client_id}`
  expect((await browser.submit(PAGE, consentForm(world))).status).toBe(404)
})

describe('who guesses codes', () => {
  test('has ten tries, as a person; the right code is not taken after them, and others go on', async () => {
    await using fresh = await openOAuthWorld()
    const device = await beginDevice(fresh)
    const [guesser, owner] = [(await another(fresh)).browser, fresh.browser()]
    const statuses = []
    for (let n = 0; n < 11; n++) statuses.push((await enter(guesser, `BCDFGHJ${'BCDFGHJKLMN'[n]}`)).status)
    expect(statuses).toEqual([...Array<number>(10).fill(404), 429])
    expect((await enter(guesser, device.answer.user_code)).status).toBe(429)
    expect((await enter(owner, device.answer.user_code)).status).toBe(200)
  })

  test('has sixty from one address, as whichever people', async () => {
    await using fresh = await openOAuthWorld()
    const device = await beginDevice(fresh)
    for (let n = 0; n < 6; n++) {
      const { browser } = await another(fresh)
      for (let m = 0; m < 10; m++) expect((await enter(browser, 'BCDFGHJK')).status).toBe(404)
    }
    expect((await enter(fresh.browser(), device.answer.user_code)).status).toBe(429)
  })

  test('many at once have no more', async () => {
    await using fresh = await openOAuthWorld()
    const { browser } = await another(fresh)
    const answers = await Promise.all(Array.from({ length: 30 }, () => enter(browser, 'BCDFGHJK')))
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(10)
  })
})

describe('a workspace', () => {
  test('is let in by its members alone', async () => {
    const device = await beginDevice(world)
    const { browser } = await another()
    await entered(device, browser)
    const answer = await browser.submit(PAGE, consentForm(world))
    expect([answer.status, await textOf(answer)]).toEqual([
      422,
      expect.stringContaining('no longer a member'),
    ])
    expect(await poll(device)).toMatchObject({ status: 400, body: { error: 'authorization_pending' } })
  })

  test('of another person who enters the code is the one that the device gets, and no other', async () => {
    const other = await aWorkspace(db)
    const { personId } = other.caller.member
    const session = await openSession(db, personId, { address: '127.0.0.1', userAgent: null })
    const device = await beginDevice(world)
    const { browser } = await entered(device, new Browser(world.baseUrl, [['postrider', session]]))
    expect((await browser.submit(PAGE, consentForm({ workspace: other }))).status).toBe(200)
    const { body } = await poll(device)
    expect(await (await me(world, body.access_token)).json()).toMatchObject({
      workspace: { id: other.workspaceId },
    })
  })
})

describe('the page', () => {
  test('is for people who have just shown who they are, and leads back to itself', async () => {
    await using fresh = await openOAuthWorld()
    const device = await beginDevice(fresh)
    const stranger = new Browser(fresh.baseUrl)
    const locations = async (browser: Browser) => [
      (await browser.get(PAGE)).headers.get('location'),
      (await enter(browser, device.answer.user_code)).headers.get('location'),
      (await browser.submit(PAGE, [['code', device.answer.user_code], ...consentForm(fresh)])).headers.get(
        'location',
      ),
    ]
    expect(await locations(stranger)).toEqual(Array(3).fill('/sign-in?next=%2Fdevice'))
    const owner = fresh.browser()
    await fresh.world.db`update session set proved_at = now() - interval '1 hour'`
    expect(await locations(owner)).toEqual(Array(3).fill('/prove?next=%2Fdevice'))
    expect(await fresh.world.db`select from oauth_grant`).toHaveLength(0)
  })

  test('takes a form from its own site alone', async () => {
    const device = await beginDevice(world)
    const { browser } = await entered(device)
    const answer = await browser.submit(PAGE, consentForm(world), { 'sec-fetch-site': 'cross-site' })
    expect(answer.status).toBe(403)
    expect((await poll(device)).body).toMatchObject({ error: 'authorization_pending' })
  })

  test('takes no decision from a session that it was not shown to', async () => {
    const device = await beginDevice(world)
    const { browser } = await entered(device)
    const { personId } = world.workspace.caller.member
    const session = await openSession(db, personId, { address: '127.0.0.1', userAgent: null })
    browser.keep('postrider', session)
    const answer = await browser.submit(PAGE, consentForm(world))
    expect([answer.status, await textOf(answer)]).toEqual([422, expect.stringContaining('signed in again')])
    expect((await poll(device)).body).toMatchObject({ error: 'authorization_pending' })
  })

  test('says it in German', async () => {
    await using fresh = await openOAuthWorld()
    await fresh.world.db`update person set language = 'de'`
    const device = await beginDevice(fresh)
    const owner = fresh.browser()
    expect(await textOf(await owner.get(PAGE))).toContain('Geben Sie den Code ein')
    const { page } = await entered(device, owner)
    expect(page).toContain('Wenn eine andere Person ihn Ihnen geschickt hat')
    expect(await textOf(await enter(fresh.browser(), 'BCDFGHJK'))).toContain(
      'Unter diesem Code wartet kein Gerät.',
    )
  })
})

test('lets no device in after its person has signed out, must prove again, or has left', async () => {
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
    const device = await beginDevice(fresh)
    const { browser } = await entered(device, fresh.browser())
    const form = [...browser.hidden, ...consentForm(fresh)]
    const headers = { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' }
    const answer = await sendHeld(`${fresh.baseUrl}${PAGE}`, form, headers, () => end(fresh))
    expect([what, answer.status]).toEqual([what, status])
    expect(await fresh.world.db`select from oauth_grant`).toHaveLength(0)
    expect((await poll(device)).body).toMatchObject({ error: 'authorization_pending' })
  }
})

test.each([
  ['signed out', 'deny', '/sign-in?next=%2Fdevice'],
  ['must prove again', 'deny', '/prove?next=%2Fdevice'],
  ['must prove again', 'allow', '/prove?next=%2Fdevice'],
] as const)(
  'stays undecided where its person %s just before they %s it',
  async (ended, decision, location) => {
    await using fresh = await openOAuthWorld()
    const { db: own } = fresh.world
    const device = await beginDevice(fresh)
    const { browser } = await entered(device, fresh.browser())
    const held = await openTransaction(own)
    await held.tx`select from throttle for update`
    const form = decision === 'allow' ? consentForm(fresh) : ([['decision', 'deny']] as [string, string][])
    const decided = browser.submit(PAGE, form)
    // Who they are was looked up.
    await untilBlocked(own, 1)
    await (ended === 'signed out'
      ? own`delete from session`
      : own`update session set proved_at = now() - interval '1 hour'`)
    await held.commit()
    const answer = await decided
    expect([answer.status, answer.headers.get('location')]).toEqual([303, location])
    expect((await poll(device)).body).toMatchObject({ error: 'authorization_pending' })
  },
)

test('gives no tokens after the app was cut off, before it asks or while its body is held back', async () => {
  for (const isHeld of [false, true]) {
    const device = await beginDevice(world)
    await allow(device)
    const { client_id } = device.client
    const [grant] = await db<{ id: string }[]>`select id from oauth_grant where client_id = ${client_id}`
    const revoke = () => revokeGrant(db, world.workspace.workspaceId, grant!.id)
    const form = Object.entries({
      grant_type: DEVICE_GRANT,
      client_id,
      device_code: device.answer.device_code,
    })
    if (!isHeld) await revoke()
    const answer = await sendHeld(
      `${world.baseUrl}/oauth/token`,
      form,
      {},
      isHeld ? revoke : async () => undefined,
    )
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { error: 'invalid_grant' }])
  }
})

describe('a device asks', () => {
  const ask = async (fields: Record<string, string>, fresh = world) => {
    const body = new URLSearchParams(fields)
    const answer = await fetch(`${fresh.baseUrl}/oauth/device/auth`, { method: 'POST', body })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  test('for everything where it names no scope, and is refused one of which nothing is known', async () => {
    const { client } = await beginDevice(world)
    const { client_id } = client
    const asked = await ask({ client_id })
    const { page } = await entered({ answer: asked.body } as unknown as Device)
    expect(page.match(/name="permission"/g)).toHaveLength(7)
    expect(await ask({ client_id, scope: 'everything' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    })
    expect(await ask({ client_id, resource: 'https://elsewhere.example' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_target' },
    })
    for (const name of ['scope', 'resource', 'foo', 'foo\0'])
      expect(await ask({ client_id, [name]: 'a\0' })).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    expect(await ask({ client_id: 'nobody' })).toMatchObject({ body: { error: 'invalid_client' } })
  })

  test('by a client of codes alone: it is told that it may not', async () => {
    const answer = await fetch(`${world.baseUrl}/oauth/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/back'], token_endpoint_auth_method: 'none' }),
    })
    const { client_id } = (await answer.json()) as { client_id: string }
    expect((await ask({ client_id })).status).toBe(400)
  })

  test('too often from one address: it is told to wait, before anything is stored', async () => {
    await using fresh = await openOAuthWorld({ authorizationsPerMinute: 3 })
    const { client } = await beginDevice(fresh)
    const answers = []
    for (let n = 0; n < 3; n++) answers.push((await ask({ client_id: client.client_id }, fresh)).status)
    expect(answers).toEqual([200, 200, 429])
    expect(await fresh.world.db`select from oauth_artifact where model = 'DeviceCode'`).toHaveLength(3)
  })

  test('among a flood: so many rows stay, the newest and those that are decided', async () => {
    await using fresh = await openOAuthWorld()
    await fresh.world.db`
      insert into oauth_artifact (model, id_hash, payload, created_at, expires_at)
      select 'DeviceCode', sha256(convert_to(n::text, 'utf8')),
             case when n = 1 then '{"accountId":""}'::jsonb else '{}'::jsonb end,
             now() - interval '1 minute', now() + interval '9 minutes'
      from   generate_series(1, ${OPEN_INTERACTIONS + 50}) as n`
    const device = await beginDevice(fresh)
    const kept = await fresh.world.db`select from oauth_artifact where model = 'DeviceCode'`
    expect(kept.length).toBeLessThanOrEqual(OPEN_INTERACTIONS + 1)
    expect(await fresh.world.db`select from oauth_artifact where payload ? 'accountId'`).toHaveLength(1)
    expect((await enter(fresh.browser(), device.answer.user_code)).status).toBe(200)
  })
})
