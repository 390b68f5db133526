import { afterAll, describe, expect, test } from 'vitest'
import { Authenticator, type Departure } from '../../../../test/rigs/authenticator.ts'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import {
  aBrowser,
  aPerson,
  ask,
  openSite,
  OWN_PAGE,
  PASSWORD,
  SITE,
} from '../../../../test/rigs/people-world.ts'
import { hasPasskeys } from './webauthn.ts'
import { siteOf } from '../../../platform/outbound/site.ts'

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())
const COOKIE = '__Host-postrider'

/** Somebody who has signed in with their password just now. */
async function aSignedIn(person?: { email: string; personId: string; name: string }) {
  const somebody = person ?? (await aPerson(db))
  const browser = aBrowser(site.app)
  await browser.post('/sign-in', { email: somebody.email, password: PASSWORD })
  const send = (at: string, body?: unknown) =>
    ask(site.app, at, body, { cookie: `${COOKIE}=${browser.cookies.get(COOKIE)}`, ...OWN_PAGE })
  const rename = (passkeyId: string, name: string) =>
    browser.post('/account/passkeys/rename', { passkeyId, name })
  const remove = (passkeyId: string) => browser.post('/account/passkeys/remove', { passkeyId })
  return { ...somebody, browser, send, rename, remove }
}

/** The same with a passkey on a device. */
async function withPasskey(authenticator = new Authenticator(SITE)) {
  const person = await aSignedIn()
  const { body: offered } = await person.send('POST /passkeys/offer')
  const credential = authenticator.create(offered.options)
  const { body: made } = await person.send('POST /passkeys', { name: ' Phone ', credential })
  return { ...person, authenticator, passkeyId: made.passkeyId as string }
}

/** A sign-in with a passkey by somebody who is nobody yet. */
async function enterWith(authenticator: Authenticator, departure: Departure = {}) {
  const { body: begun } = await ask(site.app, 'POST /sign-in/passkey/begin', undefined, OWN_PAGE)
  return enterBy(authenticator.get(begun.options, departure))
}

async function enterBy(credential: unknown) {
  const answer = await ask(site.app, 'POST /sign-in/passkey', { credential }, OWN_PAGE)
  const [cookie] = [answer.headers['set-cookie']].flat().map(String)
  return { ...answer, session: new RegExp(`^${COOKIE}=([\\w-]{43});`).exec(cookie ?? '')?.[1] ?? null }
}

const actsOf = (personId: string) =>
  db<{ action: string }[]>`select action from audit_entry where person_id = ${personId} order by seq`

test('a passkey is added after a fresh proof, listed, named, and signs in without a password', async () => {
  const person = await withPasskey()
  expect((await person.send('GET /passkeys')).body).toMatchObject([
    { passkeyId: person.passkeyId, name: 'Phone', lastUsedAt: null },
  ])
  const entered = await enterWith(person.authenticator)
  expect(entered).toMatchObject({ status: 200, body: { done: true } })
  const { body: me } = await ask(site.app, 'GET /me', undefined, { cookie: `${COOKIE}=${entered.session}` })
  expect(me).toMatchObject({ person: { personId: person.personId }, session: { fresh: true } })
  await person.rename(person.passkeyId, ' Old phone ')
  const { body: list } = await person.send('GET /passkeys')
  expect(list).toMatchObject([{ name: 'Old phone', lastUsedAt: expect.any(String) as unknown }])
  expect((await actsOf(person.personId)).map(({ action }) => action)).toEqual([
    'signIn',
    'registerPasskey',
    'signIn',
    'renamePasskey',
  ])
})

test('a passkey that is removed opens nothing', async () => {
  const person = await withPasskey()
  expect(await person.remove(person.passkeyId)).toMatchObject({ status: 303, location: '/account/passkeys' })
  expect((await enterWith(person.authenticator)).body).toMatchObject({ code: 'sign_in_failed' })
  expect((await person.remove(person.passkeyId)).status).toBe(404)
})

test('the last way to sign in stays', async () => {
  const person = await withPasskey()
  await db`update person set password_hash = null where id = ${person.personId}`
  const refused = await person.remove(person.passkeyId)
  expect(refused).toMatchObject({
    status: 409,
    text: expect.stringContaining('only way to sign in') as unknown,
  })
  expect((await enterWith(person.authenticator)).status).toBe(200)
})

test('nobody adds or removes one without a fresh proof, nor touches those of others', async () => {
  const person = await withPasskey()
  const stranger = await aSignedIn()
  expect((await stranger.rename(person.passkeyId, 'Mine')).status).toBe(404)
  expect((await stranger.remove(person.passkeyId)).status).toBe(404)
  for (const name of ['', '  ', 'a\nb', 'x'.repeat(101)])
    expect((await person.rename(person.passkeyId, name)).status).toBe(400)
  await db`update session set proved_at = now() - interval '1 hour' where person_id = ${person.personId}`
  expect((await person.send('POST /passkeys/offer')).body).toMatchObject({ code: 'fresh_proof_required' })
  expect((await person.remove(person.passkeyId)).location).toBe('/prove?next=%2Faccount%2Fpasskeys')
  expect((await person.send('GET /passkeys')).body).toMatchObject([{ name: 'Phone' }])
})

test('a passkey counts as second factor: no code is asked for', async () => {
  const person = await withPasskey()
  await db`
    insert into totp (person_id, sealed, confirmed_at) values (${person.personId}, 'x', now())`
  const begun = await aBrowser(site.app).post('/sign-in', { email: person.email, password: PASSWORD })
  expect(begun.location).toMatch(/^\/sign-in\/code/)
  expect((await enterWith(person.authenticator)).body).toEqual({ done: true })
})

test('it proves once more who somebody is, with its own session and passkey only', async () => {
  const [person, other] = [await withPasskey(), await withPasskey()]
  await db`update session set proved_at = now() - interval '1 hour' where person_id = ${person.personId}`
  const begin = async () => (await person.send('POST /proof/passkey/begin')).body.options
  const foreign = other.authenticator.get(await begin())
  expect((await person.send('POST /proof/passkey', { credential: foreign })).body).toMatchObject({
    code: 'sign_in_failed',
  })
  const stolen = person.authenticator.get(await begin())
  expect((await other.send('POST /proof/passkey', { credential: stolen })).body).toMatchObject({
    code: 'sign_in_failed',
  })
  const before = person.browser.cookies.get(COOKIE)
  const credential = person.authenticator.get(await begin())
  const proved = await person.send('POST /proof/passkey', { credential })
  expect(proved.body).toEqual({ done: true })
  const [cookie] = [proved.headers['set-cookie']].flat().map(String)
  const session = /=([\w-]{43});/.exec(cookie ?? '')![1]!
  expect(session).not.toBe(before)
  const { body } = await ask(site.app, 'GET /me', undefined, { cookie: `${COOKIE}=${session}` })
  expect(body.session.fresh).toBe(true)
})

describe('a sign-in is refused', () => {
  test.each<[string, Departure]>([
    ['of another site', { origin: 'https://postrider.evil.example' }],
    ['on http', { origin: 'http://postrider.test' }],
    ['for another name', { rpId: 'evil.example' }],
    ['without verifying its person', { verified: false }],
    ['with a challenge that was never given', { challenge: 'a'.repeat(43) }],
    ['with the answer to another question', { type: 'webauthn.create' }],
    ['without saying whose it is', { userHandle: null }],
    ['for another account', { userHandle: Buffer.alloc(16) }],
  ])('%s', async (_, departure) => {
    const { authenticator } = await withPasskey()
    const refused = await enterWith(authenticator, departure)
    expect(refused).toMatchObject({ status: 401, session: null, body: { code: 'sign_in_failed' } })
    expect((await enterWith(authenticator)).status).toBe(200)
  })

  test('with an answer that was used, or whose challenge is too old, or was given for something else', async () => {
    const person = await withPasskey()
    const { body: begun } = await ask(site.app, 'POST /sign-in/passkey/begin', undefined, OWN_PAGE)
    const credential = person.authenticator.get(begun.options)
    const both = await Promise.all([enterBy(credential), enterBy(credential)])
    expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '401'])

    const { body: late } = await ask(site.app, 'POST /sign-in/passkey/begin', undefined, OWN_PAGE)
    await db`update ceremony set expires_at = now()`
    expect((await enterBy(person.authenticator.get(late.options))).status).toBe(401)
    const { body: proof } = await person.send('POST /proof/passkey/begin')
    expect((await enterBy(person.authenticator.get(proof.options))).status).toBe(401)
  })

  test('with a challenge that was spent on a try that failed', async () => {
    const { authenticator } = await withPasskey()
    const { body: begun } = await ask(site.app, 'POST /sign-in/passkey/begin', undefined, OWN_PAGE)
    expect((await enterBy(authenticator.get(begun.options, { verified: false }))).status).toBe(401)
    expect((await enterBy(authenticator.get(begun.options))).status).toBe(401)
  })

  test('with what is no credential', async () => {
    const { authenticator } = await withPasskey()
    const { body: begun } = await ask(site.app, 'POST /sign-in/passkey/begin', undefined, OWN_PAGE)
    const good = authenticator.get(begun.options)
    for (const credential of [
      {},
      { id: 1 },
      { ...good, id: 'ü' },
      { ...good, response: null },
      { ...good, response: { ...good['response'], clientDataJSON: 'e30' } },
      { ...good, response: { ...good['response'], signature: 7 } },
    ]) {
      expect((await enterBy(credential)).body).toMatchObject({ code: 'sign_in_failed' })
    }
  })
})

test('a copy of a passkey is noticed by its count; neither use with a count that was seen opens anything', async () => {
  const person = await withPasskey()
  const copy = person.authenticator.copy()
  expect((await enterWith(person.authenticator)).status).toBe(200)
  const refused = await enterWith(copy)
  expect(refused.body).toMatchObject({ code: 'sign_in_failed' })
  expect(refused.body.detail).toContain('copy')
  expect((await actsOf(person.personId)).slice(-2)).toEqual([
    { action: 'refuseCopiedPasskey' },
    { action: 'refuseSignIn' },
  ])
  const devices = [person.authenticator, person.authenticator.copy()]
  const both = await Promise.all(devices.map((device) => enterWith(device)))
  expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '401'])
})

test('each sign-in that fails is recorded, as long as tries are let through, with whose passkey it was', async () => {
  const [person, removed] = [await withPasskey(), await withPasskey()]
  await removed.remove(removed.passkeyId)
  const failures = async () =>
    db<{ personId: string | null; by: string; address: string | null }[]>`
      select person_id as "personId", after ->> 'by' as by, address from audit_entry
      where  action = 'refuseSignIn' and after ->> 'by' = 'passkey' order by seq`
  await db`delete from throttle`
  const before = (await failures()).length
  const added = async () => (await failures()).slice(before)
  await enterWith(person.authenticator, { origin: 'https://evil.example' })
  await enterWith(removed.authenticator)
  await enterBy({ id: 1 })
  const address = '127.0.0.1'
  expect(await added()).toEqual([
    { personId: person.personId, by: 'passkey', address },
    { personId: null, by: 'passkey', address },
    { personId: null, by: 'passkey', address },
  ])
  expect((await enterWith(person.authenticator)).status).toBe(200)
  expect(await added()).toHaveLength(3)
  // An address may fail so often and no more: what it tries then is not recorded either.
  await db`update throttle set count = 60`
  expect((await enterWith(removed.authenticator)).body).toMatchObject({ code: 'rate_limited' })
  expect(await added()).toHaveLength(3)
  await db`delete from throttle`
})

test('authenticators that do not count are taken as they are', async () => {
  const { authenticator } = await withPasskey(new Authenticator(SITE, { counts: false }))
  for (let n = 0; n < 2; n++) expect((await enterWith(authenticator)).status).toBe(200)
})

describe('a new passkey is refused', () => {
  test('of another session, twice, unverified, or of another site', async () => {
    const person = await aSignedIn()
    const elsewhere = await aSignedIn(person)
    const offer = async () => (await person.send('POST /passkeys/offer')).body.options
    const register = (who: typeof person, credential: unknown) =>
      who.send('POST /passkeys', { name: 'x', credential })
    const foreign = new Authenticator(SITE).create(await offer())
    expect((await register(elsewhere, foreign)).body).toMatchObject({ code: 'sign_in_failed' })
    for (const departure of [
      { verified: false },
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
    ]) {
      const credential = new Authenticator(SITE).create(await offer(), departure)
      expect((await register(person, credential)).body).toMatchObject({ code: 'sign_in_failed' })
    }
    const device = new Authenticator(SITE)
    const good = device.create(await offer())
    expect((await register(person, good)).status).toBe(201)
    expect((await register(person, good)).body).toMatchObject({ code: 'sign_in_failed' })
    expect((await register(person, device.create(await offer()))).body).toMatchObject({
      code: 'already_exists',
    })
    expect((await person.send('GET /passkeys')).body).toHaveLength(1)
    const options = await offer()
    expect(options.excludeCredentials).toEqual([
      expect.objectContaining({ id: device.credentialId.toString('base64url') }),
    ])
    expect(options).toMatchObject({
      rp: { id: 'postrider.test' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
  })

  test('beyond twenty', async () => {
    const person = await aSignedIn()
    await db`
      insert into passkey (id, person_id, credential_id, public_key, counter, transports, name)
      select gen_random_uuid(), ${person.personId}, decode(md5(n::text || ${person.personId}), 'hex'), '', 0, '{}', 'x'
      from   generate_series(1, 20) n`
    expect((await person.send('POST /passkeys/offer')).body).toMatchObject({ code: 'invalid_state' })
  })
})

test('the pages offer passkeys, and renaming and removing work without a script', async () => {
  const person = await withPasskey()
  expect((await aBrowser(site.app).get('/sign-in')).text).toContain('data-passkey="sign-in"')
  const { text, headers } = await person.browser.get('/account/passkeys')
  expect(text).toContain('data-passkey="register"')
  expect(text).toContain('<h2>Phone</h2>')
  expect(String(headers['content-security-policy'])).toContain("script-src 'self'")
  const script = await person.browser.get('/passkeys.js')
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(script.headers['x-content-type-options']).toBe('nosniff')
  await person.rename(person.passkeyId, '<b>')
  expect((await person.browser.get('/account/passkeys')).text).toContain('<h2>&lt;b&gt;</h2>')
  await db`update session set proved_at = now() - interval '1 hour' where person_id = ${person.personId}`
  const stale = await person.remove(person.passkeyId)
  expect(stale.location).toBe('/prove?next=%2Faccount%2Fpasskeys')
  expect((await person.browser.get(stale.location!)).text).toContain('data-passkey="prove"')
  await db`update session set proved_at = now() where person_id = ${person.personId}`
  await person.remove(person.passkeyId)
  expect((await person.send('GET /passkeys')).body).toEqual([])
})

test.each([
  ['https://post.example.com', true],
  ['http://localhost:4000', true],
  ['http://127.0.0.1:4000', true],
  ['http://post.example.com', false],
  ['https://192.0.2.1', false],
  ['https://[2001:db8::1]', false],
])('browsers have passkeys at %s: %s', (url, possible) => {
  expect(hasPasskeys(siteOf(url))).toBe(possible)
})
