import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aWorkspace, openTransaction, untilBlocked } from '../../../../test/rigs/fixtures.ts'
import { CLIENT, type IdToken, signToken } from '../../../../test/rigs/issuer.ts'
import { openIssuerSite } from '../../../../test/rigs/issuer-site.ts'
import {
  aBrowser,
  type ABrowser,
  aPerson,
  openSite,
  PASSWORD,
  SITE,
} from '../../../../test/rigs/people-world.ts'
import { Secret } from '../../../platform/sealing/sealing.ts'
import { insertInvitation } from '../../members/invitation-store.ts'
import { openOidcClient } from './issuer-client.ts'
import { issuerReturnUrl } from '../../../platform/outbound/site.ts'
import { emailOf } from '../../../platform/text/email-address.ts'

const { world } = await openFileWorld()
const { db } = world
const faults: unknown[] = []
const onFault = (fault: unknown) => void faults.push(fault)
const issuerSite = await openIssuerSite(db, { domains: ['allowed.example'], onFault })
const { idp, settings, site } = issuerSite
afterAll(() => issuerSite[Symbol.asyncDispose]())
beforeEach(async () => {
  idp.user = null
  await db`delete from throttle`
})
const COOKIE = '__Host-postrider'
const aSubject = () => randomBytes(8).toString('hex')
const browser = () => aBrowser(site.app)

/** Goes to the issuer, and gives where it sends the browser back to. */
async function there(one: ABrowser, next = ''): Promise<URL> {
  const { location } = await one.get(`/sign-in/issuer?next=${encodeURIComponent(next)}`)
  return idp.visit(location!)
}
const back = (one: ABrowser, url: URL) => one.get(url.pathname + url.search)
const signIn = async (one = browser(), next = '') => back(one, await there(one, next))

async function proven(person: { personId: string }) {
  await db`update person set email_proven_at = now() where id = ${person.personId}`
}
const identitiesOf = ({ personId }: { personId: string }) =>
  db<{ subject: string }[]>`select subject from person_identity where person_id = ${personId}`

test('somebody whose verified address has an account is let into it, and known by their subject afterwards', async () => {
  const person = await aPerson(db)
  await proven(person)
  idp.user = { sub: aSubject(), email: person.email.toUpperCase(), email_verified: true }
  const one = browser()
  expect(await signIn(one, '/review')).toMatchObject({ status: 303, location: '/review' })
  expect((await one.get('/account')).text).toContain(person.email)
  expect((await one.get('/account')).text).toContain('Connected to Example login')
  expect(one.cookies.has(`${COOKIE}-step`)).toBe(false)

  idp.user = { sub: idp.user.sub, email: 'other@example.com', email_verified: false }
  const later = browser()
  await signIn(later)
  expect((await later.get('/account')).text).toContain(person.email)
  const acts =
    await db`select action, after from audit_entry where person_id = ${person.personId} order by seq`
  expect(acts).toMatchObject([
    { action: 'connectIssuer', after: { issuer: idp.issuer } },
    { action: 'signIn', after: { by: 'oidc' } },
    { action: 'signIn', after: { by: 'oidc' } },
  ])
})

test.each([false, undefined, 'true'])(
  'an address that is not verified (%s) opens nothing',
  async (verified) => {
    const person = await aPerson(db)
    await proven(person)
    idp.user = {
      sub: aSubject(),
      email: person.email,
      ...(verified === undefined ? {} : { email_verified: verified }),
    }
    const one = browser()
    const refused = await signIn(one)
    expect(refused.status).toBe(401)
    expect(refused.text).toContain('verified your email address')
    expect(one.cookies.has(COOKIE)).toBe(false)
    expect(await identitiesOf(person)).toEqual([])
  },
)

test('a subject without any address is told so', async () => {
  idp.user = { sub: aSubject() }
  expect((await signIn()).text).toContain('verified your email address')
})

test('an account whose address nobody has proven is connected from within it, and by nobody else', async () => {
  const person = await aPerson(db)
  idp.user = { sub: aSubject(), email: person.email, email_verified: true }
  const refused = await signIn()
  expect(refused).toMatchObject({ status: 409 })
  expect(refused.text).toContain('sign in with its password')

  const one = browser()
  await one.post('/sign-in', { email: person.email, password: PASSWORD })
  const page = await one.post('/account/issuer')
  const link = /href="(http:\/\/localhost:[^"]+)"/.exec(page.text)![1]!.replaceAll('&amp;', '&')
  expect(await back(one, await idp.visit(link))).toMatchObject({ status: 303, location: '/account' })
  expect(await identitiesOf(person)).toEqual([{ subject: idp.user.sub }])
  expect((await signIn()).status).toBe(303)

  await one.post('/account/issuer/disconnect')
  expect(await identitiesOf(person)).toEqual([])
})

test('an account whose address nobody has proven is not opened by that address, whatever way into it there is', async () => {
  const ada = { sub: aSubject(), email: 'ada@corp.example', email_verified: true }
  const mallory = browser()
  idp.user = { sub: aSubject(), email: 'mallory@allowed.example', email_verified: true }
  const squatter = idp.user
  await signIn(mallory)
  await mallory.post('/account/email', { email: ada.email })
  const withPasskey = await aPerson(db, { password: false })
  await db`
    insert into passkey (id, person_id, credential_id, public_key, counter, transports, name)
    values (gen_random_uuid(), ${withPasskey.personId}, ${randomBytes(16)}, 'x', 0, '{}', 'Key')`

  for (const user of [ada, { ...ada, sub: aSubject(), email: withPasskey.email }]) {
    idp.user = user
    const one = browser()
    const refused = await signIn(one)
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('its address was never confirmed')
    expect(refused.text).toContain('sign in as you did before')
    expect(one.cookies.has(COOKIE)).toBe(false)
    expect(await db`select from person_identity where subject = ${user.sub}`).toEqual([])
  }
  expect(await db`select email_proven_at from person where email = ${ada.email}`).toEqual([
    { email_proven_at: null },
  ])
  idp.user = squatter
  expect((await signIn()).status).toBe(303)

  const awaited = await aPerson(db, { password: false })
  idp.user = { sub: aSubject(), email: awaited.email, email_verified: true }
  expect((await signIn()).status).toBe(303)
  expect(await identitiesOf(awaited)).toEqual([{ subject: idp.user.sub }])
})

test('what is somebody’s is not connected with another account, and not by another session', async () => {
  const [person, other] = [await aPerson(db), await aPerson(db)]
  await proven(person)
  idp.user = { sub: aSubject(), email: person.email, email_verified: true }
  await signIn()
  const one = browser()
  await one.post('/sign-in', { email: other.email, password: PASSWORD })
  const connect = async () => {
    const page = await one.post('/account/issuer')
    return idp.visit(/href="(http:\/\/localhost:[^"]+)"/.exec(page.text)![1]!.replaceAll('&amp;', '&'))
  }
  expect((await back(one, await connect())).text).toContain('belongs to another account')
  idp.user = { sub: aSubject() }
  const home = await connect()
  await one.post('/sign-in', { email: person.email, password: PASSWORD })
  expect((await back(one, home)).status).toBe(401)
  expect(await identitiesOf(other)).toEqual([])
  await db`update session set proved_at = now() - interval '1 hour'`
  expect((await one.post('/account/issuer')).location).toBe('/prove?next=%2Faccount')
})

test('a session whose proof of identity is no longer fresh at the return connects nothing', async () => {
  const person = await aPerson(db)
  const one = browser()
  await one.post('/sign-in', { email: person.email, password: PASSWORD })
  idp.user = { sub: aSubject() }
  const page = await one.post('/account/issuer')
  const link = /href="(http:\/\/localhost:[^"]+)"/.exec(page.text)![1]!.replaceAll('&amp;', '&')
  const home = await idp.visit(link)
  await db`update session set proved_at = now() - interval '1 hour' where person_id = ${person.personId}`
  expect((await back(one, home)).location).toBe('/prove?next=%2Faccount')
  expect(await identitiesOf(person)).toEqual([])
})

test('nobody who was not invited gets in', async () => {
  const email = emailOf('stranger@example.com')
  idp.user = { sub: aSubject(), email, email_verified: true, name: 'Stranger' }
  const refused = await signIn()
  expect(refused).toMatchObject({ status: 401 })
  expect(refused.text).toContain('stranger@example.com has not been invited')
  expect(await db`select from person where email = ${email}`).toHaveLength(0)

  const { workspaceId, memberId } = await aWorkspace(db)
  const { secret } = await db.begin((tx) =>
    insertInvitation(tx, { workspaceId, email, role: 'editor', invitedBy: memberId, byMail: false }),
  )
  const path = `/invitation/${secret}`
  const one = browser()
  expect((await one.get(path)).text).toContain(`/sign-in/issuer?next=${encodeURIComponent(path)}`)
  expect(await signIn(one, path)).toMatchObject({ status: 303, location: path })
  expect(await one.post(path)).toMatchObject({ status: 303 })
  expect((await one.get('/account')).text).toContain('Test</a>, Editor')
})

test('a domain that the settings allow gets accounts, which are members of nothing', async () => {
  idp.user = {
    sub: aSubject(),
    email: 'New@Allowed.Example',
    email_verified: true,
    name: '\u202eNew\nPerson',
  }
  const one = browser()
  expect((await signIn(one)).status).toBe(303)
  expect((await one.get('/account')).text).toContain('<h1>New Person</h1>')
  expect((await one.get('/account')).text).toContain('You’re not in a workspace yet')
  expect((await one.post('/account/issuer/disconnect')).text).toContain('your only way to sign in')
  for (const email of [
    'x@not-allowed.example',
    'x@allowed.example.evil.example',
    'allowed.example@evil.example',
  ]) {
    idp.user = { sub: aSubject(), email, email_verified: true }
    expect((await signIn()).status).toBe(401)
  }
})

test('an authenticator app is asked for a code all the same', async () => {
  const person = await aPerson(db)
  await proven(person)
  await db`insert into totp (person_id, sealed, confirmed_at) values (${person.personId}, 'x', now())`
  idp.user = { sub: aSubject(), email: person.email, email_verified: true }
  const one = browser()
  expect((await signIn(one)).location).toMatch(/^\/sign-in\/code/)
  expect(one.cookies.has(COOKIE)).toBe(false)
  expect(one.cookies.has(`${COOKIE}-step`)).toBe(true)
})

test('what comes back in the browser of another session of the person, or of another person, connects nothing', async () => {
  const [person, victim] = [await aPerson(db), await aPerson(db)]
  const inBrowserOf = async ({ email }: { email: string }) => {
    const one = browser()
    await one.post('/sign-in', { email, password: PASSWORD })
    return one
  }
  for (const other of [await inBrowserOf(person), await inBrowserOf(victim)]) {
    const one = await inBrowserOf(person)
    idp.user = { sub: aSubject() }
    const page = await one.post('/account/issuer')
    const home = await idp.visit(
      /href="(http:\/\/localhost:[^"]+)"/.exec(page.text)![1]!.replaceAll('&amp;', '&'),
    )
    // The session in which it was begun lives on.
    other.cookies.set(`${COOKIE}-step`, one.cookies.get(`${COOKIE}-step`)!)
    expect((await back(other, home)).status).toBe(401)
    expect((await one.get('/account')).status).toBe(200)
  }
  expect(await identitiesOf(person)).toEqual([])
  expect(await identitiesOf(victim)).toEqual([])
})

test('an identity that is withdrawn while it comes back lets nobody in', async () => {
  const person = await aPerson(db)
  await proven(person)
  idp.user = { sub: aSubject(), email: person.email, email_verified: true }
  await signIn()
  await db`delete from session where person_id = ${person.personId}`
  idp.user = { sub: idp.user.sub }
  const held = await openTransaction(db)
  await held.tx`select from person where id = ${person.personId} for update`
  const one = browser()
  const returning = signIn(one)
  await untilBlocked(db)
  await held.tx`delete from person_identity where person_id = ${person.personId}`
  await held.commit()
  expect((await returning).status).toBe(401)
  expect(await db`select from session where person_id = ${person.personId}`).toEqual([])
})

describe('a return is refused', () => {
  async function aUser() {
    const person = await aPerson(db)
    await proven(person)
    idp.user = { sub: aSubject(), email: person.email, email_verified: true }
  }

  test('in a browser that has not begun it', async () => {
    await aUser()
    const url = await there(browser())
    const [never, another] = [browser(), browser()]
    await another.get('/sign-in/issuer')
    for (const victim of [never, another]) {
      expect((await back(victim, url)).status).toBe(401)
      expect(victim.cookies.has(COOKIE)).toBe(false)
    }
  })

  test('twice, and after ten minutes', async () => {
    await aUser()
    const one = browser()
    const url = await there(one)
    const again = aBrowser(site.app, new Map(one.cookies))
    expect((await back(one, url)).status).toBe(303)
    expect((await back(again, url)).status).toBe(401)
    const late = browser()
    const home = await there(late)
    await db`update ceremony set expires_at = now()`
    expect((await back(late, home)).status).toBe(401)
  })

  test.each<[string, (url: URL) => void]>([
    ['with another state', ({ searchParams }) => searchParams.set('state', 'x'.repeat(43))],
    ['without a state', ({ searchParams }) => searchParams.delete('state')],
    ['of another issuer (mix-up)', ({ searchParams }) => searchParams.set('iss', 'https://evil.example')],
    ['without saying of which issuer', ({ searchParams }) => searchParams.delete('iss')],
    ['with a made-up code', ({ searchParams }) => searchParams.set('code', 'x')],
    ['without a code', ({ searchParams }) => searchParams.delete('code')],
  ])('%s', async (_, tamper) => {
    await aUser()
    const one = browser()
    const url = await there(one)
    tamper(url)
    const refused = await back(one, url)
    expect(refused.status).toBe(401)
    expect(refused.text).toContain('belong to a sign-in that began')
    expect(one.cookies.has(COOKIE)).toBe(false)
  })

  const { privateKey: foreign } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const publicKey = createPublicKey(idp.key).export({ type: 'spki', format: 'pem' }).toString()
  test.each<[string, (honest: IdToken) => string]>([
    ['signed by another key', (honest) => signToken(honest, foreign)],
    [
      'signed by another key under a name of its own',
      ({ header, claims }) => signToken({ header: { ...header, kid: 'mine' }, claims }, foreign),
    ],
    [
      'under a name that no key of the issuer has',
      ({ header, claims }) => signToken({ header: { ...header, kid: 'another' }, claims }, idp.key),
    ],
    [
      'whose algorithm is none',
      ({ claims }) => signToken({ header: { alg: 'none' }, claims }, foreign).replace(/[^.]+$/, ''),
    ],
    [
      'signed with the public key as a secret',
      ({ header, claims }) => signToken({ header: { ...header, alg: 'HS256' }, claims }, publicKey),
    ],
    [
      'signed with the secret of this client',
      ({ header, claims }) => signToken({ header: { ...header, alg: 'HS256' }, claims }, CLIENT.clientSecret),
    ],
    [
      'that was changed after it was signed',
      (honest) => {
        const [header, , signature] = signToken(honest, idp.key).split('.')
        const [, claims] = signToken(
          { ...honest, claims: { ...honest.claims, sub: 'of-another' } },
          foreign,
        ).split('.')
        return [header, claims, signature].join('.')
      },
    ],
    ['without a signature', (honest) => signToken(honest, idp.key).replace(/[^.]+$/, '')],
  ])('with an ID token %s', async (_, forge) => {
    await aUser()
    const one = browser()
    const url = await there(one)
    idp.forge = forge
    const refused = await back(one, url)
    idp.forge = null
    expect(refused.status).toBe(401)
    expect(refused.text).toContain('belong to a sign-in that began')
    expect(one.cookies.has(COOKIE)).toBe(false)
    idp.forge = (honest) => signToken(honest, idp.key)
    const honest = await signIn()
    idp.forge = null
    expect(honest.status).toBe(303)
  })

  test('with the code of somebody else’s sign-in', async () => {
    await aUser()
    const [attacker, victim] = [browser(), browser()]
    const stolen = (await there(attacker)).searchParams.get('code')!
    const url = await there(victim)
    url.searchParams.set('code', stolen)
    expect((await back(victim, url)).status).toBe(401)
  })

  test('when the issuer let nobody in', async () => {
    const refused = await signIn()
    expect(refused).toMatchObject({ status: 401 })
    expect(refused.text).toContain('did not sign you in')
  })
})

test('the way there leads to pages of ours only, and is counted per address', async () => {
  const person = await aPerson(db)
  await proven(person)
  idp.user = { sub: aSubject(), email: person.email, email_verified: true }
  expect((await signIn(browser(), 'https://evil.example/')).location).toBe('/')
  const { location } = await browser().get('/sign-in/issuer')
  const { searchParams } = new URL(location!)
  expect(searchParams.get('code_challenge_method')).toBe('S256')
  expect(searchParams.get('response_type')).toBe('code')
  for (const name of ['state', 'nonce', 'code_challenge'])
    expect(searchParams.get(name)).toMatch(/^[\w-]{43}$/)
  await db`update throttle set count = 60`
  expect((await browser().get('/sign-in/issuer')).status).toBe(429)
})

test('each sign-in that fails is recorded once, with whose account it was, and nothing that nobody has begun', async () => {
  const failures = async () =>
    db<{ personId: string | null; address: string | null }[]>`
      select person_id as "personId", address from audit_entry
      where  action = 'refuseSignIn' and after ->> 'by' = 'oidc' order by seq`
  const before = (await failures()).length
  const person = await aPerson(db)
  const address = '127.0.0.1'
  const expected: unknown[] = []
  const fails = async (personId: string | null, user: typeof idp.user) => {
    idp.user = user
    expect((await signIn()).status).toBeGreaterThanOrEqual(400)
    expected.push({ personId, address })
    expect((await failures()).slice(before)).toEqual(expected)
  }
  await fails(null, null)
  await fails(null, { sub: aSubject() })
  await fails(null, { sub: aSubject(), email: 'nobody@elsewhere.example', email_verified: true })
  await fails(person.personId, { sub: aSubject(), email: person.email, email_verified: false })
  await fails(person.personId, { sub: aSubject(), email: person.email, email_verified: true })

  // What comes back a second time, or in a browser that has begun nothing, is no sign-in of anybody.
  await proven(person)
  const one = browser()
  idp.user = null
  const url = await there(one)
  const again = aBrowser(site.app, new Map(one.cookies))
  expect((await back(one, url)).status).toBe(401)
  expected.push({ personId: null, address })
  for (const who of [again, browser()]) expect((await back(who, url)).status).toBe(401)
  idp.user = { sub: aSubject(), email: person.email, email_verified: true }
  expect((await signIn()).status).toBe(303)
  expect((await failures()).slice(before)).toEqual(expected)
})

test('an issuer that is away or is another one is said to be, and nobody is let in', async () => {
  await using away = await openSite(db, {
    oidc: openOidcClient({ ...settings, issuer: 'http://localhost:9' }, issuerReturnUrl(SITE), onFault),
  })
  const refused = await aBrowser(away.app).get('/sign-in/issuer')
  expect(refused.status).toBe(503)
  expect(refused.text).toContain('Example login is not answering properly')
  await using other = await openSite(db, {
    oidc: openOidcClient(
      { ...settings, issuer: idp.issuer.replace('localhost', '127.0.0.1') },
      issuerReturnUrl(SITE),
      onFault,
    ),
  })
  expect((await aBrowser(other.app).get('/sign-in/issuer')).status).toBe(503)
  await using wrong = await openSite(db, {
    oidc: openOidcClient({ ...settings, clientSecret: new Secret('wrong') }, issuerReturnUrl(SITE), onFault),
  })
  const person = await aPerson(db)
  await proven(person)
  idp.user = { sub: aSubject(), email: person.email, email_verified: true }
  const one = aBrowser(wrong.app)
  const before = faults.length
  expect((await back(one, await there(one))).text).toContain('OIDC_CLIENT_SECRET')
  expect(faults.length).toBe(before + 1)
})

test('without an issuer there is no way to one', async () => {
  await using without = await openSite(db)
  const one = aBrowser(without.app)
  expect((await one.get('/sign-in/issuer')).status).toBe(404)
  expect((await one.get('/sign-in')).text).not.toContain('/sign-in/issuer')
  expect((await browser().get('/sign-in')).text).toContain('Sign in with Example login')
})
